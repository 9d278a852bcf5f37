"""The mutable state of programs: objects with identity, and the store, which records the changes of each
path."""
