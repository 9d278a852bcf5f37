"""Versions of torch that devlint's tests have passed with."""

from __future__ import annotations

import re

TESTED = ((2, 6), (2, 15))
"""The oldest and the newest."""
_RELEASE = re.compile(r"(\d+)\.(\d+)")


def untested(torch_version: str) -> str:
    """What is to be said of a torch that devlint was not tested with; empty of others.

    `torch_version` is such as `2.15.0+cu132`; of one that has no numbers nothing is known.
    """
    match = _RELEASE.match(torch_version)
    release = None if match is None else (int(match[1]), int(match[2]))
    if release is None or TESTED[0] <= release <= TESTED[1]:
        return ""
    (oldest, newest), is_newer = TESTED, release > TESTED[1]
    limit = newest if is_newer else oldest
    return (
        f"torch {torch_version} is {'newer' if is_newer else 'older'} than {limit[0]}.{limit[1]}, "
        f"the {'newest' if is_newer else 'oldest'} that devlint was tested with"
    )
