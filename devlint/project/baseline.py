"""The file of a baseline: the known findings of a project, one per line, so that its changes are readable.

Paths are relative to the directory of the file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from devlint.model.fingerprint import Fingerprint
from devlint.project.content import read_regular
from devlint.project.discover import reason

Entries: TypeAlias = Mapping[str, Counter[Fingerprint]]
"""The count of each finding, by the path of its file."""

VERSION = 1
"""Incremented when older releases can no longer read baselines."""


class BaselineError(Exception):
    """A file is not a baseline. The message is one line."""


def read(file: Path) -> Entries:
    """The entries of a baseline.

    Raises:
        BaselineError: if it does not exist, cannot be read, or is damaged.
    """
    try:
        text = read_regular(file).decode()
    except (FileNotFoundError, NotADirectoryError):
        raise BaselineError("does not exist; `--write-baseline` creates it") from None
    except OSError as error:
        raise BaselineError(f"cannot be read: {reason(error)}") from None
    except UnicodeDecodeError:
        raise BaselineError("is not a baseline of devlint: it is not UTF-8 text") from None
    try:
        document = json.loads(text)
    except ValueError as error:  # the message of JSONDecodeError has the position
        raise BaselineError(f"is not a baseline of devlint, or is damaged: {error}") from None
    except RecursionError:
        raise BaselineError("is not a baseline of devlint: it is nested too deeply") from None
    return _entries(document)


def text_of(entries: Entries) -> str:
    """The content of the file for some entries."""
    lines = [
        json.dumps(_record(path, fingerprint, count))
        for path, counts in sorted(entries.items())
        for fingerprint, count in sorted(counts.items())
    ]
    listed = ",\n".join(f"    {line}" for line in lines)
    return f'{{\n  "version": {VERSION},\n  "findings": [\n{listed}\n  ]\n}}\n'


def _record(path: str, fingerprint: Fingerprint, count: int) -> dict[str, Any]:
    return {"path": path, **fingerprint._asdict(), "count": count}


def _entries(document: Any) -> Entries:
    if not isinstance(document, dict) or not isinstance(document.get("findings"), list):
        raise BaselineError("is not a baseline of devlint")
    version = document.get("version")
    if version != VERSION:
        raise BaselineError(f"has version {json.dumps(version)}; this devlint reads version {VERSION}")
    entries: dict[str, Counter[Fingerprint]] = {}
    for number, record in enumerate(document["findings"], start=1):
        if not _is_record(record):
            raise BaselineError(f"is damaged: entry {number} of `findings` is not a finding")
        fingerprint = Fingerprint(record["code"], record["text"], record["flow"])
        entries.setdefault(record["path"], Counter())[fingerprint] += record["count"]
    return entries


def _is_record(record: Any) -> bool:
    return (
        isinstance(record, dict)
        and all(isinstance(record.get(key), str) for key in ("path", *Fingerprint._fields))
        and type(record.get("count")) is int
        and record["count"] > 0
    )
