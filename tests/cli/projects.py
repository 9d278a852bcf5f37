"""Generated projects whose files call each other, so that what is found in one follows from others."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

_DEFINITIONS = {
    "make": (
        "def make(n):\n    return torch.ones(n)\n",
        "def make(n):\n    return torch.ones(n, device='cuda')\n",
    ),
    "add": (
        "def add(x):\n    return x + torch.ones(3)\n",
        "def add(x):\n    return x + torch.ones(3)  # noqa: DL102\n",
    ),
    "read": (
        "def read(x):\n    return x.sum().item()  # devlint: ignore[DL201]\n",
        "def read(x):\n    for _ in range(9):\n        x = x * x.sum().item()\n    return x\n",
    ),
    "Net": (
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.scale = torch.ones(3)\n\n"
        "    def forward(self, x):\n"
        "        return x * self.scale\n",
    ),
}
_USES = {
    "make": ("make(3) + torch.ones(3, device='cuda')\n",),
    "add": ("add(torch.ones(3, device='cuda'))\n", "add(torch.ones(3))\n"),
    "read": ("for _ in range(9):\n    read(torch.ones(3, device='cuda'))\n",),
    "Net": ("net = Net().cuda()\nnet(torch.ones(3, device='cuda'))\n",),
}
_ENDS = ("", "", "x = torch.ones(3, device='cuda')\nx + torch.ones(3)\n", "# devlint: skip-file\n", "x = (\n")


@st.composite
def projects(draw: st.DrawFn) -> dict[str, str]:
    """The files of a project, by path; each imports what others before it define."""
    folders = st.sampled_from(("", "package/", "package/inner/", "tests/"))
    files = {"package/__init__.py": "", "package/inner/__init__.py": ""}
    there: list[tuple[str, str]] = []
    for number in range(draw(st.integers(2, 7))):
        path = f"{draw(folders)}m{number}.py"
        defined = draw(st.lists(st.sampled_from(sorted(_DEFINITIONS)), max_size=3, unique=True))
        used = draw(st.lists(st.sampled_from(there), max_size=3)) if there else []
        module = path.removesuffix(".py").replace("/", ".")
        there += [(module, name) for name in defined]
        end = draw(st.sampled_from(_ENDS))
        files[path] = "\n".join(
            (
                "import torch\nfrom torch import nn\n",
                *(draw(st.sampled_from(_DEFINITIONS[name])) for name in defined),
                *(f"from {home} import {name}\n{draw(st.sampled_from(_USES[name]))}" for home, name in used),
                end,
            )
        )
    return files


def write(files: dict[str, str], where: Path) -> None:
    """Write a project."""
    (where / "pyproject.toml").write_text("")
    for name, text in files.items():
        path = where / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
