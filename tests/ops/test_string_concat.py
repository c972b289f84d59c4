"""Operator StringConcat."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import draw_broadcast_shapes
from random_more import check_moved, draw_any


def test_string_concat():
    x, y = np.array([["a"], ["é"]], dtype=object), np.array(["1", "", "日"], dtype=object)
    assert run_node("StringConcat", [x, y])[0].tolist() == [["a1", "a", "a日"], ["é1", "é", "é日"]]
    assert run_node("StringConcat", [np.zeros((0,), object), y[:1]])[0].shape == (0,)


@given(st.data())
def test_random(data):
    x, y = (draw_any(data, shape, np.object_) for shape in draw_broadcast_shapes(data, 2))
    check_moved(data, "StringConcat", [x, y], None, lambda x, y: np.asarray(x + y, object))
