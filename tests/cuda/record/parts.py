"""All parts of a record, the most telling first."""

from __future__ import annotations

from tests.cuda.record import device_rules, operators, snippets

PARTS = (snippets.PART, device_rules.PART, operators.PART)
