"""The README's pre-commit configuration in a repository. Installs devlint, for which it needs a network."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.docs.conftest import ROOT, Run

EXAMPLES = ROOT / "docs" / "examples"
FIXABLE = """\
import torch

x = torch.rand(8, device="cuda")
y = torch.arange(8)
print(x + y)
"""


def test_a_commit_with_a_bug_is_blocked_and_the_repaired_one_goes_through(
    tmp_path: Path, run: Run, published: tuple[Path, str]
) -> None:
    user = tmp_path / "user"
    user.mkdir()
    assert run("git", "init", "-q").returncode == 0
    write_configuration(user, *published)
    assert run(sys.executable, "-m", "pre_commit", "install").returncode == 0

    program = user / "train.py"
    program.write_text((EXAMPLES / "first_mismatch_bad.py").read_text("utf-8"), "utf-8")
    assert run("git", "add", ".").returncode == 0
    blocked = run("git", "commit", "-q", "-m", "planted")
    assert blocked.returncode == 1, blocked.stderr
    assert "train.py:11:5: DL102" in blocked.stdout + blocked.stderr

    program.write_text((EXAMPLES / "first_mismatch_good.py").read_text("utf-8"), "utf-8")
    assert run("git", "add", ".").returncode == 0
    passed = run("git", "commit", "-q", "-m", "repaired")
    assert passed.returncode == 0, passed.stdout + passed.stderr

    write_configuration(user, *published, fix=True)
    program.write_text(FIXABLE, "utf-8")
    assert run("git", "add", ".").returncode == 0
    fixing = run(sys.executable, "-m", "pre_commit", "run", "devlint-fix")
    assert "files were modified by this hook" in fixing.stdout, fixing.stdout + fixing.stderr
    assert re.search(r"torch.arange\(8, device=.+\)", program.read_text("utf-8"))


def write_configuration(user: Path, repository: Path, commit: str, *, fix: bool = False) -> None:
    """Put the README's snippet into the user's repository, with the fixing hook turned on if asked for."""
    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    snippet = next(block for block in blocks if "REPOSITORY" in block and "repos:" in block)
    text = snippet.replace("REPOSITORY", str(repository)).replace("COMMIT", commit)
    text = text.replace("# - id: devlint-fix", "- id: devlint-fix") if fix else text
    (user / ".pre-commit-config.yaml").write_text(text, "utf-8")
