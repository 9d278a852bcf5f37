"""Levels, and the guards that hold them."""

from __future__ import annotations

import threading

import pytest

import devlint
from devlint.model import Cause, Confidence, SiteId, Synchronization
from devlint.runtime.policy.active_guards import NOT_WATCHED, Permit, ask, current
from devlint.runtime.policy.levels import Level, levels, parse

WAIT = Synchronization(SiteId(0), None, Confidence.SEEN, "torch.Tensor.item", Cause.HOST_READ, None)


def asked(subject: str, *, explicit: bool = False) -> Permit:
    return ask(subject, SiteId(0), "key", lambda: WAIT, lambda: "`x` is read", explicit=explicit)


def test_nobody_watches_outside_of_a_guard() -> None:
    assert current() == ()
    assert asked("sync") is NOT_WATCHED


@pytest.mark.parametrize("level", ["disallow", "disallow_explicit"])
def test_what_is_not_allowed_raises_and_is_counted(level: str) -> None:
    with (
        devlint.guard(host_to_device=level) as guard,
        pytest.raises(devlint.DisallowedError, match="`x` is read"),
    ):
        asked("host_to_device")
    assert [tally.count for tally in guard._recorder.tallies()] == [1]


@pytest.mark.parametrize(
    ("level", "explicit", "counted"),
    [
        ("allow", False, False),
        ("log", False, True),
        ("log", True, False),
        ("log_explicit", True, True),
        ("disallow", True, False),
    ],
)
def test_explicit_transfers_have_levels_of_their_own(level: str, explicit: bool, counted: bool) -> None:
    with devlint.guard(host_to_device=level):
        assert bool(asked("host_to_device", explicit=explicit).recorders) is counted


def test_an_explicit_transfer_can_be_forbidden_too() -> None:
    with devlint.guard(device_to_host="disallow_explicit"), pytest.raises(devlint.DisallowedError):
        asked("device_to_host", explicit=True)


def test_the_inner_guard_decides_and_the_outer_one_hears_what_it_lets_through() -> None:
    with devlint.guard(sync="disallow") as outer:
        with devlint.guard(sync="log") as inner:
            permit = asked("sync")
        assert permit.recorders == (outer._recorder, inner._recorder)
        with devlint.allow("sync"):
            assert asked("sync") is NOT_WATCHED
        with devlint.allow("host_to_device"), pytest.raises(devlint.DisallowedError):
            asked("sync")


def test_a_guard_holds_in_its_own_thread() -> None:
    seen = []
    with devlint.guard(sync="disallow"):
        with pytest.raises(devlint.DisallowedError):
            asked("sync")
        thread = threading.Thread(target=lambda: seen.append(len(current())))
        thread.start()
        thread.join()
    assert seen  # whether a started thread is watched is for the interceptions to say; it must not fail


def test_a_guard_is_a_decorator_and_can_be_entered_again() -> None:
    @devlint.guard(sync="disallow")
    def countdown(times: int) -> int:
        return len(current()) if times == 0 else countdown(times - 1)

    assert countdown(2) == 3
    assert current() == ()


@pytest.mark.parametrize("word", ["log_explicit", "never", ""])
def test_a_level_that_a_subject_does_not_have_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match="choose from allow, log, disallow"):
        levels(sync=word)


def test_words_name_levels() -> None:
    assert parse("host_to_device", "log_explicit") is Level.LOG_EXPLICIT
    assert parse("sync", None) is None


def test_an_unknown_subject_is_refused() -> None:
    with pytest.raises(ValueError, match="not a subject of guards"):
        devlint.allow("speed")
