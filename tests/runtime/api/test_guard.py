"""Tests of guards around blocks and functions of every kind, and of the events that they reject."""

from __future__ import annotations

import asyncio
import functools
import inspect
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from typing import Any

import pytest
import torch

import devlint
from devlint.runtime.policy.active_guards import current

STRICT = devlint.guard(sync="disallow")


@pytest.fixture(autouse=True)
def _simulated() -> Iterator[None]:
    with devlint.simulate("cuda"):
        yield


def read() -> float:
    return torch.ones(1, device="cuda").item()


def test_a_generator_is_guarded_in_each_of_its_steps_and_not_between_them() -> None:
    @STRICT
    def steps() -> Generator[int, float, str]:
        assert len(current()) == 1
        sent = yield 1
        try:
            yield len(current()) + int(sent)
        except KeyError:
            yield len(current())
        return "end"

    assert inspect.isgeneratorfunction(steps)
    running = steps()
    assert current() == ()
    assert (next(running), read()) == (1, 1.0)
    assert running.send(2.0) == 3
    assert running.throw(KeyError()) == 1
    with pytest.raises(StopIteration) as end:
        next(running)
    assert end.value.value == "end"
    assert current() == ()


def test_a_generator_that_waits_is_refused() -> None:
    @STRICT
    def steps() -> Iterator[float]:
        yield 0.0
        yield read()

    running = steps()
    assert next(running) == 0.0
    with pytest.raises(devlint.DisallowedError):
        next(running)
    assert current() == ()


def test_a_generator_is_guarded_while_it_is_closed() -> None:
    seen = []

    @STRICT
    def steps() -> Iterator[None]:
        try:
            yield
        finally:
            seen.append(len(current()))

    running = steps()
    next(running)
    running.close()  # type: ignore[attr-defined]
    assert seen == [1]


def test_a_coroutine_is_guarded_and_others_are_not_meanwhile() -> None:
    @STRICT
    async def work() -> float:
        await asyncio.sleep(0)
        return read()

    async def both() -> tuple[Any, Any]:
        watched = asyncio.ensure_future(work())
        await asyncio.sleep(0)
        return read(), (await asyncio.gather(watched, return_exceptions=True))[0]

    assert inspect.iscoroutinefunction(work)
    free, refused = asyncio.run(both())
    assert free == 1.0
    assert isinstance(refused, devlint.DisallowedError)


def test_a_coroutine_that_is_cancelled_cleans_up_inside_the_guard() -> None:
    seen = []

    @STRICT
    async def work() -> None:
        try:
            await asyncio.sleep(10)
        finally:
            seen.append(len(current()))

    async def cancelled() -> None:
        task = asyncio.ensure_future(work())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert seen == [1]


def test_an_asynchronous_generator_is_guarded_in_each_of_its_steps() -> None:
    seen: list[object] = []

    @STRICT
    async def steps() -> AsyncGenerator[int, str]:
        try:
            await asyncio.sleep(0)
            seen.append((yield len(current())))
            yield len(current())
        except KeyError:
            yield len(current())
        finally:
            seen.append(len(current()))

    async def walk() -> list[int]:
        running = steps()
        found = [await running.asend(None), len(current()), await running.asend("sent")]  # type: ignore[arg-type]
        found.append(await running.athrow(KeyError()))
        await running.aclose()
        return found

    async def to_the_end() -> list[int]:
        return [number async for number in steps()]

    assert inspect.isasyncgenfunction(steps)
    assert asyncio.run(walk()) == [1, 0, 1, 1]
    assert seen == ["sent", 1]
    assert asyncio.run(to_the_end()) == [1, 1]


def test_an_asynchronous_generator_that_waits_is_refused() -> None:
    @STRICT
    async def steps() -> AsyncIterator[float]:
        yield read()

    async def walk() -> None:
        async for _ in steps():
            raise AssertionError("it went on")

    with pytest.raises(devlint.DisallowedError):
        asyncio.run(walk())


def test_what_is_allowed_is_allowed_in_coroutines_too() -> None:
    @devlint.allow("sync")
    async def work() -> float:
        return read()

    with STRICT:
        assert asyncio.run(work()) == 1.0


class Reader:
    async def __call__(self) -> float:
        return read()

    @STRICT
    @staticmethod
    async def shared() -> float:
        return read()

    @STRICT
    @classmethod
    def of_class(cls) -> float:
        return read()


@pytest.mark.parametrize(
    "call",
    [
        lambda: asyncio.run(STRICT(Reader())()),
        lambda: asyncio.run(STRICT(functools.partial(Reader.__call__, Reader()))()),
        lambda: asyncio.run(Reader().shared()),
        Reader.of_class,
        STRICT(functools.partial(read)),
    ],
)
def test_whatever_can_be_called_is_guarded(call: Callable[[], object]) -> None:
    with pytest.raises(devlint.DisallowedError):
        call()


@pytest.mark.parametrize("thing", [1, "f", None, Reader, torch.nn.Linear, torch.ones(2)])
def test_what_is_no_function_is_refused(thing: Any) -> None:
    for made in (devlint.guard(), devlint.allow()):
        with pytest.raises(TypeError, match=r"a guard takes a function, not .*") as refused:
            made(thing)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("warmup", "kind"), [(-1, ValueError), ("x", TypeError), (1.5, TypeError), (None, TypeError)]
)
def test_a_warmup_that_makes_no_sense_is_refused(warmup: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match=r"warmup=.*: must"):
        devlint.guard(warmup=warmup)


def test_a_guard_that_was_not_entered_cannot_be_left() -> None:
    with pytest.raises(RuntimeError, match="was not entered"):
        devlint.guard().__exit__(None, None, None)
    assert current() == ()


def test_threads_that_call_one_guarded_function_do_not_end_each_other_s_guard() -> None:
    inside, leave = threading.Event(), threading.Event()
    shared = devlint.guard()

    @shared
    def wait() -> None:
        inside.set()
        leave.wait()

    @shared
    def outlive() -> None:
        leave.set()
        thread.join()

    thread = threading.Thread(target=wait)
    thread.start()
    inside.wait()
    with devlint.guard():
        around = current()
        outlive()
        assert current() == around
    assert current() == ()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only")
def test_each_operand_of_a_call_that_fails_is_marked_where_it_is_written() -> None:
    host, device = torch.ones(2, device="cpu"), torch.ones(2, device="cuda")
    with devlint.guard(mismatch="log") as seen:
        _ = (
            device.exp()
            + host
        )  # fmt: skip
    (found,) = [finding for finding in seen.findings if finding.code == "DL101"]
    marked = [related.site for related in found.related if related.label]
    first = marked[0]
    assert [(site.line - first.line, site.column - first.column) for site in marked] == [(0, 0), (1, 2)]
    assert [site.end_column - site.column for site in marked] == [len("device.exp()"), len("host")]
