"""From LibCST's nodes to the intermediate form, one function a node type. The way in is `source.lower`."""
