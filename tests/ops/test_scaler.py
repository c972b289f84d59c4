"""Scaler of ai.onnx.ml 1."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from oracles import check_against_onnxruntime
from random_cases import check_case, draw_shape, draw_values

ML = {"domain": "ai.onnx.ml", "domain_version": 1}
TYPES = [np.float32, np.float64, np.int32, np.int64]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(7, 3), (3,), (0, 3)])
def test_against_onnxruntime(dtype, shape):
    x = np.random.default_rng(0).integers(-9, 10, shape).astype(dtype)
    check_against_onnxruntime("Scaler", [x], {"scale": [2.0, 0.3, -4.0], "offset": [1.0, 0.7, 3.0]}, **ML)
    check_against_onnxruntime("Scaler", [x], {"scale": [0.3], "offset": [1.5]}, **ML)


def test_one_list_alone_and_other_ranks():
    x = np.arange(6, dtype=np.float32).reshape(1, 2, 3)
    assert run_node("Scaler", [x], {"scale": [1.0, 2.0, 3.0]}, **ML)[0].tolist() == (x * [1, 2, 3]).tolist()
    assert run_node("Scaler", [x], {"offset": [1.0]}, **ML)[0].tolist() == (x - 1).tolist()
    assert run_node("Scaler", [np.array(5.0, np.float32)], {"offset": [1.0], "scale": [2.0]}, **ML)[0].tolist() == 8.0


def test_large_integers_keep_their_precision():
    x = np.array([2**40 + 1], np.int64)
    assert run_node("Scaler", [x], {"offset": [float(2**40)], "scale": [3.0]}, **ML)[0].tolist() == [3.0]


@pytest.mark.parametrize(
    "attrs,message",
    [
        ({}, "neither scale nor offset is given"),
        ({"scale": [1.0], "offset": [1.0, 2.0]}, "scale has 1 entries and offset 2; both need the same number"),
        ({"scale": [1.0, 2.0]}, r"scale and offset have 2 entries, they must have 1 or one per feature \(3\)"),
    ],
)
def test_errors(attrs, message):
    for symbolic in (False, True):
        with pytest.raises(opgraft.Error, match=message):
            run_node("Scaler", [np.zeros((2, 3), np.float32)], attrs, symbolic=symbolic, **ML)
    with pytest.raises(opgraft.Error, match="and X has none"):
        run_node("Scaler", [np.array(1.0, np.float32)], {"scale": [1.0, 2.0]}, **ML)


@given(st.data())
def test_random(data):
    shape = draw_shape(data, 1)
    x = draw_values(data, shape, data.draw(st.sampled_from(TYPES)), special=False)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    count = shape[-1] if shape[-1] and data.draw(st.booleans()) else 1
    attrs = {key: rng.normal(size=count).astype(np.float32).tolist() for key in ("scale", "offset")}
    reference = lambda x, scale, offset: ((x - np.array(offset)) * np.array(scale)).astype(np.float32)
    check_case(data, "Scaler", [x], attrs, reference, **ML)
