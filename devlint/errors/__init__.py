"""What torch's errors about devices say, in every era: known from their texts alone, without torch."""

from devlint.errors.kinds import EXPLANATIONS, ErrorKind, KindExplanation
from devlint.errors.particulars import particulars
from devlint.errors.texts import Recognised, recognise

__all__ = ["EXPLANATIONS", "ErrorKind", "KindExplanation", "Recognised", "particulars", "recognise"]
