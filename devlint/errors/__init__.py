"""Errors of torch about devices, of all releases, recognized by their texts, without torch."""

from devlint.errors.kinds import EXPLANATIONS, ErrorKind, KindExplanation
from devlint.errors.particulars import particulars
from devlint.errors.texts import Recognised, recognise

__all__ = ["EXPLANATIONS", "ErrorKind", "KindExplanation", "Recognised", "particulars", "recognise"]
