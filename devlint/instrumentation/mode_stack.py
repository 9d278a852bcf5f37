"""The stack of function modes of this thread, in which devlint's modes may be below others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from torch._C import _get_function_stack_at, _len_torch_function_stack
from torch.overrides import TorchFunctionMode, _pop_mode, _push_mode
from torch.utils._device import DeviceContext

_OURS = f"{__name__.partition('.')[0]}."


def modes() -> list[TorchFunctionMode]:
    """The active modes, the one that handles a call last first."""
    return [_get_function_stack_at(place) for place in range(_len_torch_function_stack())]


def by_class(func: Any, types: Sequence[Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Have the first class that wants to make a call of torch, as torch does where no modes are active.

    Torch turns modes off for such a class. If it is no tensor's, it makes and keeps tensors like other code.
    A mode gets its calls, too, if it calls this while it is on the stack.
    """
    for kind in types:
        result = kind.__torch_function__(func, types, args, kwargs)
        if result is not NotImplemented:
            return result
    return NotImplemented


def put_on(wanted: list[TorchFunctionMode]) -> None:
    """Replace the stack by these modes."""
    for _ in range(_len_torch_function_stack()):
        _pop_mode()  # type: ignore[no-untyped-call]
    for mode in wanted:
        _push_mode(mode)  # type: ignore[no-untyped-call]


def take_out(mode: TorchFunctionMode) -> list[TorchFunctionMode] | None:
    """Remove one mode. Returns the modes below it; None if it is not on the stack."""
    before = modes()
    place = next((place for place, each in enumerate(before) if each is mode), None)
    if place is None:
        return None
    put_on([each for each in before if each is not mode])
    return before[:place]


def put_back(mode: TorchFunctionMode, beneath: list[TorchFunctionMode]) -> None:
    """Insert a mode again, above the modes that were below it. The mode of the default device stays at the
    bottom, as torch asserts."""
    now = modes()
    place = len(now)
    while place and not (isinstance(now[place - 1], DeviceContext) or now[place - 1] in beneath):
        place -= 1
    put_on([*now[:place], mode, *now[place:]])


def any_of_ours() -> bool:
    """Whether one of devlint's modes is on the stack."""
    return any(map(_is_ours, modes()))


def all_are_ours() -> bool:
    """Whether devlint's modes are alone on the stack, but for that of the default device."""
    return all(_is_ours(mode) or isinstance(mode, DeviceContext) for mode in modes())


def take_off() -> list[TorchFunctionMode] | None:
    """Remove devlint's modes. Returns the previous stack for `put_on`; None if there are none."""
    before = modes()
    others = [mode for mode in before if not _is_ours(mode)]
    if len(others) == len(before):
        return None
    put_on(others)
    return before


@contextmanager
def taken_off() -> Iterator[None]:
    """Remove devlint's modes in a block."""
    before = take_off()
    try:
        yield
    finally:
        if before is not None:
            put_on(before)


def _is_ours(mode: Any) -> bool:
    return type(mode).__module__.startswith(_OURS)
