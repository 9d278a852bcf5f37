"""Where nodes stand in the text, and what edits need to know of them. The way in is `source.locate`."""
