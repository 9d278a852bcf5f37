"""A check on a Dask cluster of two workers, which are processes of their own."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster

from devlint.pipeline.analysis.analysis import Analysis
from devlint.pipeline.execution import cluster as cluster_module
from devlint.pipeline.execution.cluster import examine_there
from devlint.pipeline.execution.parcel import Parcel
from devlint.pipeline.session.examine import examine_files
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import FileOutcome, Task
from devlint.project.configuration import ConfigurationError, Configurations
from devlint.project.discover import SourceFile, discover
from devlint.project.settings import Options
from devlint.report import FORMATS
from tests.cli.programs import ENVIRONMENT
from tests.cli.test_shard import said

LAYER = """\
import torch
from torch import nn
from package{project}.base import Base, noise


class Layer{number}(Base):
    def forward(self, x):
        return super().forward(x) + noise({number})


def train(loader, device="cuda"):
    model = nn.Sequential(*(Layer{number}() for _ in range({number} % 4))).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    total = 0.0
    for inputs in loader:
        loss = model(inputs.to(device)).sum()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


x = torch.ones({number} + 1, device="cuda")
print(x + noise({number} + 1))
"""
BASE = """\
import torch
from torch import nn
from .inner import deep


def noise(n):
    return deep.randomness(n)


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(1)

    def forward(self, x):
        return x * self.scale
"""
DEEP = "import torch\n\n\ndef randomness(n):\n    return torch.randn(n)\n"


def generate(where: Path, projects: int, files: int) -> None:
    """Projects of a package each, whose files use what lies two imports away."""
    (where / "pyproject.toml").write_text("")
    for project in range(projects):
        package = where / f"package{project}"
        (package / "inner").mkdir(parents=True)
        for name, text in (
            ("__init__.py", ""),
            ("base.py", BASE),
            ("inner/__init__.py", ""),
            ("inner/deep.py", DEEP),
            ("inner.py", "deep = None\n"),  # the package hides it
        ):
            (package / name).write_text(text)
        for number in range(files):
            text = LAYER.format(project=project, number=number)
            (package / f"layer{number}.py").write_text(text)


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as started:
        yield started


def start(where: Path, *arguments: str) -> subprocess.Popen[str]:
    command = (sys.executable, "-m", "devlint", "check", "--output-format", "json", *arguments, ".")
    return subprocess.Popen(
        command, cwd=where, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def test_a_worker_that_is_killed_costs_no_finding(cluster: LocalCluster, tmp_path: Path) -> None:
    generate(tmp_path, projects=8, files=12)
    expected = ended(start(tmp_path, "--no-cache", "--jobs", "1"))
    assert expected[0] == 1
    assert expected[1].count('"DL101"') >= 8 * 12
    with Client(cluster.scheduler_address, set_as_default=False) as client:
        process = start(tmp_path, "--no-cache", "--scheduler", cluster.scheduler_address)
        victim = busy_worker(client)
        pids = client.run(os.getpid)
        os.kill(pids[victim], signal.SIGKILL)
        assert process.poll() is None, "the check was over before a worker could be killed"
    assert ended(process) == expected


def busy_worker(client: Client) -> str:
    """The address of a worker that examines files."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for worker, tasks in client.processing().items():
            if tasks:
                return str(worker)
        time.sleep(0.01)
    raise AssertionError("no worker was given anything")


def check(*arguments: str) -> tuple[int, str, str]:
    """A check of this directory by this process: exit code, output and errors."""
    return said("check", "--output-format", "json", *arguments, ".")


def test_results_are_remembered_at_home(
    cluster: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    generate(tmp_path, projects=1, files=4)
    cache = ("--cache-dir", "cache")
    there = check(*cache, "--scheduler", cluster.scheduler_address)
    assert there == check("--no-cache")
    # Nothing is asked of a cluster that is not there, because all is known.
    assert check(*cache, "--scheduler", "tcp://127.0.0.1:9") == there
    (tmp_path / "package0" / "inner" / "deep.py").write_text(DEEP.replace("n)", "n, device='cuda')"))
    assert '"DL101"' in there[1]
    assert '"DL101"' not in check(*cache, "--scheduler", cluster.scheduler_address)[1]


def test_shards_can_have_clusters(
    cluster: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    generate(tmp_path, projects=2, files=3)
    plain = check("--no-cache")
    for number in ("1", "2"):
        there = ("--scheduler", cluster.scheduler_address)
        part = (f"--shard={number}/2", f"--output-file={number}.json")
        assert said("check", "--no-cache", "-q", *there, *part)[0] == 0
    assert said("report", "1.json", "2.json", "--output-format=json") == plain


def test_a_scheduler_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("x = 1\n")
    code, out, err = check("--no-cache", "--scheduler", "tcp://127.0.0.1:9")
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith("error: --scheduler: tcp://127.0.0.1:9: ")


class Elsewhere(Executor):
    """A machine to which parcels are sent: the project is not on its disk."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.sent: list[Parcel] = []

    def submit(self, function: Any, parcel: Parcel) -> Future[Any]:  # type: ignore[override]
        future: Future[Any] = Future()
        self.sent.append(parcel)
        hidden = self.project.with_name("hidden")
        self.project.rename(hidden)
        try:
            future.set_result(pickle.loads(pickle.dumps(function(pickle.loads(pickle.dumps(parcel))))))
        except Exception as error:
            future.set_exception(error)
        finally:
            hidden.rename(self.project)
        return future


class Gone(Executor):
    """Workers that were killed more often than Dask puts up with."""

    def submit(self, *_: Any, **__: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(RuntimeError("killed"))
        return future


def session_of(project: Path) -> CheckSession:
    configurations = Configurations(Options(), project, FORMATS)
    return CheckSession(Task(), None, discover([str(project)], configurations).files, project)


def layers(session: CheckSession) -> list[tuple[SourceFile, str]]:
    """The files that import others."""
    named = [(file, session.name(str(file.path))) for file in session.files]
    return [pair for pair in named if pair[0].path.name.startswith("layer")]


def shown(outcomes: Iterator[FileOutcome]) -> dict[str, Analysis]:
    """What files show that use each other."""
    analyses = {outcome.path: outcome.analysis for outcome in outcomes}
    assert all(analysis.reached and analysis.claims for analysis in analyses.values())
    return analyses


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    generate(folder, projects=2, files=3)
    return folder


@pytest.mark.parametrize(("along", "parcels"), [(1 << 20, 1), (0, 4)])
def test_files_go_by_content(
    along: int, parcels: int, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If too little goes along, that shows, and what is missing is sent."""
    monkeypatch.setattr(cluster_module, "_ALONG", along)
    session = session_of(project)
    executor = Elsewhere(project)
    found = shown(examine_there(executor, layers(session), session))
    assert found == shown(examine_files(layers(session), session_of(project)))
    assert len(executor.sent) == parcels


def test_what_no_worker_could_finish_is_examined_at_home(project: Path) -> None:
    session = session_of(project)
    found = shown(examine_there(Gone(), layers(session), session))
    assert found == shown(examine_files(layers(session), session_of(project)))


def test_workers_have_the_same_release(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "__version__", "0.0")
    session = session_of(project)
    with pytest.raises(ConfigurationError, match=r"a worker has devlint .*; this is 0.0"):
        list(examine_there(Elsewhere(project), layers(session), session))
