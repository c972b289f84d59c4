"""Operator GridSample against onnx's reference."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import compare, run_node
from oracles import onnx_reference
from random_cases import ALL_FLOATS, FLOATS, check_case, draw_attrs, draw_values, types_of


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


@given(st.data())
def test_random(data):
    opset = data.draw(st.sampled_from([None, None, 20, 16]))
    spatial = 2 if opset == 16 else data.draw(st.integers(2, 3))
    linear, cubic = ("bilinear", "bicubic") if opset == 16 else ("linear", "cubic")
    attrs = draw_attrs(data, mode=[linear, "nearest", *([cubic] if spatial == 2 else [])], padding_mode=["zeros", "border", "reflection"], align_corners=[0, 1])
    # Rounding to 16 bits makes points exactly between two pixels, where the nearest is a matter of the last bit.
    dtype = data.draw(st.sampled_from(FLOATS[:2] if attrs.get("mode") == "nearest" else types_of("GridSample", opset, ALL_FLOATS)))
    # The evaluator divides by nothing when it reflects between the corners of one pixel.
    least = 2 if attrs.get("padding_mode") == "reflection" else 1
    n, c, *sizes = (data.draw(st.integers(least, 4)) for _ in range(2 + 2 * spatial))
    x = draw_values(data, (n, c, *sizes[:spatial]), dtype, special=False)
    grid = draw_values(data, (n, *sizes[spatial:], spatial), dtype, low=-1.7, high=1.7)

    def reference(x, grid, mode="linear", **rest):  # the evaluator knows the newer names alone
        return onnx_reference("GridSample", 22)(x, grid, mode=mode.removeprefix("bi"), **rest)

    check_case(data, "GridSample", [x, grid], attrs, reference, opset=opset, tolerance=2e-2 if x.dtype.itemsize == 2 else 2e-5)
