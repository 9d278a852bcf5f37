"""Functions outside torch that want host data."""

from __future__ import annotations

import pytest

from devlint.model import Cause
from devlint.operators import Consumption, find_host_consumer


@pytest.mark.parametrize(
    "name",
    [
        "numpy.array",
        "numpy.asarray",
        "numpy.sqrt",
        "numpy.concatenate",
        "numpy.linalg.norm",
        "numpy.testing.assert_allclose",
        "numpy.save",
        "matplotlib.pyplot.plot",
        "matplotlib.pyplot.imshow",
        "matplotlib.axes.Axes.scatter",
        "seaborn.heatmap",
        "pandas.DataFrame",
        "pandas.Series",
        "sklearn.metrics.accuracy_score",
        "sklearn.metrics.pairwise.cosine_similarity",
        "scipy.stats.pearsonr",
        "scipy.optimize.linear_sum_assignment",
        "PIL.Image.fromarray",
        "cv2.imwrite",
        "soundfile.write",
    ],
)
def test_raises(name: str) -> None:
    consumer = find_host_consumer(name)
    assert consumer is not None
    assert consumer.does is Consumption.RAISES
    assert consumer.source


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("numpy.zeros", Cause.HIDDEN_READ),
        ("math.sqrt", Cause.HOST_READ),
        ("builtins.float", Cause.HOST_READ),
        ("builtins.bool", Cause.BRANCH),
        ("builtins.print", Cause.FORMAT),
        ("builtins.max", Cause.ELEMENTWISE),
        ("torch.utils.tensorboard.SummaryWriter.add_scalar", Cause.HOST_COPY),
    ],
)
def test_reads(name: str, cause: Cause) -> None:
    consumer = find_host_consumer(name)
    assert consumer is not None
    assert (consumer.does, consumer.cause) == (Consumption.READS, cause)


@pytest.mark.parametrize(
    "name",
    [
        "numpy",
        "numpy.shape",
        "numpy.ndim",
        "numpy.size",
        "numpy.squeeze",
        "numpy.random.default_rng",
        "math.prod",
        "matplotlib.pyplot.subplots",
        "builtins.len",
        "builtins.list",
        "builtins.sum",
        "os.path.join",
        "torch.add",
    ],
)
def test_takes_a_device_tensor_or_no_tensor_at_all(name: str) -> None:
    assert find_host_consumer(name) is None


def test_tensors_in_a_list_count_where_the_list_becomes_an_array() -> None:
    array, frame = find_host_consumer("numpy.array"), find_host_consumer("pandas.DataFrame")
    assert array is not None
    assert frame is not None
    assert array.nested
    assert not frame.nested
