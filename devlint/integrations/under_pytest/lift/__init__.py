"""`pytest --devlint-lift=cuda`: runs a test suite for the CPU as if its tensors were on a device."""
