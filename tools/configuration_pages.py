"""Writes docs/configuration.md and docs/schema/configuration.json from the table of settings."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from devlint.cli.init import EXAMPLES, MEANINGS
from devlint.project.selection import ALWAYS_ON, EVERYTHING
from devlint.project.settings import CONFIDENCES, SETTINGS, SettingSpec, Type
from devlint.report import FORMATS
from devlint.rules import registry

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "configuration.md"
SCHEMA = DOCS / "schema" / "configuration.json"
_PATH = "docs/schema/configuration.json"
ADDRESS = f"file:///path/to/devlint/{_PATH}" if registry.HOME is None else f"{registry.HOME}/raw/main/{_PATH}"

_IN_RUNS_ALONE = frozenset({"own"})
"""Settings without an option of `devlint check`."""
_OPTIONS = {"fix": "--fix`, `--no-fix", "unsafe-fixes": "--unsafe-fixes`, `--no-unsafe-fixes"}

_HEAD = """\
# Configuration

Generated from the settings by `python -m tools.configuration_pages`.

devlint reads the table `[tool.devlint]` of `pyproject.toml`, or the same settings without the prefix from
`devlint.toml` or `.devlint.toml`. The nearest file above a source file applies, alone; options of the
command line outrank it. `devlint init` writes a file with all settings, and
`devlint check --show-settings PATH` prints those that apply to a path.

```toml
[tool.devlint]
extend-select = ["DL401"]
confidence = "possible"

[tool.devlint.per-file-ignores]
"benchmarks/*.py" = ["DL206"]
```

## In an editor

With [a JSON Schema](schema/configuration.json), editors complete and check the settings. For those that use
Taplo, such as VS Code with Even Better TOML, the first line of `devlint.toml` names it:

```toml
#:schema {address}
extend-select = ["DL401"]
```

## Settings
"""


def page() -> str:
    """The reference of all settings."""
    return "\n".join((_HEAD.replace("{address}", ADDRESS), *map(_section, SETTINGS)))


def _section(setting: SettingSpec) -> str:
    value = setting.default or EXAMPLES[setting.key]
    default = f" Default: `{setting.default}`." if setting.default else ""
    option = _OPTIONS.get(setting.key, f"--{setting.key}")
    command = "" if setting.key in _IN_RUNS_ALONE else f" On the command line: `{option}`."
    return (
        f"### {setting.key}\n\n{MEANINGS[setting.key]}\n\n"
        f"Type: {setting.type.value}.{default}{command}\n\n"
        f"```toml\n{setting.key} = {value}\n```\n"
    )


def schema() -> dict[str, Any]:
    """The schema of `devlint.toml`, and of the table `[tool.devlint]`."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Settings of devlint",
        "type": "object",
        "additionalProperties": False,
        "properties": {setting.key: _property(setting) for setting in SETTINGS},
    }


def _property(setting: SettingSpec) -> dict[str, Any]:
    described = {"description": MEANINGS[setting.key], **_type(setting)}
    if setting.default:
        toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
        described["default"] = toml.loads(f"value = {setting.default}")["value"]
    return described


def _type(setting: SettingSpec) -> dict[str, Any]:
    match setting.type:
        case Type.SELECTORS:
            return _selectors(turns_off=setting.key == "ignore")
        case Type.PATTERNS:
            return {"type": "array", "items": {"type": "string"}}
        case Type.SELECTORS_BY_PATTERN:
            return {"type": "object", "additionalProperties": _selectors(turns_off=True)}
        case Type.FLAG:
            return {"type": "boolean"}
        case Type.FORMAT:
            return {"enum": sorted(FORMATS)}
        case Type.CONFIDENCE:
            return {"enum": list(CONFIDENCES)}
        case Type.NAMES:
            return {"type": "array", "items": {"type": "string", "pattern": r"^[^\W\d]\w*$"}}
        case Type.FILE:
            return {"type": "string", "pattern": "^[^\\u0000]*$"}


def _selectors(*, turns_off: bool) -> dict[str, Any]:
    codes = registry.codes()
    known = {code[:length] for code in codes for length in range(1, len(code) + 1)} | {EVERYTHING}
    return {"type": "array", "items": {"enum": sorted(known - {ALWAYS_ON} if turns_off else known)}}


def text_of(document: dict[str, Any]) -> str:
    """The file of a schema."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write both files."""
    PAGE.write_text(page(), encoding="utf-8")
    SCHEMA.write_text(text_of(schema()), encoding="utf-8")


if __name__ == "__main__":
    main()
