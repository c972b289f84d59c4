"""opgraft.FusedConv and the patterns that make it: same numbers as the operators that it replaces."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper
from opgraft.testing import check_op, compare
from oracles import run_model
from random_cases import ALL_FLOATS, check_case, draw_attrs, draw_values, draw_windows
from test_conv import conv

RNG = np.random.default_rng(0)


def constant(name, *shape, positive=False):
    values = RNG.uniform(0.5, 2, shape) if positive else RNG.normal(0, 0.5, shape)
    return numpy_helper.from_array(values.astype(np.float32), name)


def scalar(name, value):
    return numpy_helper.from_array(np.float32(value), name)


def model_of(nodes, constants, inputs, opset=20):
    """A model from node tuples (operator, inputs, output, attributes); the last output is the model's."""
    made = [helper.make_node(op, ins.split(), [out], **(attrs[0] if attrs else {})) for op, ins, out, *attrs in nodes]
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in inputs.items()]
    graph = helper.make_graph(made, "test", infos, [], constants)
    graph.output.add().name = nodes[-1][2]
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10).SerializeToString()


def check_fused(nodes, constants, inputs, expected, opset=20):
    """The optimized model has exactly the operators `expected` and the results of the one that is not optimized."""
    model = model_of(nodes, constants, inputs, opset)
    feeds = {name: RNG.normal(size=shape).astype(np.float32) for name, shape in inputs.items()}
    report = opgraft.InferenceSession(model).placement()
    operators = sorted(line.split()[0].split("::")[-1] for line in report.splitlines() if line.strip())
    assert operators == sorted(expected)
    compare(run_model(model, feeds)[0], run_model(model, feeds, optimize=False)[0], 3e-6)


X = {"x": (2, 4, 9, 11)}
WEIGHTS = [constant("w", 6, 4, 3, 3), constant("b", 6)]
CONV = ("Conv", "x w b", "c", {"pads": [1, 1, 1, 1]})


@pytest.mark.parametrize(
    "nodes,constants",
    [
        ([("Relu", "c", "y")], []),
        ([("Clip", "c low high", "y")], [scalar("low", 0), scalar("high", 0.5)]),
        ([("Clip", "c low", "y")], [scalar("low", -0.1)]),
        ([("Sigmoid", "c", "y")], []),
        ([("Sigmoid", "c", "s"), ("Mul", "c s", "y")], []),
        ([("Sigmoid", "c", "s"), ("Mul", "s c", "y")], []),
        ([("HardSwish", "c", "y")], []),
        ([("HardSigmoid", "c", "y", {"alpha": 0.3})], []),
        ([("HardSigmoid", "c", "h", {"alpha": 1 / 6}), ("Mul", "c h", "y")], []),
        ([("Tanh", "c", "y")], []),
        ([("Gelu", "c", "y")], []),
        ([("Gelu", "c", "y", {"approximate": "tanh"})], []),
        ([("LeakyRelu", "c", "y", {"alpha": 0.2})], []),
        ([("LeakyRelu", "c", "y")], []),
        (
            [("Add", "c three", "a"), ("Clip", "a low high", "l"), ("Mul", "c l", "m"), ("Div", "m six", "y")],
            [scalar("three", 3), scalar("low", 0), scalar("high", 6), scalar("six", 6)],
        ),
    ],
)
@pytest.mark.parametrize("constant_weights", [True, False])
def test_activations(nodes, constants, constant_weights):
    inputs = X if constant_weights else {**X, "w": (6, 4, 3, 3), "b": (6,)}
    check_fused([CONV, *nodes], [*(WEIGHTS if constant_weights else []), *constants], inputs, ["FusedConv"])


def test_residual_then_activation():
    inputs = {**X, "r": (2, 6, 9, 11)}
    check_fused([CONV, ("Add", "c r", "y")], WEIGHTS, inputs, ["FusedConv"])
    check_fused([CONV, ("Add", "r c", "a"), ("Relu", "a", "y")], WEIGHTS, inputs, ["FusedConv"])


def test_activation_then_residual():
    check_fused([CONV, ("Relu", "c", "a"), ("Add", "r a", "y")], WEIGHTS, {**X, "r": (2, 6, 9, 11)}, ["FusedConv"])


