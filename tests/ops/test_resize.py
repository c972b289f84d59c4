"""Resize: modes, coordinates, sizes and scales, axes, antialiasing, types, older versions."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, compare, run_node
from oracles import check_against_onnxruntime, node_model, onnx_reference, run_model
from random_cases import FLOATS, check_case, draw_values

COORDINATES = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"]
SCALES = [(1.0, 1.0, 2.0, 2.0), (1.0, 1.0, 0.55, 1.7), (1.0, 1.0, 3.0, 0.5), (1.0, 1.0, 1.0, 4.0)]


def image(shape=(2, 3, 7, 10), dtype=np.float32, seed=0):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 100, shape).astype(dtype)
    return rng.normal(size=shape).astype(dtype)


def floats(values):
    return np.array(values, np.float32)


def check_scaled(scales, attrs):
    x, scales = image(), floats(scales)
    whole = (x.shape * scales == np.floor(x.shape * scales)).all()
    if attrs["coordinate_transformation_mode"] == "align_corners" and not whole:
        # onnxruntime rounds the resized length here, ONNX's examples do not. No position may fall on a border.
        scales = floats([1.65 if scale > 1.6 and scale < 1.8 else scale for scale in scales])
        lists = {name: [value] for name, value in attrs.items()}
        check_op("Resize", inputs=[x, None, scales], attrs=lists, reference=onnx_reference("Resize"), opset=19)
        return
    for constants in ((2,), ()):
        check_against_onnxruntime("Resize", [x, None, scales], attrs, constants, opset=19)


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("nearest_mode", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
@pytest.mark.parametrize("scales", SCALES)
def test_nearest(coordinates, nearest_mode, scales):
    attrs = {"mode": "nearest", "coordinate_transformation_mode": coordinates, "nearest_mode": nearest_mode}
    check_scaled(scales, attrs)


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("scales", SCALES)
def test_linear_and_cubic(coordinates, mode, scales):
    attrs = {"mode": mode, "coordinate_transformation_mode": coordinates}
    check_scaled(scales, attrs)


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("size", [(10, 4), (7, 13), (3, 6)])
@pytest.mark.parametrize("antialias", [0, 1])
@pytest.mark.parametrize("exclude_outside", [0, 1])
def test_sizes_in_double_precision(coordinates, mode, size, antialias, exclude_outside):
    if coordinates == "half_pixel_symmetric" and antialias:
        pytest.skip("the same as half_pixel when sizes are given")
    x = image((1, 1, 7, 6), np.float64)
    attrs = {
        "mode": [mode],
        "coordinate_transformation_mode": [coordinates],
        "antialias": [antialias],
        "exclude_outside": [exclude_outside],
        "axes": [[2, 3]],
    }
    inputs = [x, None, None, np.array(size)]
    check_op("Resize", inputs=inputs, attrs=attrs, reference=onnx_reference("Resize"), opset=19, tolerance=1e-5)


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("roi", [(0.1, 0.2, 0.8, 0.9), (-0.2, 0.0, 1.3, 0.5), (0.6, 0.3, 0.2, 1.2)])
def test_crop(mode, roi):
    attrs = {
        "mode": mode,
        "coordinate_transformation_mode": "tf_crop_and_resize",
        "extrapolation_value": 7.5,
        "axes": [2, 3],
    }
    inputs = [image(), floats(roi), None, np.array([5, 6])]
    for constants in ((1, 3), (3,)):
        check_against_onnxruntime("Resize", inputs, attrs, constants, opset=19, tolerance=1e-4)


@pytest.mark.parametrize("policy", ["stretch", "not_larger", "not_smaller"])
@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("sizes", [(14, 14), (5, 30), (3, 3)])
def test_aspect_ratio(policy, mode, sizes):
    attrs = {"mode": mode, "keep_aspect_ratio_policy": policy, "axes": [2, 3]}
    check_against_onnxruntime("Resize", [image(), None, None, np.array(sizes)], attrs, (3,), opset=19)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.float64, np.float16])
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_types(dtype, mode):
    scales = floats([1, 1, 2, 2])
    got = run_node("Resize", [image(dtype=dtype), None, scales], {"mode": mode}, opset=19)[0]
    want = onnx_reference("Resize", 19)(image(dtype=dtype).astype(np.float64), None, scales, mode=mode)[0]
    compare(got, np.trunc(want).astype(dtype) if np.dtype(dtype).kind in "iu" else want.astype(dtype))


@pytest.mark.parametrize("dtype", [np.int64, np.uint16, np.bool_, np.complex64, np.complex128, object])
def test_nearest_moves_any_type(dtype):
    x = image((1, 2, 3, 5))
    x = np.vectorize(str)(x).astype(object) if dtype is object else x.astype(dtype)
    attrs = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    got = run_node("Resize", [x, None, floats([1, 1, 2, 3])], attrs)[0]
    np.testing.assert_array_equal(got, x.repeat(2, axis=2).repeat(3, axis=3))


@pytest.mark.parametrize(
    "shape,scales",
    [
        ((5,), (2.5,)),
        ((3, 4), (2.0, 1.0)),
        ((2, 3, 2, 3), (2.0, 1.0, 2.0, 1.0)),
        ((1, 2, 2, 4, 3), (1.0, 1.0, 2.0, 0.5, 2.0)),
    ],
)
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_ranks(shape, scales, mode):
    reference = onnx_reference("Resize", 19)
    attrs = {"mode": [mode], "coordinate_transformation_mode": ["asymmetric" if mode == "nearest" else "half_pixel"]}
    check_op("Resize", inputs=[image(shape), None, floats(scales)], attrs=attrs, reference=reference, opset=19)


def test_negative_axes():
    inputs = [image(), None, None, np.array([5, 6])]
    got = [run_node("Resize", inputs, {"mode": "linear", "axes": axes})[0] for axes in ([2, 3], [-2, -1])]
    np.testing.assert_array_equal(*got)


def test_large_planes():
    x = image((1, 1, 61, 300))
    for mode in ("nearest", "linear"):
        check_against_onnxruntime(
            "Resize", [x, None, floats([1, 1, 2.5, 1.5])], {"mode": mode}, (2,), opset=19, tolerance=1e-4
        )


@pytest.mark.parametrize("scales", [(1.0, 1.0, 2.0, 2.0), (1.0, 1.0, 0.6, 0.6), (1.0, 1.0, 0.4, 3.0)])
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_opset_10(scales, mode):
    for constants in ((1,), ()):
        check_against_onnxruntime("Resize", [image(), floats(scales)], {"mode": mode}, constants, opset=10)


@pytest.mark.parametrize("coordinates", ["half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn"])
def test_opset_11(coordinates):
    attrs = {"mode": "nearest", "coordinate_transformation_mode": coordinates, "nearest_mode": "floor"}
    empty = np.zeros(0, np.float32)
    check_against_onnxruntime("Resize", [image(), empty, floats([1, 1, 2, 1.5])], attrs, (1, 2), opset=11)
    check_against_onnxruntime("Resize", [image(), empty, empty, np.array([2, 3, 9, 9])], attrs, (1, 2, 3), opset=11)


def test_known_scales_keep_symbols_and_unknown_ones_do_not_fail():
    model, _ = node_model("Resize", [image(), None, floats([1, 1, 2, 2])], {}, (2,), 19)
    compare(run_model(model, {"x0": image()})[0].shape, np.array((2, 3, 14, 20)))


def test_empty_batch():
    got = run_node("Resize", [np.zeros((0, 3, 4, 4), np.float32), None, floats([1, 1, 2, 2])], {"mode": "linear"})[0]
    assert got.shape == (0, 3, 8, 8)


def test_errors():
    with pytest.raises(opgraft.Error, match="exactly one of scales and sizes"):
        run_node("Resize", [image()])
    with pytest.raises(opgraft.Error, match="scales has 2 entries, 4 are needed"):
        run_node("Resize", [image(), None, floats([2, 2])])
    with pytest.raises(opgraft.Error, match='mode = "area" is unknown'):
        run_node("Resize", [image(), None, floats([1, 1, 2, 2])], {"mode": "area"})


@given(st.data())
def test_random(data):
    # Powers of two as scales: places between pixels are exact, so that no rounding decides which pixel is the nearest.
    shape = (data.draw(st.integers(1, 2)), data.draw(st.integers(1, 2)), *(data.draw(st.integers(2, 9)) for _ in range(data.draw(st.integers(1, 2)))))
    mode = data.draw(st.sampled_from(["nearest", "linear", "cubic"]))
    scales = [1.0, 1.0, *(data.draw(st.sampled_from([0.5, 1.0, 2.0, 4.0])) for _ in shape[2:])]
    attrs = {"mode": mode, "coordinate_transformation_mode": data.draw(st.sampled_from(["half_pixel", "asymmetric", "half_pixel_symmetric"]))}
    if mode == "nearest":
        attrs["nearest_mode"] = data.draw(st.sampled_from(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]))
    elif mode == "cubic":
        attrs |= {"cubic_coeff_a": data.draw(st.sampled_from([-0.75, -0.5])), "exclude_outside": data.draw(st.integers(0, 1))}
    x = draw_values(data, shape, data.draw(st.sampled_from(FLOATS)), special=False)
    check_case(data, "Resize", [x, None, floats(scales)], attrs, onnx_reference("Resize", 19), opset=data.draw(st.sampled_from([19, None])))
