"""Unpacks released packages for the measurements: `python -m tests.benchmarks.fetch_corpus DIRECTORY`.

pip downloads the wheels from its configured index. Nothing is installed or executed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from zipfile import ZipFile

SAMPLES = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
)
"""The rules were measured and shaped on the first sample, and tried on each further one when they were done
with those before it; those from `ninth` on are drawn at random. Each is a file of requirements in `samples/`.
"""


def pins(sample: str) -> list[str]:
    """The packages of a sample, with their versions."""
    page = Path(__file__).with_name("samples") / f"{sample}.txt"
    return page.read_text(encoding="utf-8").split()


def fetch(pin: str, directory: Path) -> None:
    """Unpack the Python files of one package into a directory of its name, if that is not there yet.

    Raises:
        subprocess.CalledProcessError: pip could not download it; pip has said why.
    """
    home = directory / pin.partition("==")[0]
    if home.exists():
        return
    with tempfile.TemporaryDirectory() as wheels:
        download = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:")
        subprocess.run([*download, "--dest", wheels, pin], check=True)
        for wheel in Path(wheels).glob("*.whl"):
            unpack(wheel, home)


def unpack(wheel: Path, home: Path) -> None:
    """Unpack the Python files of one wheel."""
    with ZipFile(wheel) as archive:
        archive.extractall(home, [name for name in archive.namelist() if name.endswith(".py")])


def main(arguments: list[str] | None = None) -> int:
    """Fetch all that is missing. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.fetch_corpus", description=__doc__)
    parser.add_argument("directory", type=Path, metavar="DIRECTORY")
    for sample in SAMPLES[1:]:
        parser.add_argument(
            f"--{sample}",
            dest="sample",
            action="store_const",
            const=sample,
            help=f"the packages of the {sample} sample instead",
        )
    options = parser.parse_args(arguments)
    directory: Path = options.directory
    try:
        for pin in pins(options.sample or SAMPLES[0]):
            fetch(pin, directory)
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"{error.cmd[-1]}: pip could not download it; run this again to fetch the rest\n")
        return 2
    sys.stdout.write(f"{sum(1 for _ in directory.rglob('*.py'))} files in {directory}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
