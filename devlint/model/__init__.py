"""The data types that all packages share.

Everything here is a small immutable value, or reads plain text (`lines`, `syntax`). Nothing here imports
another devlint package, LibCST or torch. Modules are imported on first use, because files without findings
need none.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devlint.model.confidence import Confidence
    from devlint.model.device import (
        APART,
        CPU,
        UNKNOWN,
        Choice,
        Concrete,
        Device,
        Relation,
        Symbol,
        SymbolKind,
        Unknown,
        compare,
        is_accelerator,
        is_host,
        is_of_tensor,
        may_be_accelerator,
        parse_device,
    )
    from devlint.model.edit import Action, Applicability, Edit, EditRequest, Fix, FixRequest
    from devlint.model.event import (
        EVERY_SUBJECT,
        Cause,
        Event,
        HotPath,
        Move,
        Operation,
        Registration,
        RegistrationKind,
        Setting,
        SettingKind,
        Subject,
        Synchronization,
        Transfer,
    )
    from devlint.model.finding import Draft, Finding, InRun, Note, Observed, Related, Severity
    from devlint.model.operand import Kind, Operand, Presumed, Rank0
    from devlint.model.origin import NOWHERE, Origin, OriginStep, Step
    from devlint.model.silence import Silence, Silenced, Withheld
    from devlint.model.site import Site, SiteId

__all__ = [
    "APART",
    "CPU",
    "EVERY_SUBJECT",
    "NOWHERE",
    "UNKNOWN",
    "Action",
    "Applicability",
    "Cause",
    "Choice",
    "Concrete",
    "Confidence",
    "Device",
    "Draft",
    "Edit",
    "EditRequest",
    "Event",
    "Finding",
    "Fix",
    "FixRequest",
    "HotPath",
    "InRun",
    "Kind",
    "Move",
    "Note",
    "Observed",
    "Operand",
    "Operation",
    "Origin",
    "OriginStep",
    "Presumed",
    "Rank0",
    "Registration",
    "RegistrationKind",
    "Related",
    "Relation",
    "Setting",
    "SettingKind",
    "Severity",
    "Silence",
    "Silenced",
    "Site",
    "SiteId",
    "Step",
    "Subject",
    "Symbol",
    "SymbolKind",
    "Synchronization",
    "Transfer",
    "Unknown",
    "Withheld",
    "compare",
    "is_accelerator",
    "is_host",
    "is_of_tensor",
    "may_be_accelerator",
    "parse_device",
]

_MODULES = ("confidence", "site", "edit", "finding", "origin", "device", "operand", "event", "silence")
"""In the order of their dependencies."""


def __getattr__(name: str) -> object:
    if name in __all__:
        for module in _MODULES:
            words = vars(import_module(f"{__name__}.{module}"))
            if name in words:
                globals()[name] = words[name]
                return words[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
