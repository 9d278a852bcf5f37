"""`devlint explain`: an error, as it was pasted, is said in plain words, with the operand and its origin."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.cli import main
from devlint.errors import EXPLANATIONS, ErrorKind
from devlint.pipeline.explain.explain import NoErrorError, explain
from tests.cli import programs
from tests.cli.programs import ROOT

TEXTS = Path(__file__).parents[1] / "errors"
TRAIN = dedent("""\
    import torch
    from torch import nn


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(4, 4)
            self.mask = torch.ones(4)

        def forward(self, x):
            return self.head(x) * self.mask


    def step(net, x, w):
        return net(torch.mm(x, w))


    net = Net().to("cuda")
    x = torch.rand(2, 4, device="cuda")
    w = torch.rand(4, 4)
    step(net, x, w)
""")
TWO = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
MM = (
    "Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on "
    "cuda:0 (when checking argument in method wrapper_CUDA_mm)"
)


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a program whose errors are explained."""
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "train.py").write_text(TRAIN)
    return tmp_path


def frames(*frames: tuple[str, int], path: str = "/home/me/project/train.py") -> str:
    lines = TRAIN.splitlines()
    told = (
        f'  File "{path}", line {line}, in {function}\n    {lines[line - 1].strip()}\n'
        for function, line in frames
    )
    return "Traceback (most recent call last):\n" + "".join(told)


