"""Sentences at the end of a report."""

from __future__ import annotations

from devlint.runtime.recording.remarks import Remarks


def test_a_sentence_is_said_once() -> None:
    remarks = Remarks()
    remarks.say("a")
    remarks.say("b")
    remarks.say("a")
    assert remarks.texts() == ["a", "b"]


def test_what_recurs_is_counted_by_name() -> None:
    remarks = Remarks()
    for name in ("f", "g", "f"):
        remarks.count("1 call of {name}", "{count} calls of {name}", name)
    assert remarks.texts() == ["2 calls of f", "1 call of g"]


def test_braces_in_a_sentence_are_its_own() -> None:
    remarks = Remarks()
    remarks.say("{x} failed: {count}")
    assert remarks.texts() == ["{x} failed: {count}"]
