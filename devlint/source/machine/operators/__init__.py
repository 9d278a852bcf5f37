"""The effects of torch's operators on abstract values, from the operators table."""
