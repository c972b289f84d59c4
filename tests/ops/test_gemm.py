"""Gemm: transposes, factors, every form of C, constant B, all types."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from oracles import check_against_onnxruntime
from random_cases import NUMBERS, SIZES, check_case, draw_attrs, draw_opset, draw_values, types_of


def gemm(a, b, c=None, alpha=1.0, beta=1.0, transA=0, transB=0):
    y = alpha * ((a.T if transA else a) @ (b.T if transB else b))
    y = y if c is None else y + beta * c
    return y.astype(a.dtype)


@pytest.mark.parametrize("trans_a,trans_b", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("c", [None, (), (1,), (7,), (1, 7), (5, 1), (5, 7), (1, 1)])
def test_forms(trans_a, trans_b, c):
    rng = np.random.default_rng(0)
    inputs = [
        rng.normal(size=(13, 5) if trans_a else (5, 13)),
        rng.normal(size=(7, 13) if trans_b else (13, 7)),
    ]
    if c is not None:
        inputs.append(rng.normal(size=c))
    for dtype in (np.float32, np.float64, np.float16):
        check_op(
            "Gemm",
            inputs=[x.astype(dtype) for x in inputs],
            attrs={
                "transA": [trans_a],
                "transB": [trans_b],
                "alpha": [1.0, 0.5],
                "beta": [1.0, 0.0, 0.25],
            },
            reference=gemm,
        )


@pytest.mark.parametrize("dtype", ["i32", "i64", "u32", "u64"])
def test_integers(dtype):
    check_op(
        "Gemm",
        shapes=[[(5, 13), (13, 7), (7,)]],
        dtypes=[dtype],
        attrs={"alpha": [1.0, 2.0], "beta": [1.0, 3.0]},
        reference=gemm,
    )


@pytest.mark.parametrize("m", [0, 1, 6, 127])
@pytest.mark.parametrize("opset", [7, 9, 11, 13])
def test_constant_matrix(m, opset):
    rng = np.random.default_rng(m)
    inputs = [rng.normal(size=s).astype(np.float32) for s in ((m, 65), (33, 65), (33,))]
    check_against_onnxruntime("Gemm", inputs, {"transB": 1}, constants=(1, 2), opset=opset)


def test_no_inner_size():
    check_op("Gemm", shapes=[[(3, 0), (0, 4), (4,)]], dtypes=["f32", "f64"], reference=gemm)


def test_wrong_shapes():
    with pytest.raises(opgraft.Error, match="different inner sizes 4 and 3"):
        run_node("Gemm", [np.zeros((2, 4), np.float32), np.zeros((3, 5), np.float32)])
    with pytest.raises(opgraft.Error, match="does not broadcast"):
        run_node(
            "Gemm",
            [
                np.zeros((2, 4), np.float32),
                np.zeros((4, 5), np.float32),
                np.zeros((3, 5), np.float32),
            ],
        )


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Gemm", since=11)
    dtype = np.dtype(data.draw(st.sampled_from(types_of("Gemm", opset, NUMBERS))))
    m, k, n = (data.draw(st.sampled_from(SIZES)) for _ in range(3))
    floats = {"alpha": (-2.0, 2.0), "beta": (-2.0, 2.0)} if dtype.kind not in "iu" else {"alpha": [1.0, 2.0], "beta": [0.0, 1.0, 3.0]}
    attrs = draw_attrs(data, transA=[0, 1], transB=[0, 1], **floats)
    shapes = [(k, m) if attrs.get("transA") else (m, k), (n, k) if attrs.get("transB") else (k, n)]
    shapes += data.draw(st.sampled_from([[], [()], [(1,)], [(n,)], [(1, n)], [(m, 1)], [(m, n)]]))
    inputs = [draw_values(data, shape, dtype, special=False) for shape in shapes]
    check_case(data, "Gemm", inputs, attrs, gemm, opset=opset)
