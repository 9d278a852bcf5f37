"""Facts about tensors at run time: where they come from, what they consist of, which algorithms torch selects."""
