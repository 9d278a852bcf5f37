"""The facts in the text of an error: what is on which device, and where it should be."""

from __future__ import annotations

from devlint.errors.kinds import ErrorKind
from devlint.errors.texts import Recognised
from devlint.rules import wording


def particulars(recognised: Recognised) -> str:
    """The facts in a recognized text: what is on which device, and where it should be."""
    said = _what_and_where(recognised)
    if recognised.kernel:
        said = f"{said}, in `{recognised.kernel}`" if said else f"in `{recognised.kernel}`"
    if recognised.worker:
        said = f"{said} ({recognised.worker})" if said else recognised.worker
    return said


def _what_and_where(recognised: Recognised) -> str:
    device, other, detail = recognised.device, recognised.other, recognised.detail
    match recognised.kind:
        case ErrorKind.ORDINAL | ErrorKind.CHECKPOINT if recognised.count:
            there = "is 1 device" if recognised.count == "1" else f"are {recognised.count} devices"
            return f"{device or 'ordinal'} {detail}, and there {there}"
        case ErrorKind.DEVICE_STRING | ErrorKind.CHECKPOINT if detail:
            return wording.code(detail)
        case ErrorKind.ASYNCHRONOUS:
            return detail
    if recognised.argument and device:
        said = f"torch's `{recognised.argument}` is on {device}"
        return f"{said}, not {other}" if other else said
    return f"{device} and {other}" if device and other else device or other
