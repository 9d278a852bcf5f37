"""Fetches the packages, repositories and data that programs need, if they are missing.

pip fetches packages from its configured index; git fetches repositories from GitHub, at pinned
commits. Nothing is changed in them.
"""

from __future__ import annotations

import shutil
import subprocess
import venv
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.programs.catalogue import Catalogue, Program
from tests.benchmarks.programs.data import RECIPES

ROOT = Path(__file__).parents[3]
DRIVERS = Path(__file__).with_name("drivers")


@dataclass(frozen=True, slots=True)
class Store:
    """A directory with all that was fetched."""

    directory: Path
    catalogue: Catalogue

    @property
    def python(self) -> Path:
        """The interpreter that has the packages, and devlint as it is in this checkout."""
        return self.directory / "environment" / "bin" / "python"

    def checkout(self, repository: str) -> Path:
        """Where a repository is unpacked."""
        return self.directory / "repositories" / repository

    def home(self, program: Program) -> Path:
        """The directory that a program is run in."""
        if program.is_driver:
            return self.directory / "scratch" / program.name
        return self.checkout(program.source) / program.directory

    def install(self) -> None:
        """Make the environment, unless it has these very packages.

        Raises:
            subprocess.CalledProcessError: pip could not install one; pip has said why.
        """
        requirements = "\n".join([*self.catalogue.requirements, ""])
        record = self.directory / "environment" / "requirements.txt"
        if record.exists() and record.read_text("utf-8") == requirements:
            return
        if not self.python.exists():
            venv.create(self.directory / "environment", with_pip=True)
        pip = (str(self.python), "-m", "pip", "install", "--quiet")
        subprocess.run([*pip, "--editable", str(ROOT), *self.catalogue.requirements], check=True)
        record.write_text(requirements, "utf-8")

    def fetch(self, repository: str) -> None:
        """Fetch one commit of a repository, if it is not there yet.

        Raises:
            subprocess.CalledProcessError: git could not; the error's `stderr` says why.
        """
        checkout = self.checkout(repository)
        commit = self.catalogue.repositories[repository]
        if checkout.exists() and _git(checkout, "rev-parse", "HEAD").strip() == commit:
            return
        shutil.rmtree(checkout, ignore_errors=True)
        checkout.mkdir(parents=True)
        _git(checkout, "init", "--quiet")
        _git(checkout, "fetch", "--quiet", "--depth", "1", f"https://github.com/{repository}", commit)
        _git(checkout, "checkout", "--quiet", "FETCH_HEAD")

    def prepare(self, program: Program) -> None:
        """Leave a program's directory as it was fetched, with its data, without what earlier runs wrote."""
        home = self.home(program)
        if program.is_driver:
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir(parents=True)
        else:
            self.fetch(program.source)
            _git(self.checkout(program.source), "clean", "--quiet", "-ffdx")
            _git(self.checkout(program.source), "checkout", "--quiet", "--force", "HEAD")
        for place, recipe in program.data.items():
            self._link(home / place, recipe)

    def _link(self, place: Path, recipe: str) -> None:
        """Put the data of a recipe, or one file of it, where a program looks for it."""
        name, _, part = recipe.partition("/")
        made = self.directory / "data" / name
        if not made.exists():
            made.parent.mkdir(exist_ok=True)
            RECIPES[name](made)
        if place.exists():
            shutil.rmtree(place) if place.is_dir() else place.unlink()
        place.parent.mkdir(parents=True, exist_ok=True)
        source = made / part
        shutil.copytree(source, place) if source.is_dir() else shutil.copy(source, place)


def _git(checkout: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=checkout, check=True, text=True, capture_output=True
    ).stdout
