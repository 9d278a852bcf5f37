"""Writes docs/rules: a page for each rule, with the text of `devlint rule`, and a list of all rules."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from devlint.cli import main as devlint
from devlint.rules import registry
from devlint.rules.base import Rule

FOLDER = Path(__file__).parents[1] / "docs" / "rules"
FAMILIES = {
    "DL1": "Mismatch: code that raises, or uses the wrong device",
    "DL2": "Synchronization: code that makes the host wait for the device",
    "DL3": "Transfer: needless or unsafe copies",
    "DL4": "Portability: code that runs on one kind of machine only",
    "DL9": "devlint: files and comments",
}


CONFIDENCE = """\
Each finding has a confidence. `--confidence` sets the lowest that is reported; the default is `likely`.

| confidence | meaning |
|---|---|
| `seen` | It happened in a run. |
| `certain` | It follows from the program, on a machine with an accelerator. |
| `likely` | It happens on one of several paths, or it follows from an assumption: a module is moved to an \
accelerator and called with tensors there, a framework follows its documentation, or a loop is a hot path. |
| `possible` | It depends on a parameter of a plain function, of which nothing more is known. |
"""


def pages() -> dict[str, str]:
    """The text of every page, by its file name."""
    return {"README.md": _list(), **{f"{rule.code}.md": _page(rule.code) for rule in registry.all_rules()}}


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def _page(code: str) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        devlint(["rule", code, "--output-format", "markdown"])
    return out.getvalue()


def _list() -> str:
    families = (_family(prefix, title) for prefix, title in FAMILIES.items())
    return "\n".join(
        ("# Rules\n\nGenerated from the rules by `python -m tools.rule_pages`.\n", CONFIDENCE, *families)
    )


def _family(prefix: str, title: str) -> str:
    rows = "".join(_row(rule) for rule in registry.all_rules() if rule.code.startswith(prefix))
    return f"## {prefix} {title}\n\n| code | name | severity | by default |\n|---|---|---|---|\n{rows}"


def _row(rule: Rule[Any]) -> str:
    standing = "in a run" if rule.runtime_only else "on" if rule.enabled else "off"
    return f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.severity.value} | {standing} |\n"


if __name__ == "__main__":
    main()
