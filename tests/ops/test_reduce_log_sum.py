"""Operator ReduceLogSum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import compare, run_node
from random_cases import ALL_FLOATS
from random_more import check_reduction


def reference(x, axis, keep):
    return np.log(x.sum(axis, keepdims=keep))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("axes", [[0], [-1], [0, 2], [1, 2], None])
@pytest.mark.parametrize("keep", [0, 1])
def test_reduce_log_sum(dtype, axes, keep):
    rng = np.random.default_rng(0)
    for shape in ((3, 4, 5), (2, 1, 200), (70, 3, 2)):
        x = rng.normal(0, 2, shape)
        x = (np.abs(x) + 1).astype(dtype) if np.dtype(dtype).kind != "u" else np.abs(x * 3).astype(dtype)
        given = None if axes is None else np.array(axes, np.int64)
        axis = None if axes is None else tuple(axes)
        wide = x.astype(np.float64) if x.dtype.kind == "f" else x
        (got,) = run_node("ReduceLogSum", [x, given], {"keepdims": keep})
        compare(got, reference(wide, axis, bool(keep)).astype(dtype), what="ReduceLogSum")


def test_axes_as_attribute():
    x = np.random.default_rng(0).uniform(1, 2, (3, 4)).astype(np.float32)
    (got,) = run_node("ReduceLogSum", [x], {"axes": [1], "keepdims": 0}, opset=13)
    compare(got, reference(x.astype(np.float64), 1, False).astype(np.float32))


@given(st.data())
def test_random(data):
    check_reduction(data, "ReduceLogSum", lambda x, axes, keep: np.log(x.sum(axes, keepdims=keep)), dtypes=ALL_FLOATS, low=2, high=9)
