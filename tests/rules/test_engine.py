"""From events to findings: precedence, duplicates, order, and fixes that hold together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.cli import main
from devlint.model import (
    Action,
    Applicability,
    Concrete,
    Confidence,
    Draft,
    Edit,
    EditRequest,
    FixRequest,
    Note,
    Operand,
    Operation,
    Origin,
    OriginStep,
    Setting,
    SettingKind,
    Severity,
    Silence,
    Silenced,
    Site,
    SiteId,
    Step,
    Symbol,
    SymbolKind,
)
from devlint.model.device import CPU
from devlint.rules import registry
from devlint.rules.base import Example, Rule
from devlint.rules.engine import MAX_NOTES, judge, resolve, withheld
from devlint.source import observe

CUDA = Concrete("cuda", 0)


class Spoken(Rule[Setting]):
    """A rule that reports as instructed: a setting's value lists `code@cause` pairs."""

    severity = Severity.WARNING
    enabled = True
    event = Setting
    about = frozenset({SettingKind.HARD_CODED})
    examples = (Example("", ""),)

    def check(self, event: Setting) -> Iterable[Draft]:
        for word in event.value.split():
            code, _, cause = word.partition("@")
            if code == self.code:
                note = Note(SiteId(event.site + 100), f"seen at {event.site}")
                yield Draft(code, f"{code} speaks", event.site, (note,), cause=SiteId(int(cause)))


def spoken(code: str, *yields_to: str) -> Rule[Setting]:
    """A rule with a code of its own."""
    made = type(code, (Spoken,), {"code": code, "name": code.lower(), "yields_to": yields_to})()
    assert isinstance(made, Rule)
    return made


def said(site: int, value: str, confidence: Confidence = Confidence.CERTAIN) -> Setting:
    """An event on which rules speak."""
    return Setting(SiteId(site), None, confidence, SettingKind.HARD_CODED, value)


def codes(drafts: Iterable[Draft]) -> list[str]:
    """The codes of the findings."""
    return [draft.code for draft in drafts]


BROAD, NARROW, APART = spoken("X1", "X2"), spoken("X2"), spoken("X3")


def test_the_more_specific_rule_speaks_for_one_cause() -> None:
    assert codes(judge([said(1, "X1@9 X2@9")], [BROAD, NARROW])) == ["X2"]


def test_another_cause_is_another_finding() -> None:
    assert codes(judge([said(1, "X1@8 X2@9")], [BROAD, NARROW])) == ["X1", "X2"]


def test_rules_that_yield_to_nobody_speak_side_by_side() -> None:
    assert codes(judge([said(1, "X2@9 X3@9")], [NARROW, APART])) == ["X2", "X3"]


def test_a_cause_is_found_across_events() -> None:
    assert codes(judge([said(1, "X1@9"), said(2, "X2@9")], [BROAD, NARROW])) == ["X2"]


def test_an_event_reaches_only_the_rules_on_it() -> None:
    operation = Operation(SiteId(1), None, Confidence.CERTAIN, "torch.add", ())
    assert judge([operation], [BROAD, NARROW]) == []


def test_duplicates_are_merged_and_keep_all_notes() -> None:
    first, second = Note(SiteId(5), "here"), Note(SiteId(6), "and here")
    drafts = judge_drafts([draft("X3", 1, (second,)), draft("X3", 1, (first,)), draft("X3", 1, (first,))])
    assert [made.notes for made in drafts] == [(first, second)]


def test_a_merged_finding_does_not_grow_without_bound() -> None:
    many = [draft("X3", 1, (Note(SiteId(at), str(at)),)) for at in range(50)]
    (merged,) = judge_drafts(many)
    assert [note.site for note in merged.notes] == list(range(MAX_NOTES))


def test_what_a_merged_finding_does_not_note_it_still_names() -> None:
    many = [
        replace(draft("X3", 1, (Note(SiteId(at), str(at)),)), affects=(SiteId(at),)) for at in range(2, 50)
    ]
    (merged,) = judge_drafts(many)
    noted = [note.site for note in merged.notes]
    assert [*noted, *merged.affects] == list(range(2, 50))


