"""All parts of a record, the most telling first."""

from __future__ import annotations

from tests.cuda.record import cost, cuda_tests, device_rules, error_texts, operators, programs, snippets

PARTS = (
    snippets.PART,
    device_rules.PART,
    error_texts.PART,
    cuda_tests.PART,
    cost.PART,
    operators.PART,
    programs.PART,
)
