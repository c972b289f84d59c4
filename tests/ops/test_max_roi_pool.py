"""Operator MaxRoiPool."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import FLOATS, check_case, draw_values
from random_more import draw_opset, types_of


def test_max_roi_pool():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 3, 10, 12)).astype(np.float32)
    corners = np.sort(rng.integers(0, 20, (5, 2, 2)), 1).reshape(5, 4)
    rois = np.concatenate([rng.integers(0, 2, (5, 1)), corners], 1).astype(np.float32)
    (got,) = run_node("MaxRoiPool", [x, rois], {"pooled_shape": [2, 3], "spatial_scale": 0.5})
    for i, (batch, x1, y1, x2, y2) in enumerate(rois):
        left, top, right, bottom = (np.floor(v * 0.5 + 0.5) for v in (x1, y1, x2, y2))
        h, w = max(bottom - top + 1, 1) / 2, max(right - left + 1, 1) / 3
        for p in range(2):
            for q in range(3):
                rows = slice(*(int(np.clip(v + top, 0, 10)) for v in (np.floor(p * h), np.ceil((p + 1) * h))))
                columns = slice(*(int(np.clip(v + left, 0, 12)) for v in (np.floor(q * w), np.ceil((q + 1) * w))))
                cell = x[int(batch), :, rows, columns]
                np.testing.assert_array_equal(got[i, :, p, q], cell.max((1, 2)) if cell.size else np.zeros(3))


def test_wrong_batch():
    with pytest.raises(opgraft.Error, match="batch index"):
        run_node("MaxRoiPool", [np.zeros((1, 1, 4, 4), np.float32), np.array([[1, 0, 0, 2, 2]], np.float32)], {"pooled_shape": [1, 1]})


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "MaxRoiPool")
    n, c, height, width = (data.draw(st.integers(1, 9)) for _ in range(4))
    dtype = data.draw(st.sampled_from([t for t in types_of("MaxRoiPool", opset) if t in FLOATS]), label="dtype")
    x, count = draw_values(data, (n, c, height, width), dtype, -9, 9), data.draw(st.integers(0, 5))
    corners = np.sort(draw_values(data, (count, 2, 2), np.int32, -4, 30), 1).reshape(count, 4)
    rois = np.concatenate([draw_values(data, (count, 1), np.int32, 0, n - 1), corners], 1).astype(dtype)
    shape = [data.draw(st.sampled_from([1, 2, 4])) for _ in range(2)]

    def reference(x, rois, pooled_shape, spatial_scale):
        y = np.zeros((count, c, *pooled_shape))
        for i, (batch, *roi) in enumerate(rois):
            left, top, right, bottom = (np.floor(abs(v) * spatial_scale + 0.5) * np.sign(v) for v in roi)
            h, w = max(bottom - top + 1, 1) / pooled_shape[0], max(right - left + 1, 1) / pooled_shape[1]
            for p, q in np.ndindex(*pooled_shape):
                rows = slice(*(int(np.clip(v + top, 0, height)) for v in (np.floor(p * h), np.ceil((p + 1) * h))))
                columns = slice(*(int(np.clip(v + left, 0, width)) for v in (np.floor(q * w), np.ceil((q + 1) * w))))
                cell = x[int(batch), :, rows, columns]
                y[i, :, p, q] = cell.max((1, 2)) if cell.size else 0
        return y

    check_case(data, "MaxRoiPool", [x, rois], {"pooled_shape": shape, "spatial_scale": data.draw(st.sampled_from([0.25, 0.5, 1.0]))}, reference, opset=opset)
