"""Old versions of operators keep their meaning: nodes of opsets 1 to 27 against NumPy."""

import numpy as np
import onnx
import opgraft
import pytest
from onnx import helper

F = np.float32
RNG = np.random.default_rng(0)


def run(op_type, inputs, opset, outputs=1, **attrs):
    """Runs one node whose inputs after the first may be intermediate values, whose types a file does not tell."""
    infos, nodes, names, feeds = [], [], [], {}
    for i, array in enumerate(inputs):
        if array is None:
            names.append("")
            continue
        code = helper.np_dtype_to_tensor_dtype(array.dtype)
        infos.append(helper.make_tensor_value_info(f"x{i}", code, array.shape))
        feeds[f"x{i}"] = array
        nodes.append(helper.make_node("Identity", [f"x{i}"], [f"v{i}"]))
        names.append(f"v{i}")
    results = [f"y{i}" for i in range(outputs)]
    nodes.append(helper.make_node(op_type, names, results, **attrs))
    graph = helper.make_graph(nodes, "old", infos, [onnx.ValueInfoProto(name=name) for name in results])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    got = opgraft.InferenceSession(model.SerializeToString()).run(None, feeds)
    return got[0] if outputs == 1 else got


def floats(*shape):
    return RNG.normal(size=shape).astype(F)


def equal(got, want, tolerance=1e-6):
    want = np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, got.shape, want.dtype, want.shape)
    np.testing.assert_allclose(got, want, tolerance, tolerance)


CONSUMED = {
    "Abs": np.abs,
    "Ceil": np.ceil,
    "Exp": np.exp,
    "Floor": np.floor,
    "Neg": np.negative,
    "Reciprocal": lambda x: 1 / x,
    "Relu": lambda x: np.maximum(x, 0),
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Tanh": np.tanh,
    "Elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "LeakyRelu": lambda x: np.where(x > 0, x, x * F(0.01)),
    "HardSigmoid": lambda x: np.clip(x * F(0.2) + F(0.5), 0, 1),
    "Selu": lambda x: F(1.0507) * np.where(x > 0, x, F(1.6732) * np.expm1(x)),  # version 6 has more digits
    "Dropout": lambda x: x,
    "Clip": lambda x: x,
}


@pytest.mark.parametrize("name", CONSUMED)
def test_consumed_inputs_mean_nothing(name):
    x = floats(3, 4)
    attrs = {"is_test": 1} if name == "Dropout" else {}
    equal(run(name, [x], 1, consumed_inputs=[0], **attrs), CONSUMED[name](x))


@pytest.mark.parametrize("name, function", [("Log", np.log), ("Sqrt", np.sqrt)])
def test_consumed_inputs_of_positive_numbers(name, function):
    x = np.abs(floats(3, 4)) + F(0.1)
    equal(run(name, [x], 1, consumed_inputs=[0]), function(x))


@pytest.mark.parametrize("name, function", [("Max", np.maximum), ("Min", np.minimum), ("Sum", np.add)])
def test_variadic_with_equal_shapes(name, function):
    a, b = floats(3, 4), floats(3, 4)
    equal(run(name, [a, b], 1, consumed_inputs=[0, 0]), function(a, b))
    equal(run(name, [a, b], 6), function(a, b))


def test_mean_with_equal_shapes():
    a, b = floats(3, 4), floats(3, 4)
    equal(run("Mean", [a, b], 1, consumed_inputs=[0, 0]), (a + b) / 2)


ARITHMETIC = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}


@pytest.mark.parametrize("opset", [1, 6])
@pytest.mark.parametrize("name", ARITHMETIC)
def test_broadcast_by_axis(name, opset):
    a, b = floats(2, 3, 4, 5), floats(3, 4) + 3
    equal(run(name, [a, b], opset, broadcast=1, axis=1), ARITHMETIC[name](a, b[:, :, None]))
    b = floats(4, 5) + 3
    equal(run(name, [a, b], opset, broadcast=1), ARITHMETIC[name](a, b))
    b = floats(2) + 3
    equal(run(name, [a, b], opset, broadcast=1, axis=0), ARITHMETIC[name](a, b[:, None, None, None]))
    equal(run(name, [a, a], opset), ARITHMETIC[name](a, a))


