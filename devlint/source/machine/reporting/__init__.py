"""The events of the machine, whether they are on a hot path, and every reason not to report them."""
