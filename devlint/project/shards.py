"""Dividing the files of a project among machines without communication.

Files that import each other stay together if possible, so that their common imports are followed once. All
machines compute the same division, because it only depends on names, sizes and imports.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from devlint.project.imports import connected


def divided(
    sizes: Mapping[str, int], links: Mapping[str, Collection[str]], count: int
) -> tuple[tuple[str, ...], ...]:
    """The paths of each of `count` shards; some may be empty if there are few files.

    `sizes` are the bytes of each file, `links` the files that it imports. All files are laid out in a row,
    and the row is cut into parts of equal size; a group of files that fits into a part is not cut.
    """
    shards: list[list[str]] = [[] for _ in range(count)]
    total = sum(sizes.values()) + len(sizes)
    before = 0
    for group in connected(sizes, links):
        weight = sum(sizes[path] + 1 for path in group)
        fits = weight * count <= total
        for unit in [group] if fits else [[path] for path in group]:
            taken = sum(sizes[path] + 1 for path in unit)
            middle = 2 * before + taken
            shards[min(count * middle // (2 * total), count - 1)] += unit
            before += taken
    return tuple(map(tuple, shards))
