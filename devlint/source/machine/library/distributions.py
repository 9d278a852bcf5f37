"""`torch.distributions`: the devices of samples, and the waits of constructors and densities."""

from __future__ import annotations

from devlint.model import (
    CPU,
    Cause,
    Operand,
    Origin,
    OriginStep,
    Presumed,
    SiteId,
    Step,
    Transfer,
    may_be_accelerator,
)
from devlint.operators import find
from devlint.source import ir
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import (
    FALSE,
    NONE,
    TOP,
    Known,
    Reference,
    Scalar,
    Tensor,
    Value,
    changed,
)
from devlint.source.machine.heap.defaults import default_device
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.operators.operands import operand
from devlint.source.machine.operators.waits import note_wait

PREFIX = "torch.distributions."
_PARAMETER = "<parameter>"
_SAMPLES = frozenset({"sample", "rsample", "sample_n"})
_DENSITIES = frozenset({"log_prob", "cdf", "icdf"})
"""Methods that check whether their argument is in the support."""
_OTHERS = frozenset({"entropy", "perplexity", "prob", "enumerate_support"})
_NORMAL = frozenset({f"{PREFIX}Normal", f"{PREFIX}normal.Normal"})
"""Distributions that sample with `torch.normal`, which reads the standard deviations on the host to check
them."""
_PAIRS = {
    **dict.fromkeys(("Cauchy", "Gumbel", "Laplace", "LogNormal", "Normal"), ("loc", "scale")),
    **dict.fromkeys(("Beta", "Kumaraswamy"), ("concentration1", "concentration0")),
    "Gamma": ("concentration", "rate"),
    "MultivariateNormal": ("loc", "covariance_matrix"),
    "Pareto": ("scale", "alpha"),
    "Uniform": ("low", "high"),
    "VonMises": ("loc", "concentration"),
    "Weibull": ("scale", "concentration"),
}
"""Two parameters, in the order of the constructor, that samples and densities combine element by element. The
constructor itself only broadcasts them, on whichever devices they are (`broadcast_all`)."""
_COMBINED_AT_ONCE = frozenset({"Beta", "Uniform"})
"""Distributions whose constructor combines the parameters: `torch.stack` makes those of a Dirichlet
distribution (torch/distributions/beta.py), and `torch.lt` compares the bounds (uniform.py)."""
_VALUES = frozenset({"mean", "mode", "stddev", "variance", "probs", "logits", "loc", "scale"})


def make(machine: Machine, name: str, call: Call) -> Value:
    """A distribution is on the device of its parameters.

    Its constructor branches on whether they make sense (torch/distributions/distribution.py: validation is on
    by default), and uploads numbers that stand beside tensors (`broadcast_all` in
    torch/distributions/utils.py). One that is made of another distribution, as `Independent` is, has no
    parameters of its own: it checks none, and what stands beside that is no parameter.
    """
    made = Instance(name, call.site)
    _fill(machine, made, name, call)
    return machine.adopt(made)


def _fill(machine: Machine, made: Instance, name: str, call: Call) -> None:
    """Set the parameters of a new distribution, as its constructor does."""
    validate = call.value("validate_args")
    if validate is not None:
        made.arguments["validate_args"] = validate
    shown = next(
        ((tensor, each) for each in call.passed if (tensor := _tensor(each.value)) is not None), None
    )
    if shown is None:
        if call.passed and all(isinstance(each.value, (Known, Scalar)) for each in call.passed):
            machine.store.write(made, _PARAMETER, _of_numbers(machine, name, call))
        return
    tensor, argument = shown
    pair = _pair(name, call)
    for each in pair:
        machine.store.write(made, each.keyword, each.value)
    if _last(name) in _COMBINED_AT_ONCE:
        _combine(machine, call, pair, "torch.lt")
    parameter = changed(tensor, role="", attribute="", left_behind=False)
    machine.store.write(made, _PARAMETER, parameter)
    if may_be_accelerator(tensor.device) and not isinstance(argument.value, Reference):
        _note_uploads(machine, name, tensor, call)
        if validate != FALSE:
            _note_check(machine, call.site, name, Cause.BRANCH, tensor, argument)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _pair(name: str, call: Call) -> list[Passed]:
    """Those of the two parameters that are tensors, under their names. Beside a tensor with dimensions, one
    without any is expanded."""
    given = [(each, call.argument(each, at)) for at, each in enumerate(_PAIRS.get(_last(name), ()))]
    found = [
        passed._replace(value=tensor, keyword=parameter)
        for parameter, passed in given
        if passed is not None and (tensor := tensor_of(passed.value)) is not None
    ]
    if not any(isinstance(each.value, Tensor) and each.value.rank0 is False for each in found):
        return found
    return [each._replace(value=changed(each.value, rank0=False, shape=None)) for each in found]


