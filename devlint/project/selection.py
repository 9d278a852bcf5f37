"""Which rules are on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

EVERYTHING = "ALL"
ALWAYS_ON = "DL900"
"""Always on, because an unreadable file never counts as clean."""


class SelectorError(ValueError):
    """A text that selects no rule. The message names it, and suggests another one."""


class RuleSource(NamedTuple):
    """The rule selection of one source: a configuration file or the command line.

    Each text is a code (`DL101`), the beginning of codes (`DL1`, `DL10`) or `ALL`.
    """

    select: Sequence[str] | None = None
    ignore: Sequence[str] = ()
    extend_select: Sequence[str] = ()


def choose(codes: Iterable[str], default: Iterable[str], layers: Iterable[RuleSource]) -> frozenset[str]:
    """The codes that are on after applying all layers to the default ones, the strongest layer last.

    As in Ruff: a layer with `select` replaces the selection, others modify it. Within a layer, the more
    specific text wins (`--select DL101 --ignore DL1` leaves DL101 on), and of two equally specific ones
    `ignore`.
    """
    codes = tuple(codes)
    chosen = set(default)
    for layer in layers:
        if layer.select is not None:
            chosen = set()
        decisions = [(text, True) for text in (*(layer.select or ()), *layer.extend_select)]
        decisions += [(text, False) for text in layer.ignore]
        # The sort is stable, so that `ignore` stays after `select`.
        for text, on in sorted(decisions, key=lambda decision: _specificity(decision[0])):
            (chosen.update if on else chosen.difference_update)(expand(text, codes))
    return frozenset(chosen | ({ALWAYS_ON} & set(codes)))


def expand(text: str, codes: Iterable[str]) -> frozenset[str]:
    """The codes that a text selects: itself, those that begin with it, or all."""
    return frozenset(code for code in codes if text == EVERYTHING or code.startswith(text))


def compact(chosen: Collection[str], codes: Iterable[str]) -> list[str]:
    """The selectors of exactly these codes, in order: families that are complete, else single codes."""
    families: defaultdict[str, list[str]] = defaultdict(list)
    for code in sorted(codes):
        families[code[:3]].append(code)
    selectors: list[str] = []
    for family, members in families.items():
        kept = [code for code in members if code in chosen]
        selectors += [family] if kept == members else kept
    return selectors


def check_selector(text: str, codes: Sequence[str]) -> None:
    """Reject a text that selects no rule.

    Raises: SelectorError: if it selects none; with the nearest code, if there is one.
    """
    if text and expand(text, codes):
        return
    import difflib  # noqa: PLC0415  # only a refusal needs it

    prefixes = {code[:length] for code in codes for length in range(2, len(code) + 1)} | {EVERYTHING}
    near = difflib.get_close_matches(text.upper(), sorted(prefixes), n=1)
    hint = f"; did you mean `{near[0]}`?" if near else "; `devlint rule --all` lists the rules"
    raise SelectorError(f"unknown rule code `{text}`{hint}")


def _specificity(text: str) -> int:
    return 0 if text == EVERYTHING else len(text)
