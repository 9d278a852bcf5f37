"""Tokenizers and processors of transformers: what they make lies on the host."""

from __future__ import annotations

import re

from devlint.model import CPU, Confidence, Origin, OriginStep, Step
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.values import Known, Value
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance
from devlint.source.walk import text

_CLASS = re.compile(r"transformers\.(\w+\.)*\w*(Tokenizer|TokenizerFast|Processor|FeatureExtractor)$")
_ENCODES = frozenset({"__call__", "encode_plus", "batch_encode_plus", "pad", "prepare_for_model"})


def encoding(machine: Machine, instance: Instance, method: str, call: Call) -> Value | None:
    """The `BatchEncoding` of a call of a tokenizer, whose class may derive from one of the library: a mapping
    whose tensors are on the host (transformers/tokenization_utils_base.py). None if the call returns
    something else."""
    if method not in _ENCODES or call.value("return_tensors") != Known("pt"):
        return None
    of = instance.of
    if not any(map(_CLASS.match, (of,) if isinstance(of, str) else of.externals)):
        return None
    step = OriginStep(Step.MADE, call.site, CPU, "transformers.BatchEncoding")
    loop = machine.execution.loop
    made = Input(text(call.node), CPU, Confidence.LIKELY, Origin((step,)), born=loop)
    made.refuted = made.holds_tensors = True
    return made
