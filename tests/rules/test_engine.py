"""From events to findings: precedence, duplicates, order, and fixes that hold together."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.model import (
    Action,
    Applicability,
    Certainty,
    Concrete,
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
    Site,
    SiteId,
    Step,
    Symbol,
    SymbolKind,
)
from devlint.model.device import CPU
from devlint.rules import registry
from devlint.rules.base import Example, Rule
from devlint.rules.engine import MAX_NOTES, judge, resolve
from devlint.source import observe

CUDA = Concrete("cuda", 0)


class Spoken(Rule[Setting]):
    """A rule that says what it is told to: a setting's value lists `code@cause` pairs."""

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


def said(site: int, value: str) -> Setting:
    """An event on which rules speak."""
    return Setting(SiteId(site), None, Certainty.PROVEN, SettingKind.HARD_CODED, value)


def codes(drafts: Iterable[Draft]) -> list[str]:
    """Who spoke."""
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
    operation = Operation(SiteId(1), None, Certainty.PROVEN, "torch.add", ())
    assert judge([operation], [BROAD, NARROW]) == []


def test_duplicates_are_merged_and_keep_all_notes() -> None:
    first, second = Note(SiteId(5), "here"), Note(SiteId(6), "and here")
    drafts = judge_drafts([draft("X3", 1, (second,)), draft("X3", 1, (first,)), draft("X3", 1, (first,))])
    assert [made.notes for made in drafts] == [(first, second)]


def test_a_merged_finding_does_not_grow_without_bound() -> None:
    many = [draft("X3", 1, (Note(SiteId(at), str(at)),)) for at in range(50)]
    (merged,) = judge_drafts(many)
    assert [note.site for note in merged.notes] == list(range(MAX_NOTES))


def draft(code: str, site: int, notes: tuple[Note, ...] = ()) -> Draft:
    """A draft as a rule makes it."""
    return Draft(code, "message", SiteId(site), notes)


def judge_drafts(drafts: list[Draft]) -> list[Draft]:
    """What becomes of drafts that one rule makes of one event."""

    class Fixed(Spoken):
        code = "X3"
        name = "fixed"

        def check(self, event: Setting) -> Iterable[Draft]:  # noqa: ARG002
            return drafts

    return judge([said(1, "")], [Fixed()])


words = st.sampled_from(["X1@1", "X2@1", "X1@2", "X2@2", "X3@1", "X3@3"])
events = st.lists(st.builds(said, st.integers(1, 4), st.lists(words, max_size=3).map(" ".join)), max_size=8)


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


def loose_factory() -> Operation:
    """`torch.ones(3) + x` with `x` on cuda: DL101 and DL102 have one cause."""
    made = OriginStep(Step.MADE, SiteId(1), CPU, "torch.ones", implicit=True)
    ones = Operand("ones", SiteId(2), CPU, origin=Origin((made,)), parameter="input", rank0=False)
    x = Operand("x", SiteId(3), CUDA, parameter="other", anchor="x.device")
    return Operation(SiteId(4), None, Certainty.PROVEN, "torch.add", (ones, x))


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
    """A locator for a page on which site N stands on line N, in function `f` below line 10."""

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
    event = Operation(event.site, None, Certainty.PROVEN, "torch.add", (event.operands[0], x))
    assert codes(judge([event], registry.all_rules())) == ["DL102"]


def test_the_call_that_gives_the_operands_is_shown() -> None:
    text = """
import torch

def add(a, b):
    return torch.add(a.detach(), b.detach())

add(torch.ones(3, device="cuda:0"), torch.ones(3, device="cuda:1"))
"""
    observation = observe(text, "calls.py")
    called = "this call gives the operands"
    rules = [rule for rule in registry.all_rules() if rule.code.startswith("DL1")]
    (finding,) = resolve(judge(observation.events, rules), observation)
    assert (finding.code, finding.site.line) == ("DL101", 5)
    assert [related.site.line for related in finding.related if related.message == called] == [7]


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
    (finding,) = resolve(judge(observation.events, registry.all_rules()), observation)
    assert (finding.code, finding.fix) == ("DL413", None)


def test_a_chain_of_comparisons_is_not_mended_at_one_link() -> None:
    text = """
import torch

def f(a: torch.Tensor, b: torch.Tensor):
    return a.device == b.device == 'cuda'
"""
    observation = observe(text, "chain.py")
    findings = resolve(judge(observation.events, registry.all_rules()), observation)
    assert [(finding.code, finding.fix) for finding in findings] == [("DL112", None)]
