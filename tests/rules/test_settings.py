"""The rules on portability, given events: which speaks of what, and the way out that it names."""

from __future__ import annotations

import pytest

from devlint.model import Action, Confidence, Draft, Setting, SettingKind, SiteId
from devlint.rules import registry
from devlint.rules.engine import judge

KINDS = {
    "DL114": SettingKind.HOST_TENSOR_IN_COLLECTIVE,
    "DL209": SettingKind.UNSYNCHRONIZED_TIMING,
    "DL401": SettingKind.HARD_CODED,
    "DL402": SettingKind.LOAD,
    "DL403": SettingKind.RESOLVED_AT_IMPORT,
    "DL404": SettingKind.VISIBLE_DEVICES_TOO_LATE,
    "DL405": SettingKind.LAUNCH_BLOCKING,
    "DL406": SettingKind.LEGACY_TYPE,
    "DL408": SettingKind.NCCL_WITHOUT_DEVICE,
}


def said(code: str, kind: SettingKind, value: str = "1", related: SiteId | None = None) -> list[Draft]:
    """The findings of one rule for a setting."""
    rule = registry.rule(code)
    assert rule is not None
    return judge([Setting(SiteId(7), None, Confidence.CERTAIN, kind, value, related=related)], [rule])


@pytest.mark.parametrize(("code", "kind"), KINDS.items())
def test_one_rule_speaks_for_each_kind(code: str, kind: SettingKind) -> None:
    assert [other for other in KINDS if said(other, kind)] == [code]


@pytest.mark.parametrize("code", ["DL209", "DL404"])
def test_what_came_before_is_shown(code: str) -> None:
    (draft,) = said(code, KINDS[code], related=SiteId(3))
    assert [note.site for note in draft.notes] == [SiteId(3)]


def test_loading_to_the_host_is_offered() -> None:
    (draft,) = said("DL402", SettingKind.LOAD, "torch.load")
    assert draft.fix is not None
    (edit,) = draft.fix.edits
    assert (edit.action, edit.text) == (Action.APPEND_ARGUMENT, 'map_location="cpu"')


@pytest.mark.parametrize(("value", "speaks"), [("1", True), ("0", False), ("", False)])
def test_launch_blocking_that_is_off_is_left_alone(value: str, speaks: bool) -> None:
    assert bool(said("DL405", SettingKind.LAUNCH_BLOCKING, value)) is speaks


@pytest.mark.parametrize(
    ("value", "help_text"),
    [
        ("torch.cuda.LongTensor", "torch.int64"),
        ("torch.cuda.HalfTensor", "torch.float16"),
        ("torch.set_default_tensor_type(torch.cuda.FloatTensor)", "torch.set_default_device"),
    ],
)
def test_a_legacy_type_is_named_in_today_s_words(value: str, help_text: str) -> None:
    (draft,) = said("DL406", SettingKind.LEGACY_TYPE, value)
    assert help_text in draft.help
