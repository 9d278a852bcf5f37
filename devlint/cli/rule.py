"""Explain a rule: what it reports, why it matters, and what to write instead."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from devlint.cli.exit import ExitCode
from devlint.cli.output import say
from devlint.project.selection import SelectorError, check_selector
from devlint.rules import registry
from devlint.rules.base import Rule
from devlint.rules.measured import MEASURED


def add_arguments(parser: ArgumentParser) -> None:
    """Declare all options."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("code", nargs="?", metavar="CODE", help="the code of a rule, such as DL101")
    which.add_argument("--all", action="store_true", help="every rule")
    parser.add_argument(
        "--output-format",
        choices=["text", "markdown", "json"],
        default="text",
        help="output format (default: text)",
    )


def run(arguments: Namespace) -> int:
    """Show the documentation of one rule or of all."""
    rule = None if arguments.all else registry.rule(arguments.code)
    if not arguments.all and rule is None:
        say(f"error: {_refusal(arguments.code)}")
        return ExitCode.BAD_USE
    rules = registry.all_rules() if rule is None else (rule,)
    if arguments.output_format == "json":
        records = [_record(rule) for rule in rules]
        print(json.dumps(records if arguments.all else records[0], indent=2))  # noqa: T201
    elif arguments.output_format == "markdown" or not sys.stdout.isatty():
        print("\n".join(_markdown(rule) for rule in rules), end="")  # noqa: T201
    else:
        _show(rules)
    return ExitCode.CLEAN


def _refusal(code: str) -> str:
    try:
        check_selector(code, registry.codes())
    except SelectorError as error:
        return str(error)
    return f"`{code}` is the prefix of several rules; name one rule, or use `--all`"


def _markdown(rule: Rule[Any]) -> str:
    standing = _standing(rule)
    severity = rule.severity.value.capitalize()
    measured = f" {MEASURED[rule.code]}." if rule.code in MEASURED else ""
    sure = _confidence(rule)
    return f"# {rule.name} ({rule.code})\n\n{severity}, {standing}.{measured}{sure}\n\n{rule.documentation()}"


def _standing(rule: Rule[Any]) -> str:
    if rule.runtime_only:
        return "reported by `devlint run` only"
    return "on by default" if rule.enabled else "off by default"


def _confidence(rule: Rule[Any]) -> str:
    """What the confidence of a finding means; empty for rules of runs, whose findings were observed."""
    if rule.runtime_only or rule.code.startswith("DL9"):
        return ""
    return f"\n\n{_CONFIDENCE}"


_CONFIDENCE = """\
The confidence of a finding is `certain`, `likely` or `possible`. `--confidence` sets the lowest that is shown
(`likely` by default)."""


def _record(rule: Rule[Any]) -> dict[str, object]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.value,
        "enabled": rule.enabled,
        "measured": asdict(MEASURED[rule.code]) if rule.code in MEASURED else None,
        "fixable": any(example.fixed for example in rule.examples),
        "url": registry.url(rule.code),
        "explanation": rule.documentation(),
    }


def _show(rules: Sequence[Rule[Any]]) -> None:
    from rich.console import Console  # noqa: PLC0415  # only a terminal needs it
    from rich.markdown import Markdown  # noqa: PLC0415

    console = Console()
    for rule in rules:
        console.print(Markdown(_markdown(rule)))
        console.print()
