"""Look-up, versions, and what every row must have."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import pytest

from devlint.operators import (
    DeviceRule,
    SyncWhen,
    find,
    find_kernel,
    kernel_names,
    names,
    torch_versions,
)
from devlint.operators.table import rows


def test_unknown_names_have_no_row() -> None:
    assert find("torch.no_such_function") is None
    assert find("numpy.add") is None


def test_every_row_has_sources() -> None:
    for row in rows():
        assert row.source, row.name
        assert all(sync.source for sync in (row.sync, *row.also)), row.name


def test_every_wait_has_a_cause() -> None:
    for row in rows():
        assert all(sync.cause is not None for sync in row.syncs), row.name
        assert row.sync.when is not SyncWhen.NEVER or not row.also, row.name


def test_every_condition_is_that_of_a_row() -> None:
    kernels = (find_kernel(name) for name in kernel_names())
    operators = [*rows(), *(kernel for kernel in kernels if kernel is not None)]
    used = {sync.when for operator in operators for sync in (operator.sync, *operator.also)}
    assert used == set(SyncWhen)


def test_argument_names_are_unique() -> None:
    for row in rows():
        listed = [argument.name for argument in row.arguments]
        assert len(listed) == len(set(listed)), row.name


def test_names_are_sorted_and_found() -> None:
    listed = list(names())
    assert listed == sorted(listed)
    assert all(found.name == name for name in listed if (found := find(name)))
    assert len(listed) > 1_300


def test_versions_of_a_name_leave_no_gap() -> None:
    spans: dict[str, list[tuple[str, str]]] = {}
    for row in rows():
        spans.setdefault(row.name, []).append((row.since, row.until))
    for name, listed in spans.items():
        assert listed[0][0] == "" or len(listed) == 1, name
        assert listed[-1][1] == "", name
        assert all(before[1] == after[0] for before, after in pairwise(listed)), name


@pytest.mark.parametrize(
    ("version", "rule"),
    [
        ("2.9.1", DeviceRule.SAME),
        ("2.10.0", DeviceRule.SAME_OR_0_DIM_HOST),
        ("2.13.0+cu130", DeviceRule.SAME_OR_0_DIM_HOST),
        ("2.10.0a0+git1234567", DeviceRule.SAME_OR_0_DIM_HOST),
        ("", DeviceRule.SAME_OR_0_DIM_HOST),
    ],
)
def test_hypot_takes_a_host_scalar_from_2_10_on(version: str, rule: DeviceRule) -> None:
    row = find("torch.hypot", version)
    assert row is not None
    assert row.rule is rule


def test_writing_a_number_through_an_index_waits_before_2_15_and_a_host_tensor_later_too() -> None:
    old, new = find("torch.Tensor.__setitem__", "2.14.1"), find("torch.Tensor.__setitem__", "2.15")
    assert old is not None
    assert new is not None
    until = {SyncWhen.SCALAR_VALUE, SyncWhen.SCALAR_INDEX}
    since = {SyncWhen.HOST_SCALAR_VALUE, SyncWhen.SCALAR_INDEX_OF_TENSOR}
    assert (until | since) & {sync.when for sync in old.syncs} == until
    assert (until | since) & {sync.when for sync in new.syncs} == since


def test_a_version_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="'main' is not a version of torch"):
        find("torch.add", "main")


def test_the_generated_version_is_told() -> None:
    assert torch_versions()
    assert all(version[0].isdigit() for version in torch_versions())


def test_look_up_imports_neither_torch_nor_numpy() -> None:
    program = (
        "import sys\n"
        "from devlint.operators import find, find_host_consumer, names, tensor_only_attributes\n"
        "from devlint.operators import tensor_only_methods_of_numbers\n"
        "assert find('torch.add') and find_host_consumer('numpy.sqrt') and tensor_only_attributes()\n"
        "assert tensor_only_methods_of_numbers()\n"
        "assert len(list(names())) > 1300\n"
        "print({'torch', 'numpy', 'libcst', 'yaml'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_operators_of_other_packages_are_found_and_have_sources() -> None:
    row, kept = find("torch_scatter.scatter"), find("torchvision.ops.nms")
    assert row is not None
    assert kept is not None
    assert (row.rule, row.sync.when) == (DeviceRule.SAME, SyncWhen.WITHOUT_OUTPUT_SIZE)
    assert kept.sync.when is SyncWhen.ALWAYS
    assert row.source
    assert kept.sync.source
