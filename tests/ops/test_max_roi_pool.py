"""Operator MaxRoiPool."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import run_node


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
