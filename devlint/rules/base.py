"""The base class of rules. A rule is a documented, tested judgement on one type of event."""

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
"""The comment by which a line of an example's `bad` names the rules that report it."""


GOOD = "# the repaired code"
"""The `fixed` of an example whose `bad` is its `good` after `--fix`."""


@value
class Example:
    """Bad code, the repaired code, and the result of `--fix`. Tests run each.

    A line of `bad` that the rule reports ends in `# error: [DL102]`. No rule of the same family reports
    `good`. `fixed`, if given, is `bad` after `--fix` (`--unsafe-fixes` if `unsafe`), or `GOOD`. All may be
    indented as a whole, like docstrings. An example with `in_run` is a program that only `devlint run`
    reports, of a rule that also judges source code.
    """

    bad: str
    good: str
    fixed: str = ""
    unsafe: bool = False
    in_run: bool = False
    confidence: Confidence = Confidence.LIKELY
    """The lowest confidence of the findings in `bad`."""

    @property
    def after_fix(self) -> str:
        """`bad` after `--fix`; empty if the rule does not fix it."""
        return self.good if self.fixed == GOOD else self.fixed


class Rule(Generic[E]):
    """A judgement on one type of event.

    The class's docstring is its documentation, in Markdown under fixed headings: What it does, Why it
    matters, Example, Use instead, When not to, References. Example is generated from the first example, and
    its repaired code is added to Use instead, so that the tests run what readers see. A rule never sees a
    syntax node or a tensor, so it judges source code and runs alike.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity]
    enabled: ClassVar[bool]
    """Whether it is on by default. Only rules that proved accurate on real code are, see docs/accuracy.md."""
    event: ClassVar[type[Event]]
    """The type of event that it judges."""
    also: ClassVar[tuple[type[Event], ...]] = ()
    """Further types that it judges."""
    about: ClassVar[frozenset[Subject]] = frozenset()
    """Which settings or registrations it judges."""
    examples: ClassVar[tuple[Example, ...]]
    runtime_only: ClassVar[bool] = False
    """Whether it only has findings in runs. Its examples are then programs that are run."""
    yields_to: ClassVar[tuple[str, ...]] = ()
    """Codes of more specific rules. If one of them reports the same cause, this rule does not."""

    decides: ClassVar[bool] = True
    """Whether the repair of a finding about an operation says where the result of the operation lies."""

    def check(self, event: E) -> Iterable[Draft]:
        """Judge one event of the types above: yield a draft for each problem."""
        raise NotImplementedError

    def is_usual(self, event: E) -> bool:  # noqa: ARG002 - most rules are about no such thing
        """Whether nearly every program has such a finding, so that the report of a run mentions it once for
        all places."""
        return False

    @classmethod
    def events(cls) -> tuple[type[Event], ...]:
        """All types of events that it judges."""
        return (cls.event, *cls.also)

    @classmethod
    def judges(cls, event: Event) -> bool:
        """Whether the rule judges an event."""
        if type(event) not in cls.events():
            return False
        return not isinstance(event, Setting | Registration) or event.kind in cls.about

    @classmethod
    def sections(cls) -> dict[str, str]:
        """The Markdown under each of `HEADINGS`, in their order; empty if the rule has none."""
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
    """A rule about a file instead of an event. The pipeline creates its findings, and the rule documents
    them.

    Its examples are whole files, which tests pass through the whole pipeline.
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
