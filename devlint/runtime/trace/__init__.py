"""The raw events of a run in a file, one JSON object per line, readable however the program ended.

Nothing here imports torch, and nothing in a file is executed when it is read.
"""

from devlint.runtime.trace.merging import merge
from devlint.runtime.trace.reader import Trace, TraceError, read_trace
from devlint.runtime.trace.writer import TraceWriter

__all__ = ["Trace", "TraceError", "TraceWriter", "merge", "read_trace"]
