"""What a run finds in installed packages is attributed to the lines of the program that lead there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli import programs
from tests.cli.programs import ENVIRONMENT, Done

PACKAGE = """\
import torch

def score(x):
    return x.sum().item()

def scale(x):
    return x * torch.ones(3)

def nap(x):
    x.sum().item()
"""
PROGRAM = """\
import acme
import torch

x = torch.ones(3, device="cuda")
for _ in range(20):
    acme.score(x)
for _ in range(20):
    acme.score(x + 1)
acme.nap(x)
"""
WAITS = "1 finding in acme, called from train.py:6:5 and 1 more place: `--third-party` shows it"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with a program, and a package that is installed for the user whose home is there."""
    (tmp_path / "train.py").write_text(PROGRAM)
    packages = Path(
        subprocess.run(
            [sys.executable, "-c", "import site; print(site.getusersitepackages())"],
            env=_environment(tmp_path),
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    )
    (packages / "acme").mkdir(parents=True)
    (packages / "acme" / "__init__.py").write_text(PACKAGE)
    return tmp_path


def _environment(here: Path) -> dict[str, str]:
    return {**ENVIRONMENT, "PYTHONUSERBASE": str(here / "base")}


def devlint(here: Path, *words: str) -> Done:
    environment = _environment(here)
    packages = next(here.glob("base/**/acme")).parent
    environment["PYTHONPATH"] = os.pathsep.join((environment["PYTHONPATH"], str(packages)))
    return programs.devlint(here, *words, environment=environment)


def test_what_is_found_in_a_package_is_one_line(here: Path) -> None:
    done = devlint(here, "run", "--simulate", "cuda", "--trace", "t", "--fail-on", "DL2", "train.py")
    assert done.code == 0
    lines = done.err.splitlines()
    assert lines[:2] == ["Nothing was found in the program's own code.", WAITS]
    assert "  train.py:9:1 `torch.Tensor.item` in acme, once" in lines
    again = devlint(here, "report", "t")
    assert (again.code, again.out) == (0, done.err)


def test_the_trace_of_another_machine(here: Path) -> None:
    devlint(here, "run", "--simulate", "cuda", "--trace", "t", "train.py")
    trace = here / "t"
    trace.write_text(trace.read_text().replace(str(here / "base"), "/elsewhere"))
    assert WAITS in devlint(here, "report", "t").out


def test_all_of_it_is_shown_where_it_is_asked_for(here: Path) -> None:
    done = devlint(here, "run", "--simulate", "cuda", "--third-party", "--output-format", "json", "train.py")
    (finding,) = json.loads(done.err)
    assert finding["filename"].endswith("acme/__init__.py".replace("/", os.sep))
    assert (finding["location"]["row"], finding["observed"]["count"]) == (4, 40)
    called = [each for each in finding["related"] if each["message"] == "called from here"]
    assert [(Path(each["filename"]).name, each["location"]["row"]) for each in called] == [
        ("train.py", 6),
        ("train.py", 8),
    ]


@pytest.mark.parametrize("own", [True, False])
def test_an_error_points_to_the_line_that_led_there(here: Path, own: bool) -> None:
    if own:
        (here / "devlint.toml").write_text('own = ["acme"]\n')
    (here / "train.py").write_text("import acme, torch\nacme.scale(torch.ones(3, device='cuda'))\n")
    done = devlint(here, "run", "--simulate", "cuda", "--output-format", "json", "-o", "found", "train.py")
    assert done.code == 1
    (finding,) = json.loads((here / "found").read_text())
    place = (Path(finding["filename"]).name, finding["location"]["row"])
    inside = [each["location"]["row"] for each in finding["related"] if "in acme" in each["message"]]
    assert (place, inside) == ((("__init__.py", 7), []) if own else (("train.py", 2), [7]))


def test_a_package_that_is_ones_own(here: Path) -> None:
    (here / "devlint.toml").write_text('own = ["acme"]\n')
    done = devlint(here, "run", "--simulate", "cuda", "--output-format", "concise", "train.py")
    assert done.err.splitlines()[0].startswith(str(Path("base", "")))
    assert "DL201" in done.err.splitlines()[0]
    (here / "devlint.toml").write_text('own = ["acme"]\nper-file-ignores = { "**/acme/**" = ["DL201"] }\n')
    done = devlint(here, "run", "--simulate", "cuda", "train.py")
    assert done.err.startswith("Nothing was found.\n")


def test_a_name_that_no_package_can_have_is_refused(here: Path) -> None:
    (here / "devlint.toml").write_text('own = ["src/acme"]\n')
    done = devlint(here, "run", "train.py")
    assert done.code == 2
    assert "`own`: `src/acme` is not the import name of a package" in done.err
