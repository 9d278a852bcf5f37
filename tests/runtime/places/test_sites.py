"""Places of a running program."""

from __future__ import annotations

import functools
import re
import sys
import textwrap
from pathlib import Path
from types import CodeType

import pytest

from devlint.model import SiteId
from devlint.runtime.places.frames import user_frame
from devlint.runtime.places.sites import NOWHERE_SITE, Sites

needs_columns = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only")


def places(source: str, path: Path) -> tuple[Sites, list[SiteId]]:
    """Runs source in which `here()` notes the place of its caller."""
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    code: CodeType = compile(path.read_text(encoding="utf-8"), str(path), "exec")
    sites, found = Sites(), []

    def here(value: object = None) -> object:
        found.append(sites.at(sys._getframe(1)))
        return value

    exec(code, {"here": here})
    return sites, found


@needs_columns
def test_a_place_is_the_expression_that_runs(tmp_path: Path) -> None:
    sites, (place,) = places("def f():\n    return 1 + here(2)\nf()\n", tmp_path / "a.py")
    site = sites.site(place)
    assert (site.line, site.column, site.end_line, site.end_column) == (2, 16, 2, 23)
    assert site.function == "f"
    assert sites.text(place) == "here(2)"


@needs_columns
def test_columns_count_characters(tmp_path: Path) -> None:
    sites, (place,) = places("x = 'äöü', here()\n", tmp_path / "a.py")
    assert sites.site(place).column == 12
    assert sites.text(place) == "here()"


@needs_columns
def test_an_expression_over_several_lines_is_whole(tmp_path: Path) -> None:
    sites, (place,) = places("y = here(\n    1\n)\n", tmp_path / "a.py")
    assert sites.text(place) == "here(\n    1\n)"


@needs_columns
def test_a_chain_of_methods_over_several_lines_begins_with_its_receiver(tmp_path: Path) -> None:
    source = "class A:\n    def there(self): return self\nA.here = here\nx = 'ä', (A().there(\n).here())\n"
    sites, (place,) = places(source, tmp_path / "a.py")
    assert sites.text(place) == "A().there(\n).here()"
    assert (sites.site(place).line, sites.site(place).column) == (4, 11)


def test_one_place_has_one_number_however_often_it_runs(tmp_path: Path) -> None:
    _, found = places("for _ in range(3):\n    here()\nhere()\n", tmp_path / "a.py")
    assert found[0] == found[1] == found[2] != found[3]


def test_a_dropped_result_is_told_from_a_kept_one(tmp_path: Path) -> None:
    sites, found = places("here()\nx = here()\nhere(here())\n", tmp_path / "a.py")
    assert [sites.result_is_dropped(place) for place in found] == [True, False, False, True]


def test_without_a_frame_there_is_a_place_all_the_same() -> None:
    sites = Sites()
    assert sites.at(None) == NOWHERE_SITE
    assert sites.text(NOWHERE_SITE) == ""
    assert sites.locate([NOWHERE_SITE]).site(NOWHERE_SITE).path == "<unknown>"


def test_a_file_that_is_gone_leaves_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "gone.py"
    code = compile("\nhere()\n", str(path), "exec")
    sites, found = Sites(), []
    exec(code, {"here": lambda: found.append(sites.at(sys._getframe(1)))})
    assert sites.site(found[0]).line == 2
    assert sites.text(found[0]) == ""


def test_the_program_s_frame_is_not_the_standard_library_s() -> None:
    def spoken(_: object) -> str:
        frame = user_frame(sys._getframe(1))
        return frame.f_code.co_filename if frame is not None else ""

    assert functools.reduce(lambda _, item: spoken(item), [1, 2], "") == __file__
    assert re.sub("x", spoken, "x") == __file__


def test_files_with_the_same_text_have_places_of_their_own(tmp_path: Path) -> None:
    sites = Sites()
    found: list[SiteId] = []
    for name in ("a.py", "b.py"):
        code = compile("here()", str(tmp_path / name), "exec")
        exec(code, {"here": lambda: found.append(sites.at(sys._getframe(1)))})
    assert [Path(sites.site(place).path).name for place in found] == ["a.py", "b.py"]


@needs_columns
def test_a_part_of_an_expression_has_a_place_of_its_own(tmp_path: Path) -> None:
    sites, (place,) = places("äö = 1\nx = [äö, here(\n  äö\n)]\n", tmp_path / "a.py")
    part = sites.part(place, "äö")
    site = sites.site(part)
    assert sites.text(part) == "äö"
    assert (site.line, site.column, site.end_line, site.end_column) == (3, 3, 3, 5)
    assert sites.part(place, "äö") == sites.part(place, "äö")
    assert sites.part(place, "not there") == place
    assert sites.part(NOWHERE_SITE, "äö") == NOWHERE_SITE
