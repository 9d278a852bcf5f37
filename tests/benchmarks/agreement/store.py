"""A directory with everything that the runs need: an environment, the programs' files, generated data."""

from __future__ import annotations

import shutil
import subprocess
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.agreement.recipes import RECIPES
from tests.benchmarks.programs.catalogue import Catalogue, Program

LARGEST = 1 << 20
"""Files with more bytes are pictures, data and weights; they are left out."""
GITHUB = "https://github.com"


@dataclass(frozen=True, slots=True)
class Store:
    """The directory."""

    directory: Path
    catalogue: Catalogue
    mirror: Path | None = None
    """A folder with git directories at `owner+name/repo`, in place of GitHub."""

    @property
    def python(self) -> Path:
        """The interpreter that has the packages."""
        return self.directory / "environment" / "bin" / "python"

    def checkout(self, program: Program) -> Path:
        """The directory of a program's repository while it is run."""
        return self.directory / "checkouts" / program.source.replace("/", "+")

    def home(self, program: Program) -> Path:
        """The working directory of a program."""
        return self.checkout(program) / program.directory

    def truth(self, program: Program) -> Path:
        """The file with the results of a program's run."""
        return self.directory / "truth" / f"{program.name}.json"

    def install(self) -> None:
        """Make the environment, unless it has what the catalogue asks for.

        Raises:
            subprocess.CalledProcessError: pip could not install a package; it has printed the reason.
        """
        record = self.directory / "environment" / "requirements.txt"
        installed = set(record.read_text("utf-8").split()) if record.exists() else set[str]()
        if installed.issuperset(self.catalogue.requirements):
            return
        if not self.python.exists():
            venv.create(self.directory / "environment", with_pip=True)
        pip = (str(self.python), "-m", "pip", "install", "--quiet")
        for options in ([], ["--no-deps"]):  # torchvision pins another build of torch
            wanted = [
                name
                for name in self.catalogue.requirements
                if name.startswith("torchvision") == bool(options)
            ]
            subprocess.run([*pip, *options, *wanted], check=True)
        record.write_text("\n".join(sorted(installed.union(self.catalogue.requirements))), "utf-8")

    def prepare(self, program: Program) -> None:
        """Leave a program's directory as it was fetched, with its data, without what earlier runs wrote.

        Raises:
            subprocess.CalledProcessError: git could not fetch it; the error's `stderr` says why.
        """
        checkout = self.checkout(program)
        shutil.rmtree(checkout, ignore_errors=True)
        shutil.copytree(self.pristine(program.source), checkout)
        for place, recipe in program.data.items():
            self._link(self.home(program) / place, recipe)

    def pristine(self, repository: str) -> Path:
        """The files of a repository as its author left them, fetched if need be.

        Raises:
            subprocess.CalledProcessError: git could not fetch it; the error's `stderr` says why.
        """
        tree = self.directory / "pristine" / repository.replace("/", "+")
        if not tree.exists():
            unfinished = tree.with_name(f"{tree.name}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            for path, content in _files(self._git(repository), self.catalogue.repositories[repository]):
                (unfinished / path).parent.mkdir(parents=True, exist_ok=True)
                (unfinished / path).write_bytes(content)
            unfinished.rename(tree)
        return tree

    def _git(self, repository: str) -> Path:
        """A git directory with the commit of a repository."""
        name = repository.replace("/", "+")
        if self.mirror is not None:
            found = self.mirror / name / "repo"
            return found / ".git" if (found / ".git").exists() else found
        fetched = self.directory / "git" / name
        if not fetched.exists():
            commit = self.catalogue.repositories[repository]
            subprocess.run(["git", "init", "--quiet", "--bare", str(fetched)], check=True)
            fetch = [
                "git",
                "-C",
                str(fetched),
                "fetch",
                "--quiet",
                "--depth",
                "1",
                f"{GITHUB}/{repository}",
                commit,
            ]
            subprocess.run(fetch, check=True, capture_output=True, text=True)
        return fetched

    def _link(self, place: Path, recipe: str) -> None:
        """Put the data of a recipe, or one file of it, where a program looks for it."""
        name, _, part = recipe.partition("/")
        made = self.directory / "data" / name
        if not made.exists():
            made.parent.mkdir(parents=True, exist_ok=True)
            RECIPES[name](made)
        if place.exists():
            shutil.rmtree(place) if place.is_dir() else place.unlink()
        place.parent.mkdir(parents=True, exist_ok=True)
        source = made / part
        shutil.copytree(source, place) if source.is_dir() else shutil.copy(source, place)


def _files(git: Path, commit: str) -> Iterator[tuple[str, bytes]]:
    """The files of a commit that are not too large; a copy of a repository may lack some others."""
    command = ["git", f"--git-dir={git}"]
    listed = subprocess.run([*command, "ls-tree", "-r", "-z", commit], check=True, capture_output=True).stdout
    rows = [row.partition("\t") for row in listed.decode("utf-8", "replace").split("\0") if row]
    wanted = [(head.split()[2], path) for head, _, path in rows if head.startswith("100")]
    asked = "".join(f"{name}\n" for name, _ in wanted).encode()
    sizes = subprocess.run(
        [*command, "cat-file", "--batch-check"], input=asked, check=True, capture_output=True
    ).stdout
    for (name, path), line in zip(wanted, sizes.decode().splitlines(), strict=True):
        answer = line.split()
        if answer[1] == "blob" and int(answer[2]) <= LARGEST:
            yield (
                path,
                subprocess.run([*command, "cat-file", "blob", name], check=True, capture_output=True).stdout,
            )
