"""Recording what CUDA does, rehearsed on simulated devices; and how a record is kept and compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.cuda import fragile
from tests.cuda.record import agreement, snippets
from tests.cuda.record.command import main
from tests.cuda.record.explained import explanations, why
from tests.cuda.record.files import LOST, Contents, Row, read, write
from tests.cuda.record.ground import Ground, header
from tests.cuda.record.newest import RECORDS
from tests.cuda.record.part import Fields, Observer, Part
from tests.cuda.record.parts import PARTS
from tests.cuda.record.recording import record

READ, UNREAD = '["item", "", "s.item()"]', '["item", "", "hs.item()"]'
LABEL = "rehearsal on simulated devices, not CUDA"


def some(*names: str) -> Callable[[Observer, Ground], Sequence[str]]:
    """These subjects alone."""
    return lambda *_: names


def rehearsed(part: Part, path: Path, seconds: float = 60) -> Contents:
    """What a rehearsal writes of a part."""
    record(part, Ground.SIMULATED, header(Ground.SIMULATED), path, seconds)
    return read(path)


def test_a_tiny_rehearsal_says_on_each_line_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "snippets.tsv"
    contents = rehearsed(replace(snippets.PART, subjects=some(READ, UNREAD)), path)
    lines = path.read_text("utf-8").splitlines()
    assert lines[0] == f"# made on: {LABEL}"
    assert all(line.startswith((LABEL, "# ")) for line in lines)
    assert [(row.subject, row.fields[0]) for row in contents.rows] == [(READ, "w"), (UNREAD, ".")]
    assert contents.is_complete
    assert not contents.is_evidence


def test_a_crash_loses_one_answer_and_the_next_run_asks_for_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "fragile.tsv"
    assert [row.fields for row in rehearsed(fragile.PART, path).rows] == [("A",), (LOST,), ("B",)]
    assert read(path).seen("it") == {"a": [("A",)], "b": [("B",)]}
    assert not read(path).is_complete
    monkeypatch.setenv(fragile.MENDED, "1")
    said = record(fragile.PART, Ground.SIMULATED, header(Ground.SIMULATED), path, 60)
    assert said.startswith("3 of 3 answers")
    assert [row.fields for row in read(path).rows] == [("A",), ("CRASH",), ("B",)]


def test_what_there_was_no_time_for_is_left_for_later(tmp_path: Path) -> None:
    path = tmp_path / "fragile.tsv"
    assert not rehearsed(fragile.PART, path, seconds=-1).is_complete
    assert read(path).rows == []


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    rows = [
        Row(Ground.CUDA, "torch", "add", ("d", "a  b", "")),
        Row(Ground.SIMULATED, "simulated", "add", ("h",)),
    ]
    path = tmp_path / "part.tsv"
    write(path, {"made on": "CUDA", "asked": "2 of 2"}, ("letters", "text"), rows)
    contents = read(path)
    assert contents.rows == rows
    assert contents.is_evidence
    assert [path.name for path in tmp_path.iterdir()] == ["part.tsv"]


def test_a_line_that_does_not_say_what_it_was_seen_on_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "part.tsv"
    path.write_text("# made on: CUDA\na GPU\ttorch\tadd\td\n", "utf-8")
    with pytest.raises(ValueError, match="a GPU"):
        read(path)


def test_a_rehearsal_is_never_kept_as_a_record(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rehearse", "--out", str(RECORDS / "rehearsed")]) == 2
    assert "rehearsal" in capsys.readouterr().err
    assert not (RECORDS / "rehearsed").exists()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is CUDA here")
def test_without_cuda_there_is_no_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--out", str(tmp_path / "record")]) == 2
    assert "no CUDA device here" in capsys.readouterr().err
    assert not (tmp_path / "record").exists()


def contents_of(*rows: tuple[str, str, Fields]) -> Contents:
    """A file that says so: observer, subject and fields."""
    return Contents({}, [Row(Ground.SIMULATED, *row) for row in rows])


def test_a_wait_that_one_observer_sees_is_one() -> None:
    compared = agreement.snippets(
        contents_of(
            ("debug mode", READ, (".", "")),
            ("busy device", READ, ("w", "")),
            ("simulated", READ, ("w", "")),
        )
    )
    shares = {each.title: each.share for each in compared if each.compared}
    assert shares == {
        "snippets, the table of snippets": 1.0,
        "snippets, debug mode": 0.0,
        "snippets, busy device": 1.0,
        "snippets, simulated": 1.0,
    }


def test_a_row_that_says_never_is_held_against_each_wait() -> None:
    _, rows = agreement.operators(
        contents_of(
            ("debug mode", "add", ("0", "forward", ".w")), ("GPU trace", "add", ("0", "forward", ".."))
        )
    )
    assert (rows.compared, len(rows.disagreements)) == (2, 1)
    assert rows.disagreements[0].startswith("add #1: torch w")


def test_device_rules_are_compared_call_by_call() -> None:
    (rules,) = agreement.device_rules(
        contents_of(
            ("torch", "add", ("0", "*=dd 1=Id", "")),
            ("simulated", "add", ("0", "*=dd 1=EI", "")),
            ("torch", "mul", ("1", "*=d", "")),
            ("simulated", "mul", ("2", "*=E", "")),
        )
    )
    assert (rules.compared, rules.disagreements) == (4, ("add 1 #1: torch d, simulated I",))


def test_findings_are_compared_site_by_site() -> None:
    (found,) = agreement.programs(
        contents_of(
            (
                "devlint run",
                "a.py",
                ("0", "1.0", '[["DL201", "a.py", 3, 1, 9, 0.1], ["DL202", "a.py", 4, 1, 9, 0.1]]'),
            ),
            ("simulated", "a.py", ("0", "1.0", '[["DL201", "a.py", 3, 5, 9, null]]')),
        )
    )
    assert (found.compared, found.disagreements) == (2, ("a.py: ('a.py', 4, 'DL202'): CUDA alone",))


def test_a_disagreement_is_shown_in_full_unless_its_reason_is_known(tmp_path: Path) -> None:
    observers = ("torch", "simulated")
    said = {"add": ("*=dd", "*=dE"), "jiterator_unary": ("*=ddd", "*=OOO")}
    rows = [
        Row(ground, observer, name, ("0", letters, ""))
        for name, pair in said.items()
        for ground, observer, letters in zip((Ground.CUDA, Ground.SIMULATED), observers, pair, strict=True)
    ]
    write(tmp_path / "device_rules.tsv", {"made on": "CUDA", "asked": "4 of 4"}, ("letters",), rows)
    agrees, unexplained, explained = agreement.summary(tmp_path)
    assert agrees == "[CUDA] device rules, simulated: 1 of 5 agree (20.00%)"
    assert unexplained == "[CUDA]   add * #1: torch d, simulated E"
    assert explained.startswith("[CUDA]   3 explained: torch.cuda.jiterator compiles")


def test_a_reason_holds_for_what_it_was_found_on() -> None:
    disagreement = "unique #1: torch ., the row of torch.unique says w"
    assert "Thrust" in why(Ground.NULL_DRIVER, "operators, the table's rows", disagreement)
    assert why(Ground.CUDA, "operators, the table's rows", disagreement) == ""
    assert why(Ground.NULL_DRIVER, "programs, findings", disagreement) == ""
    assert all(each.why for each in explanations())


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_each_part_can_be_rehearsed(part: Part) -> None:
    for observer, ground in part.on(Ground.SIMULATED):
        subject = part.subjects(observer, ground)[0]
        rows = observer.ask(subject)
        assert rows
        assert {len(fields) for fields in rows} == {len(part.columns)}


def test_each_part_is_compared() -> None:
    assert list(agreement.BY_PART) == [part.name for part in PARTS]
