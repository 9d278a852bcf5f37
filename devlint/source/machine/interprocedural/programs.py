"""Runs of a program: from where it starts, once for each way to set the flags that decide about devices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from devlint.model import (
    Confidence,
    Event,
    Setting,
    SettingKind,
    Silence,
    Silenced,
    SiteId,
    Synchronization,
    Transfer,
)
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.values import changed
from devlint.source.machine.heap.files import File, Scope
from devlint.source.machine.interprocedural.callbacks import call_back
from devlint.source.machine.interprocedural.endings import at_end, settle
from devlint.source.machine.interprocedural.flags import Flags
from devlint.source.machine.interprocedural.hypotheses import try_what_is_left
from devlint.source.machine.interprocedural.idle_devices import note_idle_devices
from devlint.source.machine.interprocedural.machine import AbstractMachine
from devlint.source.machine.operators.accelerator import SEVERAL_DEVICES
from devlint.source.machine.reporting.event_log import EventLog, EventPath

MOST_WORLDS = 4
"""A program is run so many times at most: as it is started without options, and with flags the other way."""


class Program:
    """A file as the start of a program."""

    def __init__(self, machine: AbstractMachine, file: File) -> None:
        self.machine = machine
        self.file = file
        self.log = EventLog()
        self.optional = EventLog()
        """What was seen with all flags the other way that do not decide about devices."""
        self._loads: dict[tuple[SiteId, str, str], None] = {}
        self._uses_device = False
        """Whether the program itself, and no hypothesis, gives a device work."""
        self._is_left_over = False
        """Whether the file cannot be imported, so that nothing uses it as is supposed."""
        self.is_cut_short = False
        """Whether a run used up its budget, so that not all calls were followed."""

    def run(self) -> None:
        """Run the file from its beginning, then try what no way of starting it leads to."""
        self.machine.start(self.file)
        self._run_once(self.log, then=self._go_on)
        if self.log.supposes:
            self._is_left_over = self.machine.left_over.cannot_be_imported(self.file)

    def _go_on(self) -> None:
        """Before what is left is tried, see what the program leads to with other flags, if it asks any."""
        machine = self.machine
        if machine.flags.asked:
            settle(machine)
            with machine.meanwhile(self.file):
                asked, choosing, on_devices = self._run_with_devices(machine.flags)
                others = {flag: not on for flag, on in asked.items() if flag not in choosing}
                if on_devices is None:
                    on_devices = {flag: not asked[flag] for flag in choosing if flag in asked}
                self._run_with_options(others, on_devices, choosing)
            machine.flags = Flags()
        self._try_what_is_left()

    def _run_with_options(
        self, others: dict[str, bool], on_devices: dict[str, bool], choosing: set[str]
    ) -> None:
        """Run the program with all options the other way; then with those alone that were not asked, as in
        `if a: … elif b: …`."""
        for _ in range(MOST_WORLDS):
            if not others:
                return
            flags = self.machine.flags = Flags({**others, **on_devices})
            self._run_once(self.optional)
            left = {flag: on for flag, on in others.items() if flag not in flags.asked}
            others = left if len(left) < len(others) else {}
            # What it takes to have devices stays as it was; another flag may be what excludes those left.
            on_devices = {flag: on for flag, on in on_devices.items() if flag in choosing}

    def _run_with_devices(self, first: Flags) -> tuple[dict[str, bool], set[str], dict[str, bool] | None]:
        """Run a program that was run as it is started with the flags the other way that decide about devices.

        Gives the flags that the program asks when it is started, those that decide which devices there are,
        and how flags stood when it worked on one, if it did.
        """
        asked = first.asked
        choosing, tried = {SEVERAL_DEVICES}, set[str]()
        on_devices: dict[str, bool] | None = None
        worlds: list[dict[str, bool]] = []
        flags = first
        for _ in range(MOST_WORLDS):
            if on_devices is None and (self._uses_device or self.log.works_on_devices):
                on_devices = flags.world
            choosing |= flags.choosing
            new = {flag for flag in flags.deciding - tried if flag in flags.asked}
            if flags is first and self.log.works_on_devices:
                # As it is started, the program works on a device: only further devices can change that.
                new &= {SEVERAL_DEVICES}
            tried |= new
            worlds += [{**flags.world, flag: not flags.asked[flag]} for flag in sorted(new)]
            if not worlds:
                break
            flags = self.machine.flags = Flags(worlds.pop(0))
            self._run_once(self.log)
        return asked, choosing, on_devices

    def _run_once(self, log: EventLog, then: Callable[[], None] | None = None) -> None:
        machine, file = self.machine, self.file
        machine.begin()
        machine.log = log
        file.scope = Scope(None, file)
        file.functions, file.classes, file.stars = [], [], []
        machine.store.begin()
        try:
            machine.run_body(file)
            machine.execution.loop = None
            call_back(machine)
            at_end(machine)
            self._uses_device = self._uses_device or machine.sure_work > 0
            if then is not None:
                then()
            settle(machine)
        finally:
            machine.store.end()
        self.is_cut_short = self.is_cut_short or machine.is_exhausted()
        self._loads.update(dict.fromkeys(machine.loads))

    def _try_what_is_left(self) -> None:
        machine = self.machine
        machine.process = machine.process.at_import or machine.process
        try_what_is_left(machine, self.file)
        note_idle_devices(machine, self.file)

    def seen(self) -> dict[Event, EventPath]:
        """All that was seen, hot paths and confidences settled, and what led there."""
        if not any(file.knows_torch for file in self.machine.following.files):
            return {}
        found = self.log.seen()
        if self._is_left_over:
            found = {event: trace for event, trace in found.items() if not trace.hypotheses}
        for event, trace in self._seen_with_flags(found):
            if not self._is_optional(event, trace):
                found[changed(event, confidence=least_sure(event.confidence, Confidence.LIKELY))] = trace
        if SettingKind.LOAD in self.machine.wanted:
            # Of what a file holds, and where that was saved, the program says nothing.
            confidence = (
                Confidence.LIKELY if self._uses_device or _chooses_device(found) else Confidence.POSSIBLE
            )
            for site, name, detail in self._loads:
                found.setdefault(Setting(site, None, confidence, SettingKind.LOAD, name, detail), EventPath())
        return found

    def silenced(self) -> list[Silenced]:
        """What was seen and withheld, with the reasons."""
        off = self._seen_with_flags(self.log.seen())
        return [
            *self.log.silenced(),
            *(Silenced(event, Silence.FLAG_OFF) for event, trace in off if self._is_optional(event, trace)),
        ]

    def _is_optional(self, event: Event, trace: EventPath) -> bool:
        """Whether flags that are off by default add a wait or a copy to what runs without them.

        Where they decide whether a loop runs at all, as `--train` does, the loop is what the program is for.
        """
        return isinstance(event, (Synchronization, Transfer)) and not self.log.adds_loop(trace)

    def _seen_with_flags(self, found: Mapping[Event, EventPath]) -> list[tuple[Event, EventPath]]:
        """What was seen with flags the other way, at places of which the program shows nothing otherwise."""
        places = {(type(event), event.site) for event, trace in found.items() if not trace.hypotheses}
        return [
            (event, trace)
            for event, trace in self.optional.seen().items()
            if (type(event), event.site) not in places
        ]


def _chooses_device(events: Iterable[Event]) -> bool:
    """Whether a program says somewhere on which device it works."""
    return any(not isinstance(each, Setting) for each in events)
