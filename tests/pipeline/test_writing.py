"""What a fix does to a file besides its text, and when it leaves the file alone."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devlint.cli import main
from devlint.pipeline.files import write
from devlint.pipeline.session.findings import settle as actual_settle
from tests.cli.conftest import here

__all__ = ["here"]

POSIX = pytest.mark.skipif(os.name == "nt", reason="links and modes are others there")


def fix(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["check", "--fix", "--output-format", "concise", *arguments])
    out, err = capsys.readouterr()
    return code, out + err


@POSIX
def test_a_file_that_is_write_protected(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = here / "a.py"
    file.write_text("BUG\n")
    file.chmod(0o444)
    code, said = fix(capsys)
    assert code == 2
    assert "error: a.py: could not be written: it is write-protected; nothing was changed\n" in said
    assert file.read_text() == "BUG\n"


@POSIX
def test_a_file_with_another_name(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, other = here / "a.py", here.parent / "other.py"
    file.write_text("BUG\n")
    other.hardlink_to(file)
    code, said = fix(capsys)
    assert code == 2
    assert "could not be written: it has further hard links" in said
    assert file.read_text() == other.read_text() == "BUG\n"
    assert file.samefile(other)


@pytest.mark.skipif(sys.platform != "linux", reason="Python knows extended attributes on Linux alone")
class TestExtendedAttributes:
    def test_they_are_kept(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file = here / "a.py"
        file.write_text("BUG\n")
        try:
            os.setxattr(file, "user.origin", b"x\0y")
        except OSError:
            pytest.skip("the file system has none")
        assert fix(capsys)[0] == 0
        assert file.read_text() == "OK\n"
        assert os.getxattr(file, "user.origin") == b"x\0y"

    def test_or_the_file_is_left_alone(
        self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "listxattr", lambda _: ["user.origin"])
        monkeypatch.setattr(os, "getxattr", lambda path, _: str(path).encode())
        monkeypatch.setattr(os, "setxattr", refuse)
        (here / "a.py").write_text("BUG\n")
        code, said = fix(capsys)
        assert code == 2
        assert "its extended attribute user.origin would be lost" in said
        assert (here / "a.py").read_text() == "BUG\n"
        assert sorted(path.name for path in here.iterdir() if path.is_file()) == ["a.py"]


@POSIX
class TestLinks:
    @pytest.fixture
    def outside(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        file = tmp_path_factory.mktemp("elsewhere") / "outside.py"
        file.write_text("BUG\n")
        return file

    def test_one_that_leads_out_of_the_project(
        self, here: Path, outside: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (here / "a.py").symlink_to(outside)
        code, said = fix(capsys)
        assert code == 2
        assert "a.py: could not be written: it is a link that leads out of the project" in said
        assert outside.read_text() == "BUG\n"

    def test_one_that_is_named(self, here: Path, outside: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (here / "a.py").symlink_to(outside)
        assert fix(capsys, "a.py")[0] == 0
        assert outside.read_text() == "OK\n"

    def test_one_within_the_project(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        real = here.parent / "real.py"
        real.write_text("BUG\n")
        (here / "a.py").symlink_to(real)
        assert fix(capsys)[0] == 0
        assert real.read_text() == "OK\n"

    def test_a_directory_that_is_named(
        self, here: Path, outside: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (here / "linked").symlink_to(outside.parent)
        assert fix(capsys, "linked")[0] == 0
        assert outside.read_text() == "OK\n"


@POSIX
@pytest.mark.parametrize(
    "options",
    [["--output-file", "report.txt"], ["--write-baseline", "report.txt"]],
    ids=lambda options: options[0],
)
def test_a_link_to_a_program_is_not_overwritten(
    here: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    (here / "a.py").write_text("OK\n")
    (here / "report.txt").symlink_to("a.py")
    assert main(["check", *options]) == 2
    assert "is a source file and would be overwritten" in capsys.readouterr().err
    assert (here / "a.py").read_text() == "OK\n"


def changing(monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object]) -> None:
    """Let another program do something just before a file is replaced."""
    actual = write._require_unchanged

    def changed(target: Path, before: bytes) -> None:
        change(target)
        actual(target, before)

    monkeypatch.setattr(write, "_require_unchanged", changed)


class TestChangedMeanwhile:
    def test_the_fix_is_tried_once_more(
        self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (here / "a.py").write_text("BUG\n")
        (here / "b.py").write_text("BUG\n")
        texts = {"a.py": "BUG + BUG + 1\n"}

        def change(target: Path) -> None:
            if target.name in texts:
                target.write_text(texts.pop(target.name))

        changing(monkeypatch, change)
        code, said = fix(capsys)
        assert (code, said) == (0, "Found 3 findings (3 fixed, 0 remaining).\n")
        assert (here / "a.py").read_text() == "OK + OK + 1\n"
        assert (here / "b.py").read_text() == "OK\n"

    def test_and_not_again(
        self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (here / "a.py").write_text("BUG\n")
        changing(monkeypatch, lambda target: target.write_text(f"{target.read_text()}# more\n"))
        code, said = fix(capsys)
        assert code == 2
        assert "could not be written: another program changed it meanwhile; nothing was changed" in said
        assert (here / "a.py").read_text() == "BUG\n# more\n# more\n"

    def test_a_file_that_changed_after_it_was_examined(
        self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (here / "a.py").write_text("BUG\n")

        def settle(*arguments: Any) -> None:
            if (here / "a.py").read_text() == "BUG\n":
                (here / "a.py").write_text("1 + BUG\n")
            actual_settle(*arguments)

        monkeypatch.setattr("devlint.pipeline.execution.run.settle", settle)
        code, said = fix(capsys)
        assert (code, said) == (0, "Found 1 finding (1 fixed, 0 remaining).\n")
        assert (here / "a.py").read_text() == "1 + OK\n"

    def test_nothing_is_left_to_fix(
        self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (here / "a.py").write_text("BUG\n")
        changing(monkeypatch, lambda target: target.write_text("OK\n"))
        assert fix(capsys)[0] == 0
        assert (here / "a.py").read_text() == "OK\n"


def _check(directory: str, options: list[str]) -> None:
    os.chdir(directory)
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        sys.stdout = sys.stderr = nowhere
        sys.exit(main(["check", "--jobs", "1", *options]))


@pytest.mark.skipif(sys.platform != "linux", reason="processes start as copies there alone")
def test_checks_and_fixes_of_one_tree_at_once(tmp_path: Path) -> None:
    (tmp_path / "devlint.toml").touch()
    for number in range(1, 9):
        text = f"import torch\nx = torch.ones({number}, device='cuda') + torch.ones({number})\n"
        (tmp_path / f"program_{number}.py").write_text(text)
    context = multiprocessing.get_context("fork")
    commands = [["--no-fix"], ["--no-fix"], ["--fix", "--unsafe-fixes"], ["--fix", "--unsafe-fixes"]]
    running = [context.Process(target=_check, args=(str(tmp_path), command)) for command in commands]
    for each in running:
        each.start()
    for each in running:
        each.join(60)
    assert {each.exitcode for each in running[:2]} <= {0, 1}
    assert [each.exitcode for each in running[2:]] == [0, 0]
    fixed = [path.read_text() for path in tmp_path.glob("program_*.py")]
    assert all(text.count("device='cuda'") == 2 for text in fixed), fixed
    left = {path.name for path in tmp_path.iterdir() if not path.name.startswith("program_")}
    assert left == {"devlint.toml", ".devlint_cache"}
