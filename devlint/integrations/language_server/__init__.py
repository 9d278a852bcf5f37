"""A server of the Language Server Protocol, for editors. `server.py` is the way in; it needs pygls."""
