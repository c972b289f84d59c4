"""Operator ConcatFromSequence."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from random_cases import draw_shape, draw_values
from sequence_models import SEQUENCE, run_graph


def test_concat_from_sequence():
    rng = np.random.default_rng(0)
    items = [rng.normal(size=(2, 3)).astype(np.float32) for _ in range(3)]
    for axis in (0, 1, -1):
        for new in (0, 1):
            node = helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=axis, new_axis=new)
            (y,) = run_graph([node], {"s": items}, ["y"], {"s": SEQUENCE})
            np.testing.assert_array_equal(y, np.stack(items, axis) if new else np.concatenate(items, axis))


def test_what_cannot_be_joined():
    node = helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=0)
    with pytest.raises(opgraft.Error, match="an empty sequence has nothing to join"):
        run_graph([node], {"s": []}, ["y"], {"s": SEQUENCE})
    with pytest.raises(opgraft.Error, match="cannot be joined"):
        run_graph([node], {"s": [np.zeros((2, 3), np.float32), np.zeros((2, 2), np.float32)]}, ["y"], {"s": SEQUENCE})


@given(st.data())
def test_random(data):
    shape = list(draw_shape(data, min_rank=1, max_rank=3))
    new = data.draw(st.integers(0, 1))
    axis = data.draw(st.integers(-len(shape) - new, len(shape) - 1 + new))
    items = []
    for _ in range(data.draw(st.integers(1, 4))):
        if not new:
            shape[axis] = data.draw(st.integers(0, 9))
        items.append(draw_values(data, tuple(shape), np.float32))
    node = helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=axis, new_axis=new)
    (y,) = run_graph([node], {"s": items}, ["y"], {"s": SEQUENCE})
    np.testing.assert_array_equal(y, np.stack(items, axis) if new else np.concatenate(items, axis))
