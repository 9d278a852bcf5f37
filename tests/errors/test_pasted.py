"""Tracebacks of every kind are read as people paste them."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.errors.pasted import PastedFrame, Raised, pasted
from devlint.errors.streams import streams

PLAIN = """\
Traceback (most recent call last):
  File "/home/me/train.py", line 31, in <module>
    main()
  File "/home/me/train.py", line 12, in main
    loss = criterion(out, y)
RuntimeError: on two devices
"""
FRAMES = (
    PastedFrame("/home/me/train.py", 31, "<module>", "main()"),
    PastedFrame("/home/me/train.py", 12, "main", "loss = criterion(out, y)"),
)


def only(text: str) -> Raised:
    (raised,) = pasted(text)
    return raised


def test_a_plain_traceback() -> None:
    assert only(PLAIN) == Raised("RuntimeError", "on two devices", FRAMES)


def test_what_stands_around_it_does_not_matter() -> None:
    raised = only(f"Epoch 3\nloss 0.1\n{PLAIN}\n")
    assert (raised.type, raised.text, raised.frames) == ("RuntimeError", "on two devices", FRAMES)


def test_marks_say_which_part_of_the_line() -> None:
    raised = only(
        dedent("""\
        Traceback (most recent call last):
          File "a.py", line 2, in f
            print(torch.mm(x, w) + 1)
                  ~~~~~~~~^^^^^^
        RuntimeError: no
        """)
    )
    (frame,) = raised.frames
    assert frame.marked is not None
    assert frame.code[slice(*frame.marked)] == "torch.mm(x, w)"


def test_marks_under_several_lines_are_those_of_the_first() -> None:
    raised = only(
        dedent("""\
        Traceback (most recent call last):
          File "a.py", line 2, in f
            torch.mm(
            ~~~~~~~~^
                x,
                ^^
            ...<2 lines>...
            )
            ^
          File "b.py", line 3, in g
            h()
            [Previous line repeated 99 more times]
        RuntimeError: no
        """)
    )
    assert [each.code for each in raised.frames] == ["torch.mm(", "h()"]
    assert raised.frames[0].marked == (0, 9)
    assert raised.text == "no"


def test_a_chain_is_one_error_after_the_other() -> None:
    text = dedent("""\
        Traceback (most recent call last):
          File "a.py", line 1, in f
            first()
        RuntimeError: cause

        The above exception was the direct cause of the following exception:

        Traceback (most recent call last):
          File "a.py", line 3, in g
            second()
        ValueError: effect

        During handling of the above exception, another exception occurred:

        Traceback (most recent call last):
          File "a.py", line 5, in h
            third()
        KeyError: 'last'
        Traceback (most recent call last):
          File "other.py", line 5, in h
            third()
        TypeError: apart
    """)
    found = pasted(text)
    assert [each.type for each in found] == ["RuntimeError", "ValueError", "KeyError", "TypeError"]
    assert [each.text for each in found] == ["cause", "effect", "'last'", "apart"]
    assert found[0].chain == found[1].chain == found[2].chain != found[3].chain


def test_what_a_worker_passes_on_belongs_to_the_error_around_it() -> None:
    text = dedent("""\
        Traceback (most recent call last):
          File "train.py", line 9, in <module>
            for x in loader:
        RuntimeError: Caught RuntimeError in DataLoader worker process 0.
        Original Traceback (most recent call last):
          File "data.py", line 4, in __getitem__
            return x.cuda()
        RuntimeError: inner
    """)
    outer, inner = pasted(text)
    assert outer.chain == inner.chain
    assert (inner.frames[-1].path, inner.text) == ("data.py", "inner")


@pytest.mark.parametrize(
    "prefix",
    ["[rank0]: ", "[1,0]<stderr>: ", "(RayTrainWorker pid=12, ip=10.0.0.1) ", "0: ", "trainer-1  | ", "> "],
)
def test_what_a_launcher_puts_before_each_line(prefix: str) -> None:
    text = "started\n" + "".join(f"{prefix}{line}\n" for line in PLAIN.splitlines())
    raised = only(text)
    assert (raised.type, raised.text, raised.frames) == ("RuntimeError", "on two devices", FRAMES)
    assert raised.label == prefix.strip()


def test_lines_of_several_ranks_that_are_mixed() -> None:
    lines = [f"[rank{rank}]: {line}" for line in PLAIN.splitlines() for rank in (1, 0)]
    found = pasted("\n".join(lines))
    assert [each.label for each in found] == ["[rank1]:", "[rank0]:"]
    assert all(each.frames == FRAMES for each in found)


def test_times_before_each_line_differ() -> None:
    lines = [f"2026-01-02T03:04:{at:02}.5Z {line}" for at, line in enumerate(PLAIN.splitlines())]
    assert only("\n".join(lines)).frames == FRAMES


def test_a_time_before_the_first_line_only() -> None:
    assert only(f"2026-01-02 03:04:05,678 - ERROR - {PLAIN}").frames == FRAMES


def test_colours_and_carriage_returns_are_left_out() -> None:
    coloured = PLAIN.replace("RuntimeError", "\x1b[0;31mRuntimeError\x1b[0m").replace("\n", "\r\n")
    raised = only(f"\r 99%|####| 3/4\r{coloured}")
    assert (raised.type, raised.frames) == ("RuntimeError", FRAMES)


def test_a_traceback_as_a_string_of_json() -> None:
    quoted = PLAIN.replace('"', '\\"').replace("\n", "\\n")
    assert only(f'{{"level": "error", "trace": "{quoted}"}}').frames == FRAMES


NOTEBOOK = """\
---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
{cell}
      1 x = torch.rand(2)
