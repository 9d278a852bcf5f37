"""Suites for the CPU, lifted: what tests make lies on the device, and the library is judged."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest
import torch

from devlint.integrations.under_pytest import begin  # noqa: F401 - so that no inner run imports torch anew
from devlint.report import FORMATS, renderer
from devlint.rules.registry import all_rules

pytest_plugins = "pytester"


@pytest.fixture(autouse=True)
def _imported() -> None:
    """Import now what would else be imported within an inner run, and be dropped after it."""
    all_rules()
    for name in FORMATS:
        renderer(name)
    torch.optim.SGD([torch.ones(1, requires_grad=True)]).step()  # what it imports can be imported only once


AT_ROOT = "import sys, pathlib\nsys.path.insert(0, str(pathlib.Path(__file__).parents[1]))\n"
"""For workers, which do not share the path of the process that started them."""

LIBRARY = """
    import torch
    from torch import nn

    def shifted(x):
        return x + torch.zeros(3)

    def product(x, y):
        return (x * y).sum()

    def slope(y, x):
        return torch.autograd.grad(y, x)[0]

    def noise(n):
        return torch.rand(n)

    def ramp(n, device="cpu"):
        return torch.arange(n, dtype=torch.float32, device=device)

    def total(x):
        return x.sum().item()

    def is_accelerated(x):
        return torch.cuda.is_available() and torch.accelerator.device_count() == 1 and x.is_cuda

    class Scale(nn.Module):
        def __init__(self, weight=None):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3) if weight is None else torch.ones(3) * weight)
            self.register_buffer("bias", torch.zeros(3))
            self.mask = torch.ones(3)

        def forward(self, x):
            return x * self.weight + self.bias

        def masked(self, x):
            return self(x) * self.mask

    class Averaging(torch.optim.SGD):
        def __init__(self, parameters):
            super().__init__(parameters, lr=0.1)
            self.mean = [p.detach().clone() for group in self.param_groups for p in group["params"]]

        def step(self):
            super().step()
            for mean, p in zip(self.mean, self.param_groups[0]["params"]):
                mean.add_(p.detach())

    class Table:
        def __init__(self, n):
            self.rows = torch.ones(n)

        def plus(self, x):
            return self.rows + x

    class Movable(Table):
        def to(self, device):
            moved = Movable(1)
            moved.rows = self.rows.to(device)
            return moved
