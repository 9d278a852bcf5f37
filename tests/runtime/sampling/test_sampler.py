"""Tests that a run with some observed steps reports the same as one with all steps observed."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from collections import Counter
from collections.abc import Callable
from operator import methodcaller
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import devlint
from devlint.model import Site, Synchronization, Transfer
from devlint.runtime.observer import observer_here
from devlint.runtime.recording.findings import findings
from devlint.runtime.session.session import Session
from tests.runtime.interception.watching import session

EVERY = 20
STEPS = 400
Step = Callable[[int, torch.Tensor], object]


def train(step: Step, steps: int = STEPS) -> None:
    """Train something, and do this with the loss of each step."""
    weight = nn.Parameter(torch.ones(2, device="cuda"))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for number in range(steps):
        loss = (weight * 2).sum()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        step(number, loss)
        optimizer.step()


def counts(found: Session) -> Counter[tuple[str, str, int]]:
    """The number of waits and the copied bytes, by operator and line."""
    counted: Counter[tuple[str, str, int]] = Counter()
    for tally in found.tallies():
        if isinstance(event := tally.event, Synchronization | Transfer):
            line = found.sites.site(event.site).line
            counted[type(event).__name__, event.operator, line] += tally.count
    return counted


def watched(step: Step, every: int, **settings: Any) -> Session:
    with session(every=every, **settings) as found:
        train(step)
    return found


def reads(_: int, loss: torch.Tensor) -> None:
    loss.item()


def reads_now_and_then(number: int, loss: torch.Tensor) -> None:
    if number % 7 == 0:
        loss.item()


def reads_once(number: int, loss: torch.Tensor) -> None:
    loss.item()
    if number == 333:
        str(loss.detach().cpu())


def uploads(_: int, loss: torch.Tensor) -> None:
    torch.tensor([1.0, 2.0]).to(loss.device)


def reads_twice(number: int, loss: torch.Tensor) -> None:
    loss.item()
    if number % 30 == 29:
        loss.tolist()


def looks_for_places(_: int, loss: torch.Tensor) -> None:
    (loss > 0).nonzero()


def reads_again_at_first(number: int, loss: torch.Tensor) -> None:
    if number < 5:
        loss.item()
    loss.item()


STEPS_OF_ALL_KINDS = [
    reads,
    reads_now_and_then,
    reads_once,
    uploads,
    reads_twice,
    looks_for_places,
    reads_again_at_first,
]


@pytest.mark.parametrize("step", STEPS_OF_ALL_KINDS)
def test_finds_what_a_watch_of_all_steps_finds(step: Step) -> None:
    some, all_ = watched(step, EVERY), watched(step, 1)
    assert some.remarks
    assert not all_.remarks
    assert counts(some) == counts(all_)
    assert told(some) == told(all_)


def told(found: Session) -> list[tuple[str, Site, str, int]]:
    """The findings of the rules, with places and counts."""
    return [
        (each.code, each.site, each.message, each.observed.count if each.observed else 0)
        for each in findings(found.tallies(), found.sites)
    ]


def test_counts_of_functions_of_modules_are_close() -> None:
    found = watched(lambda _, loss: torch.nonzero(loss), EVERY)
    (tally,) = [tally for tally in found.tallies() if isinstance(tally.event, Synchronization)]
    assert tally.estimated
    assert abs(tally.count - STEPS) <= STEPS / 10


@pytest.mark.parametrize("steps", [15, 37, 90, 399])
def test_counts_hold_for_any_number_of_steps(steps: int) -> None:
    """When the program ends, none or all steps of the last block may have been drawn."""
    with session(every=50) as found:
        train(lambda _, loss: torch.nonzero(loss), steps)
    (tally,) = [tally for tally in found.tallies() if isinstance(tally.event, Synchronization)]
    sampled = steps > 60
    assert abs(tally.count - steps) <= (1 if sampled else steps)


def test_calls_of_several_kinds_at_one_place_are_told_apart() -> None:
    """As torch's own functions make them: the place is the line that calls torch."""

    def step(number: int, loss: torch.Tensor) -> None:
        for name in [*["cpu"] * (9 if number < 3 else 0), "item"]:
            methodcaller(name)(loss.detach() * 2)

    assert counts(watched(step, EVERY)) == counts(watched(step, 1))


def test_what_was_copied_and_waited_is_estimated_too() -> None:
    some, all_ = watched(uploads, EVERY), watched(uploads, 1)

    def copied(found: Session) -> list[tuple[int | None, bool]]:
        return [(each.bytes, each.estimated) for each in found.tallies() if isinstance(each.event, Transfer)]

    (part, estimated), (whole, counted) = copied(some)[-1], copied(all_)[-1]
    assert (part, estimated, counted) == (whole, True, False)


def test_nobody_watches_between_the_steps() -> None:
    on = []
    found = watched(lambda *_: on.append(observer_here() is not None), EVERY)
    assert on[:10] == [True] * 10
    assert STEPS / EVERY <= sum(on) < STEPS / 5
    assert found.remarks == [
        f"{sum(on)} of {STEPS} steps were observed; numbers with `about` are estimated from them;"
        " `--every 1` observes all"
    ]


