"""`pytest --devlint-lift=cuda`: a suite for the CPU, run as if its tensors lay on a device."""
