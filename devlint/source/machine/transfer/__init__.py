"""What Python does: the transfer functions of statements, expressions, attributes and calls."""
