"""Which rules are on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

EVERYTHING = "ALL"
ALWAYS_ON = "DL900"
"""A file that could not be read never counts as clean, whatever is selected."""


class SelectorError(ValueError):
    """A text that selects no rule. The message says which, and what may have been meant."""


class RuleSource(NamedTuple):
    """What one source, a configuration file or the command line, says about rules.

    Each text is a code (`DL101`), the beginning of codes (`DL1`, `DL10`) or `ALL`.
    """

    select: Sequence[str] | None = None
    ignore: Sequence[str] = ()
    extend_select: Sequence[str] = ()


def choose(codes: Iterable[str], default: Iterable[str], layers: Iterable[RuleSource]) -> frozenset[str]:
    """Which of the codes are on after all layers, the strongest last; before them, the default ones are.

    As in Ruff: a layer with `select` starts anew, one without it changes what it finds; within a layer the
    more specific text wins (`--select DL101 --ignore DL1` leaves DL101 on), and of two equally specific ones
    `ignore`.
    """
    codes = tuple(codes)
    chosen = set(default)
    for layer in layers:
        if layer.select is not None:
            chosen = set()
        decisions = [(text, True) for text in (*(layer.select or ()), *layer.extend_select)]
        decisions += [(text, False) for text in layer.ignore]
        # The sort is stable, so that `ignore` stays behind `select`.
        for text, on in sorted(decisions, key=lambda decision: _specificity(decision[0])):
            (chosen.update if on else chosen.difference_update)(expand(text, codes))
    return frozenset(chosen | ({ALWAYS_ON} & set(codes)))


def expand(text: str, codes: Iterable[str]) -> frozenset[str]:
    """The codes that a text selects: itself, those that begin with it, or all of them."""
    return frozenset(code for code in codes if text == EVERYTHING or code.startswith(text))


def compact(chosen: Collection[str], codes: Iterable[str]) -> list[str]:
    """The selectors of just these of all codes, in order: a family where it is whole, else single codes."""
    families: defaultdict[str, list[str]] = defaultdict(list)
    for code in sorted(codes):
        families[code[:3]].append(code)
    selectors: list[str] = []
    for family, members in families.items():
        kept = [code for code in members if code in chosen]
        selectors += [family] if kept == members else kept
    return selectors


def check_selector(text: str, codes: Sequence[str]) -> None:
    """Refuse a text that selects no rule.

    Raises:
        SelectorError: with the nearest code, if one is near.
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
