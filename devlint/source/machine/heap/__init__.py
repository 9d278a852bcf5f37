"""What programs can change: objects with identity, and the store that remembers what each path changed."""
