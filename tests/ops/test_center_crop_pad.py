"""Operator CenterCropPad."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import WHOLE_BYTES, check_case, draw_array, draw_axes


def reference(x, shape, axes):
    for axis, size in zip(axes, shape, strict=True):
        had = x.shape[axis]
        if size <= had:
            x = np.take(x, np.arange((had - size) // 2, (had - size) // 2 + size), axis)
        else:
            before = (size - had) // 2
            pads = [(0, 0)] * x.ndim
            pads[axis] = (before, size - had - before)
            x = np.pad(x, pads)
    return x


def test_center_crop_pad():
    for dtype in (np.float32, np.int64, np.bool_):
        x = np.random.default_rng(0).integers(1, 9, (5, 6, 3)).astype(dtype)
        for shape, axes in (((3, 9, 4), None), ((8, 2), [0, 1]), ((7,), [-1]), ((0, 6, 3), None)):
            attrs = {} if axes is None else {"axes": axes}
            (got,) = run_node("CenterCropPad", [x, np.array(shape)], attrs)
            np.testing.assert_array_equal(got, reference(x, shape, axes or range(3)))


def test_wrong_shape():
    with pytest.raises(opgraft.Error, match="shape has 1 entries for 2 axes"):
        run_node("CenterCropPad", [np.ones((2, 2), np.float32), np.array([3])])


@given(st.data())
def test_random(data):
    x = draw_array(data, WHOLE_BYTES, min_rank=1)
    axes = draw_axes(data, x.ndim, min_size=1)
    attrs = {"axes": axes} if data.draw(st.booleans()) else {}
    limit = 20 if x.size < 1000 else 2
    near = [x.shape[axis] for axis in (axes if attrs else range(x.ndim))]
    shape = [max(0, size + data.draw(st.integers(-limit, limit))) for size in near]
    shape = np.array(shape, data.draw(st.sampled_from([np.int32, np.int64])))
    check_case(data, "CenterCropPad", [x, shape], attrs, lambda x, s, axes=None: reference(x, s.tolist(), axes or range(x.ndim)))
