"""Operator IsNaN."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_unary


def test_is_nan():
    for dtype in (np.float32, np.float64, np.float16):
        x = np.array([[np.nan, 1], [np.inf, -np.nan]], dtype)
        check_op("IsNaN", inputs=[x], reference=np.isnan)
    check_op("IsNaN", shapes=[(0, 3), ()], dtypes=["f32"], reference=np.isnan)


@given(st.data())
def test_random(data):
    check_unary(data, "IsNaN", np.isnan)
