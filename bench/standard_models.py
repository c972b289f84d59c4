#!/usr/bin/env python3
"""Writes well-known architectures with seeded random weights as ONNX files: standard_models.py FOLDER [name ...].

The graphs have the form that PyTorch's exporter gives them: batch norms folded into convolutions, activations as nodes
of their own, linear layers as Gemm or MatMul and Add. Batch norms are calibrated on a small random picture, so that
activations keep a sensible scale through the whole network. Needs numpy and onnx only.
"""

import dataclasses
import pathlib
import sys
from collections.abc import Callable

import numpy as np
import onnx
from onnx import TensorProto, helper

OPSET = 17
CALIBRATION_BATCH, CALIBRATION_SIZE = 4, 160


@dataclasses.dataclass
class Value:
    """A tensor of the graph: its name, and its data on the calibration input where later layers need that."""

    name: str
    data: np.ndarray | None = None


class Net:
    """A graph under construction, with a seeded source of weights."""

    def __init__(self, name: str, seed: int):
        self.name = name
        self.random = np.random.default_rng(seed)
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []

    def input(self, name: str, shape: tuple[int | str, ...], element: int = TensorProto.FLOAT) -> Value:
        self.inputs.append(helper.make_tensor_value_info(name, element, shape))
        return Value(name)

    def output(self, value: Value, name: str, shape: tuple[int | str, ...]) -> None:
        for node in self.nodes:
            node.output[:] = [name if output == value.name else output for output in node.output]
            node.input[:] = [name if used == value.name else used for used in node.input]
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def normal(self, *shape: int, deviation: float) -> np.ndarray:
        return self.random.standard_normal(shape, np.float32) * np.float32(deviation)

    def weight(self, data: np.ndarray) -> Value:
        name = f"weight_{len(self.weights)}"
        data = np.ascontiguousarray(data)
        element = helper.np_dtype_to_tensor_dtype(data.dtype)
        self.weights.append(helper.make_tensor(name, element, data.shape, data.tobytes(), raw=True))
        return Value(name)

    def constant(self, data: np.ndarray) -> Value:
        tensor = onnx.numpy_helper.from_array(np.asarray(data))
        return self.op("Constant", [], value=tensor)

    def ops(self, kind: str, inputs: list[Value | None], count: int, **attributes) -> list[Value]:
        names = [f"{kind}_{len(self.nodes)}" + (f"_{i}" if count > 1 else "") for i in range(count)]
        used = ["" if value is None else value.name for value in inputs]
        self.nodes.append(helper.make_node(kind, used, names, name=f"node_{len(self.nodes)}", **attributes))
        return [Value(name) for name in names]

    def op(self, kind: str, inputs: list[Value | None], data: np.ndarray | None = None, **attributes) -> Value:
        value = self.ops(kind, inputs, 1, **attributes)[0]
        value.data = data
        return value

    def model(self) -> onnx.ModelProto:
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
        model.producer_name = "opgraft bench"
        return model


# Layers on [batch, channel, height, width], with their arithmetic in NumPy for the calibration.


def pad(x: np.ndarray, border: int, fill: float = 0.0) -> np.ndarray:
    return np.pad(x, ((0, 0), (0, 0), (border, border), (border, border)), constant_values=fill)


def taps(x: np.ndarray, kernel: int, stride: int):
    height, width = (x.shape[2] - kernel) // stride + 1, (x.shape[3] - kernel) // stride + 1
    for i in range(kernel):
        for j in range(kernel):
            yield i, j, x[:, :, i : i + stride * height : stride, j : j + stride * width : stride]


