"""The origins of tensors, stored with their memory.

A tensor's `UntypedStorage` keeps its Python object for as long as the memory lives (torch 2.1, PyObject
preservation), and views, `detach()`, `Parameter(x)` and `.data =` share it. So a history is an attribute of
the storage: it costs no dictionary of tensors and no weak reference, it dies with the memory, and neither
pickle nor `deepcopy` sees it. Looking it up takes 0.05 microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from devlint.model import NOWHERE, Device, Origin, OriginStep, SiteId
from devlint.tensors.arrays import checksum, kept_about

_HISTORY = "_devlint_history"
_PASSED_ON = "_devlint_passed_on"
_COPIES = "_devlint_copies"
_ADDRESS = "_devlint_address_of_array"
_DOWNLOAD = "_devlint_download"
_READ = "_devlint_read"
_DROPPED_MOVE = "_devlint_dropped_move"
_MAX_PARTS = 64
"""The most parts of one memory that are distinguished; further parts are ignored."""


@dataclass(frozen=True, slots=True)
class EarlierCopies:
    """Previous copies of the same part of the same memory to another device, without a write in between."""

    repeated: bool = False
    """Whether it was copied to the same device before."""
    here: bool = False
    """Whether that happened more than once at the same place."""


FIRST_COPY = EarlierCopies()


@dataclass(frozen=True, slots=True)
class Download:
    """An asynchronous copy to the host."""

    site: SiteId
    source: Device
    waits: int
    """How often the host had waited when it started."""


def origin_of(tensor: torch.Tensor) -> Origin:
    """The history of a tensor's memory; `NOWHERE` if unknown."""
    known: Origin = _notes(tensor).get(_HISTORY, NOWHERE)
    return known


def remember(tensor: torch.Tensor, step: OriginStep, before: Origin = NOWHERE) -> None:
    """Store the last step of the values in a tensor's memory, after the history `before`."""
    _notes(tensor)[_HISTORY] = before.then(step)


def derive(result: object, operands: Sequence[object]) -> None:
    """Derive the history of a host result from the first operand that was created on the host.

    Memory with a history keeps it. An operand that was moved to the host is not an ancestor, because the
    result has other values than those that were on a device.
    """
    before = _ancestor(operands)
    if before is None:
        return
    for tensor in result if isinstance(result, list | tuple) else (result,):
        if isinstance(tensor, torch.Tensor):
            _notes(tensor).setdefault(_HISTORY, before)


def _ancestor(operands: Sequence[object]) -> Origin | None:
    """The history of a value computed from some operands."""
    for operand in operands:
        if isinstance(operand, torch.Tensor):
            notes = _notes(operand)
            if _HISTORY in notes and (found := _passed_on(notes)) is not None:
                return found
        elif isinstance(operand, list | tuple) and operand and isinstance(operand[0], torch.Tensor):
            found = _ancestor(operand)
            if found is not None:
                return found
    return None


def _passed_on(notes: dict[str, Any]) -> Origin | None:
    """The history that an operand passes on; made once, for loops compute from the same operands."""
    origin: Origin = notes[_HISTORY]
    known: tuple[Origin, Origin | None] | None = notes.get(_PASSED_ON)
    if known is None or known[0] is not origin:
        known = notes[_PASSED_ON] = origin, None if origin.was_moved else origin.derived()
    return known[1]


def note_array(tensor: torch.Tensor, array: object) -> None:
    """Notes that a tensor was made of an array, so that copies of the same values are told from others."""
    kept = kept_about(array)
    if kept is not None:
        address: int = array.__array_interface__["data"][0]  # type: ignore[attr-defined]
        _notes(tensor).update({_ADDRESS: address, _COPIES: kept})


def note_copy(tensor: torch.Tensor, device: str, site: SiteId) -> EarlierCopies:
    """Notes that a tensor is copied to a device from a place, and says what came before."""
    copies: dict[Any, tuple[int, SiteId, int]] = _notes(tensor).setdefault(_COPIES, {})
    address = _notes(tensor).get(_ADDRESS)
    part = (device, address, *_part(tensor))
    version = _version(tensor) if address is None else checksum(tensor)
    before, place, times = copies.get(part, (None, site, 0))
    repeated = version is not None and before == version
    times = times + 1 if repeated and place == site else 1
    if version is not None and (part in copies or len(copies) < _MAX_PARTS):
        copies[part] = (version, site, times)
    return EarlierCopies(repeated, here=times > 2)


def note_read(tensor: torch.Tensor) -> bool:
    """Notes that the host reads a tensor's values, and says whether it has waited for just these before."""
    reads: dict[Any, int] = _notes(tensor).setdefault(_READ, {})
    part, version = _part(tensor), _version(tensor)
    before = reads.get(part)
    if version is not None and (part in reads or len(reads) < _MAX_PARTS):
        reads[part] = version
    return version is not None and before == version


def was_read(tensor: torch.Tensor) -> bool:
    """Whether the host has waited for just these values before."""
    version = _version(tensor)
    return version is not None and _notes(tensor).get(_READ, {}).get(_part(tensor)) == version


def note_dropped_move(tensor: torch.Tensor) -> None:
    """Notes that a tensor was moved, and that the program dropped what the move returned."""
    _notes(tensor)[_DROPPED_MOVE] = True


def has_dropped_move(tensor: torch.Tensor) -> bool:
    """Whether a move of the tensor was lost, so that it is not where the program believes it to be."""
    return _DROPPED_MOVE in _notes(tensor)


def note_download(tensor: torch.Tensor, download: Download) -> None:
    """Notes that an asynchronous copy into a host tensor has begun."""
    _notes(tensor)[_DOWNLOAD] = download


def download_of(tensor: torch.Tensor) -> Download | None:
    """The asynchronous copy that fills, or filled, a host tensor; None if none does."""
    known: Download | None = _notes(tensor).get(_DOWNLOAD)
    return known


def _part(tensor: torch.Tensor) -> tuple[object, ...]:
    """Which part of its memory a tensor is; a nested tensor without one shape is all of it."""
    if tensor.is_nested:
        return ()
    return tensor.storage_offset(), *tensor.shape


def _version(tensor: torch.Tensor) -> int | None:
    """How often the values were written to; None where torch does not count, under `inference_mode`."""
    return None if tensor.is_inference() else tensor._version


def _notes(tensor: torch.Tensor) -> dict[str, Any]:
    """What is kept on a tensor's memory; something to forget at once where it has none of its own."""
    try:
        return vars(tensor.untyped_storage())
    except (RuntimeError, NotImplementedError, TypeError, ValueError):
        # Sparse, functional wrappers, fake tensors, lazy parameters.
        return {}
