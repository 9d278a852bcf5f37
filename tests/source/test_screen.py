"""The screen lets through whatever could have a finding."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.pipeline.analyze import ONLY_AST
from devlint.source.screen import TRIGGERS, may_matter


@pytest.mark.parametrize(
    "source",
    [
        "import torch",
        "from pytorch_lightning import Trainer",
        "from lightning import LightningModule",
        "class Net(PreTrainedModel): pass",
        "os.environ['CUDA_VISIBLE_DEVICES'] = '0'",
        "os.environ['CUDA_LAUNCH_BLOCKING'] = '1'",
        "x.cuda()",
        "x.to(device)",
        "total += loss.item()",
    ],
)
def test_code_that_may_matter_passes(source: str) -> None:
    assert may_matter(source.encode())


@pytest.mark.parametrize(
    "source",
    [
        "",
        "import os\nprint(os.name)\n",
        "class Device: pass\nx = {'cpu': 1}\n",
        "import paddle\nx = paddle.ones(3)\nprint(x.cpu().numpy())\n",
    ],
)
def test_code_that_cannot_matter_is_held_back(source: str) -> None:
    assert not may_matter(source.encode())


@given(st.binary(), st.sampled_from(TRIGGERS), st.binary())
def test_a_trigger_is_found_anywhere(before: bytes, trigger: bytes, after: bytes) -> None:
    assert may_matter(before + trigger + after)


def test_a_file_held_back_is_parsed_as_ast_would() -> None:
    assert ast.PyCF_ONLY_AST == ONLY_AST
