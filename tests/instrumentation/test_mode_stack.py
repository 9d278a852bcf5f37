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
