"""From a pasted error to its explanation, with the facts of the source observer about the place."""
