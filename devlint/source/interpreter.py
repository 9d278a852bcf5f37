"""What must be known of a text before its first line is interpreted."""

from __future__ import annotations

import re
from typing import TypeVar

from devlint.model import EVERY_SUBJECT, Subject
from devlint.source import ir
from devlint.source.flow.program import Program
from devlint.source.flow.state.activations import Activations
from devlint.source.flow.syntax.imports import Files
from devlint.source.walk import global_names

ProgramT = TypeVar("ProgramT", bound=Program)
_GLOBAL = re.compile(r"(?:^|[\r:;])[ \t\f]*global ", re.MULTILINE)
"""How a statement that begins with `global` can stand in a text; comments and prose hardly ever do."""
_TORCH = re.compile(
    r"(?:import|from)[ \t]+(?:[^\n#]*,[ \t]*)?"
    r"(?:torch|lightning|pytorch_lightning|transformers|diffusers|accelerate|ignite)"
    r"|importorskip\(.torch"
    r"|import[ \t]+\*"
)
"""How torch can come into a file: by itself, by a package that hands out its objects, or with all that
another file has."""


def program_for(
    body: ir.Block,
    text: str,
    kind: type[ProgramT],
    path: str = "",
    activations: Activations | None = None,
    files: Files | None = None,
    wanted: frozenset[Subject] = EVERY_SUBJECT,
) -> ProgramT:
    """The interpreter of a file. The path, `activations` and `files` are for one among others."""
    return kind(
        path,
        sets_current_device="set_device(" in text,
        sets_default_device="set_default_device(" in text or "set_default_tensor_type(" in text,
        workers_start_afresh="spawn" in text or "forkserver" in text,
        knows_torch=_TORCH.search(text) is not None,
        rebound_globals=global_names(body) if "global " in text and _GLOBAL.search(text) else frozenset(),
        activations=activations,
        files=files,
        wanted=wanted,
    )