def explained(text: str, capsys: pytest.CaptureFixture[str], code: int = 0) -> str:
    Path("error.txt").write_text(text, "utf-8")
    assert main(["explain", "error.txt"]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out if code == 0 else err


def said(out: str) -> dict[str, str]:
    """What is said under each heading."""
    parts = (line.strip().split(":", 1) for line in out.splitlines() if line.startswith("  "))
    return {part[0]: part[1].strip() for part in parts if len(part) == 2}


def test_the_operand_its_origin_and_the_way_out(capsys: pytest.CaptureFixture[str]) -> None:
    out = explained(f"{frames(('<module>', 22), ('step', 16))}RuntimeError: {MM}\n", capsys)
    told = said(out)
    assert out.startswith(f"RuntimeError: {MM}\n")
    assert told["what happened"] == (
        "operands of one operation are on different devices: torch's `mat2` is on cpu, not cuda:0, in `mm`"
    )
    assert told["where"] == "train.py:16, in `step`: `return net(torch.mm(x, w))`"
    assert told["at fault"] == "`w` (torch's `mat2`), on cpu"
    assert "train.py:16:16: DL101 `x` is on cuda, but `w` is on cpu in `torch.mm`" in out
    assert "21 | w = torch.rand(4, 4)" in out
    assert out.rstrip().endswith('= help: move `w`: `.to("cuda")`')


def test_an_elementwise_operation_names_no_argument(capsys: pytest.CaptureFixture[str]) -> None:
    out = explained(f"{frames(('<module>', 22), ('forward', 12))}RuntimeError: {TWO}\n", capsys)
    assert said(out)["at fault"] == "`self.mask`, on cpu"
    assert "train.py:9:9: DL103 `self.mask` is unregistered and on cpu" in out


def test_where_no_rule_speaks_the_origins_are_told(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (work / "two.py").write_text(
        'import torch\n\na = torch.ones(3, device="cuda:0")\nb = a.cpu()\nc = a[0] + b.cuda()\n'
    )
    text = dedent(f"""\
        Traceback (most recent call last):
          File "two.py", line 5, in <module>
            c = a[0] + b.cuda()
        RuntimeError: {TWO}
    """)
    out = explained(text, capsys)
    assert "`b` is on cpu: `b` was moved to cpu here (two.py:4:5)" in out
    assert "`a` is on cuda:0: `a` was created on cuda:0 here (two.py:3:5)" in out


def test_a_finding_below_the_threshold_is_shown(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (work / "model.py").write_text("import torch\n\n\ndef mix(x):\n    return x + torch.ones(3)\n")
    assert main(["check", "model.py"]) == 0
    assert "possible" in capsys.readouterr().out
    text = dedent(f"""\
        Traceback (most recent call last):
          File "model.py", line 5, in mix
            return x + torch.ones(3)
        RuntimeError: {TWO}
    """)
    out = explained(text, capsys)
    assert "model.py:5:16: DL102" in out
    assert "(a finding that is possible" in out


def test_a_comment_does_not_hide_what_has_happened(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = TRAIN.replace("w = torch.rand(4, 4)", "w = torch.rand(4, 4)  # devlint: ignore")
    source = source.replace("mm(x, w))", "mm(x, w))  # devlint: ignore")
    (work / "train.py").write_text(source)
    assert main(["check", "train.py", "--select", "DL101"]) == 0
    capsys.readouterr()
    text = f"{frames(('<module>', 22), ('step', 16))}  # devlint: ignore\nRuntimeError: {MM}\n"
    assert "DL101" in explained(text.replace("w))\n  #", "w))  #"), capsys)


def test_a_line_that_has_moved_since(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (work / "train.py").write_text(f"# one more line\n\n{TRAIN}")
    out = explained(f"{frames(('<module>', 22), ('step', 16))}RuntimeError: {MM}\n", capsys)
    assert said(out)["where"].startswith("train.py:18, in `step`")
    assert said(out)["note"] == "it was line 16 when the error was raised"
    assert "train.py:18:16: DL101" in out


def test_a_file_that_has_another_line_there_is_not_taken_for_it(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (work / "train.py").write_text("print('another program')\n" * 30)
    out = explained(f"{frames(('<module>', 22), ('step', 16))}RuntimeError: {MM}\n", capsys)
    assert "was not found" in said(out)["note"]
    assert said(out)["at fault"] == "`w` (torch's `mat2`), on cpu"
    assert "another program" not in out


def test_ranks_that_say_the_same_are_told_of_once(capsys: pytest.CaptureFixture[str]) -> None:
    one = f"{frames(('<module>', 22), ('forward', 12))}RuntimeError: {TWO}\n"
    lines = [f"[rank{rank}]: {line}\n" for line in one.splitlines() for rank in (0, 1, 2)]
    out = explained("".join(lines), capsys)
    assert out.count("what happened") == 1
    assert said(out)["in"] == "[rank0]:, [rank1]:, [rank2]:"


def test_the_first_error_of_a_chain_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        f"{frames(('<module>', 22), ('forward', 12))}RuntimeError: {TWO}\n\n"
        "During handling of the above exception, another exception occurred:\n\n"
        f"{frames(('<module>', 22))}torch._dynamo.exc.TorchRuntimeError: {MM}\n"
    )
    out = explained(text, capsys)
    assert out.count("what happened") == 1
    assert said(out)["where"].startswith("train.py:12")


def test_an_error_of_a_worker(capsys: pytest.CaptureFixture[str]) -> None:
    text = dedent("""\
        Traceback (most recent call last):
          File "train.py", line 90, in <module>
            for x in loader:
        RuntimeError: Caught RuntimeError in DataLoader worker process 0.
        Original Traceback (most recent call last):
          File "/data/set.py", line 4, in __getitem__
            return x.cuda()
        RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA, …
    """)
    told = said(explained(text, capsys))
    assert "DataLoader worker process 0" in told["what happened"]
    assert told["where"] == "/data/set.py:4, in `__getitem__`: `return x.cuda()`"


def test_an_assertion_of_a_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss: block: [0,0,0], Assertion `t >= 0 && "
        f"t < n_classes` failed.\n{frames(('<module>', 22))}"
        "RuntimeError: CUDA error: device-side assert triggered\nCUDA kernel errors might be reported later\n"
    )
    told = said(explained(text, capsys))
    assert told["what happened"].startswith("a label of a classification loss is negative, or not below")
    assert "`ignore_index=`" in told["help"]
    assert "an earlier line started the work that failed" in told["note"]


def test_an_assertion_alone(capsys: pytest.CaptureFixture[str]) -> None:
    line = "IndexKernel.cu:92: Assertion `index >= -sizes[i] && index < sizes[i]` failed.\n"
    assert "an index in `x[index]` is out of range" in explained(line, capsys)


def test_a_text_that_a_terminal_has_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    wrapped = f"RuntimeError: {MM}".replace("mat2 is on cpu", "mat2 is\non cpu")
    assert "torch's `mat2` is on cpu" in explained(wrapped, capsys)


def test_a_traceback_without_its_error_is_held_against_the_source(capsys: pytest.CaptureFixture[str]) -> None:
    out = explained(frames(("<module>", 22), ("step", 16)), capsys)
    assert out.startswith("(a traceback that is cut off before its error)")
    assert "train.py:16:16: DL101" in out
    err = explained(frames(("<module>", 20)), capsys, code=2)
    assert err == "error: the traceback is cut off before its error: paste its last line, too\n"


@pytest.mark.parametrize("text", ["", "all is well\n", "\0\0\0", "Epoch 1: 10%\rEpoch 1: 20%"])
def test_no_error_is_one_clear_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    err = explained(text, capsys, code=2)
    assert err == "error: no error was found: paste a traceback, or the line that names the error\n"


def test_an_error_about_something_else(capsys: pytest.CaptureFixture[str]) -> None:
    text = f"{frames(('<module>', 22))}ValueError: shapes\nmore\n"
    err = explained(text, capsys, code=1)
    assert err == "This error is not about devices, as far as devlint knows: ValueError: shapes\n"


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "nowhere.txt"]) == 2
    assert capsys.readouterr().err == "error: nowhere.txt: no such file or directory\n"


def test_control_characters_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        'Traceback (most recent call last):\n  File "ev\x07il\u202e.py", line 3, in f\x08\n    x + y\x9b31m\n'
        f"RuntimeError: {TWO}\x1b]0;title\x07\x1b[31m\x00\n"
    )
    out = explained(text, capsys)
    assert not [each for each in out if (ord(each) < 32 and each not in "\n\t") or each in "\u202e\x9b\x7f"]
    assert "\\x07" in out
    assert "\\u202e" in out


def test_what_a_powershell_writes_into_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("error.txt").write_bytes(f"RuntimeError: {MM}\r\n".encode("utf-16"))
    assert main(["explain", "error.txt"]) == 0
    assert "torch's `mat2` is on cpu" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["explain"], ["explain", "-"]])
