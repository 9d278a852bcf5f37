"""A tokenizer without its vocabulary: one token a byte."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Encoding:
    """An encoding with the size of GPT-2's vocabulary."""

    n_vocab = 50257
    eot_token = 50256

    def encode(self, text: str, **_: Any) -> list[int]:
        """The tokens of a text."""
        return list(text.encode())

    encode_ordinary = encode

    def decode(self, tokens: Iterable[int]) -> str:
        """A text for tokens."""
        return bytes(token % 256 for token in tokens).decode("utf-8", "replace")


def get_encoding(_: str) -> Encoding:
    """The one encoding there is."""
    return Encoding()


encoding_for_model = get_encoding
