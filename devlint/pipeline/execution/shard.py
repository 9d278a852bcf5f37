"""Shards: a part of a check as data, which one machine writes, and the combination of all parts.

A shard has the results of its files as programs, before anything is concluded from them, because another
shard may call a function that no file of this shard calls. Findings follow from all shards together, exactly
as without shards. The texts of files that may have findings are included, so that combining shards needs no
other files.
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
"""The first key of a shard, which identifies it."""
FORMAT = 3
"""Incremented when other releases can no longer read shards."""


class ShardError(Exception):
    """Files that cannot be combined. The message is one line."""


class Terms(NamedTuple):
    """The options of a check about its findings as a whole, which are equal in all shards."""

    least: str = "warning"
    """The lowest severity that makes it fail."""
    never: bool = False
    """Whether no finding makes it fail."""
    unsafe: bool = False
    """Whether unsafe fixes are counted."""
    baseline: str = ""
    """The file of the baseline, relative to the working directory; empty if there is none."""


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
    """The content of a shard. `blocked` are paths that could not be read, and why."""
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
    """Whether a file begins like a shard."""
    try:
        with file.open("rb") as opened:
            return opened.read(len(MARK) + 3) == f'{{"{MARK}"'.encode()
    except OSError:
        return False


class Shards:
    """The shards of one check."""

    def __init__(self, files: Sequence[Path]) -> None:
        """Read them, in any order.

        Raises: ShardError: if one cannot be read, is damaged, is missing or duplicate, or belongs to another
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
        """The outcomes of all files, with paths from a working directory, and the session of the check.

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
        raise ShardError(f"{file}: is not a shard of devlint, or is damaged") from None
    if (version, form) != (__version__, FORMAT):
        raise ShardError(f"{file}: was written by devlint {version}; this is {__version__}")
    if not (whole and isinstance(number, int) and isinstance(count, int)):
        raise ShardError(f"{file}: is not a shard of devlint, or is damaged")
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
    """The settings of a file that matter here."""
    rules = file.settings.rules
    return [sorted(rules), sorted(rules - file.settings.rules_for(file.path)), file.settings.confidence]


def _settings(kind: list[Any], directory: Path) -> Settings:
    rules, off, confidence = kind
    plain = resolve(Options(per_file_ignores={}), directory, Options(), directory)
    ignores = ((Patterns(directory, ("*",)), frozenset(off)),) if off else ()
    return plain._replace(rules=frozenset(rules), per_file_ignores=ignores, confidence=confidence)


def _texts(outcome: FileOutcome, session: CheckSession) -> Iterator[tuple[str, str]]:
    """The files in which a program may have findings, with their texts."""
    assert outcome.file is not None
    own = str(outcome.file.path)
    for path in sorted({claim.home or own for claim in outcome.analysis.claims} | {own}):
        try:
            data = session.read(Path(path))
        except OSError:
            continue
        yield _name(path, session.directory), data.decode("utf-8", "surrogateescape")


def _state(session: CheckSession) -> str:
    """A digest of a check: its files, their contents, and the rules that are on."""
    digest = blake2b(digest_size=16)
    by_name = {_name(str(file.path), session.directory): file for file in session.files}
    for name, file in sorted(by_name.items()):
        digest.update(json.dumps([name, session.modules.state(str(file.path)), _kind(file)]).encode())
    return digest.hexdigest()


def _renamed(analysis: Analysis, rename: Callable[[str], str]) -> Analysis:
    """An analysis, with other files renamed."""

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
    given = frozenset(
        (rename(path), function, caller, on_host) for path, function, caller, on_host in analysis.given
    )
    return analysis._replace(claims=claims, reached=reached, given=given)


_HERE = "./"
"""Marks paths that were absolute and below the working directory."""


def _outside(path: str, directory: Path) -> str:
    """A path for another machine; relative names stay unchanged."""
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
