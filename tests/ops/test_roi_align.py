"""Operator RoiAlign against onnxruntime."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from oracles import check_against_onnxruntime
from random_cases import draw_values


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("coordinates", ["half_pixel", "output_half_pixel"])
@pytest.mark.parametrize("ratio", [0, 2])
def test_roi_align(mode, coordinates, ratio):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 3, 12, 10)).astype(np.float32)
    corners = np.sort(rng.uniform(-2, 24, (6, 2, 2)), 1).reshape(6, 4).astype(np.float32)
    attrs = {"mode": mode, "coordinate_transformation_mode": coordinates, "sampling_ratio": ratio, "output_height": 3, "output_width": 4, "spatial_scale": 0.5}
    check_against_onnxruntime("RoiAlign", [x, corners, np.array([0, 1, 1, 0, 0, 1])], attrs, opset=16)


def test_before_opset_16_there_was_no_offset():
    x = np.random.default_rng(0).normal(size=(1, 1, 8, 8)).astype(np.float32)
    rois, batch = np.array([[1, 1, 6, 6]], np.float32), np.array([0])
    attrs = {"output_height": 2, "output_width": 2}
    (old,) = run_node("RoiAlign", [x, rois, batch], attrs, opset=10)
    (new,) = run_node("RoiAlign", [x, rois, batch], attrs | {"coordinate_transformation_mode": "output_half_pixel"})
    np.testing.assert_array_equal(old, new)


def test_wrong_regions():
    x, rois = np.zeros((1, 1, 4, 4), np.float32), np.zeros((1, 4), np.float32)
    with pytest.raises(opgraft.Error, match=r"batch index 3 is not in \[0, 1\)"):
        run_node("RoiAlign", [x, rois, np.array([3])])
    with pytest.raises(opgraft.Error, match="rois must be finite"):
        run_node("RoiAlign", [x, rois + np.inf, np.array([0])])


@given(st.data())
def test_random(data):
    n, c, height, width = (data.draw(st.integers(1, 9), label="size") for _ in range(4))
    count, dtype = data.draw(st.integers(0, 5)), data.draw(st.sampled_from([np.float32, np.float64]))
    corners = np.sort(draw_values(data, (count, 2, 2), np.int32, -9, 40), 1).reshape(count, 4)
    attrs = {
        "mode": data.draw(st.sampled_from(["avg", "max"])), "sampling_ratio": data.draw(st.integers(0, 3)), "spatial_scale": data.draw(st.sampled_from([0.25, 0.5])),
        "coordinate_transformation_mode": data.draw(st.sampled_from(["half_pixel", "output_half_pixel"])),
        "output_height": data.draw(st.integers(1, 4)), "output_width": data.draw(st.integers(1, 4)),
    }
    inputs = [draw_values(data, (n, c, height, width), dtype, special=False), corners.astype(dtype), draw_values(data, (count,), np.int64, 0, n - 1)]
    check_against_onnxruntime("RoiAlign", inputs, attrs, opset=16)
