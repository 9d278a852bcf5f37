"""Taking devlint's modes off the stack, and putting them on again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode

import devlint
from devlint.instrumentation.mode_stack import any_of_ours, modes, put_on, take_off, taken_off


class Passing(TorchFunctionMode):
    """Somebody else's mode."""

    def __torch_function__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        return func(*args, **(kwargs or {}))


def test_a_mode_beneath_is_given_a_call_as_torch_gives_it() -> None:
    class Beneath(TorchFunctionMode):
        def __init__(self) -> None:
            super().__init__()
            self.seen: list[Any] = []

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.seen.append((func, kwargs or {}, modes()))
            return func(*args, **(kwargs or {}))

    x = torch.ones(2)
    seen = []
    for observes in (False, True):
        with Passing() as bottom, Beneath() as beneath, devlint.guard() if observes else Passing():
            (*_, top) = modes()
            assert torch.add(x, x, alpha=2).tolist() == [3.0, 3.0]
            with pytest.raises(RuntimeError, match="size"):
                torch.add(x, torch.ones(3))
            assert modes() == [bottom, beneath, top]
            seen.append([(kwargs, on == [bottom]) for func, kwargs, on in beneath.seen if func is torch.add])
    assert seen[0] == seen[1]
    assert ({"alpha": 2}, True) in seen[0]


def test_ours_are_taken_from_between_others() -> None:
    with Passing() as below, devlint.guard(), Passing() as above:
        before = modes()
        with taken_off():
            assert modes() == [below, above]
        assert modes() == before


def test_others_alone_are_left_alone() -> None:
    with Passing():
        before = modes()
        assert take_off() is None
        assert modes() == before


def test_an_error_brings_them_back() -> None:
    with devlint.guard():
        before = modes()
        with pytest.raises(ZeroDivisionError), taken_off():
            1 / 0  # noqa: B018
        assert modes() == before


def test_the_default_device_s_mode_is_not_ours() -> None:
    torch.set_default_device("meta")
    try:
        assert not any_of_ours()
        with devlint.guard():
            assert any_of_ours()
            before = take_off()
            assert not any_of_ours()
            assert torch.ones(2).device.type == "meta"
            assert before is not None
            put_on(before)
    finally:
        torch.set_default_device(None)