"""


def run(pytester: pytest.Pytester, source: str, *options: str, **files: str) -> pytest.RunResult:
    pytester.makepyfile(
        **{
            "lib/__init__": dedent(LIBRARY),
            "tests/test_it": "import numpy as np, pytest, torch\nimport lib\n" + dedent(source),
            **{name.replace("__", "/"): dedent(text) for name, text in files.items()},
        }
    )
    pytester.syspathinsert()
    lift = () if any(option.startswith("--devlint-lift=") for option in options) else ("--devlint-lift=cuda",)
    return pytester.runpytest_inprocess(
        "-p", "no:cacheprovider", "--devlint-format=concise", *lift, *options, "tests"
    )


def test_a_factory_of_the_library_meets_a_tensor_of_the_test(pytester: pytest.Pytester) -> None:
    source = """
        @pytest.mark.parametrize("n", range(5))
        def test_shifted(n):
            lib.shifted(torch.ones(3))

        def test_other():
            lib.product(torch.ones(3), torch.ones(3))
    """
    result = run(pytester, source)
    result.assert_outcomes(passed=1, failed=5)
    result.stdout.fnmatch_lines(
        [
            "E *devlint: DL102 `torch.zeros` defaults to cpu*",
            "lib/__init__.py:5:*: DL102 *(5 times)",
            "   in tests/test_it.py::test_shifted?0?, * and 2 more",
            "1 mistake of the library, in 6 lifted tests.",
        ]
    )


def test_a_report_lets_tests_go_on(pytester: pytest.Pytester) -> None:
    source = """
        def test_shifted():
            assert lib.shifted(torch.ones(3)).sum() == 3
    """
    result = run(pytester, source, "--devlint-lift-report-only", "--devlint-lift-json=out/lift.json")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["lib/__init__.py:5:*: DL102 *"])
    data = json.loads((pytester.path / "out" / "lift.json").read_text("utf-8"))
    (mistake,) = data["mistakes"]
    assert (mistake["code"], mistake["location"]["row"]) == ("DL102", 5)
    assert mistake["tests"] == ["tests/test_it.py::test_shifted"]
    assert (data["tests"], data["not_lifted"]) == (1, [])


CLEAN = {
    "comparing with NumPy, with a copy on the host, and with what the library made there": """
        def test_it():
            y = lib.product(torch.ones(3), torch.ones(3))
            np.testing.assert_allclose(y.numpy(), 3.0)
            np.testing.assert_allclose(torch.ones(3), np.ones(3))
            torch.testing.assert_close(y, torch.tensor(3.0).cpu())
            assert (lib.noise(3) + torch.ones(3) >= 1).all()
            assert torch.allclose(y, lib.noise(1) * 0 + 3)
    """,
    "pickling, copying, printing, indexing": """
        import copy, pickle
        def test_it():
            x = torch.ones(3)
            assert torch.equal(pickle.loads(pickle.dumps(x)), x)
            assert torch.equal(copy.deepcopy(x), x)
            assert repr(x) == "tensor([1., 1., 1.])"
            assert lib.noise(3)[torch.tensor([0, 1])].shape == (2,)
    """,
    "what the library made on the host and a test hands back": """
        def test_it():
            lib.product(lib.noise(3), torch.ones(3))
            lib.product(**{"x": torch.Tensor([1, 2, 3]), "y": torch.ones(3)})
    """,
    "a device that the library's function has by default, or a test names": """
        def test_it():
            host = torch.device("cpu")
            lib.product(lib.ramp(3), torch.ones(3))
            lib.product(lib.ramp(3, device="cpu"), torch.ones(3, device="cpu"))
            assert torch.ones(3).device == host
    """,
    "a module and its optimizer": """
        def test_it():
            scale = lib.Scale()
            optimizer = torch.optim.SGD(scale.parameters(), lr=0.1)
            scale(torch.ones(3)).sum().backward()
            optimizer.step()
            for tensor in (scale.weight, scale.bias, scale.weight.grad):
                assert tensor.device.type == "cuda"
    """,
    "an optimizer of the library": """
        def test_it():
            scale = lib.Scale()
            optimizer = lib.Averaging(scale.parameters())
            scale(torch.ones(3)).sum().backward()
            optimizer.step()
    """,
    "a module that is made of what the test has": """
        def test_it():
            lib.Scale(torch.full((3,), 2.0))(torch.ones(3))
    """,
    "a module of the test around one of the library": """
        class Twice(lib.Scale):
            def __init__(self):
                super().__init__()
                self.inner = lib.Scale()
                assert self.inner.weight.device.type == "cpu"

            def forward(self, x):
                return self.inner(super().forward(x))

        def test_it():
            assert Twice()(torch.ones(3)).device.type == "cuda"
    """,
    "an object that can be moved": """
        def test_it():
            lib.Movable(3).plus(torch.ones(3))
    """,
    "containers, named tuples and dataclasses": """
        from collections import namedtuple
        from dataclasses import dataclass
        Pair = namedtuple("Pair", "x y")

        @dataclass
        class Batch:
            x: torch.Tensor

        def test_it():
            pair = Pair(lib.noise(3), [{"y": lib.noise(3)}])
            lib.product(torch.ones(3), torch.ones(3))
            take(pair, Batch(lib.noise(3)))

        def take(pair, batch):
            lib.product(pair.x, pair.y[0]["y"])
            lib.product(batch.x, torch.ones(3))
    """,
    "unittest": """
        import unittest

        class TestIt(unittest.TestCase):
            def setUp(self):
                self.x = torch.from_numpy(np.ones(3))

            def test_it(self):
                self.assertTrue(self.x.device.type == "cuda")
                lib.product(self.x, torch.ones(3))
    """,
    "parameters and constants": """
        ONES = torch.ones(3)

        @pytest.mark.parametrize("x", [torch.ones(3)])
        def test_it(x):
            assert x.device.type == "cuda" and ONES.device.type == "cuda"
            lib.product(x, ONES)
    """,
    "fixtures for all tests": """
        @pytest.fixture(scope="module")
        def scale():
            return lib.Scale()

        def test_it(scale):
            assert scale(torch.ones(3)).device.type == "cuda"
    """,
    "hypothesis": """
        from hypothesis import given, strategies as st

        @given(st.integers(1, 5))
        def test_it(n):
            assert lib.product(torch.ones(n), torch.ones(n)).device.type == "cuda"
    """,
    "what backward meets again": """
        def test_it():
            weight = torch.ones(3, requires_grad=True)
            y = (weight * torch.Tensor([1.0, 2.0, 3.0])).sum()
            assert lib.slope(y, weight).tolist() == [1.0, 2.0, 3.0]
    """,
    "what a test does where there is no accelerator": """
        device = "cuda" if torch.cuda.is_available() else "cpu"

        def test_it():
            x = torch.ones(3, device=device)
            assert x.is_cpu and not x.is_cuda
            assert not torch.cuda.device_count() and not torch.accelerator.is_available()
            assert lib.is_accelerated(x)
    """,
    "generators of random numbers": """
        def test_it():
            generator = torch.Generator().manual_seed(0)
            lib.product(torch.rand(3, generator=generator), torch.randperm(3, generator=generator))
    """,
}


@pytest.mark.parametrize("source", CLEAN.values(), ids=CLEAN.keys())
def test_passes_lifted(source: str, pytester: pytest.Pytester) -> None:
    result = run(pytester, source)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["0 mistakes of the library, in 1 lifted test."])


def test_a_module_is_moved_before_compiled_code_gets_what_it_keeps(pytester: pytest.Pytester) -> None:
    library = """
        import torch
        from torch import nn

        @torch.jit.script
        def scaled(x: torch.Tensor, by: torch.Tensor):
            return x * by

        class Scaled(nn.Module):
            def __init__(self):
                super().__init__()
                self.by = nn.Parameter(torch.ones(3))

            def forward(self, x):
                return scaled(x, self.by)
    """
    source = """
        import compiled

        def test_module():
            assert compiled.Scaled().forward(torch.ones(3)).device.type == "cuda"

        def test_function():
            compiled.scaled(torch.ones(3), torch.Tensor([1.0, 2.0, 3.0]))
    """
    run(pytester, source, compiled=library).assert_outcomes(passed=2)


OPERATORS = """
    import torch

    class Identity:
        def __init__(self, size, device=None):
            self.size = size
            self.device = device

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return getattr(args[0], func.__name__)(*args[1:])

        def matmul(self, x):
            return torch.eye(self.size, device=self.device) @ x

        def mul(self, x):
            return torch.eye(self.size) * x

    class Sum:
        def __init__(self, *parts):
            self.parts = parts

        def matmul(self, x):
            return sum(part.matmul(x) for part in self.parts)
