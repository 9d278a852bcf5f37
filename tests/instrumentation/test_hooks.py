"""Work around functions of others: their callers notice nothing of it, whatever becomes of it."""

from __future__ import annotations

import pytest

from devlint.instrumentation.hooks import Enter, Leave, hooked, report_failure
from devlint.instrumentation.patches import Patches


class GuardError(Exception):
    """What a guard raises."""


def divided(left: int, right: int = 1) -> float:
    return left / right


def failing(*_: object, **__: object) -> None:
    raise KeyError("devlint's own")


def test_it_comes_before_and_after() -> None:
    heard: list[object] = []

    def enter(left: int, right: int = 1) -> Leave:
        heard.append((left, right))
        return lambda kind, *_: heard.append(kind)

    around = hooked(enter, failing)(divided)
    assert around(4, right=2) == 2
    with pytest.raises(ZeroDivisionError):
        around(1, 0)
    assert heard == [(4, 2), None, (1, 0), ZeroDivisionError]
    assert around.__name__ == "divided"


@pytest.mark.parametrize("enter", [failing, lambda *_: failing], ids=["before", "after"])
def test_where_it_fails_the_function_does_what_it_does(enter: Enter) -> None:
    failures: list[Exception] = []
    around = hooked(enter, failures.append)(divided)
    assert around(4) == 4
    with pytest.raises(ZeroDivisionError) as raised:
        around(1, 0)
    assert raised.value.__context__ is None
    assert [type(failure) for failure in failures] == [KeyError] * 2


def test_allowed_errors_are_raised() -> None:
    def refuse(*_: object) -> None:
        raise GuardError

    for enter in (refuse, lambda *_: refuse):
        with pytest.raises(GuardError):
            hooked(enter, failing, (GuardError,))(divided)(1)


def test_a_failure_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    line = report_failure(ValueError("of two\nlines"))
    assert line == "devlint failed; the program continues without being observed (ValueError: of two lines)"
    assert capsys.readouterr().err == f"{line}\n"


def test_changes_are_put_back_where_one_cannot_be() -> None:
    class Owner:
        first, last = 1, 2

    patches = Patches()
    patches.replace(Owner, "first", 10)
    patches.later(failing)
    patches.replace(Owner, "last", 20)
    with pytest.raises(KeyError):
        patches.undo()
    assert (Owner.first, Owner.last) == (1, 2)
