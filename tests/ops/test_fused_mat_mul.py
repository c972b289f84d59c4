"""opgraft.FusedMatMul, and the patterns that make it, Gelu and LayerNormalization."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import numpy_helper
from opgraft.testing import check_op
from random_cases import ALL_FLOATS, SIZES, check_case, draw_attrs, draw_shape, draw_values
from test_fused_conv import check_fused, constant, scalar

X = {"x": (2, 5, 16)}
WEIGHTS = [constant("w", 16, 24), constant("b", 24)]
DENSE = [("MatMul", "x w", "p"), ("Add", "p b", "c")]


def test_bias():
    check_fused([("MatMul", "x w", "p"), ("Add", "b p", "y")], WEIGHTS, X, ["FusedMatMul"])


@pytest.mark.parametrize("activation", ["Relu", "Sigmoid", "Tanh", "HardSwish", "Gelu", "LeakyRelu"])
def test_activations(activation):
    check_fused([*DENSE, (activation, "c", "y")], WEIGHTS, X, ["FusedMatMul"])


GELU = [scalar("root", np.sqrt(2)), scalar("inverse", 1 / np.sqrt(2)), scalar("one", 1), scalar("half", 0.5)]


@pytest.mark.parametrize(
    "nodes",
    [
        [("Div", "c root", "d"), ("Erf", "d", "e"), ("Add", "e one", "a"), ("Mul", "c a", "m"), ("Mul", "m half", "y")],
        [
            ("Mul", "c inverse", "d"),
            ("Erf", "d", "e"),
            ("Add", "one e", "a"),
            ("Mul", "c a", "m"),
            ("Mul", "half m", "y"),
        ],
        [("Mul", "c half", "h"), ("Div", "c root", "d"), ("Erf", "d", "e"), ("Add", "e one", "a"), ("Mul", "h a", "y")],
        [("Div", "c root", "d"), ("Erf", "d", "e"), ("Add", "e one", "a"), ("Mul", "a half", "m"), ("Mul", "c m", "y")],
    ],
)
def test_gelu_written_out(nodes):
    check_fused([*DENSE, *nodes], [*WEIGHTS, *GELU], X, ["FusedMatMul"])


def test_residual():
    inputs = {**X, "r": (2, 5, 24)}
    check_fused([*DENSE, ("Add", "c r", "y")], WEIGHTS, inputs, ["FusedMatMul"])
    check_fused([*DENSE, ("Relu", "c", "a"), ("Add", "r a", "y")], WEIGHTS, inputs, ["FusedMatMul"])
    check_fused([*DENSE, ("Add", "c r", "a"), ("Relu", "a", "y")], WEIGHTS, inputs, ["FusedMatMul"])


def test_a_residual_that_broadcasts_stays():
    check_fused([*DENSE, ("Add", "c r", "y")], WEIGHTS, {**X, "r": (1, 5, 24)}, ["FusedMatMul", "Add"])


@pytest.mark.parametrize("attrs", [{}, {"transB": 1}])
def test_gemm(attrs):
    weights = [constant("w", 24, 16) if attrs else constant("w", 16, 24), constant("b", 24)]
    check_fused([("Gemm", "x w b", "c", attrs), ("Relu", "c", "y")], weights, {"x": (7, 16)}, ["FusedMatMul"])


def test_vector_operands_stay():
    check_fused([("MatMul", "x w", "p"), ("Add", "p b", "y")], WEIGHTS, {"x": (16,)}, ["MatMul", "Add"])


@pytest.mark.parametrize("product", [False, True])
@pytest.mark.parametrize("opset", [13, 18])
def test_layer_normalization_written_out(product, opset):
    constants = [constant("g", 16), constant("h", 16), scalar("two", 2), scalar("epsilon", 1e-5)]
    attrs = {"axes": [-1]} if opset < 18 else {}
    axes = "" if opset < 18 else " axes"
    if opset >= 18:
        constants.append(numpy_helper.from_array(np.array([-1]), "axes"))
    nodes = [
        ("ReduceMean", "x" + axes, "u", attrs),
        ("Sub", "x u", "d"),
        ("Mul", "d d", "p") if product else ("Pow", "d two", "p"),
        ("ReduceMean", "p" + axes, "v", attrs),
        ("Add", "v epsilon", "e"),
        ("Sqrt", "e", "s"),
        ("Div", "d s", "n"),
        ("Mul", "n g", "m"),
        ("Add", "m h", "y"),
    ]
    check_fused(nodes, constants, X, ["LayerNormalization"], opset)


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("transposed", [0, 1])
def test_body_and_kernel_agree(last, transposed):
    def reference(a, b, bias, residual, transB, residual_last, activation):
        y = a @ (b.T if transB else b) + bias
        return np.maximum(y, 0) + residual if residual_last else np.maximum(y + residual, 0)

    check_op(
        "FusedMatMul",
        shapes=[[(2, 3, 17), (13, 17) if transposed else (17, 13), (13,), (2, 3, 13)]],
        dtypes=["f32", "f16"],
        attrs={"transB": [transposed], "residual_last": [last], "activation": ["Relu"]},
        domain="opgraft",
        reference=reference,
    )


@given(st.data())
def test_random(data):
    batch = draw_shape(data, max_rank=2, sizes=[0, 1, 2, 3])
    m, k, n = (data.draw(st.sampled_from(SIZES)) for _ in range(3))
    attrs = draw_attrs(data, transB=[0, 1], residual_last=[0, 1], activation=["Relu", "Sigmoid", "Tanh"])
    given = [data.draw(st.booleans()) for _ in range(2)]
    shapes = [(*batch, m, k), (n, k) if attrs.get("transB") else (k, n), (n,) if given[0] else None, (*batch, m, n) if given[1] else None]
    dtype = data.draw(st.sampled_from(ALL_FLOATS))
    inputs = [None if shape is None else draw_values(data, shape, dtype, special=False) for shape in shapes]

    def reference(a, b, bias=None, r=None, transB=0, residual_last=0, activation=""):
        functions = {"": lambda v: v, "Relu": lambda v: np.maximum(v, 0), "Sigmoid": lambda v: 1 / (1 + np.exp(-v)), "Tanh": np.tanh}
        y, r = a @ (b.T if transB else b) + (0 if bias is None else bias), 0 if r is None else r
        return functions[activation](y) + r if residual_last else functions[activation](y + r)

    check_case(data, "FusedMatMul", inputs, attrs, reference, domain="opgraft")
