"""Lines that were not run: those that hold code, and no others."""

from __future__ import annotations

from devlint.pipeline.observed.unexecuted import unrun

PROGRAM = '''\
"""About the program."""

def used(
    x,
):
    # a comment
    return x

class Idle:
    def never(self):
        return [y for y in self]

used(1)
'''


def test_only_lines_with_code_can_be_missed() -> None:
    assert unrun(PROGRAM, {1, 3, 7, 9, 10, 13}) == {11}
    assert {7, 11, 13} <= unrun(PROGRAM, ())
    assert unrun(PROGRAM, ()).isdisjoint({2, 5, 6, 8, 12})


def test_of_what_is_no_python_nothing_is_said() -> None:
    assert unrun("print 'two'\n", ()) == frozenset()
    assert unrun("a\0b", ()) == frozenset()
