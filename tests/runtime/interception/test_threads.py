"""Threads are watched by the guards around the place that starts them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch

import devlint
from devlint.model import Cause
from tests.runtime.interception.watching import session, waits

READ = ("torch.Tensor.item", Cause.HOST_READ)


def read() -> None:
    torch.ones(3, device="cuda").sum().item()


class Reader(threading.Thread):
    """Overrides `run` and calls nobody."""

    def run(self) -> None:
        read()


def by_target() -> None:
    thread = threading.Thread(target=read)
    thread.start()
    thread.join()


def by_override() -> None:
    thread = Reader()
    thread.start()
    thread.join()


def by_timer() -> None:
    thread = threading.Timer(0.0, read)
    thread.start()
    thread.join()


def by_executor() -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(read).result()


def by_a_thread_of_a_thread() -> None:
    thread = threading.Thread(target=by_target)
    thread.start()
    thread.join()


WAYS = (by_target, by_override, by_timer, by_executor, by_a_thread_of_a_thread)
each_way = pytest.mark.parametrize("way", WAYS)


@each_way
@pytest.mark.parametrize("everywhere", [True, False])
def test_a_thread_is_seen(way: Callable[[], None], everywhere: bool) -> None:
    with session(everywhere=everywhere) as found:
        way()
    assert waits(found) == Counter({READ: 1})


@each_way
def test_the_guard_around_the_start_decides(way: Callable[[], None]) -> None:
    with devlint.simulate("cuda"), devlint.guard(sync="disallow") as outer, devlint.allow("sync"):
        way()
    assert outer.findings == []


def test_a_disallowed_wait_raises_in_the_thread() -> None:
    with devlint.simulate("cuda"), devlint.guard(sync="disallow"), ThreadPoolExecutor(1) as pool:
        done = pool.submit(read)
        assert isinstance(done.exception(), devlint.DisallowedError)


def test_a_thread_that_a_guard_did_not_start_is_not_its_business() -> None:
    begin, end = threading.Event(), threading.Event()

    def wait_and_read() -> None:
        begin.wait()
        read()
        end.set()

    with devlint.simulate("cuda"):
        thread = threading.Thread(target=wait_and_read)
        thread.start()
        with devlint.guard(sync="disallow"):
            begin.set()
            assert end.wait(60)
        thread.join()


def test_backward_in_a_thread_is_seen() -> None:
    def train() -> None:
        y: Any = torch.ones(3, device="cuda", requires_grad=True) * 2
        y.register_hook(lambda gradient: gradient * gradient.sum().item())
        y.sum().backward()

    with session() as found:
        thread = threading.Thread(target=train)
        thread.start()
        thread.join()
    assert waits(found) == Counter({("torch.Tensor.item", Cause.BACKWARD): 1})


def test_guards_of_many_threads_leave_nothing_behind() -> None:
    before = vars(threading.Thread)["start"], torch.from_numpy, torch.autograd.graph._engine_run_backward

    def enter_often() -> None:
        for _ in range(30):
            with devlint.guard():
                torch.ones(2).sum().item()

    threads = [threading.Thread(target=enter_often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = vars(threading.Thread)["start"], torch.from_numpy, torch.autograd.graph._engine_run_backward
    assert after == before
