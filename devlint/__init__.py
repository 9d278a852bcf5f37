"""devlint finds device mismatches, needless copies and synchronizations in PyTorch programs.

`guard`, `allow` and `simulate` watch a running program; they need torch, and import it when first asked for.
`%load_ext devlint` asks for `load_ipython_extension`, and imports torch too.
"""

# Nothing is imported here but devlint: `python -m devlint` comes through here while Python still looks for
# modules in the working directory, whose files are to be checked and not to be run.
from devlint.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from devlint.runtime.api.guard import allow, guard
    from devlint.runtime.api.simulate import simulate
    from devlint.runtime.policy.levels import DisallowedError

__all__ = ["DisallowedError", "__version__", "allow", "guard", "simulate"]

_LAZY = {
    "guard": "devlint.runtime.api.guard",
    "allow": "devlint.runtime.api.guard",
    "DisallowedError": "devlint.runtime.policy.levels",
    "simulate": "devlint.runtime.api.simulate",
    "load_ipython_extension": "devlint.integrations.ipython",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> "Any":
    """The runtime half, on first use: `devlint check` must not import torch."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_LAZY[name]), name)
