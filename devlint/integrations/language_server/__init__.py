"""A server of the Language Server Protocol, for editors. `server.py` is the entry point; it needs pygls."""
