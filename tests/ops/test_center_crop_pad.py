"""Operator CenterCropPad."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import run_node


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
