"""The changes in a git repository since a commit, from git itself."""

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
"""The beginning of the modes of files; links and submodules have others."""


_SETTINGS = (
    *("-c", "core.quotePath=false"),
    *("-c", "core.fsmonitor=false"),  # a repository may set a program there
    *("-c", "safe.bareRepository=explicit"),  # a bare repository may be among the files of another one
)


class GitError(ConfigurationError):
    """A question that git cannot answer. The message is one line."""


class Difference(NamedTuple):
    """The differences of a working tree from a commit. Paths are relative to the root."""

    root: Path
    base: str
    """The commit."""
    lines: Mapping[str, Sequence[range]]
    """The new and changed lines of each file."""
    origins: Mapping[str, str]
    """The contents of changed files in the commit, as git's object names, by their present paths."""
    tracked: frozenset[str]
    """All tracked files."""

    def path_of(self, file: Path) -> str:
        """The path of a file in git; absolute for a file outside of the working tree."""
        real = Path(os.path.realpath(file))
        return real.relative_to(self.root).as_posix() if real.is_relative_to(self.root) else str(real)

    def contents(self, suffixes: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """The contents of changed files with some suffixes in the commit, by their present paths.

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
    """The differences of a directory's working tree from the merge base with a revision.

    Raises: GitError: if git is not installed, the directory is not in a working tree, or the commit does not
        exist.
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
    """The merge base of the current commit and a revision."""
    try:
        commit = _git(("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}"), root)
    except GitError:
        raise GitError(f"there is no commit `{rev}` in {root}") from None
    try:
        return _git(("merge-base", commit.decode().strip(), "HEAD"), root).decode().strip()
    except GitError:
        why = "no common ancestor is known; a shallow clone must fetch more of the history"
        raise GitError(f"`{rev}` and the current commit: {why}") from None


def _origins(raw: bytes) -> Iterator[tuple[str, str]]:
    """Path and earlier content of each file that existed before and exists now."""
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
    """The new lines of each file in a patch without context."""
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
    """Skip the lines of a hunk. Git's remark about the end of a file is not one."""
    while count:
        count -= not next(lines).startswith(b"\\")


def _unquoted(name: bytes) -> str:
    """A path from a patch, which quotes unusual characters as in C."""
    name = name.removesuffix(b"\t")
    if name.startswith(b'"'):
        name = ast.literal_eval(f"b{name.decode('latin-1')}")
    return os.fsdecode(name)


def _git(arguments: Iterable[str], directory: Path, stdin: bytes = b"") -> bytes:
    """The output of git.

    Raises: GitError: if git is not installed or fails; the message is the first line of its output.
    """
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            ("git", *_SETTINGS, *arguments),
            cwd=directory,
            env=environment,
            input=stdin,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise GitError("git is not installed") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitError(said[0] if said else f"git failed with {done.returncode}")
    return done.stdout
