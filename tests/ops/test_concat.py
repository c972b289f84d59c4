"""Operator Concat."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import ANY, check_case, draw_axis, draw_opset, draw_shape, draw_values, types_of


def test_concat():
    for shapes, axis in [
        ([(2, 3), (2, 4)], 1),
        ([(2, 3), (1, 3), (4, 3)], 0),
        ([(2, 3, 4)] * 2, -1),
        ([(5,)], 0),
        ([(0, 3), (2, 3)], 0),
    ]:
        for dtype in (np.float32, np.int64, np.float16, np.bool_):
            arrays = [np.arange(np.prod(s)).astype(dtype).reshape(s) for s in shapes]
            check_op(
                "Concat", inputs=arrays, attrs={"axis": [axis]}, reference=lambda *xs, axis: np.concatenate(xs, axis)
            )


def test_concat_of_strings():
    arrays = [np.array([["a"], ["b"]], object), np.array([["c", "d"], ["e", "f"]], object)]
    check_op("Concat", inputs=arrays, attrs={"axis": [1]}, reference=lambda *xs, axis: np.concatenate(xs, axis))


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Concat", since=4)
    dtype = data.draw(st.sampled_from(types_of("Concat", opset, ANY)))
    shape = list(draw_shape(data, min_rank=1))
    axis = draw_axis(data, len(shape))
    arrays = []
    for _ in range(data.draw(st.integers(1, 5))):
        shape[axis] = data.draw(st.integers(0, 9))
        arrays.append(draw_values(data, tuple(shape), dtype))
    check_case(data, "Concat", arrays, {"axis": axis}, lambda *xs, axis: np.concatenate(xs, axis), opset=opset)
