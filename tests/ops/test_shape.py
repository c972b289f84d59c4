"""Operator Shape."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_case
from random_more import draw_moved, draw_opset


def test_shape():
    check_op(
        "Shape",
        shapes=[(2, 3, 4), (5,), (), (0, 3)],
        dtypes=["f32", "i64", "bool"],
        reference=lambda x: np.array(x.shape, np.int64),
    )


def test_shape_of_a_range():
    attrs = {"start": [0, 1, -2, 9], "end": [2, -1, 9]}
    check_op(
        "Shape", shapes=[(2, 3, 4)], attrs=attrs, reference=lambda x, start, end: np.array(x.shape[start:end], np.int64)
    )


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Shape")
    x = draw_moved(data, "Shape", opset)
    attrs = {name: data.draw(st.integers(-6, 6)) for name in data.draw(st.lists(st.sampled_from(["start", "end"]), unique=True))} if (opset or 28) >= 15 else {}
    check_case(data, "Shape", [x], attrs, lambda x, start=0, end=None: np.array(x.shape[start:end], np.int64), opset=opset)
