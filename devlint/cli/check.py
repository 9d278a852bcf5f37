"""Find device mismatches, needless copies and synchronizations in source code, without running it."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from devlint.cli.check_options import add_arguments, options
from devlint.cli.exit import ExitCode
from devlint.cli.output import OutputError, output, require_place, say
from devlint.cli.progress import watched
from devlint.cli.scope import refuse_contradictions, scope_of, write_baseline
from devlint.cli.verdict import fails, show_errors
from devlint.pipeline.execution.run import STDIN, Result, Run, check_stdin
from devlint.pipeline.selection.scope import ReportScope
from devlint.pipeline.session.task import FileChange, Task
from devlint.project.cache import Cache, default_directory
from devlint.project.configuration import ConfigurationError, Configurations
from devlint.project.own_findings import UNREADABLE
from devlint.project.settings import Settings
from devlint.report import FOR_PROGRAMS, FORMATS, renderer
from devlint.report.amounts import count
from devlint.report.summary import fixes

__all__ = ["add_arguments", "run"]

_COLOURS = {"auto": None, "always": True, "never": False}


def run(arguments: Namespace) -> int:
    """Check once, or after each change."""
    if not arguments.watch:
        return _run(arguments)
    from devlint.cli.watch import watch  # noqa: PLC0415

    return watch(arguments, _run)


def _run(arguments: Namespace) -> int:
    """Check, report, and return the exit code."""
    try:
        _refuse_contradictions(arguments)
        file = Path(arguments.config) if arguments.config else None
        configurations = Configurations(options(arguments), Path.cwd(), FORMATS, file, arguments.isolated)
        if arguments.show_settings:
            from devlint.cli.show_settings import show  # noqa: PLC0415

            return show(arguments.paths, configurations, arguments.output_file)
        if arguments.show_files:
            from devlint.cli.show_files import show_files  # noqa: PLC0415

            return show_files(arguments.paths, configurations, arguments.output_file)
        settings = configurations.at(configurations.working_directory)
        if arguments.shard:
            from devlint.cli.shard import write  # noqa: PLC0415

            return write(arguments, configurations, settings, _cache(arguments, configurations))
        task = _task(arguments, settings)
        scope = scope_of(arguments, settings)
        result = _check(arguments, configurations, task, scope)
        if scope.renews:
            said = write_baseline(scope, complete=result.report.complete)
            if not (arguments.quiet and result.report.complete):
                say(said)
        _show(result, arguments, settings.output_format, task)
    except (ConfigurationError, OutputError) as error:
        say(f"error: {error}")
        return ExitCode.BAD_USE
    show_errors(result, verbose=arguments.verbose, quiet=arguments.quiet)
    return _exit_code(result, arguments)


def _refuse_contradictions(arguments: Namespace) -> None:
    if STDIN in arguments.paths and len(arguments.paths) > 1:
        raise ConfigurationError(f"`{STDIN}` (standard input) and other paths cannot be combined")
    if arguments.stdin_filename and arguments.paths != [STDIN]:
        raise ConfigurationError(f"--stdin-filename needs standard input: pass the path `{STDIN}`")
    if arguments.add_ignore and arguments.fix:
        raise ConfigurationError("--add-ignore and --fix cannot be combined")
    if arguments.config and arguments.isolated:
        raise ConfigurationError("--config and --isolated cannot be combined")
    refuse_contradictions(arguments)
    if arguments.shard:
        from devlint.cli.shard import refuse_others  # noqa: PLC0415

        refuse_others(arguments)
    if arguments.watch:
        from devlint.cli.watch import refuse_others as refuse_once  # noqa: PLC0415

        refuse_once(arguments)
    require_place(arguments.output_file)


def _task(arguments: Namespace, settings: Settings) -> Task:
    if arguments.add_ignore:
        change = FileChange.IGNORE
    elif arguments.diff or settings.fix:
        change = FileChange.FIX
    else:
        change = FileChange.NOTHING
    return Task(
        change,
        unsafe=settings.unsafe_fixes,
        write=not arguments.diff,
        silenced=arguments.show_silenced,
    )


def _check(arguments: Namespace, configurations: Configurations, task: Task, scope: ReportScope) -> Result:
    if arguments.paths == [STDIN]:
        name = arguments.stdin_filename or STDIN
        return check_stdin(_standard_input(), name, configurations, task, scope)
    cache = _cache(arguments, configurations)
    work = Run(arguments.paths, configurations, task, cache, arguments.jobs, scope, arguments.scheduler)
    if not work.total and not arguments.quiet:
        say("warning: no Python files were found under the given paths")
    outcomes = work.outcomes()
    return work.result(outcomes if arguments.quiet else watched(outcomes, work.total))


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise ConfigurationError("standard input is closed")
    return sys.stdin.buffer.read()


def _cache(arguments: Namespace, configurations: Configurations) -> Cache | None:
    if arguments.no_cache:
        return None
    directory = arguments.cache_dir
    return Cache(Path(directory) if directory else default_directory(configurations.working_directory))


def _show(result: Result, arguments: Namespace, format_: str, task: Task) -> None:
    report = result.report._replace(closing=not arguments.quiet, colour=_COLOURS[arguments.color])
    if arguments.diff:
        with output(arguments.output_file, sys.stdout) as out:
            out.writelines(_readable(result.patches, out) if out is sys.stdout else result.patches)
        unreadable = [finding for finding in report.findings if finding.code == UNREADABLE]
        renderer("concise")(report._replace(findings=unreadable, closing=False), sys.stderr)
        if not arguments.quiet and any(result.patches):
            changed = sum(counts.total() for counts in result.changed.values())
            verb = "ignore" if task.change is FileChange.IGNORE else "fix"
            say(f"Would {verb} {count(changed, 'finding')}.")
        return
    piped = arguments.paths == [STDIN] and task.change is not FileChange.NOTHING
    if piped:
        # Standard output gets the changed text, for editors.
        sys.stdout.flush()
        sys.stdout.buffer.write(result.output)
    with output(arguments.output_file, sys.stderr if piped else sys.stdout) as out:
        status = sys.stderr if format_ in FOR_PROGRAMS else out
        if arguments.show_fixes and report.fixed:
            status.writelines(f"{line}\n" for line in (*fixes(report), ""))
        if arguments.statistics:
            from devlint.report import counts  # noqa: PLC0415

            counts.render(report, out, as_json=format_ == "json")
        else:
            renderer(format_)(report, out)
        if arguments.show_silenced:
            from devlint.report import silenced  # noqa: PLC0415

            silenced.render(result.withheld, status)
    if task.change is FileChange.IGNORE and not arguments.quiet:
        added = sum(counts.total() for counts in result.changed.values())
        say(f"Ignored {count(added, 'finding')}.")


def _readable(patches: Iterable[str], out: TextIO) -> Iterator[str]:
    from devlint.report.patch import for_stream  # noqa: PLC0415  # few runs show a patch

    return (for_stream(each, terminal=out.isatty()) for each in patches)


def _exit_code(result: Result, arguments: Namespace) -> ExitCode:
    if not result.report.complete:
        return ExitCode.BAD_USE
    if arguments.diff:
        unreadable = any(finding.code == UNREADABLE for finding in result.report.findings)
        found = unreadable or any(result.patches)
    else:
        found = any(fails(finding, arguments.fail_on) for finding in result.report.findings)
    return ExitCode.FINDINGS if found and not arguments.exit_zero else ExitCode.CLEAN
