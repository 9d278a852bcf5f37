"""The screen lets through whatever could have a finding."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from devlint.source.screen import OF_OTHERS, OF_TENSORS, OF_TORCH, may_matter


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


@given(st.binary(), st.sampled_from(OF_TORCH + OF_TENSORS), st.binary())
def test_a_word_is_found_anywhere(before: bytes, word: bytes, after: bytes) -> None:
    assume(not any(other in before + after for other in OF_OTHERS))
    assert may_matter(before + word + after)


@pytest.mark.parametrize("other", OF_OTHERS)
def test_another_library_matters_only_beside_torch(other: bytes) -> None:
    assert not may_matter(other + b"\nx.cpu()\n")
    assert may_matter(other + b"\nimport torch\nx.cpu()\n")
