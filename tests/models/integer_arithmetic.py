"""Exact integer products in NumPy, and a check of every such node of a model against them."""

import numpy as np
import onnx
import opgraft
from onnx import numpy_helper

KINDS = ("MatMulInteger", "ConvInteger", "QLinearMatMul", "QLinearConv")


def convolution(x, w, attrs):
    """A convolution of whole numbers in double precision, exact below 2**53."""
    spatial = w.ndim - 2
    strides = attrs.get("strides", [1] * spatial)
    dilations = attrs.get("dilations", [1] * spatial)
    pads = attrs.get("pads", [0] * 2 * spatial)
    group = attrs.get("group", 1)
    assert attrs.get("auto_pad", b"NOTSET") == b"NOTSET"
    x = np.pad(x, [(0, 0), (0, 0), *((pads[i], pads[spatial + i]) for i in range(spatial))])
    window = tuple((w.shape[2 + i] - 1) * dilations[i] + 1 for i in range(spatial))
    views = np.lib.stride_tricks.sliding_window_view(x, window, tuple(range(2, 2 + spatial)))
    places = tuple(slice(None, None, step) for step in strides)
    taps = tuple(slice(None, None, step) for step in dilations)
    views = views[(slice(None), slice(None), *places, *taps)]  # [N, C, out..., kernel...]
    out, channels = views.shape[2 : 2 + spatial], w.shape[1]
    y = np.empty((x.shape[0], w.shape[0], *out))
    each = w.shape[0] // group
    for g in range(group):
        part = np.moveaxis(views[:, g * channels : (g + 1) * channels], 1, 1 + spatial)  # [N, out..., C, kernel...]
        columns = part.reshape(x.shape[0], int(np.prod(out)), -1)
        filters = w[g * each : (g + 1) * each].reshape(each, -1)
        y[:, g * each : (g + 1) * each] = np.swapaxes(columns @ filters.T, 1, 2).reshape(x.shape[0], each, *out)
    return y


def number(x):
    return np.asarray(x).astype(np.float64)


def per_channel(values, rank):
    """A scale or zero point of output channels, for an array [N, C, ...]."""
    return number(values).reshape(-1, *[1] * (rank - 2)) if np.size(values) > 1 else number(values).reshape(())


def accumulated(node, at, attrs):
    """The exact integer sum of a node; `at(i)` gives an input, or None."""
    linear = node.op_type.startswith("QLinear")
    x, w = at(0), at(3 if linear else 1)
    x_zero, w_zero = (at(2), at(5)) if linear else (at(2), at(3))
    x_zero, w_zero = (0 if zero is None else zero for zero in (x_zero, w_zero))
    if "Conv" in node.op_type:
        w_zero = number(w_zero).reshape(-1, *[1] * (w.ndim - 1)) if np.size(w_zero) > 1 else number(w_zero).reshape(())
        total = convolution(number(x) - number(x_zero).reshape(()), number(w) - w_zero, attrs)
        if linear and at(8) is not None:
            total += per_channel(at(8), total.ndim)
        return total
    return (number(x) - number(x_zero).reshape(())) @ (number(w) - number(w_zero))


def check_exact(path, feeds):
    """Checks each integer product of a model against NumPy on the inputs that it had; returns how many there were."""
    document = onnx.load(path)
    nodes = [node for node in document.graph.node if node.op_type in KINDS]
    if not nodes:
        return 0
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in document.graph.initializer}
    shown = {value.name for value in document.graph.output}
    for node in nodes:
        for name in [*node.input, *node.output]:
            if name and name not in constants and name not in feeds and name not in shown:
                document.graph.output.append(onnx.ValueInfoProto(name=name))
                shown.add(name)
    session = opgraft.InferenceSession(document.SerializeToString())
    names = [output.name for output in session.get_outputs()]
    values = constants | feeds | dict(zip(names, session.run(names, feeds), strict=True))
    for node in nodes:
        attrs = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}

        def at(i, node=node):
            return values[node.input[i]] if i < len(node.input) and node.input[i] else None

        total, got = accumulated(node, at, attrs), values[node.output[0]]
        if not node.op_type.startswith("QLinear"):
            np.testing.assert_array_equal(number(got), total, err_msg=node.name)
            continue
        w_scale = per_channel(at(4), total.ndim) if "Conv" in node.op_type else number(at(4))
        exact = total * (number(at(1)) * w_scale / number(at(6)))
        info = np.iinfo(got.dtype)
        want = np.clip(np.rint(exact) + number(at(7)), info.min, info.max)
        near_tie = np.abs(exact - np.floor(exact) - 0.5) <= 4 * np.finfo(np.float32).eps * np.abs(exact)
        wrong = (number(got) != want) & ~(near_tie & (np.abs(number(got) - want) <= 1))
        assert not wrong.any(), f"{node.op_type} {node.name}: {wrong.sum()} of {wrong.size} values are not the exact ones"
    return len(nodes)
