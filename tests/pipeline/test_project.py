"""Several files of one project: a finding stands where it would be repaired, once, whoever shows it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent

import pytest

from devlint.model import Finding, Silence
from devlint.pipeline.analysis.analysis import Analysis
from devlint.pipeline.execution import processes
from devlint.pipeline.execution.run import Result, Run
from devlint.pipeline.session.examine import examine_file
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import FileChange, Task
from devlint.project.cache import Cache
from devlint.project.configuration import Configurations
from devlint.project.discover import SourceFile
from devlint.project.settings import Options
from devlint.report import FORMATS

NET = """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(x) + torch.zeros(3)
"""
TRAIN = """\
import torch
from model import Net


def main():
    net = Net().cuda()
    x = torch.ones(3, device="cuda")
    net(x)


if __name__ == "__main__":
    main()
"""
ON_HOST = """\
import torch
from model import Net

net = Net()
print(net(torch.ones(3)))
"""


def check(
    project: Path,
    *paths: str,
    options: Options = Options(),  # noqa: B008
    task: Task = Task(),  # noqa: B008
    cache: Cache | None = None,
    jobs: int = 1,
) -> Result:
    configurations = Configurations(options, project, FORMATS, isolated=True)
    run = Run(paths or (".",), configurations, task, cache, jobs)
    return run.result(run.outcomes())


def places(findings: Sequence[Finding]) -> list[tuple[str, str, int]]:
    return [(finding.code, finding.site.path, finding.site.line) for finding in findings]


def write(project: Path, **texts: str) -> None:
    for name, text in texts.items():
        (project / f"{name}.py").write_text(text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    home = tmp_path / "project"
    home.mkdir()
    return home


def test_a_bug_stands_in_the_file_in_which_it_would_be_repaired(project: Path) -> None:
    write(project, model=NET, train=TRAIN)
    (finding,) = check(project).report.findings
    assert places([finding]) == [("DL102", "model.py", 10)]
    assert finding.confidence.value == "certain"
    calls = [each.site for each in finding.related if each.message == "called from here"]
    assert [(site.path, site.line) for site in calls] == [("train.py", 12), ("train.py", 8)]


def test_in_a_file_that_is_not_checked_it_stands_at_the_call(project: Path) -> None:
    write(project, model=NET, train=TRAIN)
    (finding,) = check(project, "train.py").report.findings
    assert places([finding]) == [("DL102", "train.py", 8)]
    assert finding.message == check(project).report.findings[0].message
    assert finding.fix is None
    there = finding.related[0]
    assert (there.site.path, there.site.line, there.message) == ("model.py", 10, "here, in `model.py`")


def test_one_call_says_once_what_it_leads_to(project: Path) -> None:
    twice = NET.replace("+ torch.zeros(3)", "+ torch.zeros(3) + torch.ones(3)")
    write(project, model=twice, train=TRAIN)
    assert places(check(project).report.findings) == [("DL102", "model.py", 10)] * 2
    (finding,) = check(project, "train.py").report.findings
    assert [each.message for each in finding.related].count("here, in `model.py`") == 2


@pytest.mark.parametrize("comment", ["  # devlint: ignore[DL102]", "  # noqa: DL102"])
def test_the_comments_of_the_file_hold_in_which_it_stands(project: Path, comment: str) -> None:
    write(project, model=NET.replace("zeros(3)", f"zeros(3){comment}"), train=TRAIN)
    assert places(check(project).report.findings) == []
    assert places(check(project, "train.py").report.findings) == []


def test_a_file_that_is_skipped_has_no_findings_from_elsewhere(project: Path) -> None:
    write(project, model=f"# devlint: skip-file\n{NET}", train=TRAIN)
    assert places(check(project).report.findings) == []


def test_a_suppression_of_what_another_file_shows_is_of_use(project: Path) -> None:
    helper = "import torch\n\n\ndef add(x):\n    return x + torch.ones(3)  # devlint: ignore[DL102]\n"
    user = 'import torch\nfrom helper import add\n\nadd(torch.ones(3, device="cuda"))\n'
    write(project, helper=helper)
    options = Options(extend_select=("DL901",), ignore=("DL410",), confidence="certain")
    alone = places(check(project, options=options).report.findings)
    write(project, user=user)
    assert places(check(project, options=options).report.findings) == []
    write(project, user="import torch\n")
    assert places(check(project, options=options).report.findings) == alone


def test_the_rules_of_the_file_hold_in_which_it_stands(project: Path) -> None:
    write(project, model=NET, train=TRAIN)
    spared = Options(per_file_ignores={"model.py": ("DL1",)})
    assert places(check(project, options=spared).report.findings) == []
    other = Options(per_file_ignores={"train.py": ("DL1",)})
    assert places(check(project, options=other).report.findings) == [("DL102", "model.py", 10)]


def test_a_real_caller_takes_the_place_of_a_hypothesis(project: Path) -> None:
    write(project, model=NET)
    assert places(check(project).report.findings) == [("DL102", "model.py", 10)]
    write(project, predict=ON_HOST)
    result = check(project, task=Task(silenced=True))
    assert places(result.report.findings) == []
    held = [each for each in result.withheld if each.silence is Silence.HOST_BY_CONTRACT]
    assert places([each.finding for each in held]) == [("DL102", "model.py", 10)]
    write(project, train=TRAIN)
    assert places(check(project).report.findings) == [("DL102", "model.py", 10)]


def test_a_data_set_is_a_caller_too_because_its_workers_run_on_the_host(project: Path) -> None:
    shift = (
        "import torch\n\ndef shift(x: torch.Tensor):\n"
        "    return x.numpy() + torch.ones(3, device=x.device).numpy()\n"
    )
    write(project, shifts=shift)
    assert places(check(project).report.findings) == [("DL107", "shifts.py", 4)] * 2
    data = (
        "from shifts import shift\nfrom torch.utils.data import Dataset\n\nclass Data(Dataset):\n"
        "    def __init__(self, items, change=shift):\n        self.items, self.change = items, change\n\n"
        "    def __getitem__(self, index):\n        return self.change(self.items[index])\n"
    )
    write(project, data=data)
    assert places(check(project).report.findings) == []


def test_a_caller_that_is_not_checked_refutes_nothing(project: Path) -> None:
    write(project, model=NET, predict=ON_HOST)
    assert places(check(project, "model.py").report.findings) == [("DL102", "model.py", 10)]


def test_what_a_hypothesis_leads_to_goes_with_it(project: Path) -> None:
    helper = "\n\ndef shift(x):\n    return x + torch.zeros(3)\n"
    moved = NET.replace("self.layer(x) + torch.zeros(3)", "shift(self.layer(x))") + helper
    write(project, model=moved)
    assert places(check(project).report.findings) == [("DL102", "model.py", 14)]
    write(project, predict=ON_HOST)
    assert places(check(project).report.findings) == []


def test_a_helper_that_is_moved_to_another_file_changes_the_place_only(project: Path) -> None:
    helper = "\n\ndef shift(x):\n    return x + torch.zeros(3)\n"
    moved = NET.replace("self.layer(x) + torch.zeros(3)", "shift(self.layer(x))")
    write(project, model=moved + helper, train=TRAIN)
    (before,) = check(project).report.findings
    write(project, model="from shifts import shift\n" + moved, shifts="import torch\n" + helper)
    (after,) = check(project).report.findings
    assert places([before]) == [("DL102", "model.py", 14)]
    assert places([after]) == [("DL102", "shifts.py", 5)]
    assert (before.message, before.confidence, before.help) == (after.message, after.confidence, after.help)


def test_a_file_that_only_makes_a_tensor_has_the_finding(project: Path) -> None:
    helper = "import torch\n\n\ndef mask():\n    return torch.ones(3, dtype=torch.bool)\n"
    use = 'import torch\nfrom masks import mask\n\ntorch.ones(3, device="cuda").masked_fill(~mask(), 0)\n'
    write(project, masks=helper, use=use)
    assert places(check(project).report.findings) == [("DL102", "masks.py", 5)]
    assert places(check(project, "use.py").report.findings) == [("DL102", "use.py", 4)]


@pytest.fixture
def many(project: Path) -> Path:
    """Files that lead to each other, in a circle too."""
    write(project, model=NET, train=TRAIN, predict=ON_HOST)
    write(
        project,
        shifts="import torch\nimport scales\n\ndef shift(x: torch.Tensor):\n"
        "    return scales.scale(x) + torch.ones(3)\n",
        scales="import torch\nimport shifts\n\ndef scale(x: torch.Tensor):\n    return x * torch.ones(3)\n"
        "\ndef both(x: torch.Tensor):\n    return shifts.shift(x)\n",
        use='import torch\nfrom shifts import shift\n\nshift(torch.ones(3, device="cuda"))\n',
        loop="import torch\nfrom model import Net\n\ndef run(loader):\n    net = Net().cuda()\n"
        "    for x in loader:\n        print(net(x.cuda()).sum().item())\n",
    )
    return project


@pytest.mark.parametrize("confidence", ["certain", "possible"])
def test_order_processes_and_memory_change_nothing(
    many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, confidence: str
) -> None:
    monkeypatch.setattr(processes, "WORTH_IT", 0)
    monkeypatch.setattr(processes, "BATCH", 1)
    options = Options(confidence=confidence)
    expected = check(many, options=options).report
    assert len({finding.site.path for finding in expected.findings}) > 1
    cache = Cache(tmp_path / "cache")
    names = sorted(path.name for path in many.glob("*.py"))

    def same(*paths: str, jobs: int = 1, cache: Cache | None = None) -> None:
        report = check(many, *paths, options=options, jobs=jobs, cache=cache).report
        assert (report.findings, report.below) == (expected.findings, expected.below)

    same(*reversed(names))
    same(jobs=2)
    same(cache=cache)
    same(cache=cache)
    same(jobs=2, cache=cache)
    alone = {name: check(many, name, options=options).report.findings for name in names}
    for name in names:
        assert check(many, name, options=options, cache=cache).report.findings == alone[name]


def test_an_answer_rests_on_all_files_that_lead_to_it(many: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    check(many, cache=cache)
    for name, text in {"shifts": "import torch\n\ndef shift(x):\n    return x\n", "model": ON_HOST}.items():
        write(many, **{name: text})
        warm, cold = check(many, cache=cache), check(many)
        assert warm.report.findings == cold.report.findings
    settings = Options(per_file_ignores={"scales.py": ("DL1",)})
    assert (
        check(many, cache=cache, options=settings).report.findings
        == check(many, options=settings).report.findings
    )


@pytest.mark.parametrize("write_", [True, False])
def test_fixes_are_made_in_the_files_in_which_findings_stand(project: Path, write_: bool) -> None:
    helper = "import torch\n\n\ndef add(x: torch.Tensor):\n    return x.relu() + torch.ones(3)\n"
    user = 'import torch\nfrom helper import add\n\nadd(torch.ones(3, device="cuda"))\n'
    write(project, helper=helper, user=user)
    options = Options(confidence="possible", ignore=("DL4",))
    before = check(project, options=options)
    assert places(before.report.findings) == [("DL102", "helper.py", 5)]
    result = check(project, options=options, task=Task(FileChange.FIX, unsafe=True, write=write_))
    assert result.failures == []
    changed = (project / "helper.py").read_text() != helper
    assert (project / "user.py").read_text() == user
    fixable = before.report.findings[0].fix is not None
    assert changed == (write_ and fixable)
    if fixable:
        assert result.report.findings == []


def test_ignores_are_added_in_the_files_in_which_findings_stand(project: Path) -> None:
    write(project, model=NET, train=TRAIN)
    result = check(project, task=Task(FileChange.IGNORE))
    assert result.report.findings == []
    assert result.changed == {"model.py": {"DL102": 1}}
    assert (project / "train.py").read_text() == TRAIN
    assert places(check(project).report.findings) == []


def test_no_buffer_is_proposed_under_the_name_of_an_attribute_that_is_there(project: Path) -> None:
    model = """
        import torch
        from torch import nn


        class Scaled(nn.Module):
            def __init__(self, size=None):
                super().__init__()
                self.scale = None
                if size:
                    self.scale = torch.ones(size)

            def forward(self, x):
                return x if self.scale is None else x * self.scale
    """
    write(project, model=dedent(model))
    (finding,) = check(project).report.findings
    assert places([finding]) == [("DL103", "model.py", 11)]
    assert finding.fix is None


def test_a_script_beside_which_names_lead_elsewhere_shows_what_it_shows_alone(tmp_path: Path) -> None:
    """The first script has no `options` beside it, the second one has: its program begins anew."""
    for path, text in {
        "pyproject.toml": "",
        "shared.py": "import options\n\n\ndef width():\n    return options.WIDTH\n",
        "library.py": "import torch\n\n\ndef add(x):\n    return x + torch.ones(3)\n",
        "one/script.py": "import torch\nfrom shared import width\n\nprint(torch.ones(width()))\n",
        "two/options.py": "WIDTH = 3\n",
        "two/script.py": (
            "import torch\nfrom library import add\nfrom shared import width\n\n"
            "print(add(torch.ones(width(), device='cuda')))\n"
        ),
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    configurations = Configurations(Options(), tmp_path, FORMATS)
    files = [
        SourceFile(tmp_path / each / "script.py", configurations.at(tmp_path)) for each in ("one", "two")
    ]

    def shown(*those: SourceFile) -> Analysis:
        session = CheckSession(Task(), directory=tmp_path)
        return [examine_file(file, file.path.name, session).analysis for file in those][-1]

    alone = shown(files[1])
    assert (str(tmp_path / "library.py"), "add") in alone.reached
    assert shown(*files) == alone


AGENT = """\
import torch


