"""Operator Size."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_case
from random_more import draw_moved, draw_opset


def test_size():
    check_op(
        "Size",
        shapes=[(2, 3, 4), (5,), (), (0, 3)],
        dtypes=["f32", "i8"],
        reference=lambda x: np.array(x.size, np.int64),
    )


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Size")
    check_case(data, "Size", [draw_moved(data, "Size", opset)], None, lambda x: np.array(x.size, np.int64), opset=opset)