def test_a_finding_at_its_cause_names_the_places_of_those_that_it_replaces() -> None:
    cause, uses = said(9, "X2@9"), [said(3, "X1@9"), said(4, "X1@9")]
    (made,) = judge([*uses, cause], [BROAD, NARROW])
    assert (made.code, made.affects) == ("X2", (3, 4))
    (made,) = judge([*uses, cause], [NARROW])
    assert made.affects == ()


def draft(code: str, site: int, notes: tuple[Note, ...] = ()) -> Draft:
    """A draft as a rule makes it."""
    return Draft(code, "message", SiteId(site), notes)


def judge_drafts(drafts: list[Draft]) -> list[Draft]:
    """The findings from drafts that one rule creates for one event."""

    class Fixed(Spoken):
        code = "X3"
        name = "fixed"

        def check(self, event: Setting) -> Iterable[Draft]:  # noqa: ARG002
            return drafts

    return judge([said(1, "")], [Fixed()])


def test_a_draft_is_as_sure_as_its_event() -> None:
    for level in Confidence:
        (made,) = judge([said(1, "X3@9", level)], [APART])
        assert made.confidence is level


@pytest.mark.parametrize(
    ("observer", "rule", "together"),
    [
        (Confidence.CERTAIN, Confidence.POSSIBLE, Confidence.POSSIBLE),
        (Confidence.POSSIBLE, Confidence.CERTAIN, Confidence.POSSIBLE),
        (Confidence.SEEN, Confidence.POSSIBLE, Confidence.SEEN),
    ],
)
def test_a_rule_may_be_less_sure_than_the_observer(
    observer: Confidence, rule: Confidence, together: Confidence
) -> None:
    class Unsure(Spoken):
        code = "X3"
        name = "unsure"

        def check(self, event: Setting) -> Iterable[Draft]:
            yield Draft("X3", "message", event.site, confidence=rule)

    (made,) = judge([said(1, "", observer)], [Unsure()])
    assert made.confidence is together


def test_of_merged_drafts_the_surest_speaks() -> None:
    possible = Draft("X3", "perhaps", SiteId(1), (Note(SiteId(2), "early"),), confidence=Confidence.POSSIBLE)
    certain = Draft("X3", "it is so", SiteId(1), (Note(SiteId(5), "late"),))
    (made,) = judge_drafts([possible, certain])
    assert (made.message, made.confidence) == ("it is so", Confidence.CERTAIN)
    assert [note.message for note in made.notes] == ["late", "early"]


def test_what_is_less_sure_silences_nothing_surer() -> None:
    broad, narrow = said(1, "X1@9"), said(2, "X2@9", Confidence.POSSIBLE)
    assert codes(judge([broad, narrow], [BROAD, NARROW])) == ["X1", "X2"]
    assert codes(judge([broad, narrow, said(3, "X2@9")], [BROAD, NARROW])) == ["X2", "X2"]
    perhaps = said(1, "X1@9", Confidence.POSSIBLE)
    assert codes(judge([perhaps, narrow], [BROAD, NARROW])) == ["X2"]


words = st.sampled_from(["X1@1", "X2@1", "X1@2", "X2@2", "X3@1", "X3@3"])
texts = st.lists(words, max_size=3).map(" ".join)
events = st.lists(st.builds(said, st.integers(1, 4), texts, st.sampled_from(list(Confidence))), max_size=8)


@given(events=events, data=st.data())
def test_the_order_of_events_does_not_matter(events: list[Setting], data: st.DataObject) -> None:
    rules = [BROAD, NARROW, APART]
    shuffled = data.draw(st.permutations(events))
    assert judge(shuffled, data.draw(st.permutations(rules))) == judge(events, rules)


@given(events=events)
def test_findings_are_ordered_and_have_no_duplicates(events: list[Setting]) -> None:
    keys = [(draft.site, draft.code) for draft in judge(events, [BROAD, NARROW, APART])]
    assert keys == sorted(set(keys))


@given(events=events)
def test_nothing_is_lost_but_what_yields(events: list[Setting]) -> None:
    alone = {(draft.site, draft.code) for rule in (BROAD, NARROW, APART) for draft in judge(events, [rule])}
    together = {(draft.site, draft.code) for draft in judge(events, [BROAD, NARROW, APART])}
    assert together <= alone
    assert {code for _, code in alone - together} <= {"X1"}


