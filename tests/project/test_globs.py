"""Patterns of ignore files: what pathspec says, in time that does not grow with the patterns' ambiguity."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from devlint.project.globs import spec_of
from devlint.project.patterns import Patterns

LINES = st.lists(
    st.sampled_from(["*", "**", "?", "a", "b", "[ab]", "/", "/**/", "**/", "/**", "\\*", ".", "aa"]),
    min_size=1,
    max_size=9,
).map("".join)
PATHS = st.lists(st.text(alphabet="ab*.", min_size=1, max_size=6), min_size=1, max_size=6).map("/".join)


@settings(max_examples=60, derandomize=True, deadline=None)
@example(["**/a/**/b/**/a"], "a/b/a/a/b/a")
@example(["*a*b*a*"], "abab/aba")
@given(st.lists(st.tuples(st.sampled_from(["", "!"]), LINES).map("".join), min_size=1, max_size=3), PATHS)
def test_paths_match_as_for_git(lines: list[str], path: str) -> None:
    try:
        plain = GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return
    ours = spec_of(lines)
    for each in (path, f"{path}/"):
        assert ours.check_file(each).include == plain.check_file(each).include


def test_no_set_holds_the_slash() -> None:
    assert spec_of(["a[!b]c", "/x[+-9]y"]).check_file("axc").include
    assert spec_of(["a[!b]*c*d"]).check_file("axcxd").include
    assert spec_of(["a[!b]c", "/x[+-9]y"]).check_file("a/c").include is None
    assert spec_of(["a[!b]c", "/x[+-9]y"]).check_file("x/y").include is None


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="a regular expression cannot be interrupted")
@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("*a*a*a*a*a*a*a*a*a*a*a*b", "a" * 240),
        ("*a?*a?*[ab]*a?*a*[!b]*a*b", "a" * 240),
        ("a***a***a***a***a***a***b", "a" * 240),
        ("**/a*/**/a*/**/a*/**/a*/**/a*/**/a*/**/b", "/".join(["aa"] * 200)),
        ("/**/**/**/**/**/**/**/a/b", "/".join(["a"] * 200)),
    ],
)
def test_no_pattern_takes_long(line: str, path: str) -> None:
    def too_long(*_: object) -> None:
        raise TimeoutError(line)

    before = signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, 5)
    try:
        assert not Patterns(Path("/r"), [line]).match(Path("/r") / path)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
