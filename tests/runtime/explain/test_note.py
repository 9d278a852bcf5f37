"""The note of an error: what clashes, how it came to be there, which module keeps it, and the way out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from devlint.model import CPU, Concrete, Origin, OriginStep, SiteId, Step
from devlint.model.visible import visible
from devlint.runtime.explain import attach, is_explained, note
from devlint.runtime.explain.failures import Failures
from devlint.runtime.places.sites import Sites
from devlint.tensors.provenance import note_dropped_move
from tests.runtime.explain.explaining import Explaining, failure, noted

CUDA = Concrete("cuda", 0)

needs_columns = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="Python 3.10 knows lines only, and not which expression it was"
)


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(2, 2)
        self.mask = torch.ones(2, 2, dtype=torch.bool)
        self.masks = [torch.ones(2, 2, dtype=torch.bool)]
        self.heads = [nn.Linear(2, 2)]

    def forward(self, x: torch.Tensor, way: str = "mask") -> Any:
        match way:
            case "mask":
                return x.masked_fill(self.mask, 0.0)
            case "masks":
                return x.masked_fill(self.masks[0], 0.0)
            case "heads":
                return self.heads[0](x)
            case _:
                return self.out(x)


def made_and_moved(tensor: torch.Tensor) -> Origin:
    """A history such as the observer keeps, told from where a tensor lies; it happened elsewhere."""
    made = OriginStep(Step.MADE, SiteId(-1), CPU, "torch.zeros", implicit=True)
    if tensor.is_cuda:
        return Origin((made, OriginStep(Step.MOVED, SiteId(-1), CUDA, "torch.Tensor.to")))
    return Origin((made,))


def add() -> None:
    x, y = torch.ones(2).cuda(), torch.ones(2)
    _ = x + y


@needs_columns
def test_operands_are_named_with_their_devices_and_the_way_out() -> None:
    assert noted(add) == [
        "devlint: DL101 `x` is on cuda:0, but `y` is on cpu in `torch.Tensor.add`",
        "  `x` is on cuda:0",
        "  `y` is on cpu",
        "  = help: move `y`: `.to(x.device)`",
    ]


@needs_columns
def test_histories_say_where_operands_were_made_and_last_moved() -> None:
    assert noted(add, made_and_moved) == [
        "devlint: DL102 `y` is created on cpu by `torch.zeros`, but `x` is on cuda:0 in `torch.Tensor.add`",
        "  `x` is on cuda:0: created on cpu by `torch.zeros` (no device given), "
        "moved there by `torch.Tensor.to`",
        "  `y` is on cpu: created there by `torch.zeros` (no device given)",
        "  = help: pass `device=…` to `torch.zeros`",
    ]


@needs_columns
def test_the_way_out_names_a_device_only_where_that_name_holds() -> None:
    def made_here(_: torch.Tensor) -> Origin:
        return Origin((OriginStep(Step.MADE, SiteId(0), CPU, "torch.ones", implicit=True),))

    assert noted(add, made_here)[-1] == "  = help: pass `device=x.device` to `torch.ones`"
    assert noted(add, made_and_moved)[-1] == "  = help: pass `device=…` to `torch.zeros`"


@needs_columns
def test_places_are_told_as_file_line_and_column() -> None:
    def somewhere(_: torch.Tensor) -> Origin:
        return Origin((OriginStep(Step.MADE, SiteId(0), CPU, "torch.ones"),))

    error, call = failure(add, somewhere)
    assert call.site == SiteId(0)
    line = add.__code__.co_firstlineno + 2
    text = error.__notes__[0]  # type: ignore[attr-defined]
    assert f"created there by `torch.ones` at tests/runtime/explain/test_note.py:{line}:9" in text


@needs_columns
def test_a_plain_attribute_is_named_with_its_module_and_how_to_register_it() -> None:
    def program() -> None:
        model, x = Attention().cuda(), torch.ones(2, 2).cuda()
        model(x)

    assert noted(program) == [
        "devlint: DL103 `self.mask` is unregistered and on cpu, "
        "but `x` is on cuda:0 in `torch.Tensor.masked_fill`",
        "  `x` is on cuda:0",
        "  `self.mask` is on cpu",
        "    it is `mask` of `model` (`Attention`), neither parameter nor buffer: `.to()` does not reach it",
        "  all of `model` is on cuda:0: 2 parameters",
        '  = help: register it as a buffer: `self.register_buffer("mask", …)`',
    ]


@needs_columns
def test_a_tensor_in_a_plain_list_is_named_with_its_place_in_the_list() -> None:
    def program() -> None:
        model, x = Attention().cuda(), torch.ones(2, 2).cuda()
        model(x, "masks")

    lines = noted(program, made_and_moved)
    assert any(line.startswith("    it is `masks[0]` of `model` (`Attention`)") for line in lines)
    assert lines[-1].startswith("  = help: register it as a buffer in `Attention`")


@needs_columns
def test_modules_in_a_plain_list_are_what_is_wrong() -> None:
    def program() -> None:
        model, x = Attention().cuda(), torch.ones(2, 2).cuda()
        model(x, "heads")

    lines = noted(program)
    assert lines[0].startswith("devlint: DL104 `self.heads` is a plain container")
    assert (
        "    it is parameter `weight` of `model.heads[0]` (`Linear`), a module that is not registered: "
        in (line.removesuffix("`.to()` does not reach it") for line in lines)
    )
    assert lines[-1] == "  = help: use `nn.ModuleList` or `nn.ModuleDict`"


@needs_columns
def test_a_move_whose_result_was_dropped_is_the_nearest_cause() -> None:
    def program() -> None:
        x, y = torch.ones(2).cuda(), torch.ones(2)
        note_dropped_move(y)
        _ = x + y

    lines = noted(program)
    assert lines[-2:] == [
        "    it was moved, but the result was not used: a move returns a new tensor",
        "  = help: keep the result of the move: `y = y.to(…)`",
    ]


@needs_columns
def test_a_half_moved_module_is_told_by_parameter_and_moved_whole() -> None:
    def program() -> None:
        net, x = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)), torch.ones(2).cuda()
        net[0].cuda()
        net(x)

    lines = noted(program, made_and_moved)
    assert lines[0] == (
        "devlint: DL101 `input` is on cuda:0, but `net[1].weight` is on cpu in `torch.nn.functional.linear`"
    )
    parameters = "2 parameters on cuda:0; `net[1].weight`, `net[1].bias` on cpu"
    assert f"  `net` is on several devices: {parameters}" in lines
    assert lines[-1] == '  = help: move the whole module before it is used: `net.to("cuda:0")`'


@needs_columns
def test_a_module_and_its_input_are_told_in_the_programs_terms() -> None:
    def program() -> None:
        net, batch = nn.Sequential(nn.Conv2d(1, 1, 3), nn.ReLU()).cuda(), {"image": torch.ones(1, 1, 4, 4)}
        net(batch["image"])

    lines = noted(program)
    assert lines[0] == (
        'devlint: DL106 `batch["image"]` is on cpu, but the parameters of `net` are on cuda:0'
    )
    assert lines[-1] == "  = help: move the input: `.to(next(net.parameters()).device)`"


@needs_columns
@pytest.mark.parametrize("foreach", [False, True])
def test_an_optimizers_state_is_named_by_its_path(foreach: bool) -> None:
    def program() -> None:
        weight = nn.Parameter(torch.ones(2).cuda())
        opt = torch.optim.SGD([weight], lr=0.1, momentum=0.9, foreach=foreach)
        weight.grad = torch.ones(2).cuda()
        opt.step()
        opt.state[weight]["momentum_buffer"] = torch.ones(2)
        opt.step()

    lines = noted(program)
    assert "  `opt.state[p]['momentum_buffer']` is on cpu" in lines
    assert "  `opt.param_groups[0]['params'][0].grad` is on cuda:0" in lines
    assert lines[-1].startswith("  = help: move the module before the optimizer creates or loads its state")


@needs_columns
def test_stages_on_two_accelerators_are_no_half_moved_module() -> None:
    def program() -> None:
        stages, x = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)), torch.ones(2).to("cuda:0")
        stages[0].to("cuda:0")
        stages[1].to("cuda:1")
        stages(x)

    assert "whole module" not in noted(program)[-1]


@needs_columns
@pytest.mark.parametrize(
    ("code", "program"),
    [
        ("DL107", lambda: torch.ones(2).cuda().numpy()),
        ("DL108", lambda: torch.ones(2)[torch.tensor([0]).cuda()]),
        ("DL109", lambda: torch.randn(2, device="cuda", generator=torch.Generator())),
        ("DL110", lambda: torch.tensor_split(torch.ones(2).cuda(), torch.tensor([1]).cuda())),
        ("DL113", lambda: torch.zeros(2).to("gpu")),
    ],
)
def test_each_kind_of_mismatch_has_its_rule(code: str, program: Callable[[], object]) -> None:
    assert noted(program)[0].startswith(f"devlint: {code} ")


def explained(text: str, kind: type[Exception] = RuntimeError) -> list[str]:
    """The note for an error of which only the text is known."""
    error = kind(text)
    found = note(error, None, Sites())
    return [] if found is None else found.splitlines()


@pytest.mark.parametrize(
    ("text", "headline"),
    [
        (
            "Expected all tensors to be on the same device, but got mat2 is on cpu, different from other "
            "tensors on cuda:0 (when checking argument in method wrapper_CUDA_mm)",
            "DL101 operands of one operation are on different devices: torch's `mat2` is on cpu, not cuda:0, "
            "in `mm`",
        ),
        (
            "Attempting to deserialize object on CUDA device 2 but torch.cuda.device_count() is 1.",
            "DL402 a checkpoint was saved from a device that this machine lacks: cuda 2",
        ),
        ("CUDA error: invalid device ordinal", "DL113 no device with this ordinal"),
        ("Invalid device string: 'cuda0'", "DL113 torch has no device with this name: `cuda0`"),
        (
            "CUDA error: device-side assert triggered",
            "a kernel failed before this line: errors of a device are reported late: device-side assert",
        ),
        (
            "Caught RuntimeError in DataLoader worker process 1.\n"
            "RuntimeError: Cannot re-initialize CUDA in forked subprocess.",
            "a forked process uses an accelerator that its parent has initialized: "
            "cuda (DataLoader worker process 1)",
        ),
    ],
)
def test_what_the_text_says_by_itself(text: str, headline: str) -> None:
    assert explained(text)[0].startswith(f"devlint: {headline}")


def test_an_error_that_a_worker_passed_on_has_its_note_in_its_text() -> None:
    assert (
        explained("Caught RuntimeError in DataLoader worker process 0.\nRuntimeError: …\ndevlint: DL101 …")
        == []
    )


def test_an_asynchronous_error_leads_to_launch_blocking() -> None:
    lines = explained("CUDA error: an illegal memory access was encountered")
    assert "devlint run --launch-blocking" in lines[-1]


@needs_columns
def test_an_error_that_was_raised_elsewhere_is_told_with_its_place_and_its_modules() -> None:
    model = Attention()

    class Failing(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model
            self.scale = torch.ones(2)

        def forward(self) -> None:
            raise RuntimeError("Placeholder storage has not been allocated on MPS device!")

    failing = Failing()
    try:
        failing()
    except RuntimeError as error:
        lines = (note(error, None, Sites()) or "").splitlines()
    assert lines[0].startswith("devlint: DL101 operands of one operation are on different devices")
    assert "  all of `failing` is on cpu: 2 parameters" in lines


def test_other_errors_get_no_note() -> None:
    assert explained("mat1 and mat2 shapes cannot be multiplied (4x5 and 4x4)") == []


class LoudError(RuntimeError):
    """An error that runs code to say what it is."""

    def __str__(self) -> str:
        raise AssertionError("an error was asked for its text")


def test_no_code_of_the_error_is_run() -> None:
    error = LoudError("Cannot copy out of meta tensor; no data!")
    assert (note(error, None, Sites()) or "").startswith("devlint: a tensor on the meta device")


def test_the_error_stays_what_it_is_and_has_one_note() -> None:
    error, _ = failure(add)
    text = str(error)
    attach(error, "devlint: another")
    assert is_explained(error)
    assert type(error) is RuntimeError
    assert str(error) == text
    assert len(error.__notes__) == 1  # type: ignore[attr-defined]


def test_notes_of_others_stay() -> None:
    error = ValueError()
    error.__notes__ = ["the program's own"]  # type: ignore[attr-defined]
    attach(error, "devlint: ours")
    assert error.__notes__ == ["the program's own", "devlint: ours"]  # type: ignore[attr-defined]


def test_a_failure_of_devlint_gives_no_note_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: str) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(sys.modules["devlint.runtime.explain.note"], "recognise", broken)
    error, failures = RuntimeError("Cannot copy out of meta tensor; no data!"), list[Exception]()
    Failures(Sites(), failures.append).explain_uncaught(error)
    assert not is_explained(error)
    assert [type(failure) for failure in failures] == [ZeroDivisionError]


@given(st.text(), st.lists(st.integers() | st.text() | st.none(), max_size=3))
def test_any_error_is_survived(text: str, more: list[object]) -> None:
    about_devices = f"Expected all tensors to be on the same device, but {text}"
    for message in (text, about_devices):
        explained = note(RuntimeError(message, *more), None, Sites())
        assert explained is None or explained == "\n".join(map(visible, explained.split("\n")))
    assert note(RuntimeError(about_devices), None, Sites())


def test_ten_operands_are_told_one_a_device() -> None:
    def program() -> None:
        torch.cat([torch.ones(1).cuda() for _ in range(9)] + [torch.ones(1)])

    told = [line for line in noted(program) if line.startswith("  `") and " is on " in line]
    assert len(told) == 2


def test_explaining_leaves_the_results_of_calls_alone() -> None:
    with Explaining():
        assert torch.equal(torch.ones(2) + 1, torch.full((2,), 2.0))
