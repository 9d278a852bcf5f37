"""Notes on errors about devices: which operand is wrong, where it was created and moved, and what to change.

The handler of an error calls `call_of` while the frames of the failed call still exist, then `note`, and
passes the result to `attach`. Nothing in this package keeps a tensor or a frame.
"""

from devlint.runtime.explain.call import FailedCall, call_of
from devlint.runtime.explain.note import attach, is_explained, note, text_of

__all__ = ["FailedCall", "attach", "call_of", "is_explained", "note", "text_of"]