@given(events=events, threshold=st.sampled_from(list(Confidence)))
def test_to_ask_for_surer_findings_only_leaves_some_out(events: list[Setting], threshold: Confidence) -> None:
    rules = [BROAD, NARROW, APART]
    surer = [event for event in events if event.confidence.at_least(threshold)]
    kept = {
        (draft.site, draft.code)
        for draft in judge(events, rules)
        if draft.confidence is not None and draft.confidence.at_least(threshold)
    }
    assert kept == {(draft.site, draft.code) for draft in judge(surer, rules)}


def loose_factory() -> Operation:
    """`torch.ones(3) + x` with `x` on cuda: DL101 and DL102 have one cause."""
    made = OriginStep(Step.MADE, SiteId(1), CPU, "torch.ones", implicit=True)
    ones = Operand("ones", SiteId(2), CPU, origin=Origin((made,)), parameter="input", rank0=False)
    x = Operand("x", SiteId(3), CUDA, parameter="other", anchor="x.device")
    return Operation(SiteId(4), None, Confidence.CERTAIN, "torch.add", (ones, x))


def selected(*chosen: str) -> list[Rule[Any]]:
    """Real rules, as a user selects them."""
    return [rule for rule in registry.all_rules() if rule.code in chosen]


def test_all_rules_together_say_it_once() -> None:
    assert codes(judge([loose_factory()], registry.all_rules())) == ["DL102"]


def test_ignoring_the_specific_rule_silences_its_cause() -> None:
    assert codes(judge([loose_factory()], selected("DL101"))) == []


def test_a_rule_off_by_default_swallows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    specific = registry.rule("DL102")
    assert specific is not None
    monkeypatch.setattr(type(specific), "enabled", False)
    assert codes(judge([loose_factory()], selected("DL101"))) == ["DL101"]
    assert codes(judge([loose_factory()], selected("DL101", "DL102"))) == ["DL102"]


class Page:
    """A locator for a page on which site N is on line N, in function `f` below line 10."""

    def __init__(self, refused: Collection[str] = ()) -> None:
        self.refused = refused
        self.calls = 0

    def locate(self, sites: Collection[SiteId], edits: Collection[EditRequest]) -> Page:
        self.calls += 1
        self.known, self.wanted = set(sites), set(edits)
        return self

    def site(self, site: SiteId, /) -> Site:
        assert site in self.known
        function = "f" if site < 10 else "g"
        return Site("page.py", site, 1, site, 9, site * 10, site * 10 + 8, function)

    def edit(self, request: EditRequest, /) -> Edit | None:
        assert request in self.wanted
        if request.text in self.refused:
            return None
        return Edit(request.site * 10, request.site * 10 + 8, request.text)


def with_fix(*edits: EditRequest, scope: int | None = None) -> Draft:
    """A draft of a real rule with a fix."""
    home = SiteId(scope) if scope is not None else None
    return Draft("DL101", "message", SiteId(2), fix=FixRequest("mend it", Applicability.SAFE, edits, home))


def replace_at(site: int, text: str) -> EditRequest:
    """A change of the site's text."""
    return EditRequest(SiteId(site), Action.REPLACE, text)


def test_what_was_withheld_says_who_would_have_spoken() -> None:
    periodic = Silenced(said(1, "X3@9"), Silence.PERIODIC)
    assert codes(draft for draft, _ in withheld([periodic], [], [NARROW])) == []
    ((draft, silence),) = withheld([periodic, periodic], [], [APART])
    assert (draft.code, draft.site, silence) == ("X3", SiteId(1), Silence.PERIODIC)


def test_what_was_said_all_the_same_was_not_withheld() -> None:
    drafts = judge([said(1, "X3@9")], [APART])
    assert withheld([Silenced(said(1, "X3@9"), Silence.ONCE)], drafts, [APART]) == []


def test_every_silence_has_a_meaning() -> None:
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", silence.value) and silence.meaning for silence in Silence)


