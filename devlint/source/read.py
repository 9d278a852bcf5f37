"""From a text to its intermediate representation: parsed and lowered. The interpreter gets text only from
here.

LibCST takes longer to import than most files take to check: it is imported for the first text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devlint.model.collection import no_collection

if TYPE_CHECKING:
    from devlint.source.lower import Lowered


def read(text: str, path: str) -> Lowered:
    """Parse and lower a text.

    Raises: | UnreadableSource: the text is not valid Python, or nests too deep.
    """
    from devlint.source.lower import lower  # noqa: PLC0415
    from devlint.source.parse import parse  # noqa: PLC0415

    with no_collection():
        return lower(parse(text, path), path)