def test_standard_input(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(MM.encode())))
    assert main(arguments) == 0
    assert "torch's `mat2` is on cpu" in capsys.readouterr().out


def known_texts() -> list[tuple[str, str]]:
    """The kind and the text of each error that is known, of every era."""
    found: list[tuple[str, str]] = []
    for file in sorted(TEXTS.glob("*_texts.tsv")):
        for line in file.read_text("utf-8").splitlines():
            if not line.startswith("#") and file.stem != "assertion_texts":
                kind, *_, text = line.split("\t")
                found.append((kind, text.replace("\\n", "\n")))
    return found


@pytest.mark.parametrize("alone", [True, False])
def test_every_text_that_is_known_is_explained(alone: bool, tmp_path: Path) -> None:
    texts = known_texts()
    assert len(texts) > 180
    for kind, text in texts:
        told = explain(text if alone else f"{frames(('step', 16))}RuntimeError: {text}\n", tmp_path / "empty")
        (first, *_) = told.explanations
        wanted = EXPLANATIONS[ErrorKind(kind)]
        assert first.code == wanted.code, text
        assert first.says.startswith(wanted.says), text
        assert first.help


@given(st.text() | st.text(alphabet=f"{TWO}\n File\"',[]0123456789:"))
def test_any_text_is_explained_or_refused(text: str) -> None:
    try:
        assert explain(text, ROOT) is not None
    except NoErrorError as error:
        assert "\n" not in str(error)


def test_nothing_is_run_and_torch_is_not_asked(work: Path) -> None:
    (work / "train.py").write_text(f"open('was_run', 'w')\n{TRAIN}")
    (work / "torch.py").write_text("raise SystemExit('imported')\n")
    text = f"{frames(('<module>', 22), ('step', 16))}RuntimeError: {MM}\n"
    program = (
        "import sys\nfrom devlint.cli import main\ncode = main(['explain'])\n"
        "sys.exit(99 if 'torch' in sys.modules else code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=text, capture_output=True, text=True, check=False, cwd=work
    )
    assert done.returncode == 0, done.stderr
    assert "train.py:17:16: DL101" in done.stdout
    assert not (work / "was_run").exists()


def test_what_torch_itself_says_on_simulated_devices(work: Path) -> None:
    ran = programs.observed(work, "--simulate", "cuda", "train.py")
    assert ran.code == 1
    (work / "error.txt").write_text(ran.err)
    done = programs.devlint(work, "explain", "error.txt")
    assert done.code == 0, done.err
    told = said(done.out)
    assert told["at fault"] == "`w` (torch's `mat2`), on cpu"
    assert told["where"].startswith("train.py:16, in `step`")
    assert "DL101" in done.out
