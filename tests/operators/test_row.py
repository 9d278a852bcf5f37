"""The notation of a row says everything that an operator holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.model import Cause
from devlint.operators import (
    ArgumentKind,
    DeviceRule,
    Dimensions,
    Operator,
    OperatorArgument,
    OperatorResult,
    ResultDevice,
    ResultKind,
    Sync,
    SyncWhen,
)
from devlint.operators.row import decode, encode
from devlint.operators.table import rows

_NAME = st.from_regex(r"[a-z_][a-z0-9_]{0,12}", fullmatch=True)
_SOURCE = st.from_regex(r"[A-Za-z0-9_.:/#,; ()-]{1,40}", fullmatch=True).map(str.strip)
_VERSION = st.sampled_from(["", "2.9", "2.10", "2.13.1"])


@st.composite
def _arguments(draw: st.DrawFn) -> tuple[OperatorArgument, ...]:
    listed = draw(st.lists(_NAME, unique=True, max_size=6))
    keyword_only_from = draw(st.integers(0, len(listed)))
    return tuple(
        OperatorArgument(
            name=name,
            kind=draw(st.sampled_from(ArgumentKind)),
            host=draw(st.booleans()),
            index=draw(st.booleans()),
            anywhere=draw(st.booleans()),
            zero_dim_anywhere=draw(st.booleans()),
            zero_dim_host=draw(st.sampled_from([None, True, False])),
            keyword_only=place >= keyword_only_from,
            variadic=draw(st.booleans()),
        )
        for place, name in enumerate(listed)
    )


_RESULT = st.builds(
    OperatorResult,
    kind=st.sampled_from(ResultKind),
    device=st.sampled_from(ResultDevice),
    rank=st.sampled_from(Dimensions),
    boolean=st.sampled_from([None, True, False]),
    floating=st.sampled_from([None, True, False]),
    tensors_with=st.lists(_NAME, max_size=2).map(tuple),
)
_SYNC = st.builds(Sync, when=st.sampled_from(SyncWhen), cause=st.sampled_from([None, *Cause]), source=_SOURCE)
_OPERATOR = st.builds(
    Operator,
    name=_NAME,
    rule=st.sampled_from(DeviceRule),
    arguments=_arguments(),
    result=_RESULT,
    sync=_SYNC,
    random=st.booleans(),
    source=_SOURCE,
    since=_VERSION,
    until=_VERSION,
    also=st.lists(_SYNC, max_size=2).map(tuple),
)


@given(_OPERATOR)
def test_what_is_encoded_is_decoded(operator: Operator) -> None:
    assert decode(encode(operator)) == operator


def test_the_table_is_written_as_it_is_read() -> None:
    for operator in rows():
        assert decode(encode(operator)) == operator


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("torch.x\tsometimes\t\ttensor operands\tnever\t\ta | b", "'sometimes' is no DeviceRule"),
        ("torch.x\tsame\tinput:matrix\ttensor operands\tnever\t\ta | b", "'matrix' is no ArgumentKind"),
        ("torch.x\tsame\tinput:tensor+9\ttensor operands\tnever\t\ta | b", "'\\+9' says nothing about"),
        ("torch.x\tsame\t\ttensor operands big\tnever\t\ta | b", "'big' says nothing about a result"),
        ("torch.x\tsame\t\ttensor operands\tnever never\t\ta | b", "2 synchronizations need 2 sources"),
        ("torch.x\tsame", "2 columns instead of 7"),
    ],
)
def test_bad_rows_are_told(row: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        decode(row)
