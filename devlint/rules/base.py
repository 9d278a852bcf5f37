"""What a rule is: a documented, tested judgement on one kind of event."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar, Generic, TypeVar

from devlint.model import Confidence, Draft, Event, Registration, Setting, Severity, Subject
from devlint.model.value import value

E = TypeVar("E", bound=Event)

HEADINGS = ("What it does", "Why it matters", "Example", "Use instead", "When not to", "References")
"""The sections of a rule's documentation, in order."""

EXPECTATION = re.compile(r"[ ]*# error: \[(DL\d{3}(?:, DL\d{3})*)\]$", re.MULTILINE)
"""How a line of an example's `bad` says which rules speak there."""


@value
class Example:
    """Bad code, its repaired twin, and what `--fix` makes of it. Each becomes tests.

    A line of `bad` on which the rule speaks ends in `# error: [DL102]`. `good` is silent under every rule of
    the same family. `fixed`, where given, is `bad` after `--fix` (`--unsafe-fixes` where `unsafe`). All may
    be indented as a whole, as docstrings are. What only a run shows of a rule that judges source text too is
    an example `in_run`: a program, that holds when it is run.
    """

    bad: str
    good: str
    fixed: str = ""
    unsafe: bool = False
    in_run: bool = False
    confidence: Confidence = Confidence.LIKELY
    """The least confidence with which the rule speaks where `bad` is marked."""


class Rule(Generic[E]):
    """A judgement on one kind of event.

    The class's docstring is its documentation, in Markdown under fixed headings, all of which it writes
    except Example, which is made from the first example: What it does, Why it matters, Example, Use instead,
    When not to, References. The example's repaired twin follows what stands under Use instead, so that what a
    reader sees is what the tests run. A rule never sees a syntax node or a tensor, so it says the same of
    source text and of a run.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity]
    enabled: ClassVar[bool]
    """Whether it is on by default; decided by its precision on real code, see docs/accuracy.md."""
    event: ClassVar[type[Event]]
    """The kind of event that it judges."""
    also: ClassVar[tuple[type[Event], ...]] = ()
    """Further kinds that say the same."""
    about: ClassVar[frozenset[Subject]] = frozenset()
    """Of the settings or the registrations, which ones it judges."""
    examples: ClassVar[tuple[Example, ...]]
    runtime_only: ClassVar[bool] = False
    """Whether only a run shows what it is about. Its examples are programs, and hold when they are run."""
    yields_to: ClassVar[tuple[str, ...]] = ()
    """Codes of the more specific rules that speak in its place where both have one cause."""

    def check(self, event: E) -> Iterable[Draft]:
        """What is wrong with one event; nothing, most of the time. It is given those alone that it judges."""
        raise NotImplementedError

    def is_usual(self, event: E) -> bool:  # noqa: ARG002 - most rules are about no such thing
        """Whether nearly every program does what it speaks of, so that a run's report says it once for all
        places."""
        return False

    @classmethod
    def events(cls) -> tuple[type[Event], ...]:
        """All kinds of events that it judges."""
        return (cls.event, *cls.also)

    @classmethod
    def judges(cls, event: Event) -> bool:
        """Whether an event is one of those that it is for."""
        if type(event) not in cls.events():
            return False
        return not isinstance(event, Setting | Registration) or event.kind in cls.about

    @classmethod
    def sections(cls) -> dict[str, str]:
        """The Markdown under each of `HEADINGS`, in their order; empty where the rule has written none."""
        from inspect import cleandoc  # noqa: PLC0415  # slow to import, and only documentation needs it

        written = _split(cleandoc(cls.__doc__ or ""))
        example = cls.examples[0]
        written["Example"] = _code_block(example.bad)
        written["Use instead"] = f"{written.get('Use instead', '')}\n\n{_code_block(example.good)}".strip()
        return {heading: written.get(heading, "") for heading in HEADINGS}

    @classmethod
    def documentation(cls) -> str:
        """The documentation in Markdown, without a title: the docstring, with the first example's code."""
        return "\n\n".join(f"## {heading}\n\n{text}" for heading, text in cls.sections().items()) + "\n"


class PipelineRule(Rule[Event]):
    """A rule about a file rather than an event: the pipeline makes its findings, and the rule documents them.

    Its examples are whole files, and hold for the whole pipeline.
    """

    event = Event

    def check(self, event: Event) -> Iterable[Draft]:  # noqa: ARG002 - no event shows what it is about
        return ()


def _split(text: str) -> dict[str, str]:
    """The parts of Markdown text by their second-level headings."""
    parts = re.split(r"^## +(.+?) *$", text, flags=re.MULTILINE)
    return {heading: body.strip() for heading, body in zip(parts[1::2], parts[2::2], strict=True)}


def _code_block(code: str) -> str:
    from inspect import cleandoc  # noqa: PLC0415

    marked = EXPECTATION.sub(r"  # \1", cleandoc(code))
    return f"```python\n{marked}\n```"
