"""Every block of code on the pages is run, or read by what it is written for; here is by which test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from devlint import DisallowedError
from devlint.project import suppression
from tests.docs.test_pages import PAGES, ROOT

BY_LANGUAGE = {
    "sh": "tests/docs/test_pages.py",  # commands are parsed; those of docs/ci.md are run
    "console": "tests/docs/test_pages.py",
    "toml": "tests/docs/test_pages.py",
    "yaml": "tests/docs/test_ci_files.py",
    "groovy": "tests/docs/test_ci_page.py",
    "dockerfile": "tests/docs/test_ci_files.py",
    "": "",  # drawings
    "text": "",  # what is no program: output, or commands that need a network
}
"""Which test sees to the blocks of a language on any page."""
BY_PAGE = {
    "docs/ci.md": ("tests/docs/test_ci_page.py", {"shell-session"}),
    "docs/tutorial.md": ("tests/docs/test_tutorial.py", {"python", "shell-session", "diff"}),
    "docs/comparison.md": ("tests/docs/test_comparison_page.py", {"python"}),
    "docs/guard.md": ("tests/docs/test_guard_page.py", {"python"}),
    "docs/port.md": ("tests/docs/test_port_page.py", {"python", "diff"}),
    "docs/simulation.md": ("tests/docs/test_simulation_page.py", {"python"}),
    "docs/pytest.md": ("tests/integrations/test_page.py", {"python", "ini"}),
    "docs/lift.md": ("tests/integrations/lift/test_page.py", {"python"}),
    "docs/editors.md": ("tests/docs/test_editors_page.py", {"json", "lua", "elisp", "TOML"}),
    "docs/operators.md": ("tests/docs/test_blocks.py", {"python"}),
    "README.md": ("tests/docs/test_blocks.py", {"python"}),
    "CONTRIBUTING.md": ("", {"python", "diff"}),  # parts of files, to be followed by hand
}
"""Which test sees to other languages on one page."""


def blocks(page: Path) -> list[tuple[str, str]]:
    tokens = MarkdownIt().parse(page.read_text("utf-8"))
    return [(token.info.split(" ")[0], token.content) for token in tokens if token.type == "fence"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_block_has_a_test(page: Path) -> None:
    name = page.relative_to(ROOT).as_posix()
    test, languages = BY_PAGE.get(name, ("", set()))
    for language, _ in blocks(page):
        assert language in BY_LANGUAGE or language in languages, language
    assert languages <= {language for language, _ in blocks(page)}
    if test:
        assert page.name in (ROOT / test).read_text("utf-8")


def test_the_example_of_operators_runs() -> None:
    (example,) = [text for language, text in blocks(ROOT / "docs" / "operators.md") if language == "python"]
    names: dict[str, Any] = {}
    exec(compile(example, "operators.md", "exec"), names)
    assert names["find"]("torch.Tensor.add_").name == "torch.Tensor.add_"
    assert names["find_kernel"]("aten::add.Tensor").name == "aten::add.Tensor"
    assert {"unsqueeze", "masked_fill"} <= names["tensor_only_attributes"]()


def test_the_examples_of_the_readme_do_what_they_say() -> None:
    guarded, suppressed = [text for language, text in blocks(ROOT / "README.md") if language == "python"]
    waits = guarded.replace("...  # raises", "torch.ones(3, device='cuda').sum().item()  # raises")
    with pytest.raises(DisallowedError):
        exec(compile(f"import torch\n{waits}", "README.md", "exec"), {})
    assert guarded != waits
    found = suppression.find(suppressed, has_findings=True)
    assert found is not None
    assert [directive.covers("DL201") for directive in found.directives] == [True, True]
