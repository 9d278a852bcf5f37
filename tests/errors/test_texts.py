"""Error texts of every era are recognised, and others are left alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.errors.kinds import EXPLANATIONS, ErrorKind
from devlint.errors.texts import error_texts, recognise
from devlint.rules import registry

HERE = Path(__file__).parent


def rows(name: str) -> list[list[str]]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


KNOWN = [
    row[-1].replace("\\n", "\n")
    for name in ("cuda_texts.tsv", "public_texts.tsv", "source_texts.tsv")
    for row in rows(name)
]


@pytest.mark.parametrize(
    ("kind", "device", "other", "kernel", "argument", "statement", "text"), rows("cuda_texts.tsv")
)
def test_what_torch_says_today(
    kind: str, device: str, other: str, kernel: str, argument: str, statement: str, text: str
) -> None:
    found = recognise(text)
    assert found is not None, statement
    assert (found.kind.value, found.device, found.other, found.kernel, found.argument) == (
        kind,
        device,
        other,
        kernel,
        argument,
    )


@pytest.mark.parametrize(
    ("kind", "device", "other", "argument", "torch", "source", "text"), rows("public_texts.tsv")
)
def test_what_users_have_pasted(
    kind: str, device: str, other: str, argument: str, torch: str, source: str, text: str
) -> None:
    found = recognise(text.replace("\\n", "\n"))
    assert found is not None, f"torch {torch}, {source}"
    assert (found.kind.value, found.device, found.other, found.argument) == (kind, device, other, argument)


@pytest.mark.parametrize(("kind", "device", "other", "argument", "source", "text"), rows("source_texts.tsv"))
def test_what_sources_raise(
    kind: str, device: str, other: str, argument: str, source: str, text: str
) -> None:
    found = recognise(text)
    assert found is not None, source
    assert (found.kind.value, found.device, found.other, found.argument) == (kind, device, other, argument)


@pytest.mark.parametrize(
    "text",
    [
        "Input type (torch.cuda.FloatTensor) and weight type (torch.cuda.HalfTensor) should be the same",
        "Input type (MPSFloatType) and weight type (MPSHalfType) should be the same",
        "Input type (float) and bias type (double) should be the same",
        "Input type (Byte) and weight type (Float) should be the same",
        "Expected object of type torch.cuda.LongTensor but found type torch.cuda.FloatTensor for argument #2",
        "Expected object of backend CPU but got backend SparseCPU for argument #2 'mat2'",
        "expected backend CPU and dtype Float but got backend CPU and dtype Bool",
        "expected scalar type Half but found Float",
        "mat1 and mat2 shapes cannot be multiplied (4x5 and 4x4)",
        "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.79 GiB total capacity)",
        "The size of tensor a (2) must match the size of tensor b (4) at non-singleton dimension 1",
        "element 0 of tensors does not require grad and does not have a grad_fn",
        "CUDA error: no kernel image is available for execution on the device",
        "CUDA error: invalid device function",
        "can't convert np.ndarray of type numpy.object_.",
        "No such file or directory: '/dev/cuda0'",
        "device is busy",
        "cuda",
        "",
    ],
)
def test_what_is_about_something_else(text: str) -> None:
    assert recognise(text) is None


@given(
    st.text() | st.text(alphabet="Expected al tnsorbhmdvi,cu:0pg!()'#12\n") | st.from_regex(r"CUDA error: .*")
)
def test_any_text_is_either_recognised_or_not(text: str) -> None:
    found = recognise(text)
    assert found is None or found.kind in EXPLANATIONS


@pytest.mark.parametrize("row", error_texts(), ids=lambda row: row.pattern.pattern[:50])
def test_a_pattern_finds_nothing_in_an_empty_text_nor_in_plain_words(row: object) -> None:
    pattern: re.Pattern[str] = row.pattern  # type: ignore[attr-defined]
    assert pattern.search("") is None
    assert pattern.search("the loss is not a number; all tensors are finite on this machine") is None


@pytest.mark.parametrize("position", range(len(error_texts())))
def test_each_row_is_the_one_that_decides_some_known_text(position: int) -> None:
    row = error_texts()[position]
    earlier = error_texts()[:position]
    assert any(
        row.pattern.search(text) and not any(other.pattern.search(text) for other in earlier)
        for text in KNOWN
    ), row.pattern.pattern


def test_each_kind_has_an_explanation_and_a_text() -> None:
    assert set(EXPLANATIONS) == set(ErrorKind)
    assert {row.kind for row in error_texts()} == set(ErrorKind)


@pytest.mark.parametrize("kind", [kind for kind in ErrorKind if EXPLANATIONS[kind].code])
def test_codes_are_those_of_rules(kind: ErrorKind) -> None:
    assert registry.rule(EXPLANATIONS[kind].code) is not None


@pytest.mark.parametrize("kind", ErrorKind)
def test_sentences_end_without_a_full_stop_and_stay_on_a_line(kind: ErrorKind) -> None:
    said = EXPLANATIONS[kind]
    for sentence in (said.says, said.help):
        assert sentence
        assert "\n" not in sentence
        assert not sentence.endswith(".")


def test_an_error_passed_on_by_a_worker_says_where_it_was() -> None:
    found = recognise(
        "Caught RuntimeError in DataLoader worker process 3.\nOriginal Traceback (most recent call last):\n"
        '  File "data.py", line 3, in __getitem__\n'
        "RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, …"
    )
    assert found is not None
    assert found.kind is ErrorKind.FORKED
    assert found.worker == "DataLoader worker process 3"


def test_ordinals_come_with_how_many_devices_there_are() -> None:
    found = recognise(
        "Attempting to deserialize object on CUDA device 7 but torch.cuda.device_count() is 2. …"
    )
    assert found is not None
    assert (found.device, found.detail, found.count) == ("cuda", "7", "2")


def test_of_an_endless_text_both_ends_are_looked_at() -> None:
    text = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
    padding = "x" * 10_000_000
    assert recognise(text + padding) is not None
    assert recognise(padding + text) is not None
    assert recognise(padding + text + padding) is None