def watches_after(change: Callable[[], object]) -> bool:
    """Whether a change in a step that ran bare is seen at once. It comes as soon as a step runs bare."""
    answers: list[bool] = []

    def step(*_: object) -> None:
        if not answers and observer_here() is None:
            change()
            answers.append(observer_here() is not None)

    watched(step, EVERY)
    return answers[0]


def exhausted() -> None:
    for _ in DataLoader(TensorDataset(torch.ones(1)), batch_size=1):
        pass


def processed() -> None:
    process = multiprocessing.get_context("spawn").Process(target=int)
    process.start()
    process.join()


@pytest.mark.parametrize("change", [exhausted, processed, lambda: torch.ones(2, device="cuda").tolist()])
def test_watches_again_where_something_changes(change: Callable[[], object]) -> None:
    assert watches_after(change)
    assert not watches_after(lambda: torch.ones(2) + 1)


def test_guards_are_held_in_every_step() -> None:
    def step(number: int, loss: torch.Tensor) -> None:
        with devlint.guard(sync="disallow" if number == 377 else None):
            torch.nonzero(loss)

    with pytest.raises(RuntimeError, match="sync='disallow'"):
        watched(step, EVERY)


def test_modes_of_the_program_stay_where_they_are() -> None:
    places = []
    with session(every=EVERY):
        with torch.device("cuda"):
            train(lambda *_: places.append(torch.ones(1).device.type))
        torch.set_default_device("cuda")
        train(lambda *_: places.append(torch.ones(1).device.type))
        torch.set_default_device(None)
        train(lambda *_: places.append(torch.ones(1).device.type))
    assert places == ["cuda"] * STEPS * 2 + ["cpu"] * STEPS


def test_threads_are_watched_in_every_step() -> None:
    values: list[torch.Tensor] = []
    done, ready = threading.Event(), threading.Event()

    def work() -> None:
        while not done.is_set():
            if ready.wait(0.01):
                ready.clear()
                values.pop().item()

    def step(_: int, loss: torch.Tensor) -> None:
        values.append(loss)
        ready.set()
        while values:
            pass

    with session(every=EVERY) as found:
        thread = threading.Thread(target=work)
        thread.start()
        train(step, 100)
        done.set()
        thread.join()
    assert list(counts(found).values()) == [100]


def test_batches_are_steps_where_nothing_is_trained() -> None:
    with session(every=EVERY) as found:
        loader = DataLoader(TensorDataset(torch.ones(400)), batch_size=1)
        on = [observer_here() is not None for _ in loader]
    assert sum(on) < 400 / 5
    assert "of 401 steps" not in str(found.remarks)


def test_steps_with_batches_are_counted_once() -> None:
    with session(every=EVERY) as found:
        weight = nn.Parameter(torch.ones(1, device="cuda"))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        for (batch,) in DataLoader(TensorDataset(torch.ones(400, 1)), batch_size=1):
            (weight * batch.to("cuda")).sum().backward()
            optimizer.step()
    assert "of 401 steps" in str(found.remarks)


def test_what_is_neither_trained_nor_drawn_is_watched_throughout() -> None:
    with session(every=EVERY) as found:
        for _ in range(100):
            torch.ones(1, device="cuda").item()
    assert found.remarks == []
    assert [tally.count for tally in found.tallies() if isinstance(tally.event, Synchronization)] == [100]


def test_methods_of_tensors_can_be_told_from_nothing_else() -> None:
    before = torch.Tensor.item
    table = {before: "read", torch.Tensor.to: "moved"}
    with session(every=EVERY):
        assert torch.Tensor.item in table
        assert torch.Tensor.item == before
        assert torch.Tensor.item is torch.Tensor.item
        assert pickle.loads(pickle.dumps(torch.Tensor.item)) == before
        assert torch.Tensor.item(torch.ones(1)) == torch.ones(1).item() == 1
        scripted = torch.jit.script(scriptable)
        assert scripted(torch.ones(1)) == 1
    assert torch.Tensor.item is before


def scriptable(x: torch.Tensor) -> float:
    return float(x.to(torch.float64).item())


def test_an_error_in_a_step_that_ran_bare_says_so() -> None:
    def step(number: int, loss: torch.Tensor) -> None:
        if number == 377:
            loss + torch.ones(2)

    with session(every=EVERY) as found:
        with pytest.raises(RuntimeError, match="same device") as raised:
            train(step)
        found.explain(raised.value)
        assert found.failed_unwatched


def test_tensors_stay_what_they_are_to_python() -> None:
    def copies(_: int, loss: torch.Tensor) -> None:
        assert torch.tensor([loss.detach(), loss.detach()]).shape == (2,)

    watched(copies, EVERY)
    copies(0, torch.ones(()))


def test_a_method_refuses_what_is_no_tensor() -> None:
    with session(every=EVERY) as found, pytest.raises(TypeError, match="float"):
        torch.Tensor.item(1.5)  # type: ignore[arg-type]
    assert not found.failed