"""


def test_an_object_that_got_no_device_uses_that_of_the_tests(pytester: pytest.Pytester) -> None:
    source = """
        import operators

        def test_method():
            operators.Identity(3).matmul(torch.ones(3))

        def test_part():
            operators.Sum(operators.Identity(3), operators.Identity(3)).matmul(torch.ones(3))

        def test_function():
            torch.matmul(operators.Identity(3), torch.ones(3))
    """
    run(pytester, source, operators=OPERATORS).assert_outcomes(passed=3)


def test_classes_that_handle_functions_are_judged(pytester: pytest.Pytester) -> None:
    source = """
        import operators

        def test_it():
            torch.mul(operators.Identity(3), torch.ones(3))
    """
    result = run(pytester, source, operators=OPERATORS)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["operators.py:*: DL102 `torch.eye` defaults to cpu*"])


def test_what_a_module_does_not_register_stays(pytester: pytest.Pytester) -> None:
    result = run(pytester, "def test_it(): lib.Scale().masked(torch.ones(3))")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["lib/__init__.py:*: DL103 `self.mask` is unregistered and on cpu*"])


def test_what_cannot_be_moved_stays(pytester: pytest.Pytester) -> None:
    result = run(pytester, "def test_it(): lib.Table(3).plus(torch.ones(3))")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["lib/__init__.py:*: DL102 `self.rows` is created on cpu by `torch.ones`*"])


def test_a_module_moves_what_its_class_says(pytester: pytest.Pytester) -> None:
    library = """
        import torch
        from torch import nn

        class Sum(nn.Module):
            def __init__(self):
                super().__init__()
                self.parts = torch.zeros(3)

            def _apply(self, fn, recurse=True):
                super()._apply(fn, recurse)
                self.parts = fn(self.parts)
                return self

            def forward(self, x):
                self.parts += x
                return self.parts
    """
    source = """
        import summing

        def test_it():
            assert summing.Sum()(torch.ones(3)).sum() == 3
    """
    run(pytester, source, summing=library).assert_outcomes(passed=1)


def test_a_module_that_an_object_keeps_is_moved(pytester: pytest.Pytester) -> None:
    """Its constructor calls nothing of torch, so that nobody sees a test hand the module over."""
    library = """
        class Explained:
            def __init__(self, model):
                self.model = model

        class Smoothed:
            def __init__(self, explained):
                self.explained = explained

            def attribute(self, x):
                return self.explained.model(x * 2)
    """
    source = """
        import explaining

        def test_it():
            smoothed = explaining.Smoothed(explaining.Explained(lib.Scale()))
            assert smoothed.attribute(torch.ones(3)).sum() == 6
    """
    run(pytester, source, explaining=library).assert_outcomes(passed=1)


def test_helpers_and_conftest_are_test_code(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
        from helpers import make

        def test_it(ones):
            assert make().device.type == "cuda" and ones.device.type == "cuda"
        """,
        tests__conftest="import pytest, torch\n@pytest.fixture\ndef ones(): return torch.ones(3)\n",
        tests__helpers="import torch\ndef make(): return torch.ones(3)\n",
    )
    result.assert_outcomes(passed=1)


