"""Operator GridSample against onnx's reference."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import compare, run_node
from oracles import onnx_reference


@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align", [0, 1])
def test_grid_sample(mode, padding, align):
    rng = np.random.default_rng(0)
    for shape, points in (((2, 3, 5, 6), (4, 3)), ((1, 2, 3, 4, 5), (2, 2, 3))):
        if mode == "cubic" and len(points) == 3 and padding != "zeros":
            continue  # slow in the reference
        x = rng.normal(size=shape).astype(np.float32)
        grid = rng.uniform(-1.4, 1.4, (shape[0], *points, len(points))).astype(np.float32)
        attrs = {"mode": mode, "padding_mode": padding, "align_corners": align}
        (want,) = [onnx_reference("GridSample", 22)(x, grid, **attrs)]
        (got,) = run_node("GridSample", [x, grid], attrs)
        compare(got, np.asarray(want[0] if isinstance(want, (list, tuple)) else want, np.float32), 1e-5)


def test_grid_must_fit():
    with pytest.raises(opgraft.Error, match="does not fit|must have the same rank"):
        run_node("GridSample", [np.zeros((1, 1, 3, 3), np.float32), np.zeros((1, 2, 2, 3), np.float32)])
    with pytest.raises(opgraft.Error, match='mode is "spline"'):
        run_node("GridSample", [np.zeros((1, 1, 3, 3), np.float32), np.zeros((1, 2, 2, 2), np.float32)], {"mode": "spline"})
