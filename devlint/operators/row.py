"""The notation of one row of the table: text that a person can read and diff, and `Operator`.

A row is seven columns separated by tabs: name, rule, arguments, result, synchronization, versions, sources.
docs/operators.md describes the notation.
"""

from __future__ import annotations

from typing import TypeVar

from devlint.model import Cause
from devlint.operators.operator import (
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

Word = TypeVar("Word", ArgumentKind, DeviceRule, Dimensions, ResultDevice, ResultKind, SyncWhen, Cause)

_ZERO_DIM = {"+0": True, "-0": False}
_FLAGS = {"+host", "+index", "+any", "+0any", *_ZERO_DIM}
_BOOLEAN = {"bool": True, "not-bool": False}
_FLOATING = {"floating": True, "not-floating": False}


def word(member: Word) -> str:
    """The word that stands for an enum's member: `SAME_OR_0_DIM_HOST` is `same-or-0-dim-host`."""
    return member.name.lower().replace("_", "-")


def member(enum: type[Word], text: str) -> Word:
    """The enum's member that a word stands for.

    Raises:
        ValueError: there is none.
    """
    try:
        return enum[text.upper().replace("-", "_")]
    except KeyError:
        raise ValueError(f"{text!r} is no {enum.__name__}") from None


def decode(row: str) -> Operator:
    """The operator that a row describes.

    Raises:
        ValueError: the row is not in the notation.
    """
    columns = row.split("\t")
    if len(columns) != 7:
        raise ValueError(f"{len(columns)} columns instead of 7: {row}")
    name, rule, arguments, result, syncs, versions, sources = columns
    source, *sync_sources = sources.split(" | ")
    first, *others = decode_syncs(syncs, sync_sources)
    since, _, until = versions.partition("..")
    words = result.split(" ")
    random = "random" in words
    return Operator(
        name=name,
        rule=member(DeviceRule, rule),
        arguments=decode_arguments(arguments),
        result=decode_result([text for text in words if text != "random"]),
        sync=first,
        random=random,
        source=source,
        since=since,
        until=until,
        also=tuple(others),
    )


def encode(operator: Operator) -> str:
    """The row that describes an operator."""
    syncs = (operator.sync, *operator.also)
    return "\t".join(
        (
            operator.name,
            word(operator.rule),
            encode_arguments(operator.arguments),
            encode_result(operator.result) + (" random" if operator.random else ""),
            " ".join(word(sync.when) + (f":{word(sync.cause)}" if sync.cause else "") for sync in syncs),
            f"{operator.since}..{operator.until}" if operator.since or operator.until else "",
            " | ".join((operator.source, *(sync.source for sync in syncs))),
        )
    )


def decode_arguments(text: str) -> tuple[OperatorArgument, ...]:
    """Arguments from `input:tensor other:tensor+0 * alpha out:tensor`; after a lone `*`, by keyword only."""
    arguments: list[OperatorArgument] = []
    keyword_only = False
    for part in text.split():
        if part == "*":
            keyword_only = True
            continue
        name, _, rest = part.partition(":")
        kind, *flags = rest.replace("+", " +").replace("-", " -").split(" ")
        if unknown := set(flags) - _FLAGS:
            raise ValueError(f"{min(unknown)!r} says nothing about an argument")
        arguments.append(
            OperatorArgument(
                name=name.lstrip("*"),
                kind=member(ArgumentKind, kind) if kind else ArgumentKind.OTHER,
                host="+host" in flags,
                index="+index" in flags,
                anywhere="+any" in flags,
                zero_dim_anywhere="+0any" in flags,
                zero_dim_host=next((_ZERO_DIM[flag] for flag in flags if flag in _ZERO_DIM), None),
                keyword_only=keyword_only,
                variadic=name.startswith("*"),
            )
        )
    return tuple(arguments)


def encode_arguments(arguments: tuple[OperatorArgument, ...]) -> str:
    """The notation that `decode_arguments` reads."""
    parts: list[str] = []
    keyword_only = False
    for argument in arguments:
        if argument.keyword_only and not keyword_only:
            parts.append("*")
            keyword_only = True
        flags = ("+host" if argument.host else "") + ("+index" if argument.index else "")
        flags += ("+any" if argument.anywhere else "") + ("+0any" if argument.zero_dim_anywhere else "")
        if argument.zero_dim_host is not None:
            flags += "+0" if argument.zero_dim_host else "-0"
        kind = "" if argument.kind is ArgumentKind.OTHER else word(argument.kind)
        star = "*" if argument.variadic else ""
        parts.append(star + argument.name + (f":{kind}{flags}" if kind or flags else ""))
    return " ".join(parts)


def decode_result(words: list[str]) -> OperatorResult:
    """A result from the words `tensor operands rank=zero bool with=dim`; the first two are needed."""
    kind, device, *rest = words
    rank, boolean = Dimensions.UNKNOWN, None
    floating: bool | None = None
    tensors_with: tuple[str, ...] = ()
    for text in rest:
        if text.startswith("rank="):
            rank = member(Dimensions, text.removeprefix("rank="))
        elif text.startswith("with="):
            tensors_with = tuple(text.removeprefix("with=").split(","))
        elif text in _BOOLEAN:
            boolean = _BOOLEAN[text]
        elif text in _FLOATING:
            floating = _FLOATING[text]
        else:
            raise ValueError(f"{text!r} says nothing about a result")
    return OperatorResult(
        member(ResultKind, kind), member(ResultDevice, device), rank, boolean, tensors_with, floating
    )


def encode_result(result: OperatorResult) -> str:
    """The notation that `decode_result` reads."""
    words = [word(result.kind), word(result.device)]
    if result.rank is not Dimensions.UNKNOWN:
        words.append(f"rank={word(result.rank)}")
    if result.boolean is not None:
        words.append("bool" if result.boolean else "not-bool")
    if result.floating is not None:
        words.append("floating" if result.floating else "not-floating")
    if result.tensors_with:
        words.append("with=" + ",".join(result.tensors_with))
    return " ".join(words)


def decode_syncs(text: str, sources: list[str]) -> list[Sync]:
    """Synchronizations from `mask-index:dynamic-shape host-index:upload`, one source for each."""
    parts = text.split(" ")
    if len(parts) != len(sources):
        raise ValueError(f"{len(parts)} synchronizations need {len(parts)} sources, not {len(sources)}")
    syncs = []
    for part, source in zip(parts, sources, strict=True):
        when, _, cause = part.partition(":")
        syncs.append(Sync(member(SyncWhen, when), member(Cause, cause) if cause else None, source))
    return syncs
