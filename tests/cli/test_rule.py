"""`devlint rule`."""

from __future__ import annotations

import json

import pytest

from devlint.cli import main
from devlint.rules import registry


def test_one_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "DL101"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# cross-device-operation (DL101)\n\n")
    assert "## What it does\n" in out
    assert "```python\n" in out


def test_all_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "--all", "--output-format", "markdown"]) == 0
    out = capsys.readouterr().out
    titles = [line for line in out.splitlines() if line.startswith("# ") and line.endswith(")")]
    assert [title[-6:-1] for title in titles] == list(registry.codes())


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "--all", "--output-format", "json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert [record["code"] for record in records] == list(registry.codes())
    assert main(["rule", "DL101", "--output-format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) in records
    fields = {"code", "name", "severity", "enabled", "measured", "fixable", "url", "explanation"}
    assert set(records[0]) == fields


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("DL199", "unknown rule code `DL199`"),
        ("dl101", "did you mean `DL101`?"),
        ("DL1", "is the prefix of several rules"),
        ("ALL", "is the prefix of several rules"),
    ],
)
def test_unknown_codes(capsys: pytest.CaptureFixture[str], code: str, message: str) -> None:
    assert main(["rule", code]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["DL101", "--all"]])
def test_one_or_all(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["rule", *arguments])
    assert left.value.code == 2


def test_a_terminal_shows_it_rendered(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main(["rule", "DL101"]) == 0
    out = capsys.readouterr().out
    assert "## What it does" not in out
    assert "What it does" in out
