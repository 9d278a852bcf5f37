"""Abstract values, their order and their join. Nothing here changes once it is made."""
