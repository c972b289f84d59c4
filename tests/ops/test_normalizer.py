"""Normalizer of ai.onnx.ml 1."""

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


def normalizer(x, norm="MAX"):
    wide = x.astype(np.float64)
    if x.size == 0:
        return wide.astype(np.float32)
    by = {"MAX": lambda: wide.max(-1), "L1": lambda: np.abs(wide).sum(-1), "L2": lambda: np.sqrt((wide**2).sum(-1))}[norm]()
    return (wide / np.where(by == 0, 1, by)[..., None]).astype(np.float32)


@pytest.mark.parametrize("norm", ["MAX", "L1", "L2"])
@pytest.mark.parametrize("dtype", TYPES)
def test_against_onnxruntime(norm, dtype):
    x = np.array([[-3, 1, 2], [0, 0, 0], [-1, -2, -4], [-1, -2, 0], [5, 5, 5]], dtype)
    check_against_onnxruntime("Normalizer", [x], {"norm": norm}, **ML)
    check_against_onnxruntime("Normalizer", [x[0]], {"norm": norm}, **ML)


def test_default_and_special_numbers():
    assert run_node("Normalizer", [np.array([[1, 4]], np.float32)], **ML)[0].tolist() == [[0.25, 1.0]]
    x = np.array([[-3, 1, np.nan], [np.inf, 0, 0]], np.float32)
    for norm in ("MAX", "L1", "L2"):
        check_against_onnxruntime("Normalizer", [x], {"norm": norm}, **ML)
    # The square of this is no float.
    assert run_node("Normalizer", [np.array([3e30, 4e30], np.float32)], {"norm": "L2"}, **ML)[0].tolist() == pytest.approx([0.6, 0.8])


def test_errors():
    with pytest.raises(opgraft.Error, match='norm is "L3", expected MAX, L1 or L2'):
        run_node("Normalizer", [np.zeros((1, 2), np.float32)], {"norm": "L3"}, **ML)
    for x in (np.zeros((1, 2, 3), np.float32), np.array(1.0, np.float32)):
        with pytest.raises(opgraft.Error, match=r"X must be \[N, F\], or \[F\] for one row"):
            run_node("Normalizer", [x], **ML)


@given(st.data())
def test_random(data):
    x = draw_values(data, draw_shape(data, 1, 2), data.draw(st.sampled_from(TYPES)), special=False)
    check_case(data, "Normalizer", [x], {"norm": data.draw(st.sampled_from(["MAX", "L1", "L2"]))}, normalizer, **ML)
