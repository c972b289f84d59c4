"""Operator RandomNormal: statistics, seeds, types."""

import numpy as np
import opgraft
import pytest
from onnx import helper


def draw(**attrs):
    node = helper.make_node("RandomNormal", [], ["y"], **attrs)
    graph = helper.make_graph([node], "g", [], [helper.make_tensor_value_info("y", attrs.get("dtype", 1), None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    return opgraft.InferenceSession(model.SerializeToString())


@pytest.mark.parametrize("code, dtype", [(1, np.float32), (11, np.float64), (10, np.float16)])
def test_statistics(code, dtype):
    (y,) = draw(shape=[200, 500], dtype=code, seed=1.0, **{"mean": 3.0, "scale": 2.0}).run(None, {})
    assert y.shape == (200, 500) and y.dtype == dtype
    y = y.astype(np.float64)
    assert abs(y.mean() - 3.0) < 0.03 and abs(y.std() - 2.0) < 0.03
    assert abs(np.corrcoef(y[:, 1:].reshape(-1), y[:, :-1].reshape(-1))[0, 1]) < 0.02


def test_seeds():
    seeded, free = draw(shape=[50], seed=2.0), draw(shape=[50])
    assert (seeded.run(None, {})[0] == seeded.run(None, {})[0]).all()
    assert (free.run(None, {})[0] != free.run(None, {})[0]).any()


def test_wrong_type():
    with pytest.raises(opgraft.Error, match="dtype = 7 is not a float type"):
        draw(shape=[2], dtype=7)
