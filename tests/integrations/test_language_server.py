"""`devlint server`, as an editor uses it: a client of the protocol over standard input and output."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

pytest.importorskip("pygls", reason="the language server is an extra: devlint[server]")

from lsprotocol import types

from tests.integrations.lsp import Editor, applied, editor

BAD = dedent("""\
    import torch

    x = torch.rand(3, device="cuda")
    y = torch.zeros(3)
    z = x + y
""")
GOOD = BAD.replace("zeros(3)", 'zeros(3, device="cuda")')


Work = Callable[[Editor], Awaitable[None]]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path, Work], None]]:
    """Does some work in an editor whose server is started once."""
    loop = asyncio.new_event_loop()
    opened = editor(tmp_path_factory.getbasetemp())
    window = loop.run_until_complete(opened.__aenter__())

    def do(root: Path, work: Work) -> None:
        window.turn_to(root)
        loop.run_until_complete(work(window))

    yield do
    loop.run_until_complete(opened.__aexit__(None, None, None))
    loop.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "devlint.toml").write_text("")
    return tmp_path


@pytest.fixture
def in_editor(root: Path, shared: Callable[[Path, Work], None]) -> Callable[[Work], None]:
    """Does some work in an editor on the project."""
    return lambda work: shared(root, work)


def in_own_editor(root: Path, work: Work, *arguments: str, settings: object = None) -> None:
    """Do some work in an editor with a server that is started for it."""

    async def session() -> None:
        async with editor(root, *arguments, settings=settings) as window:
            await work(window)

    asyncio.run(session())


def codes(found: list[types.Diagnostic]) -> list[tuple[int, object]]:
    return [(each.range.start.line, each.code) for each in found]


def test_diagnostics_as_a_document_is_opened_typed_in_and_closed(in_editor: Callable[[Work], None]) -> None:
    async def work(window: Editor) -> None:
        window.open("a.py", BAD)
        (found,) = await window.diagnostics("a.py")
        assert (found.code, found.source, found.severity) == ("DL102", "devlint", 1)
        assert (found.range.start.line, found.range.start.character) == (3, 4)
        assert (found.range.end.line, found.range.end.character) == (3, 18)
        assert "is created on cpu by `torch.zeros`" in found.message
        assert found.code == "DL102"
        assert found.code_description is None  # devlint has no URL
        related = [(each.location.range.start.line, each.message) for each in found.related_information or ()]
        assert (2, "`x` was created on cuda here") in related
        version = window.type("a.py", 3, 17, ', device="cuda"')
        assert await window.diagnostics("a.py", version) == []
        version = window.replace("a.py", "import torch\nx = (\n")
        assert codes(await window.diagnostics("a.py", version)) == [(1, "DL900")]
        version = window.replace("a.py", BAD)
        assert codes(await window.diagnostics("a.py", version)) == [(3, "DL102")]
        window.close("a.py")
        assert await window.diagnostics("a.py") == []

    in_editor(work)


def test_of_many_keystrokes_the_last_one_counts(in_editor: Callable[[Work], None]) -> None:
    async def work(window: Editor) -> None:
        window.open("a.py", BAD)
        for number in range(30):
            window.type("a.py", 0, 0, f"# {number}\n")
        version = window.type("a.py", 33, 17, ', device="cuda"')
        assert await window.diagnostics("a.py", version) == []
        assert window.published.empty()

    in_editor(work)


def test_characters_beyond_the_first_plane_count_twice(in_editor: Callable[[Work], None]) -> None:
    text = BAD.replace("y = torch", 's = "\U0001f600\U0001f601"; y = torch')

    async def work(window: Editor) -> None:
        window.open("a.py", text)
        (found,) = await window.diagnostics("a.py")
        assert found.range.start.character == 16
        assert "on cpu" in await window.hover("a.py", 3, 12)
        (fix, *_) = await window.actions("a.py", found.range)
        assert fix.edit is not None
        assert fix.edit.changes is not None
        changed = applied(text, list(fix.edit.changes[window.uri("a.py")]))
        assert changed == text.replace("zeros(3)", 'zeros(3, device="cuda")')

    in_editor(work)


def test_hover_tells_where_an_operand_is_and_what_the_rule_says(in_editor: Callable[[Work], None]) -> None:
    async def work(window: Editor) -> None:
        window.open("a.py", BAD)
        told = await window.hover("a.py", 4, 4)
        assert told.startswith("`x` is on cuda\n\n- `x` was created on cuda here ([a.py:3](file://")
        assert "#L3" in told
        told = await window.hover("a.py", 3, 10)
        assert "**DL102**" in told
        assert "## Why" in told or "# " in told
        assert await window.hover("a.py", 1, 0) == ""

    in_editor(work)


def test_hover_waits_for_what_is_typed(in_editor: Callable[[Work], None]) -> None:
    async def work(window: Editor) -> None:
        window.open("a.py", BAD)
        window.type("a.py", 3, 17, ', device="cuda:1"')
        assert "`y` is on cuda:1" in await window.hover("a.py", 4, 8)

    in_editor(work)


def test_fixes_and_suppressions(in_editor: Callable[[Work], None]) -> None:
    async def work(window: Editor) -> None:
        window.open("a.py", BAD)
        (found,) = await window.diagnostics("a.py")
        offered = {each.title: each for each in await window.actions("a.py", found.range)}
        texts = {
            title: applied(BAD, list((each.edit.changes or {})[window.uri("a.py")]))
            for title, each in offered.items()
            if each.edit is not None
        }
        assert texts["Ignore DL102 on this line"] == BAD.replace(
            "zeros(3)", "zeros(3)  # devlint: ignore[DL102]"
        )
        (fix,) = [each for each in offered.values() if each.is_preferred]
        assert fix.kind == types.CodeActionKind.QuickFix
        assert texts[fix.title] == GOOD
        assert texts["Apply all safe fixes of devlint"] == GOOD
        version = window.replace("a.py", texts["Ignore DL102 on this line"])
        assert await window.diagnostics("a.py", version) == []

    in_editor(work)


def test_actions_of_the_kinds_that_are_wanted(in_editor: Callable[[Work], None]) -> None:
    async def work(window: Editor) -> None:
        window.open("a.py", BAD)
        (found,) = await window.diagnostics("a.py")
        whole = types.Range(types.Position(0, 0), types.Position(9, 0))
        (one,) = await window.actions("a.py", whole, ["source.fixAll"])
        assert one.kind == "source.fixAll.devlint"
        assert await window.actions("a.py", whole, ["refactor"]) == []
        elsewhere = types.Range(types.Position(0, 0), types.Position(0, 3))
        assert await window.actions("a.py", elsewhere, ["quickfix"]) == []
        assert len(await window.actions("a.py", found.range, ["quickfix"])) == 2

    in_editor(work)


def test_hints_are_shown_if_they_are_asked_for(root: Path, in_editor: Callable[[Work], None]) -> None:
    async def plain(window: Editor) -> None:
        window.open("a.py", BAD)
        assert await window.hints("a.py", 9) == []
        window.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"devlint": {"inlayHints": True}})
        )
        assert await window.hints("a.py", 9) == [(2, 1, ": cuda"), (3, 1, ": cpu"), (4, 1, ": cuda")]
        assert await window.hints("a.py", 3) == [(2, 1, ": cuda")]

    async def asked(window: Editor) -> None:
        window.open("a.py", BAD)
        assert len(await window.hints("a.py", 9)) == 3

    in_editor(plain)
    in_own_editor(root, asked, settings={"inlayHints": True})


def test_other_documents_count_as_they_are_typed(root: Path, in_editor: Callable[[Work], None]) -> None:
    (root / "places.py").write_text('DEVICE = "cpu"\n')
    user = dedent("""\
        import torch
        from places import DEVICE
        x = torch.rand(3, device="cuda")
        y = x + torch.ones(3, device=DEVICE)
    """)

    async def work(window: Editor) -> None:
        window.open("a.py", user)
        assert codes(await window.diagnostics("a.py")) == [(3, "DL101")]
        window.open("places.py", 'DEVICE = "cuda"\n')
        await window.diagnostics("places.py")
        window.save("places.py")
        assert await window.diagnostics("a.py") == []
        window.close("places.py")
        version = window.type("a.py", 4, 0, "# more\n")
        assert codes(await window.diagnostics("a.py", version)) == [(3, "DL101")]
        (root / "places.py").write_text('DEVICE = "cuda"\n')
        change = types.FileEvent(window.uri("places.py"), types.FileChangeType.Changed)
        window.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
        assert await window.diagnostics("a.py") == []

    in_editor(work)


def test_the_configuration_of_the_project_holds_and_may_change(
    root: Path, in_editor: Callable[[Work], None]
) -> None:
    (root / "devlint.toml").write_text('ignore = ["DL102"]\n')

    async def work(window: Editor) -> None:
        window.open("a.py", BAD)
        assert await window.diagnostics("a.py") == []
        (root / "devlint.toml").write_text("")
        window.save("devlint.toml")
        assert codes(await window.diagnostics("a.py")) == [(3, "DL102")]
        (root / "devlint.toml").write_text("select = 3\n")
        window.save("devlint.toml")
        version = window.type("a.py", 4, 0, "# more\n")
        window.type("a.py", 4, 0, "# more\n")
        for _ in range(200):
            if window.said:
                break
            await asyncio.sleep(0.05)
        assert version
        assert len(window.said) == 1
        assert "select" in window.said[0]

    in_editor(work)


def test_options_of_the_command_line_hold(root: Path) -> None:
    async def work(window: Editor) -> None:
        window.open("a.py", BAD)
        assert await window.diagnostics("a.py") == []

    in_own_editor(root, work, "--ignore", "DL102")


def test_what_is_no_python_file_is_left_alone(in_editor: Callable[[Work], None]) -> None:
    async def work(window: Editor) -> None:
        window.open("notes.txt", BAD)
        window.open("a.py", GOOD)
        assert await window.diagnostics("a.py") == []
        assert await window.hover("notes.txt", 2, 0) == ""
        assert window.published.empty()

    in_editor(work)


def test_line_ends_of_windows_stay(in_editor: Callable[[Work], None]) -> None:
    text = BAD.replace("\n", "\r\n")

    async def work(window: Editor) -> None:
        window.open("a.py", text)
        (found,) = await window.diagnostics("a.py")
        assert (found.range.start.line, found.range.start.character) == (3, 4)
        for action in await window.actions("a.py", found.range):
            assert action.edit is not None
            changed = applied(text, list((action.edit.changes or {})[window.uri("a.py")]))
            assert changed.count("\r\n") == changed.count("\n") == 5

    in_editor(work)


def test_a_check_that_takes_long_is_given_up_for_the_next_keystroke(
    in_editor: Callable[[Work], None],
) -> None:
    calls = "\n".join(f"    x = f{number}(x, device)" for number in range(400))
    defined = "\n".join(f"def f{number}(x, device):\n    return x.to(device) + 1\n" for number in range(400))
    slow = f"import torch\n{defined}\n\ndef main(x, device):\n{calls}\n\nmain(torch.rand(3), 'cuda')\n"

    async def work(window: Editor) -> None:
        window.open("slow.py", slow)
        await window.diagnostics("slow.py")
        began = time.perf_counter()
        version = window.type("slow.py", 0, 0, "# one more\n")
        await window.diagnostics("slow.py", version)
        whole = time.perf_counter() - began
        window.type("slow.py", 0, 0, "# one more\n")
        await asyncio.sleep(whole / 3)
        began = time.perf_counter()
        version = window.replace("slow.py", "import torch\n")
        assert await window.diagnostics("slow.py", version) == []
        assert time.perf_counter() - began < whole / 2 + 0.5

    in_editor(work)


def test_without_pygls_the_command_says_what_is_missing() -> None:
    program = (
        "import sys\nsys.modules['pygls'] = None\nimport importlib.util as u\nfind = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'pygls' else find(name, *a)\n"
        "from devlint.cli import main\nsys.exit(main(['server']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "error: the language server needs pygls: python -m pip install 'devlint[server]'\n"
    )
