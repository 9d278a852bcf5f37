"""What torch's operators do to abstract values, by the operators table."""
