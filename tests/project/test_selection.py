"""Which rules are on: Ruff's order of specificity."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.project.selection import RuleSource, SelectorError, check_selector, choose

CODES = ("DL101", "DL102", "DL105", "DL201", "DL301", "DL900")
DEFAULT = {"DL101", "DL102", "DL201", "DL900"}


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ([], DEFAULT),
        ([RuleSource(ignore=["DL1"])], {"DL201", "DL900"}),
        ([RuleSource(extend_select=["DL3"])], DEFAULT | {"DL301"}),
        ([RuleSource(select=["DL1"])], {"DL101", "DL102", "DL105", "DL900"}),
        ([RuleSource(select=["ALL"])], set(CODES)),
        ([RuleSource(select=["DL101"], ignore=["DL1"])], {"DL101", "DL900"}),
        ([RuleSource(select=["DL1"], ignore=["DL101"])], {"DL102", "DL105", "DL900"}),
        ([RuleSource(select=["DL1"], ignore=["DL1"])], {"DL900"}),
        ([RuleSource(select=["ALL"], ignore=["DL"])], {"DL900"}),
        ([RuleSource(select=["DL10"], ignore=["DL1"])], {"DL101", "DL102", "DL105", "DL900"}),
        # The command line's selection starts anew, its other options change the configured one.
        ([RuleSource(select=["DL1"]), RuleSource(select=["DL2"])], {"DL201", "DL900"}),
        (
            [RuleSource(select=["DL1"]), RuleSource(extend_select=["DL2"])],
            {"DL101", "DL102", "DL105", "DL201", "DL900"},
        ),
        ([RuleSource(ignore=["DL101"]), RuleSource(extend_select=["DL1"])], DEFAULT | {"DL105"}),
        ([RuleSource(select=[])], {"DL900"}),
    ],
)
def test_choose(layers: list[RuleSource], expected: set[str]) -> None:
    assert choose(CODES, DEFAULT, layers) == expected


SELECTORS = st.lists(
    st.sampled_from(["ALL", "D", "DL", "DL1", "DL10", "DL101", "DL102", "DL2", "DL201", "DL9"])
)


@given(select=st.none() | SELECTORS, ignore=SELECTORS, extend=SELECTORS)
def test_a_full_code_outranks_everything_less_specific(
    select: list[str] | None, ignore: list[str], extend: list[str]
) -> None:
    chosen = choose(CODES, DEFAULT, [RuleSource(select, ignore, extend)])
    for code in CODES:
        if code in ignore and code != "DL900":
            assert code not in chosen
        elif code in extend or code in (select or ()):
            assert code in chosen
    assert "DL900" in chosen


@pytest.mark.parametrize(
    ("text", "hint"), [("DL1O1", "DL1"), ("dl101", "DL101"), ("DL999", "DL9"), ("", "--all")]
)
def test_unknown_selectors_are_refused_with_the_nearest_one(text: str, hint: str) -> None:
    with pytest.raises(SelectorError, match=hint):
        check_selector(text, CODES)


@pytest.mark.parametrize("text", ["ALL", "DL", "DL1", "DL101"])
def test_known_selectors_are_taken(text: str) -> None:
    check_selector(text, CODES)
    with pytest.raises(SelectorError):
        check_selector(f"{text}!", CODES)
