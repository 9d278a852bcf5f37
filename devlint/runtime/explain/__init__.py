"""Explains errors about devices: which operand, where it was made and moved, and the way out.

Whoever catches the error of a torch call asks `call_of` while the call is still running, then `note`, and
gives the result to `attach`. Nothing here keeps a tensor or a frame.
"""

from devlint.runtime.explain.call import FailedCall, call_of
from devlint.runtime.explain.note import attach, is_explained, note, text_of

__all__ = ["FailedCall", "attach", "call_of", "is_explained", "note", "text_of"]
