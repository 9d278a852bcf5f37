"""Releases of torch with which devlint's tests passed."""

from __future__ import annotations

import re

TESTED = ((2, 6), (2, 15))
"""The oldest and the newest."""
_RELEASE = re.compile(r"(\d+)\.(\d+)")


def untested(torch_version: str) -> str:
    """A warning about a release of torch with which devlint was not tested; empty for tested ones.

    `torch_version` is such as `2.15.0+cu132`. There is no warning for one without numbers.
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
