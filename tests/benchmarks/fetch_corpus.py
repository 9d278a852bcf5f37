"""Unpacks real PyTorch code to measure with: `python -m tests.benchmarks.fetch_corpus DIRECTORY`.

pip downloads the wheels from the index that it is set up for. Nothing is installed, and nothing of it is run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from zipfile import ZipFile

PINS = (
    "transformers==5.23.0",
    "torchvision==0.29.2",
    "lightning==2.6.6",
    "accelerate==1.15.0",
    "peft==0.21.2",
    "trl==1.16.0",
    "ultralytics==8.4.190",
    "sentence-transformers==6.2.0",
    "torchmetrics==1.9.0",
    "botorch==0.18.1",
    "gpytorch==1.15.2",
    "pyro-ppl==1.9.2",
    "stable-baselines3==2.9.2",
    "einops==0.8.2",
)
"""The packages that the rules were measured and shaped on."""
SECOND_SAMPLE = (
    "diffusers==0.42.1",
    "timm==1.0.31",
    "kornia==0.9.0",
    "torch_geometric==2.8.1",
    "speechbrain==1.1.2",
    "monai==1.6.1",
    "captum==0.9.0",
    "pytorch-forecasting==1.8.0",
)
"""The packages on which they were tried when they were done."""


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
    parser.add_argument("--second", action="store_true", help="the packages of the second sample instead")
    options = parser.parse_args(arguments)
    directory: Path = options.directory
    try:
        for pin in SECOND_SAMPLE if options.second else PINS:
            fetch(pin, directory)
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"{error.cmd[-1]}: pip could not download it; run this again to fetch the rest\n")
        return 2
    sys.stdout.write(f"{sum(1 for _ in directory.rglob('*.py'))} files in {directory}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