def test_residual_of_other_size_than_the_convolution():
    nodes = [("Conv", "x w b", "c"), ("Add", "c r", "a"), ("Relu", "a", "y")]
    # The convolution gives one row and column, the residual broadcasts it; and the other way round for the batch.
    check_fused(nodes, WEIGHTS, {"x": (1, 4, 3, 3), "r": (2, 6, 5, 7)}, ["FusedConv"])
    check_fused(nodes, WEIGHTS, {"x": (3, 4, 6, 6), "r": (1, 6, 4, 4)}, ["FusedConv"])
    nodes = [("Conv", "x w b", "c"), ("Relu", "c", "a"), ("Add", "a r", "y")]
    check_fused(nodes, WEIGHTS, {"x": (1, 4, 3, 3), "r": (2, 6, 5, 7)}, ["FusedConv"])


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("group", [1, 2])
def test_constants_go_into_the_weights(bias, transposed, group):
    op = "ConvTranspose" if transposed else "Conv"
    shape = (4, 6 // group, 3, 3) if transposed else (6, 4 // group, 3, 3)
    constants = [constant("w", *shape), constant("b", 6), constant("s", 6), constant("o", 6), constant("m", 6)]
    constants += [constant("v", 6, positive=True), constant("k", 1, 6, 1, 1), constant("d", 6, 1, 1), scalar("e", 1.5)]
    first = (op, "x w b" if bias else "x w", "c", {"group": group})
    check_fused([first, ("BatchNormalization", "c s o m v", "y")], constants, X, [op])
    check_fused([first, ("Mul", "k c", "p"), ("Add", "p d", "y")], constants, X, [op])
    check_fused([first, ("Mul", "c e", "p"), ("Add", "p e", "y")], constants, X, [op])


def test_normalization_residual_and_activation_together():
    constants = [constant("w", 6, 4, 3, 3), *(constant(n, 6) for n in "som"), constant("v", 6, positive=True)]
    nodes = [
        ("Conv", "x w", "c", {"pads": [1, 1, 1, 1]}),
        ("BatchNormalization", "c s o m v", "n"),
        ("Add", "n r", "a"),
        ("Relu", "a", "y"),
    ]
    check_fused(nodes, constants, {**X, "r": (2, 6, 9, 11)}, ["FusedConv"])


def test_values_used_elsewhere_stay():
    check_fused([CONV, ("Relu", "c", "a"), ("Add", "a c", "y")], WEIGHTS, X, ["Conv", "Relu", "Add"])


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("activation", ["", "Relu", "Clip", "Silu", "HardSigmoid", "Gelu", "GeluTanh", "LeakyRelu"])
def test_body_and_kernel_agree(last, activation):
    functions = {
        "": lambda v: v,
        "Relu": lambda v: np.maximum(v, 0),
        "Clip": lambda v: np.clip(v, 0.2, 0.5),
        "Silu": lambda v: v / (1 + np.exp(-v)),
        "HardSigmoid": lambda v: np.clip(0.2 * v + 0.5, 0, 1),
        "Gelu": lambda v: v * 0.5 * (1 + np.vectorize(__import__("math").erf)(v / np.sqrt(2))),
        "GeluTanh": lambda v: 0.5 * v * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3))),
        "LeakyRelu": lambda v: np.where(v < 0, 0.2 * v, v),
    }

    def reference(x, w, b, r, residual_last, activation, **_):
        y = np.einsum("nchw,mc->nmhw", x, w[:, :, 0, 0]) + b.reshape(1, -1, 1, 1)
        return functions[activation](y) + r if residual_last else functions[activation](y + r)

    check_op(
        "FusedConv",
        shapes=[[(2, 3, 5, 7), (4, 3, 1, 1), (4,), (2, 4, 5, 7)]],
        dtypes=["f32", "f16"],
        attrs={"residual_last": [last], "activation": [activation], "activation_a": [0.2], "activation_b": [0.5]},
        domain="opgraft",
        reference=reference,
    )


def test_of_two_convolutions_the_one_used_once_takes_the_sum():
    weights = [constant("w", 4, 4, 3, 3), constant("b", 4)]
    attrs = {"pads": [1, 1, 1, 1]}
    nodes = [
        ("Conv", "x w b", "c", attrs),
        ("Conv", "c w b", "d", attrs),
        ("Conv", "d w b", "f", attrs),
        ("Add", "c f", "y"),
    ]
    check_fused(nodes, weights, X, ["Conv", "Conv", "FusedConv"])
    nodes[3] = ("Add", "f c", "y")
    check_fused(nodes, weights, X, ["Conv", "Conv", "FusedConv"])


@given(st.data())
def test_random(data):
    n, group = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 2))
    sizes, attrs = draw_windows(data, n)
    narrow, wide = data.draw(st.sampled_from([1, 3, 8])), data.draw(st.sampled_from([1, 5, 8]))
    x, w = (data.draw(st.integers(1, 2)), group * narrow, *sizes), (group * wide, narrow, *attrs["kernel_shape"])
    attrs |= {"group": group} | draw_attrs(data, residual_last=[0, 1], activation=["Relu", "Clip", "Silu", "GeluTanh", "LeakyRelu"])
    y = conv(np.zeros(x), np.zeros(w), **attrs).shape
    residual = data.draw(st.sampled_from([y, y, (3, *y[1:]) if y[0] == 1 else y, (1, y[1], *[1] * n), ()]))
    given = [data.draw(st.booleans()) for _ in range(2)]
    shapes = [x, w, (w[0],) if given[0] else None, residual if given[1] else None]
    dtype = data.draw(st.sampled_from(ALL_FLOATS))
    inputs = [None if shape is None else draw_values(data, shape, dtype, special=False) for shape in shapes]
    if "activation" in attrs:
        attrs |= {"activation_a": 0.25, "activation_b": 0.5}

    def reference(x, w, b=None, r=None, residual_last=0, activation="", activation_a=0, activation_b=0, **windows):
        functions = {
            "": lambda v: v,
            "Relu": lambda v: np.maximum(v, 0),
            "Clip": lambda v: np.clip(v, activation_a, activation_b),
            "Silu": lambda v: v / (1 + np.exp(-v)),
            "GeluTanh": lambda v: 0.5 * v * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3))),
            "LeakyRelu": lambda v: np.where(v < 0, activation_a * v, v),
        }
        y, r = conv(x, w, b, **windows), 0 if r is None else r
        return functions[activation](y) + r if residual_last else functions[activation](y + r)

    check_case(data, "FusedConv", inputs, attrs, reference, domain="opgraft")
