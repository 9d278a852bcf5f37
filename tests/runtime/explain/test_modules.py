"""Tests of the values that a module holds, their devices, and those that its `.to()` does not move."""

from __future__ import annotations

import gc
import weakref
from collections import OrderedDict, namedtuple
from typing import Any

import pytest
import torch
from torch import nn

from devlint.model import CPU, Concrete, RegistrationKind
from devlint.runtime.explain.modules import ModuleFacts, Tree, common_device, facts, survey
from devlint.simulation import Simulation

CUDA = Concrete("cuda", 0)
Pair = namedtuple("Pair", "left right")


class Keeper(nn.Module):
    """Keeps tensors in every way there is."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.blocks = nn.ModuleList([nn.Linear(2, 2)])
        self.named = nn.ModuleDict({"one": nn.Linear(2, 2)})
        self.register_buffer("scale", torch.ones(2))
        self.mask = torch.ones(2)
        self.bank: dict[str, Any] = {"keys": [torch.ones(2)], "pair": Pair(torch.ones(2), 1)}
        self.heads = [nn.Linear(2, 2)]
        self.by_name = OrderedDict(first=nn.Linear(2, 2))


def paths(tree: Tree, kind: RegistrationKind) -> set[str]:
    return {held.kept.path for held in tree.held if held.kept.kind is kind}


def told(module: nn.Module, name: str = "model") -> ModuleFacts:
    found = facts(survey(module, name))
    assert found is not None
    return found


def test_everything_kept_has_the_path_that_the_program_uses() -> None:
    tree = survey(Keeper(), "model")
    assert paths(tree, RegistrationKind.BUFFER) == {"model.scale"}
    assert paths(tree, RegistrationKind.PLAIN_TENSOR) == {
        "model.mask",
        "model.bank['keys'][0]",
        "model.bank['pair'][0]",
    }
    assert paths(tree, RegistrationKind.PARAMETER) >= {
        "model.inner.weight",
        "model.blocks[0].bias",
        "model.named['one'].weight",
        "model.heads[0].weight",
        "model.by_name['first'].bias",
    }
    assert [kept.path for kept in tree.containers] == ["model.heads", "model.by_name"]


def test_only_what_is_registered_is_moved_and_the_rest_is_told() -> None:
    with Simulation("cuda"):
        found = told(Keeper().cuda())
    assert (found.device, found.parameters, found.buffers) == (CUDA, 6, 1)
    assert found.on_other_devices == ()
    assert [kept.attribute for kept in found.unreached] == ["mask", "bank['keys'][0]", "bank['pair'][0]"]
    assert [kept.path for kept in found.containers] == ["model.heads", "model.by_name"]


def test_a_half_moved_module_is_told_by_parameter() -> None:
    with Simulation("cuda"):
        model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)).cuda()
        model[2].cpu()
        found = told(model)
    assert (found.device, found.parameters) == (CUDA, 4)
    assert [(kept.path, kept.device) for kept in found.on_other_devices] == [
        ("model[2].weight", CPU),
        ("model[2].bias", CPU),
    ]


def test_of_as_many_on_each_the_accelerator_counts_as_the_place() -> None:
    with Simulation("cuda"):
        model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2).cuda())
        assert told(model).device == CUDA
        assert common_device(survey(model, "model")) is None
        assert common_device(survey(model[1], "model")) == CUDA


def test_a_module_without_tensors_has_no_facts() -> None:
    assert facts(survey(nn.ReLU(), "act")) is None


def test_a_tensor_is_found_by_identity_before_memory_and_registered_before_plain() -> None:
    model: Any = nn.Linear(2, 2)
    model.alias = model.weight.detach()[0]
    tree = survey(model, "model")
    for tensor, path in (
        (model.weight, "model.weight"),
        (model.alias, "model.alias"),
        (model.weight[1:], "model.weight"),
    ):
        held = tree.holder_of(tensor)
        assert held is not None
        assert held.kept.path == path
    assert tree.holder_of(torch.ones(2)) is None


def test_the_flat_list_of_a_recurrent_layer_is_no_news() -> None:
    tree = survey(nn.LSTM(2, 2), "lstm")
    assert paths(tree, RegistrationKind.PLAIN_TENSOR) == set()


def test_modules_that_hold_each_other_end() -> None:
    first: Any = nn.Linear(2, 2)
    second: Any = nn.Linear(2, 2)
    first.friends = [second]
    second.friends = [first]
    assert len(survey(first, "first").held) == 4


def test_a_shared_module_is_told_once() -> None:
    shared = nn.Linear(2, 2)
    assert len(survey(nn.Sequential(shared, shared), "model").held) == 2


class Hostile(nn.Module):
    """Runs code for whoever asks, which nobody may."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)

    @property
    def device(self) -> torch.device:
        raise AssertionError("a property was asked")

    def named_parameters(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("a method was called")

    def parameters(self, *_: Any) -> Any:
        raise AssertionError("a method was called")

    def __len__(self) -> int:
        raise AssertionError("its length was asked")

    def __getattr__(self, name: str) -> Any:
        raise AssertionError("its attributes were asked")


class Claiming(torch.Tensor):
    """A tensor whose class answers for it."""

    @classmethod
    def __torch_function__(cls, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("a tensor's class was asked")


class Proxy:
    """What says that it is a tensor, and runs code to say so."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise AssertionError("a proxy was asked")


def test_no_code_of_the_program_is_run() -> None:
    model = Hostile()
    plain = vars(model)
    plain["claiming"] = torch.ones(2).as_subclass(Claiming)
    plain["proxy"] = Proxy()
    tree = survey(model, "model")
    assert paths(tree, RegistrationKind.PLAIN_TENSOR) == {"model.claiming"}
    assert told(model).parameters == 2


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
@pytest.mark.parametrize(
    ("make", "parameters"),
    [(lambda: nn.LazyLinear(2), 2), (lambda: torch.jit.script(nn.Linear(2, 2)), None)],
)
def test_unusual_modules_are_survived(make: Any, parameters: int | None) -> None:
    found = facts(survey(make(), "model"))
    assert (found and found.parameters) == parameters


def test_nothing_is_kept() -> None:
    model = Keeper()
    kept = facts(survey(model, "model"))
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert kept is not None
    assert gone() is None
