"""The hash by which contents are compared."""

from __future__ import annotations

try:  # `hashlib` has the same function, but loads OpenSSL before, which takes longer than to hash a file
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

__all__ = ["blake2b"]
