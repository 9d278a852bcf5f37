"""Shared by the rules on transfers: the direction and the size of a copy."""

from __future__ import annotations

from devlint.model import Kind, Transfer, is_accelerator, is_host, may_be_accelerator

SMALL = 4096
"""In bytes. A copy of less than a page takes as long as that of one number: it costs the wait."""


def is_upload(event: Transfer) -> bool:
    """Whether values go from the host to a device."""
    return is_host(event.source) and may_be_accelerator(event.target)


def is_download(event: Transfer) -> bool:
    """Whether values go from a device to the host."""
    return may_be_accelerator(event.source) and is_host(event.target)


def is_of_index(event: Transfer) -> bool:
    """Whether an operator uploads a tensor because it is an index of one on the device."""
    return not event.explicit and event.operand.kind is Kind.TENSOR and event.operand.parameter == "indices"


def is_between(event: Transfer) -> bool:
    """Whether values go from one device to another."""
    return is_accelerator(event.source) and is_accelerator(event.target)