def convolve(x: np.ndarray, weights: np.ndarray, stride: int, depthwise: bool) -> np.ndarray:
    kernel, total = weights.shape[2], None
    for i, j, window in taps(pad(x, kernel // 2), kernel, stride):
        if depthwise:
            part = weights[None, :, 0, i, j, None, None] * window
        else:
            flat = np.ascontiguousarray(window).reshape(*window.shape[:2], -1)
            part = (weights[:, :, i, j] @ flat).reshape(len(x), -1, *window.shape[2:])
        total = part if total is None else total + part
    return total


def conv(
    net: Net, x: Value, channels: int, kernel: int, stride: int = 1, depthwise: bool = False, norm: bool = True
) -> Value:
    """Convolution with bias; `norm` folds a calibrated batch norm into it."""
    inputs = 1 if depthwise else x.data.shape[1]
    weights = net.normal(channels, inputs, kernel, kernel, deviation=(2 / (inputs * kernel * kernel)) ** 0.5)
    y = convolve(x.data, weights, stride, depthwise)
    bias = net.normal(channels, deviation=0.05)
    if norm:
        gain = net.random.uniform(0.8, 1.2, channels).astype(np.float32) / np.sqrt(y.var((0, 2, 3)) + 1e-5)
        bias += -y.mean((0, 2, 3)) * gain
        weights *= gain[:, None, None, None]
        y *= gain[None, :, None, None]
    groups = channels if depthwise else 1
    return net.op(
        "Conv",
        [x, net.weight(weights), net.weight(bias)],
        y + bias[None, :, None, None],
        dilations=[1, 1],
        group=groups,
        kernel_shape=[kernel] * 2,
        pads=[kernel // 2] * 4,
        strides=[stride] * 2,
    )


def sigmoid(net: Net, x: Value) -> Value:
    return net.op("Sigmoid", [x], 1 / (1 + np.exp(-x.data)))


def relu(net: Net, x: Value) -> Value:
    return net.op("Relu", [x], np.maximum(x.data, 0))


def relu6(net: Net, x: Value) -> Value:
    low, high = net.constant(np.float32(0)), net.constant(np.float32(6))
    return net.op("Clip", [x, low, high], np.clip(x.data, 0, 6))


def hard_sigmoid(net: Net, x: Value) -> Value:
    return net.op("HardSigmoid", [x], np.clip(x.data / 6 + 0.5, 0, 1), alpha=1 / 6)


def hard_swish(net: Net, x: Value) -> Value:
    return net.op("HardSwish", [x], x.data * np.clip(x.data / 6 + 0.5, 0, 1))


def silu(net: Net, x: Value) -> Value:
    return multiply(net, x, sigmoid(net, x))


def add(net: Net, x: Value, y: Value) -> Value:
    return net.op("Add", [x, y], x.data + y.data)


def multiply(net: Net, x: Value, y: Value) -> Value:
    return net.op("Mul", [x, y], x.data * y.data)


def concat(net: Net, values: list[Value]) -> Value:
    return net.op("Concat", values, np.concatenate([value.data for value in values], 1), axis=1)


def average(net: Net, x: Value) -> Value:
    return net.op("GlobalAveragePool", [x], x.data.mean((2, 3), keepdims=True))


def max_pool(net: Net, x: Value, kernel: int, stride: int) -> Value:
    border = kernel // 2 if kernel % 2 else 0
    data = None
    for _, _, window in taps(pad(x.data, border, -np.inf), kernel, stride):
        data = window if data is None else np.maximum(data, window)
    return net.op(
        "MaxPool",
        [x],
        data,
        ceil_mode=0,
        dilations=[1, 1],
        kernel_shape=[kernel] * 2,
        pads=[border] * 4,
        strides=[stride] * 2,
    )


def up_convolve(net: Net, x: Value, channels: int) -> Value:
    inputs = x.data.shape[1]
    weights, bias = net.normal(inputs, channels, 2, 2, deviation=inputs**-0.5), net.normal(channels, deviation=0.05)
    rows, columns = x.data.shape[2:]
    data = np.einsum("ncij,coab->noiajb", x.data, weights, optimize=True).reshape(
        len(x.data), channels, rows * 2, columns * 2
    )
    return net.op(
        "ConvTranspose",
        [x, net.weight(weights), net.weight(bias)],
        data + bias[None, :, None, None],
        dilations=[1, 1],
        group=1,
        kernel_shape=[2, 2],
        pads=[0] * 4,
        strides=[2, 2],
    )


def gemm(net: Net, x: Value, inputs: int, outputs: int) -> Value:
    weights, bias = net.normal(outputs, inputs, deviation=inputs**-0.5), net.normal(outputs, deviation=0.05)
    data = None if x.data is None else x.data @ weights.T + bias
    return net.op("Gemm", [x, net.weight(weights), net.weight(bias)], data, alpha=1.0, beta=1.0, transB=1)


def picture(net: Net, size: int) -> Value:
    """The input `x`, and the smaller random picture that batch norms are calibrated on."""
    x = net.input("x", (1, 3, size, size))
    x.data = net.random.standard_normal((CALIBRATION_BATCH, 3, CALIBRATION_SIZE, CALIBRATION_SIZE), np.float32)
    return x


def pooled(net: Net, x: Value) -> Value:
    x = average(net, x)
    return net.op("Flatten", [x], x.data.reshape(len(x.data), -1), axis=1)


# Convolutional networks.


def resnet50(net: Net) -> None:
    x = max_pool(net, relu(net, conv(net, picture(net, 224), 64, 7, 2)), 3, 2)
    for width, blocks, first_stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            stride = first_stride if block == 0 else 1
            y = relu(net, conv(net, x, width, 1))
            y = conv(net, relu(net, conv(net, y, width, 3, stride)), width * 4, 1)
            if block == 0:
                x = conv(net, x, width * 4, 1, stride)
            x = relu(net, add(net, y, x))
    net.output(gemm(net, pooled(net, x), 2048, 1000), "y", (1, 1000))


def squeeze_excite(net: Net, x: Value, width: int, act: Callable, gate: Callable) -> Value:
    y = act(net, conv(net, average(net, x), width, 1, norm=False))
    return multiply(net, x, gate(net, conv(net, y, x.data.shape[1], 1, norm=False)))


def inverted_residual(
    net: Net, x: Value, wide: int, out: int, kernel: int, stride: int, act: Callable, squeeze: Callable | None = None
) -> Value:
    channels = x.data.shape[1]
    y = act(net, conv(net, x, wide, 1)) if wide != channels else x
    y = act(net, conv(net, y, wide, kernel, stride, depthwise=True))
    y = conv(net, squeeze(y) if squeeze else y, out, 1)
    return add(net, x, y) if channels == out and stride == 1 else y


def mobilenetv2(net: Net) -> None:
    x = relu6(net, conv(net, picture(net, 224), 32, 3, 2))
    for factor, out, blocks, first_stride in (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ):
        for block in range(blocks):
            x = inverted_residual(net, x, x.data.shape[1] * factor, out, 3, first_stride if block == 0 else 1, relu6)
    net.output(gemm(net, pooled(net, relu6(net, conv(net, x, 1280, 1))), 1280, 1000), "y", (1, 1000))


# Kernel, wide channels, output channels, squeeze channels, hard swish, stride.
MOBILENETV3_BLOCKS = (
    (3, 16, 16, 0, 0, 1),
    (3, 64, 24, 0, 0, 2),
    (3, 72, 24, 0, 0, 1),
    (5, 72, 40, 24, 0, 2),
    (5, 120, 40, 32, 0, 1),
    (5, 120, 40, 32, 0, 1),
    (3, 240, 80, 0, 1, 2),
    (3, 200, 80, 0, 1, 1),
    (3, 184, 80, 0, 1, 1),
    (3, 184, 80, 0, 1, 1),
    (3, 480, 112, 120, 1, 1),
    (3, 672, 112, 168, 1, 1),
    (5, 672, 160, 168, 1, 2),
    (5, 960, 160, 240, 1, 1),
    (5, 960, 160, 240, 1, 1),
)


def mobilenetv3_large(net: Net) -> None:
    x = hard_swish(net, conv(net, picture(net, 224), 16, 3, 2))
    for kernel, wide, out, squeezed, hard, stride in MOBILENETV3_BLOCKS:
        squeeze = (lambda y, width=squeezed: squeeze_excite(net, y, width, relu, hard_sigmoid)) if squeezed else None
        x = inverted_residual(net, x, wide, out, kernel, stride, hard_swish if hard else relu, squeeze)
    x = pooled(net, hard_swish(net, conv(net, x, 960, 1)))
    net.output(gemm(net, hard_swish(net, gemm(net, x, 960, 1280)), 1280, 1000), "y", (1, 1000))


def efficientnet_b0(net: Net) -> None:
    x = silu(net, conv(net, picture(net, 224), 32, 3, 2))
    stages = (
        (1, 3, 16, 1, 1),
        (6, 3, 24, 2, 2),
        (6, 5, 40, 2, 2),
        (6, 3, 80, 3, 2),
        (6, 5, 112, 3, 1),
        (6, 5, 192, 4, 2),
        (6, 3, 320, 1, 1),
    )
    for factor, kernel, out, blocks, first_stride in stages:
        for block in range(blocks):
            channels = x.data.shape[1]
            x = inverted_residual(
                net,
                x,
                channels * factor,
                out,
                kernel,
                first_stride if block == 0 else 1,
                silu,
                lambda y, width=channels: squeeze_excite(net, y, max(1, width // 4), silu, sigmoid),
            )
    net.output(gemm(net, pooled(net, silu(net, conv(net, x, 1280, 1))), 1280, 1000), "y", (1, 1000))


def unet256(net: Net) -> None:
    def twice(x: Value, channels: int) -> Value:
        return relu(net, conv(net, relu(net, conv(net, x, channels, 3)), channels, 3))

    widths = (32, 64, 128, 256, 512)
    x, kept = picture(net, 256), []
    for level, width in enumerate(widths):
        x = twice(max_pool(net, x, 2, 2) if level else x, width)
        kept.append(x)
    for level in (3, 2, 1, 0):
        x = twice(concat(net, [kept[level], up_convolve(net, x, widths[level])]), widths[level])
    net.output(conv(net, x, 2, 1, norm=False), "y", (1, 2, 256, 256))


# Transformers and recurrent networks: no batch norms, so no calibration data.


def linear(net: Net, x: Value, inputs: int, outputs: int, deviation: float = 0.02) -> Value:
    product = net.op("MatMul", [x, net.weight(net.normal(inputs, outputs, deviation=deviation))])
    return net.op("Add", [net.weight(net.normal(outputs, deviation=0.02)), product])


def layer_norm(net: Net, x: Value, width: int, epsilon: float) -> Value:
    scale, shift = 1 + net.normal(width, deviation=0.1), net.normal(width, deviation=0.05)
    return net.op("LayerNormalization", [x, net.weight(scale), net.weight(shift)], axis=-1, epsilon=epsilon)


def gelu(net: Net, x: Value) -> Value:
    y = net.op("Erf", [net.op("Div", [x, net.constant(np.float32(2**0.5))])])
    y = net.op("Mul", [x, net.op("Add", [y, net.constant(np.float32(1))])])
    return net.op("Mul", [y, net.constant(np.float32(0.5))])


def reshape(net: Net, x: Value, shape: list[int]) -> Value:
    return net.op("Reshape", [x, net.constant(np.array(shape, np.int64))], allowzero=0)


def attention(net: Net, x: Value, length: int, width: int, heads: int, mask: Value | None) -> Value:
    """Multi-head self-attention with separate projections; `mask` is added to the scores."""

    def split(deviation: float) -> Value:
        return reshape(net, linear(net, x, width, width, deviation), [1, length, -1, width // heads])

    query, key, content = split(0.04), split(0.04), split(0.02)
    query = net.op("Transpose", [query], perm=[0, 2, 1, 3])
    content = net.op("Transpose", [content], perm=[0, 2, 1, 3])
    scores = net.op("MatMul", [query, net.op("Transpose", [key], perm=[0, 2, 3, 1])])
    scores = net.op("Mul", [scores, net.constant(np.float32((width // heads) ** -0.5))])
    if mask is not None:
        scores = net.op("Add", [scores, mask])
    mixed = net.op("MatMul", [net.op("Softmax", [scores], axis=-1), content])
    mixed = reshape(net, net.op("Transpose", [mixed], perm=[0, 2, 1, 3]), [1, length, -1])
    return linear(net, mixed, width, width)


def feed_forward(net: Net, x: Value, width: int) -> Value:
    return linear(net, gelu(net, linear(net, x, width, 4 * width)), 4 * width, width)


def bert(net: Net, layers: int, token_types: bool) -> None:
    """Layer norm behind each residual, as in BERT; words, positions and (in BERT) token types are embedded."""
    length, width, heads = 128, 768, 12
    ids = net.input("input_ids", (1, length), TensorProto.INT64)
    attended = net.input("attention_mask", (1, length), TensorProto.INT64)
    x = net.op("Gather", [net.weight(net.normal(30522, width, deviation=0.02)), ids])
    if token_types:
        types = net.constant(np.zeros((1, length), np.int64))
        x = net.op("Add", [x, net.op("Gather", [net.weight(net.normal(2, width, deviation=0.02)), types])])
    positions = net.constant(np.arange(length, dtype=np.int64)[None])
    x = net.op("Add", [x, net.op("Gather", [net.weight(net.normal(512, width, deviation=0.02)), positions])])
    x = layer_norm(net, x, width, 1e-12)
    mask = net.op(
        "Unsqueeze", [net.op("Cast", [attended], to=TensorProto.BOOL), net.constant(np.array([1, 2], np.int64))]
    )
    mask = net.op("Expand", [mask, net.constant(np.array([1, 1, length, length], np.int64))])
    lowest = net.constant(np.finfo(np.float32).min)
    mask = net.op("Where", [mask, net.constant(np.float32(0)), lowest])
    for _ in range(layers):
        x = layer_norm(net, net.op("Add", [attention(net, x, length, width, heads, mask), x]), width, 1e-12)
        x = layer_norm(net, net.op("Add", [feed_forward(net, x, width), x]), width, 1e-12)
    net.output(x, "y", (1, length, width))


def vision_transformer(net: Net, width: int, heads: int) -> None:
    """Layer norm before each residual; 16 x 16 patches and one class token."""
    x = net.input("x", (1, 3, 224, 224))
    patches, bias = net.normal(width, 3, 16, 16, deviation=(3 * 256) ** -0.5), net.normal(width, deviation=0.02)
    x = net.op(
        "Conv",
        [x, net.weight(patches), net.weight(bias)],
        dilations=[1, 1],
        group=1,
        kernel_shape=[16, 16],
        pads=[0] * 4,
        strides=[16, 16],
    )
    x = net.op("Transpose", [reshape(net, x, [1, width, 196])], perm=[0, 2, 1])
    x = net.op("Concat", [net.weight(net.normal(1, 1, width, deviation=0.02)), x], axis=1)
    x = net.op("Add", [x, net.weight(net.normal(1, 197, width, deviation=0.02))])
    for _ in range(12):
        x = net.op("Add", [x, attention(net, layer_norm(net, x, width, 1e-5), 197, width, heads, None)])
        x = net.op("Add", [x, feed_forward(net, layer_norm(net, x, width, 1e-5), width)])
    first = net.op("Gather", [layer_norm(net, x, width, 1e-5), net.constant(np.int64(0))], axis=1)
    net.output(gemm(net, first, width, 1000), "y", (1, 1000))


def recurrent(net: Net, kind: str, directions: int) -> None:
    """Two layers of 256 cells over 100 steps of 80 features, then a linear layer."""
    hidden, gates = 256, {"LSTM": 4, "GRU": 3}[kind]
    x = net.op("Transpose", [net.input("x", (1, 100, 80))], perm=[1, 0, 2])
    width = 80
    for _ in range(2):
        deviation = hidden**-0.5 / 3**0.5
        weights = [
            net.normal(directions, gates * hidden, width, deviation=deviation),
            net.normal(directions, gates * hidden, hidden, deviation=deviation),
        ]
        bias = net.normal(directions, 2 * gates * hidden, deviation=deviation)
        start = net.constant(np.zeros((directions, 1, hidden), np.float32))
        inputs = [x, *map(net.weight, weights), net.weight(bias), None] + [start] * (2 if kind == "LSTM" else 1)
        attributes = {"linear_before_reset": 1} if kind == "GRU" else {}
        if directions == 2:
            attributes["direction"] = "bidirectional"
        y = net.ops(kind, inputs, 3 if kind == "LSTM" else 2, hidden_size=hidden, **attributes)[0]
        width = directions * hidden
        if directions == 2:
            x = reshape(net, net.op("Transpose", [y], perm=[0, 2, 1, 3]), [0, 0, -1])
        else:
            x = net.op("Squeeze", [y, net.constant(np.array([1], np.int64))])
    x = net.op("Transpose", [x], perm=[1, 0, 2])
    net.output(linear(net, x, width, 64, width**-0.5), "y", (1, 100, 64))


MODELS: dict[str, Callable[[Net], None]] = {
    "resnet50": resnet50,
    "mobilenetv2": mobilenetv2,
    "mobilenetv3_large": mobilenetv3_large,
    "efficientnet_b0": efficientnet_b0,
    "unet256": unet256,
    "bert_base_128": lambda net: bert(net, 12, token_types=True),
    "distilbert_128": lambda net: bert(net, 6, token_types=False),
    "deit_small": lambda net: vision_transformer(net, 384, 6),
    "vit_b16": lambda net: vision_transformer(net, 768, 12),
    "lstm_bi2": lambda net: recurrent(net, "LSTM", 2),
    "gru_uni2": lambda net: recurrent(net, "GRU", 1),
}


def build(name: str) -> onnx.ModelProto:
    if name not in MODELS:
        raise ValueError(f"no architecture {name!r}; known: {', '.join(MODELS)}")
    net = Net(name, seed=list(MODELS).index(name) + 1)
    MODELS[name](net)
    return net.model()


def write(name: str, path: str | pathlib.Path) -> None:
    """Writes one architecture; the same bytes of weights up to the rounding of the calibration."""
    pathlib.Path(path).write_bytes(build(name).SerializeToString())


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__ + f"\nNames: {', '.join(MODELS)}", file=sys.stderr)
        return 2
    folder, names = pathlib.Path(sys.argv[1]), sys.argv[2:] or list(MODELS)
    folder.mkdir(parents=True, exist_ok=True)
    for index, name in enumerate(names, 1):
        path = folder / f"{name}.onnx"
        write(name, path)
        print(f"[{index}/{len(names)}] {name}: {path.stat().st_size / 1e6:.1f} MB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
