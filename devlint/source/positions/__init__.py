"""Where nodes stand in the text, and what a change to them comes to. The way in is `source.locate`."""
