"""Positions of nodes in the text, and the layout that edits need. The entry point is `source.locate`."""
