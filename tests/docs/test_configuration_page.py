"""The reference of the configuration, and its schema, against what devlint accepts."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from devlint.cli.init import template
from devlint.project.configuration import ConfigurationError, convert, read
from devlint.project.settings import SETTINGS, SettingSpec, Type
from devlint.report import FORMATS
from devlint.rules import registry
from tests.docs.test_pages import blocks
from tools import configuration_pages

SCHEMA = json.loads(configuration_pages.SCHEMA.read_text("utf-8"))
TOML = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
VALIDATOR = Draft7Validator(SCHEMA)

texts = st.text("aDL1290_-. é\0", max_size=5) | st.sampled_from(
    ["ALL", "DL1", "DL101", "DL900", "DL999", "D", "certain", "seen", "json", "xml", "torch", "a-b", "./x"]
)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)


def test_both_are_what_the_settings_say() -> None:
    written = "write them anew: python -m tools.configuration_pages"
    assert configuration_pages.PAGE.read_text("utf-8") == configuration_pages.page(), written
    text = configuration_pages.SCHEMA.read_text("utf-8")
    assert text == configuration_pages.text_of(configuration_pages.schema()), written


def test_the_schema_is_one() -> None:
    Draft7Validator.check_schema(SCHEMA)
    assert Draft7Validator(SCHEMA).is_valid({})
    assert not Draft7Validator(SCHEMA).is_valid({"no-such-key": 1})


@given(st.sampled_from(SETTINGS), values)
def test_the_schema_accepts_what_devlint_accepts(setting: SettingSpec, value: Any) -> None:
    try:
        convert(setting, value, FORMATS)
    except ValueError as error:
        accepted = False
        if "is not a path pattern" in str(error):
            return  # no schema can say what git takes for one
    else:
        accepted = True
    assert VALIDATOR.is_valid({setting.key: value}) == accepted


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("", True),
        ("select = ['ALL']\nignore = ['DL2', 'DL301']\nconfidence = 'possible'", True),
        ("per-file-ignores = {}", True),
        ("per-file-ignores = { 'tests/**' = ['DL2'] }\nown = ['torchvision']", True),
        ("output-format = 'sarif'\nbaseline = 'known.json'\nfix = true", True),
        ("frob = 1", False),
        ("select = 'DL1'", False),
        ("select = ['DL999']", False),
        ("ignore = ['DL900']", False),
        ("per-file-ignores = { 'tests/**' = 'DL2' }", False),
        ("confidence = 'seen'", False),
        ("output-format = 'xml'", False),
        ("own = ['scikit-learn']", False),
        ("fix = 'yes'", False),
    ],
)
def test_files(text: str, valid: bool, tmp_path: Path) -> None:
    file = tmp_path / "devlint.toml"
    file.write_text(text)
    assert VALIDATOR.is_valid(TOML.loads(text)) == valid
    if valid:
        assert read(file, FORMATS) is not None
    else:
        with pytest.raises(ConfigurationError):
            read(file, FORMATS)


def test_what_init_writes_is_valid() -> None:
    lines = [line.removeprefix("# ") for line in template().splitlines() if " = " in line]
    assert len(lines) == len(SETTINGS)
    assert VALIDATOR.is_valid(TOML.loads("\n".join(lines)))


def test_the_page_has_every_setting_with_a_value() -> None:
    shown = [TOML.loads(block.text) for block in blocks(configuration_pages.PAGE, "toml")]
    keys = [key for document in shown if len(document) == 1 for key in document if key != "tool"]
    assert set(keys) == {setting.key for setting in SETTINGS}


def test_selectors_are_named_whole() -> None:
    """So that an editor completes them."""
    for setting in SETTINGS:
        if setting.type is Type.SELECTORS:
            items = SCHEMA["properties"][setting.key]["items"]["enum"]
            assert set(registry.codes()) - {"DL900"} <= set(items)