def make():
    return torch.ones(3, device="cuda")


def run(x):
    return x + torch.zeros(3)
"""
GO = "from agent import make, run\n\ndef go():\n    run(make())\n"


def is_followed(project: Path, cache: Cache | None = None) -> bool:
    findings = check(project, "main.py", "agent.py", "between.py", cache=cache).report.findings
    assert places(findings) in ([], [("DL102", "agent.py", 9)])
    return bool(findings)


@pytest.mark.parametrize(
    "script",
    [
        "from agent import make, run\n\nrun(make())\n",
        "import agent\n\nresult = [agent.run(agent.make())]\n",
        "from agent import *\n\nrun(make())\n",
        "from between import go\n\ngo()\n",
        f"{GO}\nif __name__ == '__main__':\n    go()\n",
        f"import fire\n{GO}\nfire.Fire(go)\n",
    ],
)
def test_a_script_that_starts_what_uses_torch_need_not_name_it(project: Path, script: str) -> None:
    write(project, agent=AGENT, between=GO, main=script)
    assert is_followed(project)


@pytest.mark.parametrize("script", [GO, "from agent import make, run\n\nprint(1)\n"])
def test_what_starts_nothing_of_torch_is_no_script(project: Path, script: str) -> None:
    write(project, agent=AGENT, between="", main=script)
    assert not is_followed(project)


@pytest.mark.parametrize(
    ("guard", "followed"), [("", True), ("if __name__ == '__main__':\n    pass\n", False)]
)
def test_a_script_that_runs_another_one_adds_nothing(project: Path, guard: str, followed: bool) -> None:
    between = f"import torch\nfrom agent import run\n\ndef go(x):\n    run(x)\n\n{guard}"
    main = "from agent import make\nfrom between import go\n\ngo(make())\n"
    write(project, agent=AGENT, between=between, main=main)
    assert is_followed(project) is followed


def test_it_is_noticed_when_what_a_script_imports_begins_to_use_torch(project: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    write(project, agent=AGENT, between="def go(): pass\n", main="from between import go\n\ngo()\n")
    assert not is_followed(project, cache)
    write(project, between="from later import go\n")
    assert not is_followed(project, cache)
    write(project, later=GO)
    assert is_followed(project, cache)
