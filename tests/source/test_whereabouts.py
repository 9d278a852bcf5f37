"""Tests of the devices of values, by the expressions that refer to them."""

from __future__ import annotations

from textwrap import dedent

from devlint.source import observe
from devlint.source.machine.interprocedural.watching import Whereabouts


def whereabouts(text: str) -> dict[tuple[int, str], list[str]]:
    """The devices of each name, attribute and call, by line."""
    observation = observe(dedent(text), "train.py", watch=Whereabouts())
    places = observation.locate(observation.whereabouts)
    return {
        (places.site(site).line, operands[0].path): [str(each.device) for each in operands]
        for site, operands in observation.whereabouts.items()
    }


def test_tensors_modules_and_devices() -> None:
    found = whereabouts("""\
        import torch
        device = torch.device("cuda:1")
        x = torch.rand(3)
        y = x.to(device)
        net = torch.nn.Linear(3, 3).cuda()
        z = net(y)
    """)
    assert found[2, "device"] == ["cuda:1"]
    assert found[3, "x"] == found[4, "x"] == ["cpu"]
    assert found[4, "x.to(device)"] == found[4, "y"] == found[6, "y"] == ["cuda:1"]
    assert found[6, "net"] == ["cuda"]
    assert (3, "torch") not in found


def test_each_path_has_its_device() -> None:
    found = whereabouts("""\
        import torch, sys
        x = torch.rand(3)
        if len(sys.argv) > 7:
            x = x.cuda()
        y = x
    """)
    assert sorted(found[5, "x"]) == ["cpu", "cuda"]


def test_parameters_have_what_callers_give() -> None:
    found = whereabouts("""\
        import torch
        def double(t):
            return t + t
        double(torch.rand(3, device="cuda"))
    """)
    assert found[2, "t"] == found[3, "t"] == found[3, "t + t"] == ["cuda"]


def test_the_program_outranks_a_hypothesis() -> None:
    found = whereabouts("""\
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = torch.nn.Linear(3, 3)
            def forward(self, x):
                return self.fc(x)
        Net()(torch.rand(3, 3))
    """)
    assert found[7, "x"] == ["cpu"]


def test_attributes_know_what_moved_their_module() -> None:
    found = whereabouts("""\
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = torch.nn.Linear(3, 3)
                self.mask = torch.ones(3)
        net = Net().cuda()
        net.fc
        net.mask
    """)
    assert found[8, "net.fc"] == ["cuda"]
    assert found[9, "net.mask"] == ["cpu"]


def test_what_may_be_no_tensor_is_not_told_of() -> None:
    assert whereabouts("import torch\ndef f(a, b):\n    return a, b\n") == {}


def test_nobody_asks_in_a_check() -> None:
    assert observe("import torch\nx = torch.rand(3)\n", "train.py").whereabouts == {}