@pytest.mark.parametrize(
    "name, function", [("And", np.logical_and), ("Or", np.logical_or), ("Xor", np.logical_xor)]
)
def test_broadcast_of_booleans_by_axis(name, function):
    a, b = floats(2, 3, 4) > 0, floats(3) > 0
    equal(run(name, [a, b], 1, broadcast=1, axis=1), function(a, b[:, None]))


@pytest.mark.parametrize("name, function", [("Greater", np.greater), ("Less", np.less)])
def test_broadcast_of_comparisons_by_axis(name, function):
    a, b = floats(2, 3, 4), floats(2, 3)
    equal(run(name, [a, b], 1, broadcast=1, axis=0), function(a, b[:, :, None]))


def test_broadcast_of_equal_and_pow_by_axis():
    a, b = RNG.integers(0, 2, (2, 3, 4)), RNG.integers(0, 2, 3)
    equal(run("Equal", [a, b], 1, broadcast=1, axis=1), a == b[:, None])
    a, b = np.abs(floats(2, 3, 4)) + 1, floats(3)
    equal(run("Pow", [a, b], 1, broadcast=1, axis=1), a ** b[:, None])


def test_arg_extremes_take_the_first_of_equals():
    x = np.array([[1, 3, 3], [2, 2, 1]], F)
    equal(run("ArgMax", [x], 1, axis=1, keepdims=0), np.argmax(x, 1))
    equal(run("ArgMin", [x], 11, axis=1, keepdims=1), np.argmin(x, 1)[:, None])


