"""The options of `devlint run`, which end where the program begins."""

from __future__ import annotations

import re
from argparse import REMAINDER, ArgumentParser, ArgumentTypeError, Namespace

from devlint.cli.check_options import Listed, add_configuration, add_rules
from devlint.model.simulated import SIMULATED_TYPES, read_device_count
from devlint.project.configuration import ConfigurationError
from devlint.report import FORMATS
from devlint.runtime.policy.levels import LEVELS, SUBJECTS, TRANSFER_LEVELS, Level, Levels, levels
from devlint.runtime.policy.settings import EVERY_AUTO, HIDDEN_WAITS_SOURCES, RunSettings
from devlint.runtime.recording.recorder import Warmup

_SUBJECTS = (
    ("--mismatch", LEVELS, "operands on different devices"),
    ("--sync", LEVELS, "the host waits for a device"),
    ("--host-to-device", TRANSFER_LEVELS, "copies from the host to a device"),
    ("--device-to-host", TRANSFER_LEVELS, "copies from a device to the host"),
)
_MOST_DIGITS = 9
"""No program takes more steps than so many digits write; Python itself refuses to read thousands."""
_WARMUP = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>s|steps?)?\Z")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare all options."""
    parser.usage = "%(prog)s [OPTION ...] (FILE | -m MODULE) [ARGUMENT ...]"
    parser.add_argument(
        "program",
        nargs=REMAINDER,
        metavar="FILE [ARGUMENT ...]",
        help="a script, or a directory or zip archive with a `__main__.py`, and its arguments",
    )
    parser.add_argument(
        "-m",
        dest="module",
        nargs=REMAINDER,
        metavar="MODULE",
        help="run a module by its name, as `python -m` does; what follows is its own",
    )
    _add_devices(parser)
    _add_levels(parser)
    add_rules(parser)
    add_report(parser)
    parser.add_argument(
        "--fail-on",
        action=Listed,
        metavar="CODES",
        help="exit with 1 if the program itself succeeds and these rules speak",
    )
    parser.add_argument(
        "--trace", metavar="FILE", help="write every event there as it comes, one JSON object a line"
    )
    parser.add_argument(
        "--every",
        type=_every,
        metavar="N",
        help="watch one step in N once nothing new comes, 1 for all; auto, by default, is all or one in "
        f"{EVERY_AUTO}, see docs/run.md",
    )
    parser.add_argument(
        "--trace-lines",
        action="store_true",
        help="with --trace, write which lines the program runs, too; from Python 3.12 on that is always done",
    )
    add_configuration(parser)


def add_report(parser: ArgumentParser) -> None:
    """Declare how and where a run's report is shown."""
    group = parser.add_argument_group("output")
    group.add_argument("--output-format", choices=list(FORMATS), help="how findings are shown (full)")
    group.add_argument("-o", "--output-file", metavar="FILE", help="write the report there")
    group.add_argument(
        "--report",
        action="append",
        metavar="FILE",
        help="draw the run, too: a page for a browser (.html), or a trace for Perfetto (.json)",
    )
    group.add_argument(
        "--third-party",
        action="store_true",
        help="show what was found in installed packages one by one, too",
    )
    group.add_argument(
        "-q", "--quiet", action="store_true", help="show findings, and nothing if there are none"
    )


