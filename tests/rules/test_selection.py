"""The observer computes only what the selected rules need, and this does not change their findings."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import pytest

from devlint.model import EVERY_SUBJECT, Event, Registration, Setting, SettingKind, Subject
from devlint.pipeline.analysis.text import find_all
from devlint.project.modules import Modules
from devlint.rules import registry
from devlint.rules.base import Rule
from devlint.rules.engine import judge, subjects
from devlint.source import observe
from devlint.source.module_graph import ModuleGraph
from tests.rules.test_examples import CASES, bare, written

DEFAULT = [rule for rule in registry.all_rules() if rule.code in registry.default_codes()]
PROGRAMS = sorted((Path(__file__).parents[2] / "docs" / "examples").glob("*.py"))
MAKER = "import torch\n\ndef mask(x: torch.Tensor):\n    return torch.ones(len(x))  # on the host\n"
USER = "import torch\nfrom maker import mask\n\ny = mask(torch.ones(3, device='cuda'))\n"


def asked_for(events: Iterable[Event], wanted: Collection[Subject]) -> list[Event]:
    """The events without the settings and registrations that were not requested."""
    return [e for e in events if not isinstance(e, Setting | Registration) or e.kind in wanted]


def require_the_same(text: str, rules: Iterable[Rule[Any]]) -> None:
    """The requested events of a text are the same as if all were requested."""
    everything = observe(text, "selection.py").events
    for rule in rules:
        wanted = subjects([rule])
        events = observe(text, "selection.py", wanted=wanted).events
        assert asked_for(events, wanted) == asked_for(everything, wanted)
        assert judge(events, [rule]) == judge(everything, [rule])
    events = observe(text, "selection.py", wanted=subjects(DEFAULT)).events
    assert judge(events, DEFAULT) == judge(everything, DEFAULT)


@pytest.mark.parametrize(("rule", "example"), CASES)
def test_a_rule_finds_the_same_alone_as_among_all(rule: Rule[Any], example: Any) -> None:
    require_the_same(bare(example.bad), [rule])
    require_the_same(written(example.good), [rule])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_each_rule_finds_the_same_in_a_program(program: Path) -> None:
    require_the_same(program.read_text(encoding="utf-8"), registry.all_rules())


def test_what_nobody_asks_for_is_not_worked_out() -> None:
    kinds = {e.kind for e in observe(MAKER, "maker.py").events if isinstance(e, Setting)}
    wanted = subjects([rule for rule in registry.all_rules() if rule.code == "DL410"])
    assert kinds == {subject for subject in wanted if isinstance(subject, SettingKind)}
    assert observe(MAKER, "maker.py", wanted=subjects(DEFAULT)).events == ()


def test_a_file_that_was_read_for_one_with_fewer_rules_is_checked_with_its_own(tmp_path: Path) -> None:
    maker, user = tmp_path / "maker.py", tmp_path / "user.py"
    maker.write_text(MAKER)
    user.write_text(USER)
    graph = ModuleGraph(Modules())
    strict = [*registry.default_codes(), "DL410"]

    def found(path: Path, on: Collection[str]) -> list[str]:
        findings = find_all(path.read_text(), path.name, on, lambda: graph.place(str(path)))
        return [finding.code for finding in findings]

    assert found(user, registry.default_codes()) == []
    assert str(maker) in graph.dependencies(str(user))
    assert found(maker, strict) == ["DL410"]
    assert found(maker, registry.default_codes()) == []
    assert found(maker, strict) == ["DL410"]


def test_what_is_on_by_default_asks_for_less_than_all() -> None:
    assert subjects(DEFAULT) < subjects(registry.all_rules()) <= EVERY_SUBJECT


@pytest.mark.parametrize("rule", registry.all_rules(), ids=lambda rule: rule.code)
def test_a_rule_on_settings_or_registrations_says_on_which(rule: Rule[Any]) -> None:
    assert bool(rule.about) is not {Setting, Registration}.isdisjoint(rule.events())
