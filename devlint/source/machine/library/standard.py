"""Functions of the standard library, and of libraries that return their arguments unchanged."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.clocks import Clock
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    STRING,
    TOP,
    External,
    Imported,
    Known,
    Reference,
    Tensor,
    Value,
    changed,
)
from devlint.source.machine.heap.files import Class, Function
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import ELEMENT, Container, Instance, Partial
from devlint.source.machine.library import launcher, parsers
from devlint.source.machine.library.handlers import Handler, constant, first_argument
from devlint.source.machine.library.iterators import ITERATORS
from devlint.source.machine.library.members import all_say, is_scalar
from devlint.source.machine.library.orders import HEAPS_AND_SEARCHES
from devlint.source.machine.library.python_builtins import BUILTINS
from devlint.source.machine.library.records import RECORDS
from devlint.source.machine.modules.state import blank_twin, copied, is_module


def _is_scalar(machine: Machine, call: Call) -> Value:
    return all_say(call.first, is_scalar) if call.passed else BOOL


def _deepcopy(machine: Machine, call: Call) -> Value:
    return copied(machine, call.first, call.site) if call.passed else TOP


def _copy(machine: Machine, call: Call) -> Value:
    """`copy.copy`: another object with the same contents; a module's copy shares its parameters."""
    held = call.first
    if isinstance(held, Tensor):
        return changed(held, serial=new_serial())
    if isinstance(held, Input):
        return machine.assigned.copied(held)
    if not isinstance(held, Reference) or is_module(held.target):
        return held
    twin = blank_twin(held.target, call.site)
    if twin is None:
        return held
    twin.cells.update(held.target.cells)
    return machine.adopt(twin)


def _partial(machine: Machine, call: Call) -> Value:
    if not call.passed:
        return TOP
    plain = [each.value for each in call.passed[1:] if not each.keyword and not each.stars]
    named = {each.keyword: each.value for each in call.passed[1:] if each.keyword}
    return machine.adopt(Partial(call.first, plain, named))


def _namedtuple(machine: Machine, call: Call) -> Value:
    """`collections.namedtuple("Batch", ["x", "y"])`."""
    names: list[str] = []
    fields = call.passed[1].value if len(call.passed) > 1 else TOP
    if isinstance(fields, Known) and isinstance(fields.value, str):
        names = fields.value.replace(",", " ").split()
    elif isinstance(fields, Reference) and isinstance(fields.target, Container):
        names = [str(each.value) for each in fields.target.items if isinstance(each, Known)]
    title = call.first.value if isinstance(call.first, Known) else "tuple"
    definition = ir.ClassDef(call.node.id, str(title), (), (), (), ())
    made = Class(definition, call.frame.file, ())
    made.order = (made,)
    made.marks = frozenset({"namedtuple"})
    reference = machine.adopt(made)
    made.fields = list(names)
    return reference


def _import_module(machine: Machine, call: Call) -> Value:
    """`importlib.import_module("models.resnet")`; unknown for a relative name."""
    name = call.first.value if call.passed and isinstance(call.first, Known) else None
    if not isinstance(name, str) or not name or name.startswith("."):
        return TOP
    return machine.resolved(Imported(name, "", call.frame.file))


def _cached(machine: Machine, call: Call) -> Value:
    """`functools.lru_cache(maxsize=None)`: a decorator."""
    held = call.first
    if isinstance(held, Reference) and isinstance(held.target, Function):
        return held
    return machine.adopt(Instance("functools.lru_cache", call.site))


def _clock(name: str) -> Handler:
    def handler(machine: Machine, call: Call) -> Value:
        loop = machine.execution.loop
        inside = None if loop is None else loop.site
        return Clock(name, call.site, machine.waits, machine.work, machine.sure_work, inside)

    return handler


def _default_dict(machine: Machine, call: Call) -> Value:
    """`defaultdict(factory, entries)`."""
    made = BUILTINS["builtins.dict"](machine, call.passing(call.passed[1:]))
    if isinstance(made, Reference) and isinstance(made.target, Container) and call.passed:
        held = made.target
        held.factory = None if call.first == NONE else call.first
        if held.factory is not None and not held.cells:
            held.cells[ELEMENT] = machine.call(held.factory, call.passing([]))
    return made


def _deque(machine: Machine, call: Call) -> Value:
    """`deque(iterable, maxlen=n)`: a list."""
    given = [each._replace(keyword="") for each in call.passed if each.keyword in ("", "iterable")]
    return BUILTINS["builtins.list"](machine, call.passing(given[:1]))