def test_what_is_test_code_can_be_told(pytester: pytest.Pytester) -> None:
    source = """
        from gadgets import make

        def test_it():
            assert make().device.type == "cuda"
    """
    gadgets = "import torch\ndef make(): return torch.ones(3)\n"
    run(pytester, source, gadgets=gadgets).assert_outcomes(failed=1)
    run(pytester, source, "--devlint-lift-tests=gadgets.py", gadgets=gadgets).assert_outcomes(passed=1)


def test_only_named_packages_are_judged(pytester: pytest.Pytester) -> None:
    source = """
        import other

        def test_it():
            other.shifted(torch.ones(3))
    """
    other = "import torch\ndef shifted(x): return x + torch.zeros(3)\n"
    run(pytester, source, other=other).assert_outcomes(failed=1)
    run(pytester, source, "--devlint-lift-package=lib", other=other).assert_outcomes(passed=1)


def test_tests_may_lie_beside_the_modules_of_a_named_package(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        **{
            "lib/__init__": dedent(LIBRARY),
            "lib/test_it": "import torch, lib\ndef test_it(): lib.shifted(torch.ones(3))",
        }
    )
    pytester.syspathinsert()
    lift = ("-p", "no:cacheprovider", "--devlint-lift=cuda", "--devlint-lift-package=lib")
    pytester.runpytest_inprocess(*lift).assert_outcomes(failed=1)


def test_doctests_are_test_code(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        lib='''
            import torch

            def double(x):
                """
                >>> double(torch.ones(2))
                tensor([2., 2.])
                """
                return x * 2

            def shifted(x):
                """
                >>> shifted(torch.ones(2))
                tensor([1., 1.])
                """
                return x + torch.zeros(2)
        '''
    )
    result = pytester.runpytest_inprocess(
        "-p", "no:cacheprovider", "--devlint-lift=cuda", "--devlint-format=concise", "--doctest-modules"
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["lib.py:15:*: DL102 *"])


