"""From a text to its meaning: parsed and lowered. The only way from text into the interpreter.

LibCST takes longer to import than most files take to check: it is imported by the first text that is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devlint.model.collection import no_collection

if TYPE_CHECKING:
    from devlint.source.lower import Lowered


def read(text: str, path: str) -> Lowered:
    """Parse and lower a text.

    Raises:
        UnreadableSource: the text is no Python, or nests too deep.
    """
    from devlint.source.lower import lower  # noqa: PLC0415
    from devlint.source.parse import parse  # noqa: PLC0415

    with no_collection():
        return lower(parse(text, path), path)