def test_average_pool_divides_by_the_elements_that_are_there():
    x = floats(1, 1, 4, 4)
    got = run("AveragePool", [x], 1, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    padded = np.pad(x[0, 0], 1)
    count = np.pad(np.ones((4, 4), F), 1)
    want = [[padded[i : i + 3, j : j + 3].sum() / count[i : i + 3, j : j + 3].sum() for j in range(4)] for i in range(4)]
    equal(got, np.array(want, F)[None, None])


def normalized(x, scale, bias, mean, variance, epsilon=1e-5):
    shape = (1, -1, 1, 1)
    return (x - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + F(epsilon)) * scale.reshape(shape) + bias.reshape(shape)


def test_batch_normalization():
    x, scale, bias, mean = floats(2, 3, 4, 5), floats(3), floats(3), floats(3)
    variance = np.abs(floats(3)) + 1
    inputs = [x, scale, bias, mean, variance]
    want = normalized(*inputs)
    equal(run("BatchNormalization", inputs, 1, consumed_inputs=[0, 0, 0, 1, 1], is_test=1), want, 1e-5)
    equal(run("BatchNormalization", inputs, 6, is_test=1), want, 1e-5)
    equal(run("BatchNormalization", inputs, 7), want, 1e-5)
    equal(run("BatchNormalization", inputs, 9), want, 1e-5)


def test_cast_to_a_type_by_name():
    x = np.array([-1.5, 0, 2.7], F)
    equal(run("Cast", [x], 1, to="INT32"), x.astype(np.int32))
    equal(run("Cast", [x], 1, to="DOUBLE"), x.astype(np.float64))
    equal(run("Cast", [x], 1, to="BOOL"), x.astype(bool))


def test_clip_by_attributes():
    x = floats(5, 6)
    for opset in (1, 6):
        equal(run("Clip", [x], opset, min=-0.5, max=0.25), np.clip(x, F(-0.5), F(0.25)))
        equal(run("Clip", [x], opset, max=0.25), np.minimum(x, F(0.25)))
    wide = x.astype(np.float64)
    equal(run("Clip", [wide], 6, min=-0.5), np.maximum(wide, -0.5))


def test_concat_along_axis_1_by_default():
    a, b = floats(2, 3), floats(2, 1)
    equal(run("Concat", [a, b], 1), np.concatenate([a, b], 1))


def test_dropout_of_inference():
    x = floats(3, 4)
    for opset, attrs in [(6, {"is_test": 1, "ratio": 0.3}), (7, {"ratio": 0.3}), (10, {"ratio": 0.3})]:
        equal(run("Dropout", [x], opset, **attrs), x)
    y, mask = run("Dropout", [x], 10, 2, ratio=0.3)
    equal(y, x)
    assert mask.dtype == np.bool_ and mask.shape == x.shape and mask.all()


def test_erf_of_integers():
    x = np.array([-3, -1, 0, 1, 3], np.int32)
    equal(run("Erf", [x], 9), np.array([0, 0, 0, 0, 0], np.int32))
    x = np.array([-30, 30], np.int64)
    equal(run("Erf", [x], 9), np.array([-1, 1], np.int64))
    y = np.array([0.5], np.float64)
    equal(run("Erf", [y], 9), np.array([0.5204998778130465]), 1e-14)


def test_gather_nd_without_batch_dims():
    x, i = floats(3, 4), np.array([[0, 1], [2, 3]])
    equal(run("GatherND", [x, i], 11), x[i[:, 0], i[:, 1]])


def test_gemm_with_broadcast():
    a, b, c = floats(3, 4), floats(4, 5), floats(5)
    for opset in (1, 6):
        equal(run("Gemm", [a, b, c], opset, broadcast=1, alpha=0.5), F(0.5) * a @ b + c, 1e-5)


def test_global_lp_pool_with_a_float_exponent():
    x = floats(2, 3, 4)
    equal(run("GlobalLpPool", [x], 1, p=2.0), np.sqrt((x * x).sum(2, keepdims=True)), 1e-5)
    equal(run("LpPool", [x], 1, p=1.0, kernel_shape=[2], strides=[2]), np.abs(x).reshape(2, 3, 2, 2).sum(3), 1e-5)


@pytest.mark.parametrize("name", ["Softmax", "LogSoftmax", "Hardmax"])
def test_softmax_of_the_flattened_rest(name):
    x = floats(2, 3, 4)
    for axis in (0, 1, 2):
        flat = x.reshape(int(np.prod(x.shape[:axis])), -1)
        e = np.exp(flat - flat.max(1, keepdims=True))
        want = {
            "Softmax": e / e.sum(1, keepdims=True),
            "LogSoftmax": np.log(e / e.sum(1, keepdims=True)),
            "Hardmax": (np.arange(flat.shape[1]) == flat.argmax(1)[:, None]).astype(F),
        }[name]
        for opset in (1, 11):
            equal(run(name, [x], opset, axis=axis), want.reshape(x.shape), 1e-5)
            if axis == 1:
                equal(run(name, [x], opset), want.reshape(x.shape), 1e-5)


def test_instance_normalization():
    x, scale, bias = floats(2, 3, 4, 5), floats(3), floats(3)
    mean, variance = x.mean((2, 3), keepdims=True), x.var((2, 3), keepdims=True)
    want = (x - mean) / np.sqrt(variance + F(1e-5)) * scale[:, None, None] + bias[:, None, None]
    equal(run("InstanceNormalization", [x, scale, bias], 1, consumed_inputs=[0, 0, 0]), want, 1e-5)


@pytest.mark.parametrize("name, gates", [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
def test_recurrent_networks_of_opset_1_are_those_of_opset_7(name, gates):
    x, w, r = floats(5, 2, 3), floats(1, 4 * gates, 3), floats(1, 4 * gates, 4)
    new = run(name, [x, w, r], 7, 2, hidden_size=4)
    old = run(name, [x, w, r], 1, 2, hidden_size=4, output_sequence=1)
    for a, b in zip(old, new):
        equal(a, b)


def test_p_relu_with_a_slope_for_each_channel():
    x, slope = floats(2, 3, 4, 5), floats(3)
    want = np.where(x >= 0, x, x * slope[:, None, None])
    equal(run("PRelu", [x, slope], 1, consumed_inputs=[0, 0]), want)
    equal(run("PRelu", [x, slope], 6), want)


def test_pad_by_attributes():
    for x in (floats(3, 4), floats(3, 4).astype(np.float64)):
        want = np.pad(x, ((0, 2), (1, 0)), constant_values=F(1.5))
        equal(run("Pad", [x], 1, paddings=[0, 1, 2, 0], value=1.5), want)
        equal(run("Pad", [x], 2, pads=[0, 1, 2, 0], value=1.5), want)
        equal(run("Pad", [x], 2, pads=[0, 1, 2, 0], mode="edge"), np.pad(x, ((0, 2), (1, 0)), mode="edge"))


@pytest.mark.parametrize("name", ["ReduceL1", "ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"])
def test_reductions_with_axes_as_attribute(name):
    x = np.abs(floats(2, 3, 4)) + F(0.5)
    function = {
        "ReduceL1": lambda x, axis: np.abs(x).sum(axis),
        "ReduceL2": lambda x, axis: np.sqrt((x * x).sum(axis)),
        "ReduceMax": lambda x, axis: x.max(axis),
        "ReduceMean": lambda x, axis: x.mean(axis),
        "ReduceMin": lambda x, axis: x.min(axis),
        "ReduceProd": lambda x, axis: x.prod(axis),
        "ReduceSum": lambda x, axis: x.sum(axis),
        "ReduceLogSum": lambda x, axis: np.log(x.sum(axis)),
        "ReduceLogSumExp": lambda x, axis: np.log(np.exp(x).sum(axis)),
        "ReduceSumSquare": lambda x, axis: (x * x).sum(axis),
    }[name]
    for opset in (1, 11):
        equal(run(name, [x], opset, axes=[0, 2], keepdims=0), function(x, (0, 2)), 1e-5)
        equal(run(name, [x], opset, keepdims=0), function(x, None), 1e-5)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64])
def test_logarithms_of_sums_of_integers(dtype):
    x = np.array([[1, 200, 30], [4, 5, 60]], dtype)
    wide = x.astype(np.float64)
    for opset, axes in [(11, {"axes": [1]}), (18, {})]:
        inputs = [x] if axes else [x, np.array([1])]
        equal(run("ReduceLogSum", inputs, opset, keepdims=0, **axes), np.log(wide.sum(1)).astype(dtype))
        shifted = wide.max(1) + np.log(np.exp(wide - wide.max(1, keepdims=True)).sum(1))
        equal(run("ReduceLogSumExp", inputs, opset, keepdims=0, **axes), shifted.astype(dtype))


def test_reshape_by_an_attribute():
    equal(run("Reshape", [np.arange(6, dtype=F)], 1, shape=[2, -1]), np.arange(6, dtype=F).reshape(2, 3))


def test_resize_without_coordinate_modes():
    x = np.arange(4, dtype=F).reshape(1, 1, 2, 2)
    scales = np.array([1, 1, 2, 2], F)
    equal(run("Resize", [x, scales], 10, mode="nearest"), x.repeat(2, 2).repeat(2, 3))
    equal(run("Upsample", [x], 7, scales=[1.0, 1, 2, 2]), x.repeat(2, 2).repeat(2, 3))
    equal(run("Upsample", [x], 1, height_scale=2.0, width_scale=2.0), x.repeat(2, 2).repeat(2, 3))
    equal(run("Upsample", [x, scales], 9), x.repeat(2, 2).repeat(2, 3))
    row = np.array([0, 0.5, 1, 1], F)  # asymmetric coordinates: i / 2, held at the end
    equal(run("Resize", [x, scales], 10, mode="linear"), (row + 2 * row[:, None])[None, None])


def test_roi_align_without_the_half_pixel():
    x = np.arange(16, dtype=F).reshape(1, 1, 4, 4)
    rois, batch = np.array([[0, 0, 2, 2]], F), np.array([0])
    got = run("RoiAlign", [x, rois, batch], 10, output_height=1, output_width=1, sampling_ratio=1)
    equal(got, np.full((1, 1, 1, 1), x[0, 0, 1, 1], F))  # the middle of the region is pixel (1, 1)


def test_scan_with_batches():
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "x"], ["t"]), helper.make_node("Identity", ["t"], ["y"])],
        "body",
        [helper.make_tensor_value_info(name, 1, [2]) for name in "sx"],
        [helper.make_tensor_value_info(name, 1, [2]) for name in "ty"],
    )
    start, x = floats(3, 2), floats(3, 4, 2)
    lengths = np.array([4, 2, 0])
    final, y = run("Scan", [lengths, start, x], 8, 2, body=body, num_scan_inputs=1)
    sums = np.cumsum(np.concatenate([start[:, None], x], 1), 1)
    equal(final, np.array([sums[b, n] for b, n in enumerate(lengths)]))
    for b, n in enumerate(lengths):
        equal(y[b, :n], sums[b, 1 : n + 1])
        assert not y[b, n:].any()
    final, y = run("Scan", [None, start, x], 8, 2, body=body, num_scan_inputs=1, directions=[1])
    equal(final, sums[:, 4], 1e-5)
    with pytest.raises(opgraft.Error, match="sequence_lens has 5, expected 0 to 4"):
        run("Scan", [np.array([5, 1, 1]), start, x], 8, 2, body=body, num_scan_inputs=1)
    with pytest.raises(opgraft.Error, match="sequence_lens has 2 entries, the batch 3"):
        run("Scan", [np.array([1, 1]), start, x], 8, 2, body=body, num_scan_inputs=1)


