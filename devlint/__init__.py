"""devlint finds device mismatches, needless copies and synchronizations in PyTorch programs.

`guard`, `allow` and `simulate` observe a running program. They need torch, and import it on first use.
`%load_ext devlint` calls `load_ipython_extension`, and imports torch too.
"""

# Only devlint is imported here: `python -m devlint` executes this file while Python still searches the
# working directory for modules, and files there must not be executed.
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
    """Import a name of the runtime on first use, because `devlint check` must not import torch."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    try:
        return getattr(import_module(_LAZY[name]), name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        message = f"devlint.{name} needs torch: pip install torch"
        raise ModuleNotFoundError(message, name="torch") from None
