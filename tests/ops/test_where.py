"""Operator Where."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import draw_broadcast_shapes, draw_values
from random_more import check_moved, draw_any, draw_opset, types_of


def test_where():
    rng = np.random.default_rng(0)
    for shapes in ([(2, 3)] * 3, [(13, 1), (17,), (13, 17)], [(1,), (4, 5), ()], [(0, 2), (2,), (2,)]):
        for dtype in (np.float32, np.float16, np.int64, np.uint8, np.bool_):
            condition = rng.integers(0, 2, shapes[0]).astype(bool)
            a, b = (rng.integers(0, 2, s).astype(dtype) for s in shapes[1:])
            check_op("Where", inputs=[condition, a, b], reference=np.where)


def test_where_of_strings():
    a, b = np.array(["x", "y"], object), np.array(["z"], object)
    check_op(
        "Where", inputs=[np.array([True, False]), a, b], reference=lambda c, a, b: np.where(c, a, b).astype(object)
    )


def test_where_with_every_mix_of_rows_and_scalars():
    rng = np.random.default_rng(0)
    shapes = [(5, 131), (131,), (5, 1), ()]
    for c in shapes:
        for a in shapes:
            for b in shapes:
                condition = rng.integers(0, 2, c).astype(bool)
                for dtype in (np.float32, np.int64):
                    inputs = [condition, rng.normal(0, 9, a).astype(dtype), rng.normal(0, 9, b).astype(dtype)]
                    check_op("Where", inputs=inputs, reference=np.where)


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Where")
    shapes = draw_broadcast_shapes(data, 3)
    dtype = data.draw(st.sampled_from(types_of("Where", opset, every=True)), label="dtype")
    inputs = [draw_values(data, shapes[0], np.bool_), draw_any(data, shapes[1], dtype), draw_any(data, shapes[2], dtype)]
    check_moved(data, "Where", inputs, None, lambda c, a, b: np.where(c, a, b), opset=opset)
