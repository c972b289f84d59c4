"""Operator SequenceAt."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from random_more import draw_sequence, exact
from sequence_models import SEQUENCE, floats, run_graph


def test_sequence_at():
    node = helper.make_node("SequenceAt", ["s", "i"], ["y"])
    items = [floats(1), floats(2, 3), floats()]
    for i in range(-3, 3):
        for kind in (np.int64, np.int32):
            (y,) = run_graph([node], {"s": items, "i": np.array(i, kind)}, ["y"], {"s": SEQUENCE})
            np.testing.assert_array_equal(y, items[i])


def test_position_out_of_range():
    node = helper.make_node("SequenceAt", ["s", "i"], ["y"])
    with pytest.raises(opgraft.Error, match="position 1 is out of range for a sequence of 1 elements"):
        run_graph([node], {"s": [floats(1)], "i": np.array(1)}, ["y"], {"s": SEQUENCE})


@given(st.data())
def test_random(data):
    items = draw_sequence(data) + [floats(1)]
    i = data.draw(st.integers(-len(items), len(items) - 1))
    exact(run_graph([helper.make_node("SequenceAt", ["s", "i"], ["y"])], {"s": items, "i": np.array(i)}, ["y"], {"s": SEQUENCE}), [items[i]])