def test_scatter_before_its_names():
    x, i, u = floats(3, 3), np.array([[1, 0], [2, 1]]), floats(2, 2)
    want = x.copy()
    for r in range(2):
        for c in range(2):
            want[i[r, c], c] = u[r, c]
    for name, opset in [("Scatter", 9), ("Scatter", 10), ("ScatterElements", 11), ("ScatterElements", 13)]:
        equal(run(name, [x, i, u], opset), want)


def test_shape_as_a_whole():
    equal(run("Shape", [floats(2, 3, 4)], 1), np.array([2, 3, 4]))


def test_slice_by_attributes():
    x = floats(5, 6, 7)
    equal(run("Slice", [x], 1, starts=[1, -3], ends=[3, 100], axes=[0, 2]), x[1:3, :, -3:])
    equal(run("Slice", [x], 1, starts=[1, 0], ends=[3, 2]), x[1:3, 0:2])


def test_split_by_attribute_and_by_input():
    x = floats(6, 4)
    for got, want in zip(run("Split", [x], 2, 2, split=[2, 4]), (x[:2], x[2:])):
        equal(got, want)
    for got, want in zip(run("Split", [x], 11, 3), np.split(x, 3)):
        equal(got, want)
    for got, want in zip(run("Split", [x, np.array([1, 3], F)], 1, 2, axis=1), (x[:, :1], x[:, 1:])):
        equal(got, want)
    for got, want in zip(run("Split", [x], 1, 2, axis=1, split=[1, 3]), (x[:, :1], x[:, 1:])):
        equal(got, want)


def test_squeeze_and_unsqueeze_by_attribute():
    x = floats(1, 3, 1, 2)
    equal(run("Squeeze", [x], 1, axes=[0, 2]), x.reshape(3, 2))
    equal(run("Squeeze", [x], 11, axes=[-2]), x.reshape(1, 3, 2))
    equal(run("Unsqueeze", [x], 1, axes=[0, 5]), x.reshape(1, 1, 3, 1, 2, 1))


def test_tile_one_axis():
    x = floats(2, 3)
    equal(run("Tile", [x, np.array([3], F), np.array([1], F)], 1), np.tile(x, (1, 3)))


def test_top_k_by_an_attribute():
    x = floats(3, 6)
    values, indices = run("TopK", [x], 1, 2, k=2, axis=1)
    order = np.argsort(-x, 1)[:, :2]
    equal(values, np.take_along_axis(x, order, 1))
    equal(indices, order)
    values, indices = run("TopK", [x, np.array([2])], 10, 2, axis=1)
    equal(indices, order)
