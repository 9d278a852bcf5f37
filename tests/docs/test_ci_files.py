"""What CI services read: their own schemas hold, the action and the container's recipe do what they say."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from dockerfile_parse import DockerfileParser

from tests.docs.conftest import ROOT, Run
from tests.docs.test_pages import blocks, require_understood, shell_commands

ACTION = ROOT / "action.yml"
EXAMPLE = ROOT / "docs" / "examples" / "first_mismatch_bad.py"


def documents() -> Iterator[tuple[str, str, str]]:
    """The files of services that the pages show: where, whose schema holds, and the text."""
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for number, block in enumerate(blocks(page, "yaml"), start=1):
            yield f"{page.name}-{number}", _schema(yaml.safe_load(block.text)), block.text


def _schema(document: Any) -> str:
    if "jobs" in document:
        return "github-workflows"
    if "steps" in document:
        return "azure-pipelines"
    return "pre-commit" if "repos" in document else "gitlab-ci"


def complaints(schema: str, file: Path) -> str:
    """What the service's schema has against a file; empty where it holds."""
    command = (
        ("pre_commit", "validate-config", str(file))
        if schema == "pre-commit"
        else ("check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(file))
    )
    done = subprocess.run((sys.executable, "-m", *command), capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.parametrize(
    ("schema", "text"), [pytest.param(schema, text, id=where) for where, schema, text in documents()]
)
def test_services_take_what_the_pages_show(schema: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "file.yaml"
    file.write_text(text)
    assert complaints(schema, file) == ""


def test_pages_have_files_of_all_services() -> None:
    assert {schema for _, schema, _ in documents()} == {
        "github-workflows",
        "gitlab-ci",
        "azure-pipelines",
        "pre-commit",
    }


def test_the_action_is_one() -> None:
    assert complaints("github-actions", ACTION) == ""


def test_the_hooks_are_hooks() -> None:
    command = (sys.executable, "-m", "pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml"))
    assert subprocess.run(command, check=False).returncode == 0


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("github-workflows", "jobs: {check: {steps: [{run: ls}]}}"),
        ("github-actions", "name: devlint\ndescription: d\nruns: {using: composite}"),
        ("gitlab-ci", "devlint: {script: [ls], artifacts: {reports: {codequality: {}}}}"),
        ("azure-pipelines", "steps: [{script: 1, task: 2}]"),
        ("pre-commit", "repos: [{repo: x}]"),
    ],
)
def test_services_refuse_what_is_wrong(schema: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "file.yaml"
    file.write_text(text)
    assert complaints(schema, file)


def test_the_page_lists_the_inputs_of_the_action() -> None:
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    table = text[text.index("| input | default") :].partition("\n\n")[0]
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| (?:`(.+?)`)? *\|", table, re.MULTILINE))
    inputs = yaml.safe_load(ACTION.read_text("utf-8"))["inputs"]
    assert rows == {name: each["default"] for name, each in inputs.items()}


class Runner:
    """Runs the steps of the action that are scripts, as GitHub's runner does; the others are given."""

    def __init__(self, run: Run, here: Path, action: Path, inputs_set: dict[str, str]) -> None:
        self._run, self._here = run, here
        self._action = yaml.safe_load((action / "action.yml").read_text("utf-8"))
        inputs = {name: each["default"] for name, each in self._action["inputs"].items()}
        assert set(inputs_set) <= set(inputs)
        self._values = {f"inputs.{name}": value for name, value in {**inputs, **inputs_set}.items()}
        self._values["github.action_path"] = str(action)
        self._values["steps.python.outputs.python-path"] = sys.executable

    def again(self, inputs_set: dict[str, str]) -> subprocess.CompletedProcess[str]:
        """Run the last step with other inputs. Returns how it ended."""
        self._values.update({f"inputs.{name}": value for name, value in inputs_set.items()})
        return self._script(self._action["runs"]["steps"][-1])

    def steps(self) -> subprocess.CompletedProcess[str]:
        """Run them up to the first that fails. Returns how the last one ended."""
        for step in self._action["runs"]["steps"]:
            if "run" not in step:
                assert step["uses"].startswith("actions/setup-python@")
                continue
            done = self._script(step)
            if done.returncode:
                return done
        return done

    def _script(self, step: dict[str, Any]) -> subprocess.CompletedProcess[str]:
        outputs = self._here / "outputs.txt"
        outputs.write_text("")
        assert "${{" not in step["run"]
        variables = {name: self._filled(text) for name, text in step.get("env", {}).items()}
        done = self._run(
            "env",
            *(f"{name}={value}" for name, value in {**variables, "GITHUB_OUTPUT": str(outputs)}.items()),
            *("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]),
            cwd=self._here / self._filled(step.get("working-directory", ".")),
        )
        for line in outputs.read_text().splitlines():
            name, _, value = line.partition("=")
            self._values[f"steps.{step['id']}.outputs.{name}"] = value
        return done

    def _filled(self, text: str) -> str:
        return re.sub(r"\$\{\{ (.+?) \}\}", lambda match: self._values[match[1]], text)


def test_the_action_annotates(tmp_path: Path, run: Run, published: tuple[Path, str]) -> None:
    user = tmp_path / "user"
    (user / "src").mkdir(parents=True)
    (user / "src" / "train.py").write_bytes(EXAMPLE.read_bytes())
    (user / "src" / "clean.py").write_text("x = 1\n")
    action, _ = published

    runner = Runner(run, user, action, {"working-directory": "src"})
    found = runner.steps()
    assert found.returncode == 1, found.stderr
    assert re.search(r"^::error title=.*line=11,", found.stdout, re.MULTILINE), found.stdout

    (user / "src" / "$(touch planted)").mkdir()
    inputs_set = {
        "args": "--ignore DL1 src/*.py $(touch planted)",
        "output-format": "concise",
        "working-directory": ".",
    }
    done = runner.again(inputs_set)
    assert done.returncode == 2
    assert "src/*.py: no such file or directory" in done.stderr  # it stays what it was
    assert not (user / "planted").exists()


def test_the_recipe_of_the_container(tmp_path: Path, run: Run, published: tuple[Path, str]) -> None:
    """Its commands are run one by one: nothing here can build an image."""
    (block,) = blocks(ROOT / "docs" / "ci.md", "dockerfile")
    parser = DockerfileParser(fileobj=io.BytesIO(block.text.encode()))
    steps = [(each["instruction"], each["value"]) for each in parser.structure]
    assert [name for name, _ in steps] == ["FROM", "RUN", "RUN", "ENV", "WORKDIR", "ENTRYPOINT", "CMD"]
    assert parser.baseimage.startswith("python:3.")

    user = tmp_path / "user"
    user.mkdir()
    (user / "train.py").write_bytes(EXAMPLE.read_bytes())
    environment = tmp_path / "image"
    assert run(sys.executable, "-m", "venv", str(environment)).returncode == 0
    install = dict(steps)["RUN"].replace("git+REPOSITORY", f"git+file://{published[0]}").split()
    assert install[0] == "python"
    installed = run(str(environment / "bin" / "python"), *install[1:])
    assert installed.returncode == 0, installed.stderr

    (program,) = yaml.safe_load(dict(steps)["ENTRYPOINT"])
    checked = run(str(environment / "bin" / program), *yaml.safe_load(dict(steps)["CMD"]))
    assert "train.py:11:5: DL102" in checked.stdout
    assert checked.returncode == 1


def test_the_container_is_started_with_options_that_there_are() -> None:
    lines = [line for block in blocks(ROOT / "docs" / "ci.md", "sh") for line in block.text.splitlines()]
    (command,) = [next(shell_commands(line)) for line in lines if line.startswith("docker run")]
    require_understood(["devlint", *command[command.index("devlint") + 1 :]])
