"""Tests of the executed lines of a program: of its own files, each once, on every Python."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from textwrap import dedent

from devlint.runtime.places.executed import ExecutedLines

PROGRAM = dedent("""\
    import json

    def used(x):
        if x > 100:
            return "large"
        for n in range(3):
            x += n
        return x

    def unused():
        return json.dumps([])

    used(1)
    lambda: None
""")


def taken(lines: ExecutedLines) -> dict[str, list[int]]:
    """The executed lines of the program. From Python 3.12 on, those of the test are noted as well."""
    return {path: numbers for path, numbers in lines.take().items() if path != __file__}


def ran(path: Path, text: str = PROGRAM, times: int = 1) -> dict[str, list[int]]:
    path.write_text(text)
    lines = ExecutedLines()
    assert lines.start() == ""
    try:
        for _ in range(times):
            exec(compile(text, str(path), "exec"), {})
    finally:
        lines.stop()
    return taken(lines)


def test_lines_of_the_programs_own_files(tmp_path: Path) -> None:
    before = sys.gettrace()
    found = ran(tmp_path / "train.py", times=2)
    assert found == {str(tmp_path / "train.py"): [1, 3, 4, 6, 7, 8, 10, 13, 14]}
    assert sys.gettrace() is before


def test_what_was_taken_is_not_given_again(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(PROGRAM)
    lines = ExecutedLines()
    lines.start()
    try:
        space: dict[str, object] = {}
        exec(compile(PROGRAM, str(path), "exec"), space)
        assert 3 in taken(lines)[str(path)]
        assert taken(lines) == {}
        exec("unused()", space)
        assert taken(lines) == {str(path): [11]}
    finally:
        lines.stop()
    exec("used(200)", space)
    assert taken(lines) == {}


def test_threads_count(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(PROGRAM)
    space: dict[str, object] = {}
    exec(compile(PROGRAM, str(path), "exec"), space)
    lines = ExecutedLines()
    lines.start()
    try:
        thread = threading.Thread(target=exec, args=("used(200)", space))
        thread.start()
        thread.join()
    finally:
        lines.stop()
    assert taken(lines) == {str(path): [4, 5]}


def test_another_tracer_is_left_alone() -> None:
    program = dedent("""\
        import sys
        from devlint.runtime.places.executed import IS_CHEAP, ExecutedLines
        def tracer(*_): return None
        sys.settrace(tracer)
        problem = ExecutedLines().start()
        assert sys.gettrace() is tracer
        assert IS_CHEAP or "another tool traces" in problem, problem
        if IS_CHEAP:
            for tool in range(6):
                if sys.monitoring.get_tool(tool) is None:
                    sys.monitoring.use_tool_id(tool, "other")
            assert "other tools monitor" in ExecutedLines().start()
    """)
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
