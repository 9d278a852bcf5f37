"""The rules of family DL1, given events: when they speak, what they say, and the fix they offer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from devlint.model import (
    CPU,
    Action,
    Applicability,
    Choice,
    Concrete,
    Confidence,
    Device,
    Draft,
    Event,
    Kind,
    Move,
    Operand,
    Operation,
    Origin,
    OriginStep,
    Registration,
    RegistrationKind,
    Setting,
    SettingKind,
    SiteId,
    Step,
    Symbol,
    SymbolKind,
)
from devlint.operators import MODULE_CALL
from devlint.rules import registry
from devlint.rules.engine import judge

CUDA = Concrete("cuda", 0)
DEVICE = Symbol("device", SymbolKind.DEVICE)
HERE = SiteId(50)


def operand(path: str, device: Device, parameter: str = "", **more: Any) -> Operand:
    """An operand with a site of its own."""
    return Operand(path, SiteId(100 + sum(map(ord, path))), device, parameter=parameter, **more)


def operation(operator: str, *operands: Operand) -> Operation:
    """An operation at one place."""
    return Operation(HERE, None, Confidence.CERTAIN, operator, operands)


def made(operator: str, device: Device = CPU, *, implicit: bool = True, tied: bool = False) -> Origin:
    """The origin of what a factory has just made."""
    return Origin((OriginStep(Step.MADE, SiteId(7), device, operator, implicit, tied),))


def said(event: Event) -> Draft:
    """The one thing that all rules together say of an event."""
    (draft,) = judge([event], registry.all_rules())
    return draft


def silent(event: Event) -> bool:
    """Whether no rule says anything."""
    return judge([event], registry.all_rules()) == []


X = operand("x", CUDA, "input", anchor="x.device", rank0=False)


class TestCrossDeviceOperation:
    def test_names_each_operand_its_device_and_the_way_out(self) -> None:
        moved = Origin((OriginStep(Step.MOVED, SiteId(3), CPU, "torch.Tensor.cpu"),))
        y = operand("batch['y']", CPU, "other", origin=moved, rank0=False)
        draft = said(operation("torch.Tensor.__sub__", X, y))
        assert draft.code == "DL101"
        assert draft.message == "`x` is on cuda:0, but `batch['y']` is on cpu in `torch.sub`"
        assert draft.help == "move `batch['y']`: `.to(x.device)`"
        labels = [(note.site, note.message) for note in draft.notes if note.label]
        assert labels == [(X.site, "cuda:0"), (y.site, "cpu")]
        assert (SiteId(3), "`batch['y']` was moved to cpu here") in [
            (note.site, note.message) for note in draft.notes
        ]

    def test_says_where_it_holds_only_with_an_accelerator(self) -> None:
        x = operand("x", Choice(Concrete("cuda")), "input", rank0=False)
        y = operand("y", CPU, "other", rank0=False)
        assert said(operation("torch.add", x, y)).message == (
            "`x` is on cuda if available, but `y` is on cpu in `torch.add`"
        )


class TestFactoryWithoutDevice:
    def meeting(self, origin: Origin, **more: Any) -> Operation:
        return operation("torch.add", X, operand("y", CPU, "other", origin=origin, rank0=False, **more))

    def test_speaks_at_the_factory(self) -> None:
        draft = said(self.meeting(made("torch.ones")))
        assert (draft.code, draft.site) == ("DL102", SiteId(7))
        assert draft.message == "`y` is created on cpu by `torch.ones`, but `x` is on cuda:0 in `torch.add`"
        assert draft.notes[0].site == HERE

    @pytest.mark.parametrize(
        ("operator", "applicability"),
        [
            ("torch.ones", Applicability.SAFE),
            ("torch.arange", Applicability.SAFE),
            ("torch.tensor", Applicability.SAFE),
            ("torch.randn", Applicability.UNSAFE),
            ("torch.randperm", Applicability.UNSAFE),
        ],
    )
    def test_a_fix_is_safe_unless_the_random_stream_changes(
        self, operator: str, applicability: Applicability
    ) -> None:
        fix = said(self.meeting(made(operator))).fix
        assert fix is not None
        assert fix.applicability is applicability
        assert [(edit.site, edit.action, edit.text) for edit in fix.edits] == [
            (SiteId(7), Action.APPEND_ARGUMENT, "device=x.device")
        ]
        assert fix.scope == HERE

    @pytest.mark.parametrize("anchor", ['"cuda:0"', "gpu", "self.device"])
    def test_a_fix_that_names_an_accelerator_is_unsafe_where_not_every_path_needs_one(
        self, anchor: str
    ) -> None:
        meeting = operation(
            "torch.add",
            operand("ones", CPU, "input", origin=made("torch.ones"), rank0=False),
            operand("x", CUDA, "other", anchor=anchor, rank0=False),
        )
        sometimes, always = said(replace(meeting, conditional=True)).fix, said(meeting).fix
        assert sometimes is not None
        assert sometimes.applicability is Applicability.UNSAFE
        assert always is not None
        assert always.applicability is Applicability.SAFE

    @pytest.mark.parametrize("origin", [made("torch.ones", tied=True), made("torch.from_numpy")])
    def test_no_fix_where_the_call_takes_no_device(self, origin: Origin) -> None:
        draft = said(self.meeting(origin))
        assert (draft.code, draft.fix) == ("DL102", None)

    def test_a_device_that_was_named_is_no_oversight(self) -> None:
        assert said(self.meeting(made("torch.ones", implicit=False))).code == "DL101"

    def test_what_was_moved_since_is_no_longer_the_factorys(self) -> None:
        moved = made("torch.ones").then(OriginStep(Step.MOVED, SiteId(9), CPU, "torch.Tensor.cpu"))
        assert said(self.meeting(moved)).code == "DL101"

    def test_the_weight_of_a_layer_has_no_factory(self) -> None:
        assert said(self.meeting(made("torch.nn.Linear"))).code == "DL101"

    def test_an_input_of_a_module_counts(self) -> None:
        net = operand("net", CUDA, "self", kind=Kind.MODULE)
        draft = said(operation(MODULE_CALL, net, operand("y", CPU, origin=made("torch.ones"))))
        assert draft.code == "DL102"
        assert "the parameters of `net` are on cuda:0" in draft.message

    def test_one_factory_that_meets_many_is_one_finding(self) -> None:
        first, second = self.meeting(made("torch.ones")), self.meeting(made("torch.ones"))
        (draft,) = judge([first, replace(second, site=SiteId(60))], registry.all_rules())
        assert [note.site for note in draft.notes[:2]] == [HERE, SiteId(60)]


class TestUnregisteredModuleTensor:
    def using(self, *more_steps: OriginStep) -> Operation:
        origin = Origin((*made("torch.ones").steps, *more_steps))
        mask = operand("self.mask[:n]", CPU, "other", origin=origin, rank0=False, attribute="mask")
        return operation("torch.add", X, mask)

    def test_speaks_at_the_assignment_in_place_of_all_others(self) -> None:
        draft = said(self.using(OriginStep(Step.ATTRIBUTE, SiteId(8), CPU, "mask")))
        assert (draft.code, draft.site) == ("DL103", SiteId(8))
        assert draft.message == (
            "`self.mask` is unregistered and on cpu, but `x` is on cuda:0 in `torch.add`"
        )
        assert draft.fix is None

    def test_registers_what_was_assigned(self) -> None:
        fix = said(self.using(OriginStep(Step.ATTRIBUTE, SiteId(8), CPU, "mask", value=SiteId(7)))).fix
        assert fix is not None
        (edit,) = fix.edits
        assert (edit.site, edit.action, edit.quoted) == (SiteId(8), Action.REPLACE, SiteId(7))
        assert edit.text == 'self.register_buffer("mask", {}, persistent=False)'

    def test_without_an_assignment_it_speaks_where_the_tensor_was_made(self) -> None:
        assert said(self.using()).site == SiteId(7)


class TestUnregisteredSubmodules:
    def registration(self, kind: RegistrationKind) -> Registration:
        layers = operand("nn.Linear(3, 3)", CPU, kind=Kind.MODULE)
        return Registration(HERE, None, Confidence.CERTAIN, "Net", "layers", kind, layers)

    def test_a_plain_container(self) -> None:
        draft = said(self.registration(RegistrationKind.PLAIN_CONTAINER))
        assert draft.code == "DL104"
        assert draft.message.startswith("`self.layers` is a plain container")

    def test_a_layer_built_in_forward(self) -> None:
        draft = said(self.registration(RegistrationKind.BUILT_IN_FORWARD))
        assert draft.message.startswith("`nn.Linear(3, 3)` is created in `forward`")

    @pytest.mark.parametrize("kind", [RegistrationKind.PARAMETER, RegistrationKind.BUFFER])
    def test_what_is_registered_is_fine(self, kind: RegistrationKind) -> None:
        assert silent(self.registration(kind))


class TestDroppedMove:
    def move(self, path: str, kind: Kind = Kind.TENSOR, *, kept: bool = False, **more: Any) -> Move:
        moved = operand(path, CPU, kind=kind)
        return Move(HERE, None, Confidence.CERTAIN, "torch.Tensor.to", moved, CPU, CUDA, kept, **more)

    @pytest.mark.parametrize("path", ["x", "self.state", "batch['x']", "pair[0].grad"])
    def test_a_tensor_that_keeps_a_name(self, path: str) -> None:
        draft = said(self.move(path))
        assert draft.code == "DL105"
        assert draft.message == f"`{path}` is not moved: the result of `{path}.to()` is dropped"

    def test_the_result_is_assigned_where_it_can_be(self) -> None:
        fix = said(self.move("self.state", statement=SiteId(49), assignable=True)).fix
        assert fix is not None
        (edit,) = fix.edits
        assert (edit.site, edit.action, edit.text) == (SiteId(49), Action.INSERT_BEFORE, "self.state = ")

    @pytest.mark.parametrize(
        ("path", "more"),
        [
            ("x", {"statement": SiteId(49)}),
            ("x", {"assignable": True}),
            ("batch['x']", {"statement": SiteId(49), "assignable": True}),
        ],
    )
    def test_there_is_no_fix_where_it_cannot(self, path: str, more: dict[str, Any]) -> None:
        assert said(self.move(path, **more)).fix is None

    def test_a_tensor_that_nobody_keeps_only_wakes_the_device(self) -> None:
        assert silent(self.move("torch.zeros(1)"))

    def test_a_slice_is_kept_by_nobody(self) -> None:
        assert silent(self.move("table[:1]"))

    def test_modules_and_unknown_objects_move_in_place(self) -> None:
        assert silent(self.move("net", Kind.MODULE))
        assert silent(self.move("batch", Kind.UNKNOWN))


def codes(event: Event) -> list[str]:
    """The rules of family DL1 that report."""
    family = [rule for rule in registry.all_rules() if rule.code.startswith("DL1")]
    return [draft.code for draft in judge([event], family)]


class TestModuleAndInput:
    def test_says_where_the_parameters_are(self) -> None:
        net = operand("self.net", CPU, "self", kind=Kind.MODULE)
        draft = said(operation(MODULE_CALL, net, X))
        assert draft.code == "DL106"
        assert draft.message == ("`x` is on cuda:0, but the parameters of `self.net` are on cpu")
        assert draft.help == "move the module: `self.net.to(x.device)`"


class TestHostConsumer:
    def test_numpy_of_a_device_tensor(self) -> None:
        x = operand("x", CUDA, "self")
        draft = next(each for each in judge([operation("torch.Tensor.numpy", x)], registry.all_rules()))
        assert draft.code == "DL107"
        assert draft.message == "`x` is on cuda:0, but `torch.Tensor.numpy` reads host memory"
        assert draft.fix is not None
        assert [(edit.site, edit.action, edit.text) for edit in draft.fix.edits] == [
            (x.site, Action.INSERT_AFTER, ".detach().cpu()")
        ]

    @pytest.mark.parametrize(
        ("path", "boolean", "copy"),
        [("x", None, "x.detach().cpu()"), ("x.detach()", None, "x.detach().cpu()"), ("x", True, "x.cpu()")],
    )
    def test_the_copy_fits_tensors_that_require_a_gradient(
        self, path: str, boolean: bool | None, copy: str
    ) -> None:
        x = operand(path, CUDA, "self", boolean=boolean)
        draft = next(iter(judge([operation("torch.Tensor.numpy", x)], registry.all_rules())))
        assert draft.help == f"copy it to the host first: `{copy}`"

    def test_compound_text_has_no_fix(self) -> None:
        (draft,) = judge(
            [operation("torch.Tensor.numpy", operand("a + b", CUDA, "self"))], registry.all_rules()
        )
        assert draft.fix is None

    @pytest.mark.parametrize("operator", ["numpy.asarray", "matplotlib.pyplot.plot", "pandas.Series"])
    def test_what_is_outside_of_torch(self, operator: str) -> None:
        assert codes(operation(operator, operand("x", CUDA))) == ["DL107"]

    @pytest.mark.parametrize(
        "operator", ["torch.Tensor.item", "torch.Tensor.tolist", "print", "builtins.len"]
    )
    def test_what_copies_by_itself(self, operator: str) -> None:
        assert codes(operation(operator, operand("x", CUDA, "self"))) == []

    @pytest.mark.parametrize("device", [CPU, Concrete("meta")])
    def test_a_tensor_on_no_accelerator(self, device: Device) -> None:
        assert codes(operation("torch.Tensor.numpy", operand("x", device, "self"))) == []

    def test_force(self) -> None:
        force = operand("True", CPU, "force", kind=Kind.SCALAR)
        assert codes(operation("torch.Tensor.numpy", operand("x", CUDA, "self"), force)) == []


class TestIndexDevice:
    def test_names_both_and_offers_either_move(self) -> None:
        table, index = operand("table", CPU, "self"), operand("t", CUDA, "indices", rank0=False)
        draft = said(operation("torch.Tensor.__getitem__", table, index))
        assert draft.code == "DL108"
        assert draft.message == "`table` is on cpu, but `t` is on cuda:0 in indexing"
        assert draft.help == "move `table` to the device of its index, or index with `t.cpu()`"


class TestGeneratorDevice:
    def drawing(self, operator: str, generator: Device, *others: Operand) -> Operation:
        return operation(operator, *others, operand("g", generator, "generator", kind=Kind.GENERATOR))

    def test_the_device_argument_decides(self) -> None:
        target = operand("device", DEVICE, "device", kind=Kind.DEVICE)
        draft = said(self.drawing("torch.randn", CPU, target))
        assert draft.code == "DL109"
        assert draft.message == ("`g` is on cpu, but `torch.randn` draws numbers on `device`")

    def test_else_the_first_tensor_decides(self) -> None:
        assert codes(self.drawing("torch.multinomial", CPU, X)) == ["DL109"]

    def test_a_factory_alone_draws_for_a_default_that_is_not_known(self) -> None:
        assert codes(self.drawing("torch.randn", CUDA)) == []

    def test_the_ordinal_does_not_count(self) -> None:
        assert codes(self.drawing("torch.multinomial", Concrete("cuda", 1), X)) == []


class TestHostArgument:
    PACK = "torch.nn.utils.rnn.pack_padded_sequence"

    def test_lengths_on_a_device(self) -> None:
        draft = said(operation(self.PACK, X, operand("lengths", DEVICE, "lengths")))
        assert draft.code == "DL110"
        assert draft.message == (
            "`lengths` is on `device`, "
            "but `lengths` of `torch.nn.utils.rnn.pack_padded_sequence` must be on cpu"
        )
        assert draft.fix is not None

    def test_lengths_from_outside_are_possibly_elsewhere(self) -> None:
        came_in = operand("lengths", Symbol("lengths", SymbolKind.TENSOR), "lengths")
        draft = said(operation(self.PACK, X, came_in))
        assert (draft.code, draft.confidence) == ("DL110", Confidence.POSSIBLE)

    def test_the_other_arguments_may_be_anywhere(self) -> None:
        assert codes(operation(self.PACK, X, operand("lengths", CPU, "lengths"))) == []


class TestTwoDeviceSources:
    def test_a_name_and_an_attribute(self) -> None:
        own = operand("scale", Symbol("self.device", SymbolKind.DEVICE), "other")
        draft = said(operation("torch.mul", operand("x", DEVICE, "input"), own))
        assert (draft.code, draft.confidence) == ("DL111", Confidence.POSSIBLE)

    @pytest.mark.parametrize("other", ["device", "target"])
    def test_two_names_may_well_be_the_same(self, other: str) -> None:
        named = operand("y", Symbol(other, SymbolKind.DEVICE), "other")
        assert codes(operation("torch.mul", operand("x", DEVICE, "input"), named)) == []


def setting(kind: SettingKind, value: str, detail: str = "", related: int | None = None) -> Setting:
    """A setting at one place."""
    site = None if related is None else SiteId(related)
    return Setting(HERE, None, Confidence.CERTAIN, kind, value, detail, site)


class TestDeviceComparison:
    def test_a_string(self) -> None:
        draft = said(setting(SettingKind.DEVICE_COMPARISON, "cuda", "x.device", 9))
        assert draft.code == "DL112"
        assert draft.message == '`x.device` is a `torch.device`, which never equals the string "cuda"'
        assert draft.fix is not None
        assert draft.fix.applicability is Applicability.SAFE
        assert [(edit.site, edit.text) for edit in draft.fix.edits] == [(SiteId(9), ".type")]

    def test_against_the_cpu_the_fix_changes_cpu_programs(self) -> None:
        fix = said(setting(SettingKind.DEVICE_COMPARISON, "cpu", "x.device", 9)).fix
        assert fix is not None
        assert fix.applicability is Applicability.UNSAFE

    @pytest.mark.parametrize("value", ["cuda:0", "cpu:0", "gpu", ""])
    def test_a_string_that_is_no_type_has_no_fix(self, value: str) -> None:
        assert said(setting(SettingKind.DEVICE_COMPARISON, value, "x.device", 9)).fix is None

    @pytest.mark.parametrize(("detail", "related"), [("x.device", None), ("a if b else c", 9), ("", 9)])
    def test_no_fix_where_an_attribute_cannot_follow(self, detail: str, related: int | None) -> None:
        assert said(setting(SettingKind.DEVICE_COMPARISON, "cuda", detail, related)).fix is None

    def test_an_ordinal_on_one_side_only(self) -> None:
        draft = said(setting(SettingKind.ORDINAL_COMPARISON, 'torch.device("cuda")', "x.device", 9))
        assert draft.code == "DL112"
        assert draft.fix is None


class TestInvalidDevice:
    @pytest.mark.parametrize(
        ("text", "meant"),
        [
            ("gpu", "cuda"),
            ("GPU:1", "cuda:1"),
            ("cuda0", "cuda:0"),
            ("CUDA", "cuda"),
            ("cuda: 0", "cuda:0"),
            ("cuda:00", "cuda:0"),
            ("cua", "cuda"),
        ],
    )
    def test_what_was_meant(self, text: str, meant: str) -> None:
        draft = said(setting(SettingKind.DEVICE_LITERAL, text))
        assert draft.code == "DL113"
        assert draft.message == f'"{text}" is not a device that torch knows'
        assert draft.help == f'did you mean "{meant}"?'

    def test_nothing_is_guessed_for_what_is_like_nothing(self) -> None:
        assert "did you mean" not in said(setting(SettingKind.DEVICE_LITERAL, "???")).help

    @pytest.mark.parametrize("text", ["cpu", "cuda", "cuda:7", "cpu:0", "mps", "meta"])
    def test_what_torch_takes(self, text: str) -> None:
        assert silent(setting(SettingKind.DEVICE_LITERAL, text))

    @pytest.mark.parametrize(
        ("value", "detail", "speaks"),
        [("cuda:1", "1", True), ("cuda:0", "1", False), ("cuda:1", "", False), ("cuda", "1", False)],
    )
    def test_ordinals_beyond_what_is_visible(self, value: str, detail: str, speaks: bool) -> None:
        assert silent(setting(SettingKind.ORDINAL, value, detail)) is not speaks
