"""Settings of a run, levels of guards, and the active guards."""
