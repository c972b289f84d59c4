"""Operator TopK."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_case, draw_array, draw_axis
from random_more import draw_opset, types_of


def reference(x, k, axis=-1, largest=1, sorted=1):
    order = np.argsort(-x if largest else x, axis, kind="stable")
    indices = np.take(order, range(int(k[0])), axis)
    return [np.take_along_axis(x, indices, axis), indices.astype(np.int64)]


def test_top_k():
    for shape, axis in [((3, 7), -1), ((3, 7), 0), ((2, 5, 4), 1), ((9,), 0)]:
        for k in (0, 1, 2):
            for dtype in (np.float32, np.float64, np.int32):
                x = np.random.default_rng(0).integers(-5, 5, shape).astype(dtype)  # with equal elements
                attrs = {"axis": [axis], "largest": [0, 1]}
                check_op("TopK", inputs=[x, np.array([k], np.int64)], attrs=attrs, outputs=2, reference=reference)


def test_top_k_with_attribute():
    x = np.array([[1.0, 5, 3], [4, 2, 6]], np.float32)
    check_op("TopK", inputs=[x], attrs={"k": [2]}, opset=9, outputs=2, reference=lambda x, k: reference(x, [k]))


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "TopK")
    x = draw_array(data, types_of("TopK", opset), min_rank=1, low=0, high=9)
    axis = draw_axis(data, x.ndim)
    k, attrs = data.draw(st.integers(0, min(x.shape[axis], 9))), {"axis": axis % x.ndim if opset and opset < 11 else axis}
    if opset is None or opset >= 11:
        attrs["largest"] = data.draw(st.integers(0, 1))

    def of(x, *_, axis, largest=1, **__):
        ranks = np.unique(x, return_inverse=True)[1].reshape(x.shape)  # integers can be negated
        order = np.take(np.argsort(-ranks if largest else ranks, axis, kind="stable"), range(k), axis)
        return [np.take_along_axis(x, order, axis), order.astype(np.int64)]

    if opset and opset < 10:
        return check_case(data, "TopK", [x], attrs | {"k": k}, of, outputs=2, opset=opset)
    check_case(data, "TopK", [x, np.array([k], np.int64)], attrs, of, outputs=2, opset=opset)
