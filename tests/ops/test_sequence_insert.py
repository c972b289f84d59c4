"""Operator SequenceInsert."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from random_cases import draw_shape
from random_more import draw_any, draw_sequence, exact
from sequence_models import SEQUENCE, floats, run_graph


def test_sequence_insert():
    items = [floats(1), floats(2, 3)]
    for i in (-2, -1, 0, 1, 2, None):
        feeds = {"s": items, "x": floats(9)} | ({} if i is None else {"i": np.array(i)})
        node = helper.make_node("SequenceInsert", list(feeds), ["y"])
        (y,) = run_graph([node], feeds, ["y"], {"s": SEQUENCE})
        want = items.copy()
        want.insert(2 if i is None else i, floats(9))
        assert [x.tolist() for x in y] == [x.tolist() for x in want]


def test_types_must_fit():
    node = helper.make_node("SequenceInsert", ["s", "x"], ["y"])
    with pytest.raises(opgraft.Error, match="a int64 tensor does not fit in a sequence of float"):
        run_graph([node], {"s": [floats(1)], "x": np.array([1])}, ["y"], {"s": SEQUENCE})


@given(st.data())
def test_random(data):
    items = draw_sequence(data)
    i, x = data.draw(st.integers(-len(items), len(items))), draw_any(data, draw_shape(data, 0, 3), np.float32)
    (y,) = run_graph([helper.make_node("SequenceInsert", ["s", "x", "i"], ["y"])], {"s": items, "x": x, "i": np.array(i)}, ["y"], {"s": SEQUENCE})
    items.insert(i + len(items) if i < 0 else i, x)
    exact(y, items)
