"""Operator RandomNormal: statistics, seeds, types."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from random_cases import draw_shape


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


@given(st.data())
def test_random(data):
    shape, (code, dtype) = draw_shape(data, 1), data.draw(st.sampled_from([(1, np.float32), (11, np.float64), (10, np.float16)]))
    session = draw(shape=shape, dtype=code, seed=float(data.draw(st.integers(0, 9))), **{"mean": 100.0, "scale": 1.0})
    y, again = session.run(None, {})[0], session.run(None, {})[0]
    assert y.shape == shape and y.dtype == dtype and (y == again).all() and (abs(y - 100) < 9).all()
