"""The observer as a whole: whatever the source, it answers or says that it cannot, and always the same."""

from __future__ import annotations

import ast
import warnings

import pytest
from hypothesis import given, settings

from devlint.rules.engine import judge, resolve
from devlint.rules.registry import all_rules
from devlint.source import UnreadableSource, observe
from tests.source.programs import mutated


def is_python(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            return False
    return True


@settings(max_examples=50)
@given(mutated())
def test_any_program_is_observed_or_refused(text: str) -> None:
    if not is_python(text):
        with pytest.raises(UnreadableSource):
            observe(text, "mutated.py")
        return
    observation = observe(text, "mutated.py")
    findings = resolve(judge(observation.events, all_rules()), observation)
    count = text.count("\n")
    assert all(1 <= finding.site.line <= count for finding in findings)
    again = observe(text, "mutated.py")
    assert again.events == observation.events
