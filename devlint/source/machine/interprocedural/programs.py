"""Runs of a program from its start, one for each assignment of the flags that affect devices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from devlint.model import (
    Confidence,
    Device,
    Event,
    Operation,
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
from devlint.source.machine.heap.process import DEFAULT_DEVICE, TENSOR_TYPE
from devlint.source.machine.interprocedural.callbacks import call_back
from devlint.source.machine.interprocedural.endings import at_end, settle
from devlint.source.machine.interprocedural.flags import Flags
from devlint.source.machine.interprocedural.hypotheses import try_what_is_left
from devlint.source.machine.interprocedural.idle_devices import note_idle_devices
from devlint.source.machine.interprocedural.machine import AbstractMachine
from devlint.source.machine.interprocedural.repairs import factories_to_repair, hidden
from devlint.source.machine.library.options import ANY_TEXT, names_device
from devlint.source.machine.operators.accelerator import NO_DEVICES, SEVERAL_DEVICES
from devlint.source.machine.operators.availability import needed
from devlint.source.machine.reporting.event_log import EventLog, EventPath

MOST_WORLDS = 4
"""The maximum number of runs of a program: as it starts without options, and with flags inverted."""
MOST_REPAIRED_RUNS = 2
"""How often a program is executed again with repairs, which may show what is to be repaired next."""
BUDGETS_FOR_TEXTS = 2
"""The steps of runs with other options, as a multiple of the budget of one run, after which no further texts
are tried for options that are texts."""


class Program:
    """A program, identified by the file at which it starts."""

    def __init__(self, machine: AbstractMachine, file: File) -> None:
        self.machine = machine
        self.file = file
        self.log = EventLog()
        self.optional = EventLog()
        """The events of runs with all flags inverted that do not affect devices."""
        self._loads: dict[tuple[SiteId, str, str], None] = {}
        self._uses_device = False
        """Whether the program itself, without a hypothesis, works on a device."""
        self._is_left_over = False
        """Whether the file cannot be imported, so that no hypothesis about it holds."""
        self.is_cut_short = False
        """Whether a run used up its budget, so that some calls were not followed."""
        self.repaired: dict[SiteId, Device] = {}
        """The factory calls that are executed as if they named the device that they need."""
        self._found: dict[Event, EventPath] = {}

    def run(self) -> None:
        """Execute the file from its beginning, then try the functions that no start of it reaches.

        If tensors are made on the wrong device, execute the repaired program too: a host tensor hides what is
        computed from it.
        """
        self._execute()
        self._found = self._seen_as_written()
        for _ in range(MOST_REPAIRED_RUNS):
            repairs = factories_to_repair(self._found)
            if repairs.keys() <= self.repaired.keys():
                break
            self.repaired = {**repairs, **self.repaired}
            self._add_hidden()

    def _add_hidden(self) -> None:
        """Execute the repaired program, and add what it shows.

        Another repair, such as a move behind the last use by the host, would cost no further waits or copies:
        these are only possible.
        """
        repaired = Program(self.machine, self.file)
        with self.machine.repairing(self.file, self.repaired):
            repaired._execute()
            seen = repaired._seen_as_written()
        withheld = (each.event for each in self.silenced())
        for event in hidden([*self._found, *withheld], seen):
            level = Confidence.LIKELY if isinstance(event, Operation) else Confidence.POSSIBLE
            self._found[changed(event, confidence=least_sure(event.confidence, level))] = seen[event]

    def _execute(self) -> None:
        """Execute the program in all its worlds, and with its hypotheses."""
        self.machine.start(self.file)
        self.machine.linking.unused.start(self.file.path)
        self._run_once(self.log, then=self._go_on)
        if self.log.supposes:
            self._is_left_over = self.machine.left_over.cannot_be_imported(self.file)

    def _go_on(self) -> None:
        """Before hypotheses, execute the program with other flags, if it reads any."""
        machine = self.machine
        if needed(machine):
            self._keep_reached_without_devices()
        if machine.flags.asked:
            settle(machine)
            with machine.meanwhile(self.file):
                first = machine.flags
                asked, choosing, on_devices = self._run_with_devices(first)
                others = {flag: not on for flag, on in asked.items() if flag not in choosing}
                # A program that works on a device as it starts may work on several, if a flag says so.
                several = choosing & first.distributing & asked.keys() if on_devices == {} else set()
                naming = {flag: not asked[flag] for flag in choosing if flag in asked and names_device(flag)}
                if on_devices or naming:
                    self._try_on_devices(on_devices or naming)
                if on_devices is None:
                    on_devices = {flag: not asked[flag] for flag in choosing if flag in asked}
                self._run_with_options(others, on_devices, choosing)
                self._run_with_options(
                    {flag: not asked[flag] for flag in sorted(several)}, on_devices, choosing
                )
            machine.flags = Flags()
        self._try_what_is_left()

    def _try_on_devices(self, on_devices: dict[str, bool]) -> None:
        """Try what nothing calls in a run with options that choose a device."""
        following, self.machine.flags = self.machine.following, Flags(on_devices)
        reached = following.reached.copy()
        self._run_once(self.log, then=self._try_what_is_left)
        following.reached = reached

    def _keep_reached_without_devices(self) -> None:
        """Execute the program on a machine without an accelerator: of what raises there, only what that run
        reaches counts."""
        machine = self.machine
        facts = machine.process.facts
        with machine.meanwhile(self.file), machine.watched(None):
            machine.flags = Flags({NO_DEVICES: True})
            self._run_once(EventLog())
            reached = {event.site for event in machine.process.facts.hard_coded}
        facts.hard_coded = [event for event in facts.hard_coded if event.site in reached]

    def _run_with_options(
        self, others: dict[str, bool], on_devices: dict[str, bool], choosing: set[str]
    ) -> None:
        """Execute the program with all options inverted; then with each of those that were not read in that
        run, as in `if a: … elif b: …`; then with other texts for options that are texts."""
        worlds, spent, texts_left = MOST_WORLDS, 0, False
        while others and worlds:
            worlds -= 1
            flags = self.machine.flags = Flags({**others, **on_devices}, others)
            self._run_once(self.optional)
            spent += self.machine.steps
            left = {flag: on for flag, on in others.items() if flag not in flags.asked}
            others = left if len(left) < len(others) else {}
            texts_left = self.machine.texts.end() or texts_left
            if not others and texts_left and spent < BUDGETS_FOR_TEXTS * self.machine.following.budget:
                others, worlds, texts_left = {ANY_TEXT: True}, 1, False
            # What it takes to have devices stays as it was; another flag may be what excludes those left.
            on_devices = {flag: on for flag, on in on_devices.items() if flag in choosing}

    def _run_with_devices(self, first: Flags) -> tuple[dict[str, bool], set[str], dict[str, bool] | None]:
        """Execute a program again with flags inverted that affect devices.

        Returns the flags that the program reads when it starts without options, those that affect which
        devices exist, and the flags of a run in which it worked on a device, if any.
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
                # Started without options, the program works on a device: only more devices can matter, and
                # options that name one.
                new = {flag for flag in new if flag == SEVERAL_DEVICES or names_device(flag)}
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
        """Try what nothing calls as after the import of the file, with the default device of the program: a
        library calls it while the program runs."""
        machine = self.machine
        cells, machine.process = machine.process.cells, machine.process.at_import or machine.process
        for key in (DEFAULT_DEVICE, TENSOR_TYPE):
            machine.store.write(machine.process, key, cells[key])
        try_what_is_left(machine, self.file)
        note_idle_devices(machine, self.file)

    def seen(self) -> dict[Event, EventPath]:
        """All events, with final hot paths and confidences, and the paths to them."""
        return self._found

    def _seen_as_written(self) -> dict[Event, EventPath]:
        """The events of this program alone, without those of the repaired one."""
        if not any(file.knows_torch for file in self.machine.following.files):
            return {}
        found = self.log.seen(self.optional)
        if self._is_left_over:
            found = {event: trace for event, trace in found.items() if not trace.hypotheses}
        for event, trace in self._seen_with_flags(found):
            if not self._is_optional(event, trace):
                found[changed(event, confidence=least_sure(event.confidence, Confidence.LIKELY))] = trace
        if SettingKind.LOAD in self.machine.wanted:
            # The program does not show the contents of the file, nor the device from which they were saved.
            confidence = (
                Confidence.LIKELY if self._uses_device or _chooses_device(found) else Confidence.POSSIBLE
            )
            for site, name, detail in self._loads:
                found.setdefault(Setting(site, None, confidence, SettingKind.LOAD, name, detail), EventPath())
        return found

    def silenced(self) -> list[Silenced]:
        """The withheld events, with the reasons."""
        off = self._seen_with_flags(self.log.seen())
        return [
            *self.log.silenced(),
            *(Silenced(event, Silence.FLAG_OFF) for event, trace in off if self._is_optional(event, trace)),
        ]

    def _is_optional(self, event: Event, trace: EventPath) -> bool:
        """Whether flags that are off by default add a wait or a copy to a program that runs without them.

        If they guard a whole loop, as `--train` does, the loop is the purpose of the program.
        """
        of_cost = isinstance(event, (Synchronization, Transfer))
        return of_cost and trace.added and not self.log.adds_loop(trace)

    def _seen_with_flags(self, found: Mapping[Event, EventPath]) -> list[tuple[Event, EventPath]]:
        """The events with flags inverted, at places without events otherwise, or without hot ones."""
        known = [event for event, trace in found.items() if not trace.hypotheses]
        places = {(type(event), event.site) for event in known}
        hot = {(type(event), event.site) for event in known if not _is_cold(event)}
        return [
            (event, trace)
            for event, trace in self.optional.seen().items()
            if (type(event), event.site) not in (places if _is_cold(event) else hot)
        ]


def _is_cold(event: Event) -> bool:
    """Whether an event is a wait or a copy that is not on a hot path."""
    return isinstance(event, (Synchronization, Transfer)) and event.hot is None


def _chooses_device(events: Iterable[Event]) -> bool:
    """Whether a program chooses its device."""
    return any(not isinstance(each, Setting) for each in events)
