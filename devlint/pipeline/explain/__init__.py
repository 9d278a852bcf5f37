"""From a pasted error to its explanation, with what the source observer knows of the place."""
