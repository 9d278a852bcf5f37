"""Prints the results as a table: lines for a terminal, and Markdown for the page about simulation."""

from __future__ import annotations

from tests.benchmarks.programs.catalogue import Catalogue, Program
from tests.benchmarks.programs.trial import Trial

HEADING = f"{'program':<34} {'on CPU':>8} {'ratio':>6} {'findings':>9}  outcome"
COLUMNS = ("program", "from", "what it exercises", "on the CPU", "ratio", "findings", "outcome")
MARKDOWN_HEADING = f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|"


def line(trial: Trial) -> str:
    """One program on a terminal."""
    seconds = f"{trial.cpu.seconds:.1f} s"
    return f"{trial.program.name:<34} {seconds:>8} {trial.ratio:>6.2f} {trial.findings:>9}  {trial.outcome}"


def markdown_line(trial: Trial, catalogue: Catalogue) -> str:
    """One program on the page."""
    program = trial.program
    cells = (
        f"`{program.name}`",
        origin(program, catalogue),
        program.exercises,
        path(program),
        f"{trial.ratio:.2f}",
        str(trial.findings),
        trial.outcome.replace("|", "\\|"),
    )
    return f"| {' | '.join(cells)} |"


def origin(program: Program, catalogue: Catalogue) -> str:
    """The source of a program, with a link to its script."""
    script = next(word for word in program.command if word.endswith(".py"))
    if program.is_driver:
        driver = f"[driver](../tests/benchmarks/programs/drivers/{script})"
        return f"{program.source} {catalogue.packages[program.source]}, {driver}"
    place = script if program.directory == "." else f"{program.directory}/{script}"
    commit = catalogue.repositories[program.source]
    return f"[{program.source}](https://github.com/{program.source}/blob/{commit}/{place})"


def path(program: Program) -> str:
    """Special options of the run on the CPU, and the limit of the run."""
    taken = "CUDA's path" if program.cpu_takes_cuda_path else "its own path"
    return f"{taken}, {program.steps} steps" if program.steps else taken
