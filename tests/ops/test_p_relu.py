"""Operator PRelu."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import check_case, draw_shape, draw_values
from random_more import draw_opset, types_of


def reference(x, slope):
    return np.where(x < 0, slope * x, x)


def test_p_relu():
    check_op(
        "PRelu",
        shapes=[[(2, 3), (2, 3)], [(13, 17), (17,)], [(2, 3, 5), (3, 1)], [(0, 3), (3,)], [(7,), ()], [(), ()]],
        dtypes=["f32", "f64", "f16", "i32", "i64"],
        reference=reference,
    )
    check_op("PRelu", shapes=[[(2, 3, 4), (3, 1)]], opset=9, reference=reference)


def test_p_relu_does_not_broadcast_the_input():
    with pytest.raises(Exception, match="slope .* does not broadcast to X"):
        run_node("PRelu", [np.ones((3,), np.float32), np.ones((2, 3), np.float32)])


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "PRelu", 7)
    dtype = data.draw(st.sampled_from(types_of("PRelu", opset)), label="dtype")
    shape = draw_shape(data)
    slope = tuple(1 if size and data.draw(st.booleans()) else size for size in shape[data.draw(st.integers(0, len(shape))) :])
    check_case(data, "PRelu", [draw_values(data, shape, dtype), draw_values(data, slope, dtype, 0, 3)], None, reference, opset=opset)
