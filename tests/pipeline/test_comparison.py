"""Two runs compared: what is the same place after a change, and what has become of it."""

from __future__ import annotations

import io
import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from devlint.model import Site
from devlint.pipeline.observed.comparison import compare
from devlint.report.comparison import Comparison, RunDifference, Verdict, render, render_json
from devlint.report.profile import Act, ActKind, Lane, Profile
from devlint.report.totals import Seen
from tests.report.profiles import profile


def act(
    line: int,
    count: int = 10,
    *,
    operand: str = "loss",
    function: str = "train",
    path: str = "train.py",
    seconds: float | None = None,
    lane: Lane = Lane("cuda:0"),  # noqa: B008 - it is immutable
) -> Act:
    """So many reads of a value at a line."""
    site = Site(path, line, 5, line, 16, function=function)
    seen = Seen(count, seconds)
    return Act(ActKind.WAIT, site, "`torch.Tensor.item`", operand, "the host reads a value", lane, seen)


def run(*acts: Act) -> Profile:
    empty = profile()
    return replace(empty, acts=acts, moments=[], origins=[], report=empty.report._replace(findings=[]))


def compared(before: Profile, after: Profile) -> Comparison:
    return compare((before, 10), (after, 10))


def verdicts(before: Profile, after: Profile) -> list[tuple[str, int | None, int | None]]:
    """What has become of each place, and its lines before and after."""

    def line(change: RunDifference, when: str) -> int | None:
        side = getattr(change, when)
        return None if side is None else side.site.line

    changes = compared(before, after).acts
    return [(each.verdict.value, line(each, "before"), line(each, "after")) for each in changes]


def test_a_place_that_is_there_in_one_run_is_gone_or_new() -> None:
    assert verdicts(run(act(3)), run()) == [("gone", 3, None)]
    assert verdicts(run(), run(act(3))) == [("new", None, 3)]


def test_a_place_is_there_more_or_less_often_or_as_often() -> None:
    before = run(act(3, 10), act(4, 10, operand="x"), act(5, 10, operand="y"))
    after = run(act(3, 11), act(4, 9, operand="x"), act(5, 10, operand="y"))
    assert verdicts(before, after) == [("more often", 3, 3), ("less often", 4, 4), ("as often", 5, 5)]


def test_a_place_is_known_where_its_line_has_moved() -> None:
    assert verdicts(run(act(3), act(8, operand="x")), run(act(5), act(4, operand="x"))) == [
        ("as often", 8, 4),
        ("as often", 3, 5),
    ]


def test_of_equal_places_those_of_one_line_are_the_same_and_the_rest_follow_in_order() -> None:
    assert verdicts(run(act(3), act(6)), run(act(6))) == [("gone", 3, None), ("as often", 6, 6)]
    assert verdicts(run(act(3), act(6)), run(act(5), act(9))) == [("as often", 3, 5), ("as often", 6, 9)]


def test_another_operand_or_function_is_another_place() -> None:
    for other in (act(3, operand="x"), act(3, function="test")):
        assert verdicts(run(act(3)), run(other)) == [("new", None, 3), ("gone", 3, None)]


def test_a_file_that_lies_elsewhere_is_known_by_its_name() -> None:
    old, new, newer = (act(3, path=f"{folder}/train.py") for folder in ("old", "new", "newer"))
    assert verdicts(run(old), run(new)) == [("as often", 3, 3)]
    assert [verdict for verdict, _, _ in verdicts(run(old), run(new, newer))] == ["new", "new", "gone"]


def test_devices_and_ranks_of_a_place_are_added_up() -> None:
    ranks = run(act(3, 10, lane=Lane("cuda:0", 0)), act(3, 10, lane=Lane("cuda:1", 1)))
    assert verdicts(ranks, run(act(3, 20))) == [("as often", 3, 3)]


def test_what_costs_most_comes_first_and_what_is_worse_before_what_is_better() -> None:
    before = run(act(1, operand="a", seconds=1.0), act(2, operand="b", seconds=3.0))
    after = run(act(3, operand="c", seconds=0.1), act(4, operand="d", seconds=0.2))
    assert verdicts(before, after) == [
        ("new", None, 4),
        ("new", None, 3),
        ("gone", 2, None),
        ("gone", 1, None),
    ]


@given(st.lists(st.tuples(st.integers(1, 5), st.sampled_from("ab"), st.integers(1, 3)), max_size=12))
def test_a_run_is_equal_to_itself(seen: list[tuple[int, str, int]]) -> None:
    same = run(*(act(line, count, operand=operand) for line, operand, count in seen))
    found = compared(same, same)
    assert all(change.verdict is Verdict.SAME for change in found.acts)
    assert len(found.acts) == len({(line, operand) for line, operand, _ in seen})
    assert not found.is_worse


def test_only_findings_make_a_run_worse() -> None:
    assert not compared(run(), run(act(3))).is_worse
    assert compared(run(), profile()).is_worse
    assert compared(profile(steps=5), profile(steps=6)).is_worse
    assert not compared(profile(steps=6), profile(steps=5)).is_worse


def test_it_is_told_in_words() -> None:
    out = io.StringIO()
    before = run(act(3, 1200, seconds=1.9), act(9, operand="x"))
    render(compare((before, 100), (run(act(4, 12, seconds=0.02), act(9, operand="x")), 200)), out)
    assert out.getvalue() == (
        "Before: train.py\n"
        "After: train.py\n"
        "\n"
        "Findings: none\n"
        "\n"
        "Waits and copies: 1 less often, 1 as often\n"
        "  less often train.py:3:5 → train.py:4:5 wait: `torch.Tensor.item` of `loss`:"
        " 1,200 times, the host waited 1.9 s → 12 times, the host waited 20 ms\n"
        "\n"
        "In all: 60 waits (60 ms), 20 copies to devices (20 kB), 20 copies to the host (320 bytes).\n"
        "note: the runs took 100 optimizer steps and 200 optimizer steps: numbers are of whole runs\n"
    )


def test_it_is_data_for_programs() -> None:
    out = io.StringIO()
    render_json(compared(run(act(3, 5)), run(act(4, 6, seconds=0.5))), out)
    found = json.loads(out.getvalue())
    assert found["before"] == {"name": "train.py", "steps": 10}
    (change,) = found["waits_and_copies"]
    assert (change["verdict"], change["code"]) == ("more often", None)
    assert (change["before"]["location"], change["before"]["count"]) == ({"row": 3, "column": 5}, 5)
    assert (change["after"]["count"], change["after"]["seconds"]) == (6, 0.5)