def test_waits_are_counted_by_line(pytester: pytest.Pytester) -> None:
    source = """
        def test_one():
            lib.total(torch.ones(3))
            torch.ones(3).sum().item()

        def test_two():
            for _ in range(3):
                lib.total(torch.ones(3))
    """
    result = run(pytester, source)
    result.stdout.fnmatch_lines(
        [
            "In the library's own lines:",
            "   lib/__init__.py:20: 4 waits by torch.Tensor.item, in 2 tests",
            "0 mistakes of the library, in 2 lifted tests.",
        ]
    )
    result.stdout.no_fnmatch_line("*test_it.py:*waits*")


def test_a_failure_without_a_mistake_is_named(pytester: pytest.Pytester) -> None:
    source = """
        def test_it():
            assert torch.ones(3).device.type == "cpu"
    """
    result = run(pytester, source)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["Not lifted:", "   tests/test_it.py::test_it: fails in its call: *", "1 test not lifted."]
    )


def test_a_library_that_no_test_calls_is_missed(pytester: pytest.Pytester) -> None:
    result = run(pytester, "def test_it(): torch.ones(3).sum()")
    result.stdout.fnmatch_lines(["note: no test called the library: *--devlint-lift-package"])


def test_another_device_finds_what_assumes_the_first(pytester: pytest.Pytester) -> None:
    source = "import first\ndef test_it(): first.shifted(torch.ones(3))"
    first = "import torch\ndef shifted(x): return x + torch.zeros(3, device='cuda')\n"
    run(pytester, source, first=first).assert_outcomes(passed=1)
    run(pytester, source, "--devlint-lift=cuda:1", first=first).assert_outcomes(failed=1)


def test_several_devices_take_turns_by_file(pytester: pytest.Pytester) -> None:
    source = "def test_it(): assert torch.ones(3).device.index == {}"
    result = run(
        pytester,
        source.format(0),
        "--devlint-devices=2",
        tests__test_that="import torch\n" + source.format(1),
    )
    result.assert_outcomes(passed=2)


def test_several_devices_take_turns_by_test(pytester: pytest.Pytester) -> None:
    """What a library keeps for the device of its first call is found, and what a fixture made moves along."""
    library = """
        import torch

        TABLES = {}

        def embedded(x):
            table = TABLES.setdefault(len(x), torch.arange(3.0, device=x.device))
            return x + table
    """
    source = """
        import keeping

        @pytest.fixture(scope="module")
        def shared():
            return torch.ones(3)

        @pytest.mark.parametrize("index", [0, 1])
        def test_place(index, shared):
            assert torch.ones(3).device.index == index
            assert lib.product(shared, torch.ones(3)) == 3

        @pytest.mark.parametrize("x", [torch.ones(3), torch.zeros(3)])
        def test_kept(x):
            keeping.embedded(x)
    """
    options = ("--devlint-devices=2", "--devlint-lift-turns=test")
    result = run(pytester, source, *options, keeping=library)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["keeping.py:7:*: DL101 *"])


def test_annotations_for_github(pytester: pytest.Pytester) -> None:
    result = run(pytester, "def test_it(): lib.shifted(torch.ones(3))", "--devlint-format=github")
    result.stdout.fnmatch_lines(["::error title=devlint (DL102),file=*lib?__init__.py,line=5,*"])


def test_properties_for_junit(pytester: pytest.Pytester) -> None:
    run(pytester, "def test_it(): lib.shifted(torch.ones(3))", "--junitxml=out.xml")
    assert 'name="devlint" value="lib/__init__.py:5: DL102 ' in (pytester.path / "out.xml").read_text("utf-8")


def test_with_xdist(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    source = """
        @pytest.mark.parametrize("n", range(4))
        def test_shifted(n):
            lib.shifted(torch.ones(3))
    """
    result = run(pytester, source, "-n1", "--devlint-lift-report-only", tests__conftest=AT_ROOT)
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        ["lib/__init__.py:5:*: DL102 *(4 times)", "1 mistake of the library, in 4 lifted tests."]
    )


