"""devlint against what real CUDA did: the newest record, if there is one.

Recording is described in docs/cuda.md. Without a record all of this is skipped, visibly.
"""

from __future__ import annotations

import sys
import warnings
from zlib import crc32

import pytest

from tests.cuda.record import agreement, device_rules, error_texts, operators, programs, snippets
from tests.cuda.record.agreement import Agreement
from tests.cuda.record.files import Contents, read
from tests.cuda.record.newest import kept, newest, said_today
from tests.cuda.record.part import Part

NO_RECORD = "there is no record of real CUDA yet: docs/cuda.md says how to make one"
SYNCHRONIZATIONS = 0.98
DEVICE_RULES = 0.995
TENTHS = 10


@pytest.fixture(autouse=True)
def _quiet() -> None:
    warnings.simplefilter("ignore")


def recorded(part: str) -> Contents:
    """The newest record of a part. Skips the test where there is none."""
    contents = newest(part)
    if contents is None:
        pytest.skip(NO_RECORD)
    return contents


def today(part: Part) -> Contents:
    """The newest record of a tenth of a part's subjects, with what simulated devices say of them now."""
    contents = recorded(part.name)
    names = {row.subject for row in contents.rows}
    return said_today(part, contents, [name for name in names if crc32(name.encode()) % TENTHS == 0])


def hold(agreements: list[Agreement], title: str, least: float) -> None:
    """The agreement of this title reaches so much."""
    (found,) = (each for each in agreements if each.title == title)
    assert found.compared
    assert found.share >= least, "\n".join(found.disagreements)


def test_what_is_kept_was_seen_on_cuda() -> None:
    if not kept():
        pytest.skip(NO_RECORD)
    for path in kept():
        contents = read(path)
        assert contents.is_evidence, path
        assert contents.header["GPU"] != "null", path
        assert contents.header["driver"] != "unknown", path


@pytest.mark.parametrize("part", list(agreement.BY_PART))
def test_what_disagrees_is_explained(part: str) -> None:
    """With what simulated devices said when it was recorded."""
    contents = recorded(part)
    found = agreement.BY_PART[part](contents)
    assert [text for each in found for text in agreement.unexplained(contents, each)] == []


def test_the_table_of_snippets() -> None:
    hold(agreement.snippets(recorded("snippets")), "snippets, the table of snippets", SYNCHRONIZATIONS)


def test_snippets_on_simulated_devices() -> None:
    hold(agreement.snippets(today(snippets.PART)), "snippets, simulated", SYNCHRONIZATIONS)


@pytest.mark.parametrize("title", ["operators, simulated", "operators, the table's rows"])
def test_waits_of_operators(title: str) -> None:
    hold(agreement.operators(today(operators.PART)), title, SYNCHRONIZATIONS)


def test_device_rules() -> None:
    hold(agreement.device_rules(today(device_rules.PART)), "device rules, simulated", DEVICE_RULES)


@pytest.mark.parametrize("title", ["error texts, recognised", "error texts, explained"])
def test_error_texts(title: str) -> None:
    hold(agreement.error_texts(recorded(error_texts.PART.name)), title, 1.0)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only, and no operands' texts")
def test_programs() -> None:
    hold(agreement.programs(today(programs.PART)), "programs, findings", SYNCHRONIZATIONS)