----> 2 y = net(x)

{inner}
   1499         # a comment
-> 1501     return forward_call(*args, **kwargs)
   1502     # another one

RuntimeError: on two devices
"""


@pytest.mark.parametrize(
    ("cell", "inner", "path", "line"),
    [
        ("Cell In[5], line 2", "File ~/torch/module.py:1501, in Module._call(self, *args)", "In[5]", 2),
        ("Cell In [5], line 2", "File /torch/module.py:1501, in Module._call(self)", "In [5]", 2),
        (
            "Input In [5], in <cell line: 2>()",
            "File /torch/module.py:1501, in Module._call(self)",
            "In [5]",
            2,
        ),
        (
            "<ipython-input-5-0a1b2c> in <module>",
            "~/torch/module.py in _call(self, *input, **kwargs)",
            "<ipython-input-5-0a1b2c>",
            2,
        ),
        (
            "<ipython-input-5-0a1b2c> in <module>()",
            "/torch/module.py in _call(self, *input)",
            "<ipython-input-5-0a1b2c>",
            2,
        ),
    ],
)
def test_tracebacks_of_ipython(cell: str, inner: str, path: str, line: int) -> None:
    raised = only(NOTEBOOK.format(cell=cell, inner=inner))
    assert (raised.type, raised.text) == ("RuntimeError", "on two devices")
    first, second = raised.frames
    assert (first.path, first.line, first.code) == (path, line, "y = net(x)")
    assert (second.line, second.code) == (1501, "return forward_call(*args, **kwargs)")
    assert second.path.endswith("torch/module.py")


def test_the_header_may_be_missing() -> None:
    assert only("\n".join(PLAIN.splitlines()[3:])).frames == FRAMES[1:]


def test_the_error_may_be_missing() -> None:
    raised = only("\n".join(PLAIN.splitlines()[:-1]))
    assert (raised.type, raised.text, raised.frames) == ("", "", FRAMES)


def test_an_error_alone() -> None:
    assert only("RuntimeError: on two devices") == Raised("RuntimeError", "on two devices")


def test_a_text_of_several_lines_ends_after_some() -> None:
    raised = only(PLAIN + "".join(f"more {number}\n" for number in range(100)))
    assert raised.text.startswith("on two devices\nmore 0\n")
    assert len(raised.text.splitlines()) == 40


@pytest.mark.parametrize("text", ["", "\n\n", "all is well", "epoch 3: loss 0.1\n" * 5, "File not found"])
def test_what_is_no_error(text: str) -> None:
    assert pasted(text) == []


def test_errors_of_a_group_are_found() -> None:
    text = dedent("""\
          + Exception Group Traceback (most recent call last):
          |   File "a.py", line 9, in <module>
          |     run()
          | ExceptionGroup: several (2 sub-exceptions)
          +-+---------------- 1 ----------------
            | Traceback (most recent call last):
            |   File "a.py", line 2, in f
            |     x + y
            | RuntimeError: inner
            +------------------------------------
    """)
    assert ("RuntimeError", "inner") in [(each.type, each.text) for each in pasted(text)]


@given(st.lists(st.sampled_from([*PLAIN.splitlines(), *NOTEBOOK.splitlines(), "[rank0]: x", "\x1b[", ""])))
def test_lines_in_any_order_are_read_somehow(lines: list[str]) -> None:
    for raised in pasted("\n".join(lines)):
        assert raised.type or raised.frames


@given(st.text())
def test_any_text_is_read_somehow(text: str) -> None:
    assert sum(len(stream.lines) for stream in streams(text)) >= 1
    pasted(text)