def _queue(machine: Machine, call: Call) -> Value:
    """`queue.Queue(maxsize)`: a list, whose methods `put` and `get` add and remove elements."""
    return machine.adopt(Container("list"))


def _namespace(machine: Machine, call: Call) -> Value:
    made = Instance(parsers.NAMESPACE, call.site)
    made.cells.update({each.keyword: each.value for each in call.passed if each.keyword})
    return machine.adopt(made)


def _environment(machine: Machine, call: Call) -> Value:
    """`os.environ.get(name, default)`."""
    return launcher.variable(machine, call.first, call.passed[1].value if len(call.passed) > 1 else NONE)


def _math(machine: Machine, call: Call) -> Value:
    """`math.sqrt(t)`, which reads a tensor."""
    BUILTINS["builtins.float"](machine, call.passing(call.passed[:1]))
    return FLOAT


def _cast(machine: Machine, call: Call) -> Value:
    """`typing.cast(type, value)`."""
    return call.passed[1].value if len(call.passed) > 1 else TOP


def _range_with_progress(machine: Machine, call: Call) -> Value:
    """`tqdm.trange`: its keywords are about the bar."""
    return BUILTINS["builtins.range"](
        machine, call.passing([each for each in call.passed if not each.keyword])
    )


def _exit(machine: Machine, call: Call) -> Value:
    machine.exit()
    return TOP


_MATH = ("sqrt", "log", "log2", "log10", "exp", "sin", "cos", "tan", "floor", "ceil", "pow", "isnan", "isinf",
         "isfinite", "fabs", "erf", "tanh", "atan", "radians", "degrees")  # fmt: skip
_BARS = ("tqdm", "tqdm.auto", "tqdm.autonotebook", "tqdm.notebook", "tqdm.std")
_PROGRESS = (*(f"{module}.tqdm" for module in _BARS), "rich.progress.track", "itertools.islice",
             "itertools.cycle", "progressbar.progressbar", "tqdm.notebook.tqdm_notebook",
             "fastprogress.progress_bar", "alive_progress.alive_it", "ultralytics.utils.TQDM")  # fmt: skip
"""Functions that return their iterable, or a part of it."""

_ATTRIBUTE_DICTS = ("addict.Dict", "box.Box", "easydict.EasyDict", "ml_collections.ConfigDict",
                    "ml_collections.config_dict.ConfigDict", "munch.Munch", "munch.DefaultMunch",
                    "omegaconf.OmegaConf.create", "omegaconf.DictConfig")  # fmt: skip
"""Dicts whose entries are attributes as well; those of every dict are."""

STANDARD: dict[str, Handler] = {
    **ITERATORS,
    **HEAPS_AND_SEARCHES,
    **RECORDS,
    "numpy.isscalar": _is_scalar,
    "copy.deepcopy": _deepcopy,
    "copy.copy": _copy,
    "functools.partial": _partial,
    "functools.wraps": constant(TOP),  # a decorator that returns its argument
    "functools.lru_cache": _cached,
    "functools.cache": _cached,
    "collections.namedtuple": _namedtuple,
    "collections.defaultdict": _default_dict,
    "collections.OrderedDict": BUILTINS["builtins.dict"],
    "collections.deque": _deque,
    "queue.Queue": _queue,
    "queue.LifoQueue": _queue,
    "queue.SimpleQueue": _queue,
    "types.SimpleNamespace": _namespace,
    "typing.cast": _cast,
    "hydra.main": constant(External("hydra.main")),  # a decorator
    "argparse.Namespace": _namespace,
    **dict.fromkeys(_ATTRIBUTE_DICTS, BUILTINS["builtins.dict"]),
    "time.time": _clock("time.time"),
    "time.perf_counter": _clock("time.perf_counter"),
    "time.monotonic": _clock("time.monotonic"),
    "time.process_time": constant(FLOAT),
    "timeit.default_timer": _clock("timeit.default_timer"),
    "os.environ.get": _environment,
    "os.getenv": _environment,
    "os.path.join": constant(STRING),
    "os.path.exists": constant(BOOL),
    "os.path.isfile": constant(BOOL),
    "os.listdir": constant(TOP),
    "os.cpu_count": constant(INT),
    "importlib.import_module": _import_module,
    "random.random": constant(FLOAT),
    "random.uniform": constant(FLOAT),
    "random.randint": constant(INT),
    "random.randrange": constant(INT),
    "sys.exit": _exit,
    "builtins.exit": _exit,
    "builtins.quit": _exit,
    "os._exit": _exit,
    **{f"{module}.trange": _range_with_progress for module in _BARS},
    **{f"math.{name}": _math for name in _MATH},
    **dict.fromkeys(_PROGRESS, first_argument),
}
