"""What has changed in a git repository since some commit, asked of git itself."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from devlint.project.configuration import ConfigurationError

_HUNK = re.compile(rb"@@ -\d+(?:,(?P<old>\d+))? \+(?P<start>\d+)(?:,(?P<new>\d+))? @@")
_RENAMED = b"RC"
"""The kinds of change with two paths."""
_FILE = b"100"
"""How the modes of files begin, other than those of links and of other repositories."""


_SETTINGS = (
    *("-c", "core.quotePath=false"),
    *("-c", "core.fsmonitor=false"),  # a repository may name a program there
    *("-c", "safe.bareRepository=explicit"),  # one may lie among the files of another
)


class GitError(ConfigurationError):
    """What git cannot say, so that it makes no sense to ask. The message is one line."""


class Difference(NamedTuple):
    """How the files of a working tree differ from those of a commit. Paths are relative to the root."""

    root: Path
    base: str
    """The commit."""
    lines: Mapping[str, Sequence[range]]
    """The lines of each file that are new or other than they were."""
    origins: Mapping[str, str]
    """What changed files held in the commit, by the paths that they have now: git's names of the contents."""
    tracked: frozenset[str]
    """All files that git knows of."""

    def path_of(self, file: Path) -> str:
        """The path of a file as git has it; that of one outside of the working tree is absolute."""
        real = Path(os.path.realpath(file))
        return real.relative_to(self.root).as_posix() if real.is_relative_to(self.root) else str(real)

    def contents(self, suffixes: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """What changed files of some kinds held in the commit, by the paths that they have now.

        Raises:
            GitError: if git cannot read them.
        """
        wanted = [path for path in self.origins if PurePath(path).suffix in suffixes]
        asked = "".join(f"{self.origins[path]}\n" for path in wanted)
        answer = _git(("cat-file", "--batch"), self.root, asked.encode())
        at = 0
        for path in wanted:
            start = answer.index(b"\n", at) + 1
            name, _, size = answer[at:start].partition(b" blob ")
            if not size:
                raise GitError(f"the earlier version of {path} cannot be read ({os.fsdecode(name).strip()})")
            at = start + int(size) + 1
            yield path, answer[start : at - 1]


def difference(rev: str, directory: Path) -> Difference:
    """How the working tree that a directory lies in differs from where its branch left a revision.

    Raises:
        GitError: if git is not installed, the directory lies in no working tree, or there is no such commit.
    """
    root = Path(os.fsdecode(_root(directory)))
    base = _base(rev, root)
    patch = ("diff", "--unified=0", "--inter-hunk-context=0", "--text", "--no-color", "--no-prefix")
    safe = ("--no-ext-diff", "--no-textconv", "--find-renames", base, "--")
    raw = _git(("diff", "--raw", "-z", "--no-abbrev", *safe), root)
    lines = dict(_changed_lines(_git((*patch, *safe), root)))
    tracked = frozenset(map(os.fsdecode, _git(("ls-files", "-z"), root).split(b"\0")))
    return Difference(root, base, lines, dict(_origins(raw)), tracked)


def _root(directory: Path) -> bytes:
    try:
        return _git(("rev-parse", "--show-toplevel"), directory).removesuffix(b"\n")
    except GitError as error:
        raise GitError(f"{directory} is not in a git working tree ({error})") from None


def _base(rev: str, root: Path) -> str:
    """The commit at which the branch that is checked out left a revision."""
    try:
        commit = _git(("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}"), root)
    except GitError:
        raise GitError(f"there is no commit `{rev}` in {root}") from None
    try:
        return _git(("merge-base", commit.decode().strip(), "HEAD"), root).decode().strip()
    except GitError:
        why = "no common ancestor is known; a shallow clone has to fetch more of the history"
        raise GitError(f"`{rev}` and what is checked out: {why}") from None


def _origins(raw: bytes) -> Iterator[tuple[str, str]]:
    """Path and earlier content of each file that was there before and is there now."""
    fields = iter(raw.split(b"\0"))
    for field in fields:
        if not field:
            continue
        before, after, blob, _, kind = field.removeprefix(b":").split(b" ")
        path = next(fields)
        if kind[:1] in _RENAMED:
            path = next(fields)
        if before.startswith(_FILE) and after.startswith(_FILE):
            yield os.fsdecode(path), blob.decode()


def _changed_lines(patch: bytes) -> Iterator[tuple[str, Sequence[range]]]:
    """The new lines of each file of a patch that has no context."""
    lines = iter(patch.split(b"\n"))
    path, changed = "", list[range]()
    for line in lines:
        if line.startswith(b"+++ "):
            path, changed = _unquoted(line[4:]), []
            yield path, changed
        elif hunk := _HUNK.match(line):
            start, old, new = (int(hunk[name] or 1) for name in ("start", "old", "new"))
            changed.append(range(start, start + new))
            _skip(lines, old + new)


def _skip(lines: Iterator[bytes], count: int) -> None:
    """Pass over the lines of a hunk; what git says of the end of a file is none."""
    while count:
        count -= not next(lines).startswith(b"\\")


def _unquoted(name: bytes) -> str:
    """A path as a patch has it: in quotes, with C's escapes, where it holds odd characters."""
    name = name.removesuffix(b"\t")
    if name.startswith(b'"'):
        name = ast.literal_eval(f"b{name.decode('latin-1')}")
    return os.fsdecode(name)


def _git(arguments: Iterable[str], directory: Path, given: bytes = b"") -> bytes:
    """What git answers.

    Raises:
        GitError: if it is not installed, or fails; the message is its first line.
    """
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            ("git", *_SETTINGS, *arguments),
            cwd=directory,
            env=environment,
            input=given,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise GitError("git is not installed") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitError(said[0] if said else f"git failed with {done.returncode}")
    return done.stdout
