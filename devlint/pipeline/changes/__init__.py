"""Changes to files: fixes and suppressions, applied until none is left."""