def _add_devices(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("devices")
    group.add_argument(
        "--simulate", choices=SIMULATED_TYPES, help="let the program find such a device where there is none"
    )
    group.add_argument("--devices", type=_count, metavar="N", help="how many are simulated (1)")
    group.add_argument(
        "--launch-blocking",
        action="store_true",
        help="set CUDA_LAUNCH_BLOCKING=1, so that an error of a kernel is raised where it was launched",
    )
    group.add_argument(
        "--hidden-waits",
        choices=HIDDEN_WAITS_SOURCES,
        help="on CUDA, hear torch's own word on waits in C++ too; see docs/cuda.md for what that can disturb",
    )
    group.add_argument(
        "--no-compile",
        action="store_true",
        help="let torch.compile compile nothing, so that what it would compile is seen",
    )


def _add_levels(parser: ArgumentParser) -> None:
    group = parser.add_argument_group(
        "levels",
        "allow: not reported; log: reported; disallow: raises at its line. Of copies, log and disallow are "
        "about those that the program did not ask for, log_explicit and disallow_explicit about all.",
    )
    for name, known, what in _SUBJECTS:
        words = [level.value for level in known]
        group.add_argument(name, choices=words, metavar="LEVEL", help=f"{what}: {', '.join(words)}")
    group.add_argument(
        "--warmup",
        type=_warmup,
        default=Warmup(),
        metavar="N",
        help="leave out the first N times at each place, or seconds (5s), or optimizer steps (3steps)",
    )


def program_of(arguments: Namespace) -> tuple[bool, list[str]]:
    """Whether the program is a module, and its name and arguments.

    Raises:
        ConfigurationError: if none is named, or two are.
    """
    given: list[str] = arguments.program
    if given[:1] == ["--"]:
        given = given[1:]
    if arguments.module is None:
        if not given:
            raise ConfigurationError("no program is named: `devlint run script.py`, `devlint run -m module`")
        return False, given
    if given:
        raise ConfigurationError(f"two programs are named: `{given[0]}` and `-m`")
    if not arguments.module:
        raise ConfigurationError("-m: no module is named")
    return True, arguments.module


def settings_of(arguments: Namespace, own: tuple[str, ...] = ()) -> RunSettings:
    """What the session is asked to do. `own` are installed packages that count as own code.

    Raises:
        ConfigurationError: if options contradict each other.
    """
    if arguments.devices is not None and not arguments.simulate:
        raise ConfigurationError("--devices is about simulated devices: give --simulate too")
    asked = levels(arguments.mismatch, arguments.sync, arguments.host_to_device, arguments.device_to_host)
    return RunSettings(
        simulate=arguments.simulate or "",
        devices=arguments.devices or 1,
        levels=asked,
        warmup=arguments.warmup,
        every=_sampling(arguments, asked),
        compiles=not arguments.no_compile,
        own=own,
    )


def _sampling(arguments: Namespace, asked: Levels) -> int:
    """Of how many steps one is watched.

    Raises:
        ConfigurationError: if options ask for some steps only, and for what needs all.
    """
    needs_all = [
        *(
            f"--{subject.replace('_', '-')} disallow"
            for subject in SUBJECTS
            if getattr(asked, subject) in (Level.DISALLOW, Level.DISALLOW_EXPLICIT) and subject != "mismatch"
        ),
        *(["--trace"] if arguments.trace else []),
        *(["--warmup"] if arguments.warmup != Warmup() else []),
        *(["--hidden-waits"] if arguments.hidden_waits else []),
    ]
    if arguments.every is None:
        # On simulated devices it would gain little: only the observer can rest, and not what simulates.
        return 1 if needs_all or arguments.simulate else EVERY_AUTO
    if needs_all and arguments.every > 1:
        raise ConfigurationError(f"--every: {needs_all[0]} needs every step to be watched")
    every: int = arguments.every
    return every


def _every(text: str) -> int:
    """`auto`, `1`, `50`."""
    if text == "auto":
        return EVERY_AUTO
    if not text.isdecimal() or not 0 < len(text.lstrip("0")) <= _MOST_DIGITS:
        raise ArgumentTypeError(f"`{text}` is neither auto nor a number of steps")
    return int(text)


def _count(text: str) -> int:
    try:
        return read_device_count(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def _warmup(text: str) -> Warmup:
    """`10`, `5s`, `3steps`."""
    match = _WARMUP.match(text)
    if match is None or (match["unit"] != "s" and "." in text):
        raise ArgumentTypeError(f"`{text}` is none of 10 (times), 5s (seconds), 3steps (optimizer steps)")
    if match["unit"] == "s":
        return Warmup(seconds=float(match["number"]))
    if match["unit"]:
        return Warmup(steps=int(match["number"]))
    return Warmup(occurrences=int(match["number"]))
