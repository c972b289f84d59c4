"""Operator ReduceMax."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, make_input, numpy_type
from random_more import check_reduction


def reference(x, axes=None, keepdims=1):
    return np.asarray(x.max(axis=None if axes is None else tuple(axes), keepdims=bool(keepdims))).astype(x.dtype)


def test_reduce_max():
    for shape, axes in [
        ((2, 3), [1]),
        ((13, 17), [0]),
        ((2, 3, 4, 5), [1, 3]),
        ((2, 3, 4), [-1]),
        ((2, 3, 4), [0, 1, 2]),
        ((1, 5), [0]),
        ((7,), [0]),
        ((2, 127, 3), [1]),
    ]:
        for keepdims in (0, 1):
            for dtype in ["f32", "f64", "f16", "i32", "i64"]:
                x = make_input(np.random.default_rng(1), shape, numpy_type(dtype))
                check_op(
                    "ReduceMax",
                    inputs=[x, np.array(axes, np.int64)],
                    attrs={"keepdims": [keepdims]},
                    reference=lambda x, axes, keepdims: reference(x, axes.tolist(), keepdims),
                )


def test_reduce_max_without_axes():
    check_op(
        "ReduceMax",
        shapes=[(2, 3), (5,), ()],
        attrs={"keepdims": [0, 1]},
        reference=lambda x, keepdims: reference(x, None, keepdims),
    )
    x = np.ones((2, 3), np.float32)
    check_op("ReduceMax", inputs=[x], attrs={"noop_with_empty_axes": [1]}, reference=lambda x, noop_with_empty_axes: x)


def test_reduce_max_with_axes_as_attribute():
    check_op(
        "ReduceMax",
        shapes=[(2, 3, 4)],
        attrs={"axes": [[1], [0, 2], [-1]], "keepdims": [0, 1]},
        opset=17,
        reference=reference,
    )
    check_op("ReduceMax", shapes=[(2, 3, 4)], opset=9, reference=reference)


@given(st.data())
def test_random(data):
    def of(x, axes, keep):
        lowest = {"f": -np.inf, "b": False}.get(x.dtype.kind)
        return x.max(axes, keepdims=keep, initial=np.iinfo(x.dtype).min if lowest is None else lowest)

    check_reduction(data, "ReduceMax", of)
