"""What shows that a value from outside is a tensor, a module, or on a device: uses, annotations, purposes."""
