"""Values are what frozen dataclasses are, to programs and to `dataclasses` itself."""

from __future__ import annotations

import pickle
from dataclasses import asdict, fields, replace
from typing import get_type_hints

import pytest

from devlint.model.value import ordered, value


@value
class Event:
    """What has happened."""

    name: str
    detail: str = ""


@value
class Copy(Event):
    size: int = 0

    @property
    def large(self) -> bool:
        return self.size > 9


@value
class Nothing:
    def __str__(self) -> str:
        return "nothing"


@ordered
class Place:
    line: int
    column: int | None = 1


def test_they_are_made_from_their_fields_in_order() -> None:
    copy = Copy("a", "b", 10)
    assert (copy.name, copy.detail, copy.size, copy.large) == ("a", "b", 10, True)
    assert Copy("a").size == 0
    assert (Event.__doc__, Event.__name__, Event.__module__) == ("What has happened.", "Event", __name__)
    with pytest.raises(TypeError):
        Copy()  # type: ignore[call-arg]


def test_they_are_equal_by_type_and_content() -> None:
    assert Copy("a", size=1) == Copy("a", "", 1)
    assert Copy("a") != Copy("b")
    assert Event("a") != Copy("a")
    assert len({Copy("a"), Copy("a"), Event("a"), Nothing(), Nothing()}) == 3


def test_they_have_no_other_attributes() -> None:
    with pytest.raises(AttributeError):
        Copy("a").other = 1  # type: ignore[attr-defined]


def test_they_are_shown_as_dataclasses_are() -> None:
    assert repr(Copy("a", size=1)) == "Copy(name='a', detail='', size=1)"
    assert (repr(Nothing()), str(Nothing())) == ("Nothing()", "nothing")


def test_they_match_by_position() -> None:
    match Copy("a", "b", 3):
        case Copy(name, _, size):
            assert (name, size) == ("a", 3)


def test_ordered_ones_are_sorted_by_content() -> None:
    assert sorted([Place(2), Place(1, 3), Place(1)]) == [Place(1), Place(1, 3), Place(2)]
    assert Place(1, None) <= Place(1, None)
    assert Place(2) > Place(1)
    assert Place(2) >= Place(1)
    with pytest.raises(TypeError):
        Place(1) < 1  # type: ignore[operator]  # noqa: B015


def test_dataclasses_take_them() -> None:
    assert [field.name for field in fields(Event)] == ["name", "detail"]
    assert [(field.name, field.default) for field in fields(Copy)][1:] == [("detail", ""), ("size", 0)]
    assert replace(Copy("a"), size=2) == Copy("a", "", 2)
    assert asdict(Place(1)) == {"line": 1, "column": 1}
    assert get_type_hints(Copy)["size"] is int


def test_they_travel_between_processes() -> None:
    assert pickle.loads(pickle.dumps(Copy("a", "b", 3))) == Copy("a", "b", 3)
