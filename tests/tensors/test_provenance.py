"""Tests of origins that are attached to memory."""

from __future__ import annotations

import copy
import gc
import io
import pickle

import numpy as np
import torch

from devlint.model import CPU, NOWHERE, OriginStep, SiteId, Step
from devlint.tensors import arrays
from devlint.tensors.provenance import note_array, note_copy, note_read, origin_of, remember

MADE = OriginStep(Step.MADE, SiteId(1), CPU, "torch.ones")


def made() -> torch.Tensor:
    tensor = torch.ones(3, 4)
    remember(tensor, MADE)
    gc.collect()
    return tensor


def test_what_shares_memory_shares_its_history() -> None:
    tensor = made()
    other = torch.empty(0)
    other.data = tensor
    shared = (tensor[1:], tensor.detach(), tensor.T, torch.nn.Parameter(tensor), other)
    assert all(origin_of(each).last == MADE for each in shared)


def test_new_memory_has_none() -> None:
    tensor = made()
    assert origin_of(tensor + 1) == NOWHERE
    assert origin_of(tensor.clone()) == NOWHERE
    assert origin_of(copy.deepcopy(tensor)) == NOWHERE


def test_neither_pickle_nor_save_carries_it() -> None:
    tensor = made()
    file = io.BytesIO()
    torch.save(tensor, file)
    assert b"devlint" not in pickle.dumps(tensor) + file.getvalue()
    assert origin_of(pickle.loads(pickle.dumps(tensor))) == NOWHERE


def test_what_has_no_memory_of_its_own_is_passed_over() -> None:
    sparse = torch.ones(2, 2).to_sparse()
    remember(sparse, MADE)
    assert origin_of(sparse) == NOWHERE


def test_the_same_values_uploaded_again_are_told_from_new_ones() -> None:
    tensor, here = torch.ones(3), SiteId(7)
    assert not note_copy(tensor, "cuda:0", here).repeated
    assert note_copy(tensor, "cuda:0", here).repeated
    assert note_copy(tensor, "cuda:0", here).here
    assert not note_copy(tensor, "cuda:1", here).repeated
    assert not note_copy(tensor[1:], "cuda:0", here).repeated
    tensor.add_(1)
    assert not note_copy(tensor, "cuda:0", here).repeated


def test_an_upload_from_two_places_is_repeated_but_no_loop() -> None:
    tensor = torch.ones(3)
    note_copy(tensor, "cuda:0", SiteId(1))
    again = note_copy(tensor, "cuda:0", SiteId(2))
    assert again.repeated
    assert not again.here


def test_values_that_torch_does_not_count_are_never_repeated() -> None:
    with torch.inference_mode():
        tensor = torch.ones(3)
    assert not any(note_copy(tensor, "cuda:0", SiteId(1)).repeated for _ in range(3))
    assert not any(note_read(tensor) for _ in range(3))


def test_a_value_is_waited_for_once() -> None:
    tensor = torch.ones(())
    assert not note_read(tensor)
    assert note_read(tensor)
    tensor.mul_(2)
    assert not note_read(tensor)


def of_array(array: np.ndarray) -> torch.Tensor:
    tensor = torch.from_numpy(array)
    note_array(tensor, array)
    return tensor


def test_the_same_values_of_an_array_are_told_from_new_ones() -> None:
    array, here = np.ones((4, 3)), SiteId(7)
    assert not note_copy(of_array(array), "cuda:0", here).repeated
    assert note_copy(of_array(array), "cuda:0", here).repeated
    assert not note_copy(of_array(array[1:]), "cuda:0", here).repeated
    assert note_copy(of_array(array[1:]), "cuda:0", here).repeated
    assert not note_copy(of_array(array[:3]), "cuda:0", here).repeated
    array[0, 0] = 2.0  # which torch does not count
    assert not note_copy(of_array(array), "cuda:0", here).repeated
    assert not note_copy(of_array(array.copy()), "cuda:0", here).repeated


def test_a_tensor_that_copies_an_array_has_its_values() -> None:
    array, here = np.ones(3), SiteId(7)
    for times in range(3):
        tensor = torch.tensor(array)
        note_array(tensor, array)
        assert note_copy(tensor, "cuda:0", here).repeated is (times > 0)


def test_nothing_is_kept_of_an_array_that_is_gone() -> None:
    array = np.ones(3)
    note_copy(of_array(array), "cuda:0", SiteId(7))
    number = len(arrays._KNOWN)
    del array
    gc.collect()
    assert len(arrays._KNOWN) == number - 1
