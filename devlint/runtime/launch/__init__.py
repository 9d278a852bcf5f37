"""Running a program in this process as the interpreter would run it in its own process.

Nothing here imports torch, so that the program can still change the environment before it does.
"""

from devlint.runtime.launch.ending import Ending, run_to_the_end
from devlint.runtime.launch.notebook import NotebookProgram
from devlint.runtime.launch.program import LaunchedProgram, Module, ProgramError, find_program

__all__ = [
    "Ending",
    "LaunchedProgram",
    "Module",
    "NotebookProgram",
    "ProgramError",
    "find_program",
    "run_to_the_end",
]