def test_findings_come_in_the_order_of_reports_with_their_places() -> None:
    note = Note(SiteId(3), "made here", label=True)
    page = Page()
    findings = resolve(
        [Draft("DL102", "later", SiteId(5)), Draft("DL101", "first", SiteId(2), (note,))], page
    )
    assert [(found.code, found.site.line) for found in findings] == [("DL101", 2), ("DL102", 5)]
    assert [(each.site.line, each.message, each.label) for each in findings[0].related] == [
        (3, "made here", True)
    ]
    assert findings[0].name == "cross-device-operation"
    assert page.calls == 1


def test_edits_of_a_fix_are_put_in_order() -> None:
    (found,) = resolve([with_fix(replace_at(5, "b"), replace_at(3, "a"))], Page())
    assert found.fix is not None
    assert [edit.content for edit in found.fix.edits] == ["a", "b"]


def test_a_fix_that_cannot_be_made_whole_is_left_out() -> None:
    (found,) = resolve([with_fix(replace_at(3, "a"), replace_at(5, "b"))], Page(refused=["b"]))
    assert found.fix is None


def test_a_fix_whose_edits_overlap_is_left_out() -> None:
    (found,) = resolve([with_fix(replace_at(3, "a"), replace_at(3, "b"))], Page())
    assert found.fix is None


@pytest.mark.parametrize(("scope", "kept"), [(4, True), (12, False)])
def test_a_fix_stays_in_the_function_of_its_names(scope: int, kept: bool) -> None:
    (found,) = resolve([with_fix(replace_at(3, "device=x.device"), scope=scope)], Page())
    assert (found.fix is not None) is kept


def test_a_tensor_made_in_another_function_is_reported_without_a_fix() -> None:
    drafts = judge([loose_factory()], registry.all_rules())
    (found,) = resolve(drafts, Page())
    assert found.fix is not None

    class Elsewhere(Page):
        def site(self, site: SiteId, /) -> Site:
            place = super().site(site)
            return Site(place.path, place.line, 1, place.line, 9, function="f" if site == 1 else "g")

    (found,) = resolve(drafts, Elsewhere())
    assert found.fix is None


def test_a_draft_without_a_rule_is_a_fault_of_devlint() -> None:
    with pytest.raises(LookupError, match="X1"):
        resolve([draft("X1", 1)], Page())


def test_symbols_are_devices_like_any_other() -> None:
    x = Operand("x", SiteId(3), Symbol("x", SymbolKind.TENSOR), parameter="other", anchor="x.device")
    event = loose_factory()
    event = Operation(event.site, None, Confidence.CERTAIN, "torch.add", (event.operands[0], x))
    assert codes(judge([event], registry.all_rules())) == ["DL102"]


def test_the_call_that_gives_the_operands_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "calls.py"
    file.write_text(
        """
import torch

def add(a, b):
    return torch.add(a.detach(), b.detach())

add(torch.ones(3, device="cuda:0"), torch.ones(3, device="cuda:1"))
""",
        "utf-8",
    )
    main(["check", str(file), "--isolated", "--no-cache", "--select", "DL1"])
    shown = capsys.readouterr().out
    assert "calls.py:5:12: DL101" in shown
    (call,) = [line for line in shown.splitlines() if "called from here" in line]
    assert call.strip().startswith("7 |")


def test_a_fix_names_no_device_of_what_may_be_none() -> None:
    text = """
import torch

def add(a, x=None):
    t = torch.zeros(3)
    if x is not None:
        return x.detach() + t
    return a
"""
    observation = observe(text, "optional.py")
    (finding,) = resolve(judge(observation.events, selected("DL101", "DL102")), observation)
    assert (finding.code, finding.fix) == ("DL102", None)
    assert finding.confidence is Confidence.LIKELY


def test_a_chain_of_comparisons_is_not_mended_at_one_link() -> None:
    text = """
import torch

def f(a: torch.Tensor, b: torch.Tensor):
    return a.device == b.device == 'cuda'
"""
    observation = observe(text, "chain.py")
    findings = resolve(judge(observation.events, registry.all_rules()), observation)
    assert [(finding.code, finding.fix) for finding in findings] == [("DL112", None)]
