"""Operator IsInf."""

import ml_dtypes
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import check_unary, draw_attrs


def test_is_inf():
    x = np.array([[1, -np.inf, np.nan], [np.inf, 0, -3]])
    for dtype in (np.float32, np.float64, np.float16, ml_dtypes.bfloat16):
        for low in (0, 1):
            for high in (0, 1):
                (got,) = run_node("IsInf", [x.astype(dtype)], {"detect_negative": low, "detect_positive": high})
                np.testing.assert_array_equal(got, (np.isneginf(x) & bool(low)) | (np.isposinf(x) & bool(high)))


def test_is_inf_of_8_bits():
    for dtype in (ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz):
        x = np.arange(256, dtype=np.uint8).view(dtype)
        np.testing.assert_array_equal(run_node("IsInf", [x])[0], np.isinf(x.astype(np.float32)))


@given(st.data())
def test_random(data):
    def reference(x, detect_negative=1, detect_positive=1):
        return (np.isneginf(x) & bool(detect_negative)) | (np.isposinf(x) & bool(detect_positive))

    attrs = draw_attrs(data, detect_negative=[0, 1], detect_positive=[0, 1])
    check_unary(data, "IsInf", reference, attrs=attrs)