def _combine(machine: Machine, call: Call, pair: list[Passed], operator: str) -> None:
    """Combine the two parameters, if both are tensors."""
    if len(pair) == 2:
        _apply(machine, operator, call, [each._replace(keyword="") for each in pair])


def _own_pair(held: Instance, kind: str, call: Call) -> list[Passed]:
    """Those of the two parameters of a distribution that are tensors, as its attributes."""
    receiver, site = call.receiver, call.frame.site(call.receiver)
    return [
        Passed(tensor, ir.Attribute(receiver.id, receiver, name), site)
        for name in _PAIRS.get(_last(kind), ())
        if (tensor := held.cells.get(name)) is not None
    ]


def _note_check(
    machine: Machine, site: SiteId, operator: str, cause: Cause, checked: Tensor, passed: Passed
) -> None:
    """Record the wait for a test of a tensor. The tested value is temporary, so the tensor itself remains
    unread."""
    note_wait(machine, site, operator, cause, changed(checked, serial=0), passed)


def _tensor(held: Value) -> Tensor | None:
    """A parameter as a tensor, or the tensor parameter of a distribution that is a parameter."""
    if isinstance(held, Reference) and isinstance(held.target, Instance):
        inner = held.target.cells.get(_PARAMETER)
        return inner if isinstance(inner, Tensor) else None
    return tensor_of(held)


def _of_numbers(machine: Machine, name: str, call: Call) -> Tensor:
    """Record that numbers become tensors on the default device (`broadcast_all` in
    torch/distributions/utils.py)."""
    step = OriginStep(Step.MADE, call.site, default_device(machine), name)
    return Tensor(
        default_device(machine),
        Origin((step,)),
        rank0=True,
        shape=(),
        itemsize=4,
        serial=new_serial(),
        born=machine.execution.loop,
        activation=machine.frame.number,
    )


def _note_uploads(machine: Machine, name: str, tensor: Tensor, call: Call) -> None:
    for each in call.passed:
        is_number = isinstance(each.value, (Known, Scalar)) and not each.keyword
        if is_number and not isinstance(getattr(each.value, "value", None), (str, bool)):
            shown = operand(each.value, each, "value")
            number = Operand(shown.path, shown.site, CPU, shown.kind, parameter="value", rank0=True)
            machine.note(
                Transfer(
                    call.site,
                    None,
                    tensor.confidence,
                    name,
                    number,
                    CPU,
                    tensor.device,
                    explicit=False,
                    bytes=8,
                )
            )


