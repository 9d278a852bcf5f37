"""Calls that torch hands to no mode are looked at all the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import devlint
from devlint.model import Cause, Step
from devlint.runtime.interception.wrapping import unseen
from devlint.tensors.provenance import origin_of
from tests.runtime.interception.watching import session, waits

cuda: Any = torch.cuda
WAITS: list[tuple[str, Callable[[], object]]] = [
    # Looked up when they are called, for by then they are others.
    ("torch.cuda.synchronize", lambda: cuda.synchronize()),  # noqa: PLW0108
    ("torch.cuda.empty_cache", lambda: cuda.empty_cache()),  # noqa: PLW0108
    ("torch.cuda.ipc_collect", lambda: cuda.ipc_collect()),  # noqa: PLW0108
    ("torch.accelerator.synchronize", lambda: torch.accelerator.synchronize()),  # noqa: PLW0108
    ("torch.accelerator.memory.empty_cache", lambda: torch.accelerator.empty_cache()),  # noqa: PLW0108
    ("torch.cuda.Stream.synchronize", lambda: cuda.Stream().synchronize()),
    ("torch.cuda.Event.synchronize", lambda: cuda.Event().synchronize()),
]
MAKES: list[tuple[str, Callable[[], torch.Tensor]]] = [
    ("torch.from_numpy", lambda: torch.from_numpy(np.ones(3))),
    ("torch.frombuffer", lambda: torch.frombuffer(bytearray(8), dtype=torch.uint8)),
    ("torch.Tensor", lambda: torch.Tensor([1.0, 2.0])),
]


@pytest.mark.parametrize(("name", "call"), WAITS, ids=[name for name, _ in WAITS])
def test_a_wait_that_is_asked_for_is_seen(name: str, call: Callable[[], object]) -> None:
    with session() as found:
        call()
    assert waits(found) == Counter({(name, Cause.EXPLICIT): 1})


@pytest.mark.parametrize(("name", "call"), WAITS, ids=[name for name, _ in WAITS])
def test_it_can_be_disallowed(name: str, call: Callable[[], object]) -> None:
    refusal = pytest.raises(devlint.DisallowedError, match=name.rpartition(".")[2])
    with devlint.simulate("cuda"), devlint.guard(sync="disallow"), refusal:
        call()


def test_without_a_device_there_is_nothing_to_wait_for() -> None:
    if torch.accelerator.is_available():
        pytest.skip("there is one")
    with devlint.guard(sync="disallow") as guard:
        torch.cuda.empty_cache()
    assert guard.findings == []


@pytest.mark.parametrize(("name", "call"), MAKES, ids=[name for name, _ in MAKES])
def test_it_is_remembered_where_a_tensor_was_made(name: str, call: Callable[[], torch.Tensor]) -> None:
    with session() as found:
        line = call.__code__.co_firstlineno
        made = origin_of(call()).last
    assert made is not None
    assert (made.step, made.operator) == (Step.MADE, name)
    assert found.sites.site(made.site).line == line


def test_it_is_remembered_where_a_checkpoint_was_loaded(tmp_path: Path) -> None:
    torch.save({"model": {"weight": torch.ones(3)}, "steps": [torch.ones(())]}, tmp_path / "checkpoint.pt")
    with session():
        loaded = torch.load(tmp_path / "checkpoint.pt", map_location="cuda")
        origins = [origin_of(tensor).last for tensor in (loaded["model"]["weight"], loaded["steps"][0])]
    assert {(step.operator, str(step.device)) for step in origins if step} == {("torch.load", "cuda:0")}


def test_constructors_make_what_they_made_before() -> None:
    class Own(torch.Tensor):
        pass

    with devlint.guard():
        assert torch.Tensor(2, 3).shape == (2, 3)
        assert type(torch.Tensor([1.0])) is torch.Tensor
        assert type(Own([1.0])) is Own
        assert torch.equal(torch.Tensor(torch.ones(2)), torch.ones(2))
        with pytest.raises(TypeError):
            torch.Tensor("no")


def test_wrapped_functions_keep_their_names() -> None:
    with devlint.guard():
        assert torch.from_numpy.__name__ == "from_numpy"
        assert torch.cuda.synchronize.__qualname__ == "synchronize"


def test_each_row_about_a_wait_that_is_asked_for_is_wrapped_or_in_c() -> None:
    names = {f"{getattr(owner, '__name__', '')}.{name}" for _, owner, name in unseen()}
    assert {"torch.cuda.synchronize", "torch.mps.synchronize", "torch.xpu.synchronize"} <= names
    assert {"Stream.synchronize", "Event.synchronize", "graph.__enter__"} <= names


def attributes() -> dict[tuple[str, str], Any]:
    return {(str(owner), name): vars(owner).get(name) for _, owner, name in unseen()} | {
        ("Tensor", "__new__"): vars(torch.Tensor).get("__new__")
    }


def test_everything_is_put_back() -> None:
    before = attributes()
    with devlint.guard():
        assert attributes() != before
    assert attributes() == before
