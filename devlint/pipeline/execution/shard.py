"""A part of a check as data: what one machine writes, and what puts the parts of all of them together.

A shard holds what its files show as programs, before anything is concluded from it: whether a function that
nothing in these files calls is called elsewhere, the other shards know. All that is said of the files follows
from all shards at once, exactly as without them. The texts of which something may be said go along, so that
nothing else is needed where the shards are put together.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from devlint.model import Finding, Site
from devlint.pipeline.analysis.analysis import Analysis, Claim
from devlint.pipeline.files.shown_path import shown_path
from devlint.pipeline.session.cache_entry import from_data, to_data
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import FileOutcome, Task
from devlint.project.digest import blake2b
from devlint.project.discover import SourceFile
from devlint.project.imports import imported
from devlint.project.own_findings import unreadable
from devlint.project.patterns import Patterns
from devlint.project.settings import Options, Settings, resolve
from devlint.project.shards import divided
from devlint.version import __version__

MARK = "devlint-shard"
"""The first key of a shard, by which it is known."""
FORMAT = 2
"""Counts up when other releases can no longer read what is written."""


class ShardError(Exception):
    """Files that cannot be put together. The message is one line."""


class Terms(NamedTuple):
    """What a check was told about its findings as a whole; all shards were told the same."""

    least: str = "warning"
    """The lowest severity that makes it fail."""
    never: bool = False
    """Whether it fails for no finding at all."""
    unsafe: bool = False
    """Whether unsafe fixes are counted."""
    baseline: str = ""
    """The file of the baseline, relative to the working directory; empty where there is none."""


def files_of(files: Sequence[SourceFile], number: int, count: int, session: CheckSession) -> list[SourceFile]:
    """The files of one shard, the first of which is number 1."""
    by_name = {_name(str(file.path), session.directory): file for file in files}
    sizes: dict[str, int] = {}
    links: dict[str, list[str]] = {}
    for name, file in by_name.items():
        try:
            data = session.read(file.path)
        except OSError:
            data = b""
        sizes[name] = len(data)
        found = imported(str(file.path), data, session.modules)
        links[name] = [_name(path, session.directory) for path in found]
    return [by_name[name] for name in divided(sizes, links, count)[number - 1]]


def written(
    outcomes: Iterable[FileOutcome],
    session: CheckSession,
    number: int,
    count: int,
    blocked: Sequence[tuple[str, str]],
    terms: Terms,
) -> str:
    """The file for one shard. `blocked` are paths that could not be looked into, and why."""
    kinds: dict[str, int] = {}
    texts: dict[str, str] = {}
    files = []
    for outcome in sorted(outcomes, key=lambda each: each.path):
        assert outcome.file is not None
        kind = json.dumps(_kind(outcome.file))
        shown = None
        if outcome.analysis.says_something:
            relative = _renamed(outcome.analysis, lambda path: _outside(path, session.directory))
            shown = to_data(relative, outcome.path)
            texts.update(_texts(outcome, session))
        name = _name(str(outcome.file.path), session.directory)
        record = [name, kinds.setdefault(kind, len(kinds)), shown]
        files.append([*record, outcome.failure, outcome.trace] if outcome.failure else record)
    document = {
        MARK: FORMAT,
        "version": __version__,
        "shard": [number, count],
        "state": _state(session),
        "terms": list(terms),
        "kinds": [json.loads(kind) for kind in kinds],
        "blocked": list(blocked),
        "texts": texts,
        "files": files,
    }
    return json.dumps(document, separators=(",", ":")) + "\n"


def is_shard(file: Path) -> bool:
    """Whether a file begins as a shard does."""
    try:
        with file.open("rb") as opened:
            return opened.read(len(MARK) + 3) == f'{{"{MARK}"'.encode()
    except OSError:
        return False


class Shards:
    """The shards of one check, read again."""

    def __init__(self, files: Sequence[Path]) -> None:
        """Read them, in any order.

        Raises:
            ShardError: if one cannot be read, is damaged, is missing or there twice, or belongs to another
                check.
        """
        self._documents = [_read(file) for file in files]
        self._require_whole(files)
        self.terms = Terms(*self._documents[0]["terms"])

    def _require_whole(self, files: Sequence[Path]) -> None:
        first = self._documents[0]
        count = first["shard"][1]
        numbers: dict[int, Path] = {}
        for file, document in zip(files, self._documents, strict=True):
            number = document["shard"][0]
            for key in ("state", "terms"):
                if document[key] != first[key] or document["shard"][1] != count:
                    raise ShardError(
                        f"{file}: does not belong to the same check as {files[0]}: other files, settings or "
                        "options, or another number of shards"
                    )
            if number in numbers:
                raise ShardError(f"{file}: is shard {number}/{count}, as {numbers[number]} is")
            numbers[number] = file
        missing = sorted(set(range(1, count + 1)) - set(numbers))
        if missing:
            listed = ", ".join(f"{number}/{count}" for number in missing)
            raise ShardError(f"{listed}: missing among the shards")

    def outcomes(self, directory: Path) -> tuple[list[FileOutcome], CheckSession]:
        """What came of all files, with paths from a working directory, and the session of the check.

        Raises:
            ShardError: if a shard is damaged.
        """
        try:
            outcomes, texts, blocked = self._loaded(directory)
        except (ValueError, TypeError, LookupError) as error:
            raise ShardError(f"a shard is damaged: {error!r}") from None
        files = [outcome.file for outcome in outcomes if outcome.file is not None]
        session = CheckSession(Task(unsafe=self.terms.unsafe), None, files, directory, texts)
        extra = [
            FileOutcome(name, analysis=Analysis([Claim(unreadable(name, why))])) for name, why in blocked
        ]
        return [*outcomes, *extra], session

    def _loaded(self, directory: Path) -> tuple[list[FileOutcome], dict[str, bytes], list[tuple[str, str]]]:
        outcomes: list[FileOutcome] = []
        texts: dict[str, bytes] = {}
        for document in self._documents:
            kinds = [_settings(kind, directory) for kind in document["kinds"]]
            for name, text in document["texts"].items():
                texts[_path(name, directory)] = text.encode("utf-8", "surrogateescape")
            outcomes += (_outcome(record, kinds, directory) for record in document["files"])
        return outcomes, texts, [(name, why) for name, why in self._documents[0]["blocked"]]


def _read(file: Path) -> dict[str, Any]:
    try:
        document = json.loads(file.read_text("utf-8"))
        version, form = document["version"], document[MARK]
        number, count = document["shard"]
        whole = all(key in document for key in ("state", "terms", "kinds", "blocked", "texts", "files"))
    except OSError as error:
        raise ShardError(f"{file}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    except (ValueError, TypeError, LookupError, RecursionError):
        raise ShardError(f"{file}: is no shard of devlint, or is damaged") from None
    if (version, form) != (__version__, FORMAT):
        raise ShardError(f"{file}: was written by devlint {version}; this is {__version__}")
    if not (whole and isinstance(number, int) and isinstance(count, int)):
        raise ShardError(f"{file}: is no shard of devlint, or is damaged")
    assert isinstance(document, dict)
    return document


def _outcome(record: list[Any], kinds: Sequence[Settings], directory: Path) -> FileOutcome:
    name, kind, shown, *failed = record
    file = SourceFile(Path(_path(name, directory)), kinds[kind])
    outcome = FileOutcome(shown_path(file.path, directory), file)
    if shown is not None:
        outcome.analysis = _renamed(from_data(shown, outcome.path), lambda path: _inside(path, directory))
    if failed:
        outcome.failure, outcome.trace = failed
    return outcome


def _kind(file: SourceFile) -> list[Any]:
    """What the settings for a file come to."""
    rules = file.settings.rules
    return [sorted(rules), sorted(rules - file.settings.rules_for(file.path)), file.settings.confidence]


def _settings(kind: list[Any], directory: Path) -> Settings:
    rules, off, confidence = kind
    plain = resolve(Options(per_file_ignores={}), directory, Options(), directory)
    ignores = ((Patterns(directory, ("*",)), frozenset(off)),) if off else ()
    return plain._replace(rules=frozenset(rules), per_file_ignores=ignores, confidence=confidence)


def _texts(outcome: FileOutcome, session: CheckSession) -> Iterator[tuple[str, str]]:
    """The files of whose text something may be said because of what a program shows."""
    assert outcome.file is not None
    own = str(outcome.file.path)
    for path in sorted({claim.home or own for claim in outcome.analysis.claims} | {own}):
        try:
            data = session.read(Path(path))
        except OSError:
            continue
        yield _name(path, session.directory), data.decode("utf-8", "surrogateescape")


def _state(session: CheckSession) -> str:
    """What a check is about: the files, what they hold, and what is on in them."""
    digest = blake2b(digest_size=16)
    by_name = {_name(str(file.path), session.directory): file for file in session.files}
    for name, file in sorted(by_name.items()):
        digest.update(json.dumps([name, session.modules.state(str(file.path)), _kind(file)]).encode())
    return digest.hexdigest()


def _renamed(analysis: Analysis, rename: Callable[[str], str]) -> Analysis:
    """What a program showed, with other names of the files that are not its own."""

    def at(site: Site) -> Site:
        return replace(site, path=rename(site.path))

    def said(finding: Finding) -> Finding:
        related = tuple(replace(each, site=at(each.site)) for each in finding.related)
        return replace(finding, site=at(finding.site), related=related)

    claims = [
        claim._replace(
            finding=said(claim.finding),
            home=claim.home and rename(claim.home),
            anchor=None if claim.anchor is None else at(claim.anchor),
        )
        for claim in analysis.claims
    ]
    reached = frozenset((rename(path), function) for path, function in analysis.reached)
    return analysis._replace(claims=claims, reached=reached)


_HERE = "./"
"""Marks a path that was an absolute one below the working directory."""


def _outside(path: str, directory: Path) -> str:
    """A path for another machine; names, which are relative, stay as they are."""
    return f"{_HERE}{_name(path, directory)}" if os.path.isabs(path) else path  # noqa: PTH117


def _inside(path: str, directory: Path) -> str:
    return _path(path.removeprefix(_HERE), directory) if path.startswith(_HERE) else path


def _name(path: str, directory: Path) -> str:
    """An absolute path from the working directory, the same on all systems."""
    try:
        return Path(os.path.relpath(path, directory)).as_posix()
    except ValueError:  # on another drive
        return Path(path).as_posix()


def _path(name: str, directory: Path) -> str:
    return os.path.normpath(directory / name)
