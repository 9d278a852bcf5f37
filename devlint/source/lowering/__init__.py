"""Lowering of LibCST's nodes to the intermediate representation, one function for each node type.

The entry point is `source.lower`.
"""