def call_method(machine: Machine, held: Instance, name: str, call: Call) -> Value:
    """`distribution.name(...)`. The distribution may be of a class of the project."""
    kind = _class_of(held)
    if name == "__init__":
        _fill(machine, held, kind, call)
        return NONE
    tensor = held.cells.get(_PARAMETER)
    if not isinstance(tensor, Tensor):
        return machine.presumed(call)
    if name in _DENSITIES and held.arguments.get("validate_args") != FALSE:
        for each in call.passed[:1]:
            value = tensor_of(each.value)
            if value is not None:
                operator = f"{kind}.{name}"
                _note_check(machine, call.site, operator, Cause.BRANCH, value, each)
    pair = _own_pair(held, kind, call)
    if name == "sample" and kind in _NORMAL:
        # It reads the smallest standard deviation.
        passed = Passed(tensor, call.receiver, call.frame.site(call.receiver))
        read = tensor_of(held.cells.get("scale", tensor)) or tensor
        _note_check(machine, call.site, "torch.normal", Cause.HIDDEN_READ, read, passed)
        _combine(machine, call, pair, "torch.normal")
    elif name in _SAMPLES | _DENSITIES:
        _combine(machine, call, pair, "torch.mul")
    if name in _DENSITIES and call.passed:
        return _computed(machine, tensor_of(_compute_with(machine, held, tensor, call)) or tensor)
    if name in _SAMPLES:
        drawn = _drawn(machine, held, tensor, call.site)
        return changed(drawn, rank0=False, shape=None) if call.passed else drawn
    if name in _DENSITIES | _OTHERS:
        return _computed(machine, tensor)
    return TOP


def _class_of(held: Instance) -> str:
    """The class of torch that a distribution is of, or that its own class derives from."""
    if isinstance(held.of, str):
        return held.of
    return next(each for each in held.of.externals if each.startswith(PREFIX))


def _drawn(machine: Machine, held: Instance, parameter: Tensor, site: SiteId) -> Tensor:
    """A sample. That of a distribution of numbers is made where it is drawn."""
    drawn = _computed(machine, parameter)
    made = parameter.origin.last
    if made is None or made.operator != _class_of(held):
        return drawn
    step = OriginStep(Step.MADE, site, parameter.device, made.operator)
    return changed(drawn, origin=Origin((step,)), activation=machine.frame.number)


def _compute_with(machine: Machine, held: Instance, parameter: Tensor, call: Call) -> Value:
    """The result of a density. It combines its argument with the parameters, element by element or by index;
    with numbers as parameters, it is on the device of its argument."""
    own = Passed(parameter, call.receiver, call.frame.site(call.receiver))
    value = call.passed[0]._replace(keyword="")
    if _class_of(held).endswith("Categorical"):
        return _apply(machine, "torch.gather", call, [own, value._replace(keyword="index")])
    return _apply(machine, "torch.sub", call, [value, own])


def _apply(machine: Machine, name: str, call: Call, passed: list[Passed]) -> Value:
    operator = find(name)
    return TOP if operator is None else apply(machine, call.site, operator, passed)


def _computed(machine: Machine, parameter: Tensor) -> Tensor:
    """A value computed from a distribution's parameters, on their device. Some distributions return one
    number for the whole last dimension."""
    machine.work += 1
    rank0 = Presumed.DIMENSIONS if parameter.rank0 is False else parameter.rank0
    return changed(
        parameter,
        rank0=rank0,
        shape=() if rank0 is True else None,
        boolean=None,
        floating=None,
        serial=new_serial(),
        born=machine.execution.loop,
    )


def _divergence(machine: Machine, call: Call) -> Value:
    """`kl_divergence(p, q)`, which combines the parameters of both, element by element."""
    given = [each for each in (call.argument("p", 0), call.argument("q", 1)) if each is not None]
    pairs = [(each, tensor) for each in given if (tensor := _tensor(each.value)) is not None]
    parameters = [each._replace(value=tensor, keyword="") for each, tensor in pairs]
    if len(parameters) == 2:
        computed = tensor_of(_apply(machine, "torch.sub", call, parameters))
        return _computed(machine, computed or pairs[0][1])
    return _computed(machine, pairs[0][1]) if pairs else machine.presumed(call)


DIVERGENCES: dict[str, Handler] = {f"{PREFIX}{module}kl_divergence": _divergence for module in ("", "kl.")}
"""Functions of two distributions."""


def attribute(held: Instance, name: str) -> Value | None:
    """`distribution.mean` and similar properties."""
    tensor = held.cells.get(_PARAMETER)
    if isinstance(tensor, Tensor) and name in _VALUES:
        return changed(tensor, rank0=None, shape=None, serial=new_serial())
    return None
