"""The options of `devlint run`, which come before the program."""

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
"""The most digits of a number of steps. Python refuses to read numbers of thousands of digits."""
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
        help="run a module, as `python -m` does; further arguments are passed to it",
    )
    _add_devices(parser)
    _add_levels(parser)
    add_rules(parser)
    add_report(parser)
    parser.add_argument(
        "--fail-on",
        action=Listed,
        metavar="CODES",
        help="exit with 1 if the program itself succeeds and these rules have findings",
    )
    parser.add_argument(
        "--trace", metavar="FILE", help="write each event to FILE when it happens, one JSON object per line"
    )
    parser.add_argument(
        "--every",
        type=_every,
        metavar="N",
        help="observe one step in N when no new event occurs, or all steps (1); the default, auto, is all "
        f"or one in {EVERY_AUTO}, see docs/run.md",
    )
    parser.add_argument(
        "--trace-lines",
        action="store_true",
        help="with --trace, also record the executed lines; Python 3.12 and later always record them",
    )
    add_configuration(parser)


def add_report(parser: ArgumentParser) -> None:
    """Declare the options of a run's report."""
    group = parser.add_argument_group("output")
    group.add_argument("--output-format", choices=list(FORMATS), help="output format (default: full)")
    group.add_argument("-o", "--output-file", metavar="FILE", help="write the report to this file")
    group.add_argument(
        "--report",
        action="append",
        metavar="FILE",
        help="also show the run as a page for a browser (.html) or a trace for Perfetto (.json)",
    )
    group.add_argument(
        "--third-party",
        action="store_true",
        help="also show each finding in installed packages",
    )
    group.add_argument("-q", "--quiet", action="store_true", help="show findings only")


def _add_devices(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("devices")
    group.add_argument("--simulate", choices=SIMULATED_TYPES, help="simulate devices of this type on the CPU")
    group.add_argument("--devices", type=_count, metavar="N", help="number of simulated devices (default: 1)")
    group.add_argument(
        "--launch-blocking",
        action="store_true",
        help="set CUDA_LAUNCH_BLOCKING=1, so that an error of a kernel is raised where it is launched",
    )
    group.add_argument(
        "--hidden-waits",
        choices=HIDDEN_WAITS_SOURCES,
        help="on CUDA, also observe waits in C++, as reported by torch; docs/cuda.md lists side effects",
    )
    group.add_argument(
        "--no-compile",
        action="store_true",
        help="disable torch.compile, so that the code that it would compile is observed",
    )


def _add_levels(parser: ArgumentParser) -> None:
    group = parser.add_argument_group(
        "levels",
        "allow: not reported; log: reported; disallow: raises an error at the line. For copies, log and "
        "disallow apply to those that the program does not request; log_explicit and disallow_explicit "
        "apply to all.",
    )
    for name, known, what in _SUBJECTS:
        words = [level.value for level in known]
        group.add_argument(name, choices=words, metavar="LEVEL", help=f"{what}: {', '.join(words)}")
    group.add_argument(
        "--warmup",
        type=_warmup,
        default=Warmup(),
        metavar="N",
        help="ignore the first N events at each line, the first seconds (5s) or optimizer steps (3steps)",
    )


def program_of(arguments: Namespace) -> tuple[bool, list[str]]:
    """Whether the program is a module; its name and arguments.

    Raises: ConfigurationError: if no program is named, or two are.
    """
    command: list[str] = arguments.program
    if command[:1] == ["--"]:
        command = command[1:]
    if arguments.module is None:
        if not command:
            raise ConfigurationError(
                "no program was passed: `devlint run script.py` or `devlint run -m module`"
            )
        return False, command
    if command:
        raise ConfigurationError(f"two programs were passed: `{command[0]}` and `-m`; pass one")
    if not arguments.module:
        raise ConfigurationError("-m needs the name of a module")
    return True, arguments.module


def settings_of(arguments: Namespace, own: tuple[str, ...] = ()) -> RunSettings:
    """The settings of the session. `own` lists installed packages that count as the program's own code.

    Raises:
        ConfigurationError: if options contradict each other.
    """
    if arguments.devices is not None and not arguments.simulate:
        raise ConfigurationError("--devices needs --simulate")
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
    """N, where one step in N is watched.

    Raises: ConfigurationError: if `--every` is combined with an option that needs all steps.
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
        # It gains little on simulated devices: only the observer can pause, the simulation cannot.
        return 1 if needs_all or arguments.simulate else EVERY_AUTO
    if needs_all and arguments.every > 1:
        raise ConfigurationError(f"--every: {needs_all[0]} needs all steps to be observed")
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