def test_afterwards_torch_is_as_it_was(pytester: pytest.Pytester) -> None:
    before = torch.from_numpy, torch.nn.Module.parameters
    run(pytester, "def test_it(): pass")
    assert (torch.from_numpy, torch.nn.Module.parameters) == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--devlint-lift=cpu"], "*'cpu': choose from cuda, xpu, mps*"),
        (["--devlint-lift=cuda:2", "--devlint-devices=2"], "*there are 2 devices, counted from 0"),
        (["--devlint-lift=cuda", "--devlint-simulate=cuda"], "*remove --devlint-simulate"),
        (["--devlint-lift=cuda", "--devlint-lift-turns=test"], "*pass --devlint-devices*"),
        (
            ["--devlint-lift=cuda", "--devlint-devices=2", "--devlint-lift-turns=call"],
            "*'call': choose from file, test",
        ),
        (["--devlint", "--devlint-lift-package=lib"], "*needs --devlint-lift"),
    ],
)
def test_options_that_make_no_sense(options: list[str], said: str, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(): pass")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", *options)
    result.stderr.fnmatch_lines([said])


def test_json_tells_what_each_line_does(pytester: pytest.Pytester) -> None:
    """Mistakes, costs, waits in a forward, and lines that mix devices without being at fault."""
    library = """
        import torch
        from torch import nn

        class Gate(nn.Module):
            def __init__(self, start):
                super().__init__()
                self.start = (start.sum() + torch.ones(3)).detach()
                self.scale = nn.Parameter(torch.ones(3))

            def forward(self, x):
                if x.sum() > 0:
                    return x * self.scale
                return x
    """
    source = """
        import gate

        def test_it():
            gate.Gate(torch.ones(3))(torch.ones(3))
            lib.shifted(torch.ones(3))
    """
    report = ("--devlint-lift-report-only", "--devlint-lift-json=out.json")
    run(pytester, source, *report, gate=library)
    shown = json.loads((pytester.path / "out.json").read_text("utf-8"))
    assert [(each["code"], each["location"]["row"]) for each in shown["mistakes"]] == [("DL102", 5)]
    assert [(each["code"], each["location"]["row"]) for each in shown["slow"]] == [("DL202", 11)]
    waits = [each for each in shown["costs"] if each["kind"] == "wait"]
    assert [(each["line"], each["end_line"], each["forward"]) for each in waits] == [(11, 11, True)]
    assert [each["line"] for each in shown["excused"]] == [7]


COMPARING = """
    import torch

    def same(first, second):
        return torch.equal(first, second)

    def same_data(first, second):
        return torch.equal(first.data, second.data)

    class Case:
        def same(self, first, second):
            return torch.equal(first, second)

    def after(make, x):
        return make(3) + x
"""


@pytest.mark.parametrize(
    ("called", "outcome"),
    [
        ("comparing.same(lib.noise(3), torch.zeros(3))", {"passed": 1}),
        ("comparing.same_data(lib.noise(3), torch.zeros(3))", {"passed": 1}),
        ("case = comparing.Case(); case.x = lib.noise(3); case.same(torch.zeros(3), case.x)", {"passed": 1}),
        ("comparing.after(lib.noise, torch.zeros(3))", {"failed": 1}),
    ],
)
def test_third_parties_compare_what_tests_give_them(
    called: str, outcome: dict[str, int], pytester: pytest.Pytester
) -> None:
    """What the library has made and a third party meets without a test in between is a mistake."""
    source = f"import comparing\ndef test_it(): {called}"
    result = run(pytester, source, "--devlint-lift-package=lib", comparing=COMPARING)
    result.assert_outcomes(**outcome)


def test_a_line_that_lifting_tells_the_device_is_excused(pytester: pytest.Pytester) -> None:
    run(pytester, "def test_it(): lib.ramp(3)", "--devlint-lift-json=out.json")
    shown = json.loads((pytester.path / "out.json").read_text("utf-8"))
    assert [(each["line"], each["count"]) for each in shown["excused"]] == [(17, 1)]
