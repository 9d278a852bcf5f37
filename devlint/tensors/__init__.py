"""Facts about tensors at run time: their origins, their parts, the algorithms that torch selects."""
