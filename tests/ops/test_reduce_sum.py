"""Operator ReduceSum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, make_input, numpy_type, run_node
from random_more import check_reduction


def reference(x, axes=None, keepdims=1):
    return np.asarray(x.sum(axis=None if axes is None else tuple(axes), keepdims=bool(keepdims))).astype(x.dtype)


def test_reduce_sum():
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
                    "ReduceSum",
                    inputs=[x, np.array(axes, np.int64)],
                    attrs={"keepdims": [keepdims]},
                    reference=lambda x, axes, keepdims: reference(x, axes.tolist(), keepdims),
                )


def test_reduce_sum_without_axes():
    check_op(
        "ReduceSum",
        shapes=[(2, 3), (5,), ()],
        attrs={"keepdims": [0, 1]},
        reference=lambda x, keepdims: reference(x, None, keepdims),
    )
    x = np.ones((2, 3), np.float32)
    check_op("ReduceSum", inputs=[x], attrs={"noop_with_empty_axes": [1]}, reference=lambda x, noop_with_empty_axes: x)


def test_reduce_sum_with_axes_as_attribute():
    check_op(
        "ReduceSum",
        shapes=[(2, 3, 4)],
        attrs={"axes": [[1], [0, 2], [-1]], "keepdims": [0, 1]},
        opset=12,
        reference=reference,
    )
    check_op("ReduceSum", shapes=[(2, 3, 4)], opset=9, reference=reference)


def test_reduce_sum_of_nothing():
    check_op(
        "ReduceSum",
        inputs=[np.zeros((0, 3), np.float32), np.array([0], np.int64)],
        reference=lambda x, axes: reference(x, [0]),
    )


def test_reduce_sum_keeps_long_sums_exact():
    x = np.random.default_rng(0).uniform(0, 1, 3_000_000).astype(np.float32)
    for shape, axes in [((3_000_000,), [0]), ((3_000_000, 1), [0]), ((600_000, 5), [0]), ((3, 1000, 1000), [0, 2])]:
        check_op(
            "ReduceSum",
            inputs=[x.reshape(shape), np.array(axes, np.int64)],
            reference=lambda x, axes: reference(x, axes.tolist()),
            tolerance=1e-6,
        )


def test_reduce_sum_of_rows_of_every_length():
    for n in [*range(1, 40), 127, 128, 129, 160, 4095, 4097, 8200]:
        x = np.random.default_rng(n).integers(-99, 99, (3, n)).astype(np.float32)
        for axis in (0, 1):
            check_op(
                "ReduceSum",
                inputs=[x, np.array([axis], np.int64)],
                reference=lambda x, axes: reference(x, axes.tolist()),
                tolerance=0,
            )


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint32, np.uint64])
def test_rows_of_every_length(dtype):
    for n in [*range(1, 140), 255, 256, 257, 1023, 4096, 4099, 9001]:
        x = np.random.default_rng(n).integers(0, 9, (2, n)).astype(dtype)
        np.testing.assert_array_equal(run_node("ReduceSum", [x, np.array([1])], {"keepdims": 0})[0], x.sum(1, dtype=dtype))
        np.testing.assert_array_equal(run_node("ReduceSum", [x.T.copy(), np.array([0])], {"keepdims": 0})[0], x.sum(1, dtype=dtype))


@given(st.data())
def test_random(data):
    check_reduction(data, "ReduceSum", lambda x, axes, keep: x.sum(axes, x.dtype, keepdims=keep), axes_are_input=13)
