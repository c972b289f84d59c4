"""Operator Shrink."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_pointwise, draw_number


def test_shrink():
    def reference(x, bias, lambd):
        return np.where(x < -lambd, x + bias, np.where(x > lambd, x - bias, 0)).astype(x.dtype)

    check_op("Shrink", shapes=[(3, 5), (0,)], dtypes=["f32", "f64"], attrs={"bias": [0.0, 1.5], "lambd": [0.5, 1.5]}, reference=reference)
    check_op("Shrink", shapes=[(3, 5)], dtypes=["i8", "i32", "i64"], attrs={"bias": [0.0, 1.0], "lambd": [2.0]}, reference=reference)
    # No unsigned number is below -1; the fraction of lambd counts for integers too.
    check_op("Shrink", inputs=[np.arange(4, dtype=np.uint32)], attrs={"bias": [0.0], "lambd": [1.0]}, reference=lambda x, **_: np.array([0, 0, 2, 3], np.uint32))
    check_op("Shrink", inputs=[np.arange(4)], attrs={"bias": [1.0], "lambd": [1.5]}, reference=lambda x, **_: np.array([0, 0, 1, 2]))
    big = np.array([2**62 + 1, -(2**62) - 1])  # no double holds them
    check_op("Shrink", inputs=[big], attrs={"bias": [1.0]}, reference=lambda x, **_: np.array([2**62, -(2**62)]))


@given(st.data())
def test_random(data):
    attrs = {"bias": float(data.draw(st.integers(0, 2))), "lambd": draw_number(data, 0)}

    def reference(x, bias, lambd):
        wide = x.astype(np.float64)
        return np.where(wide < -lambd, wide + bias, np.where(wide > lambd, wide - bias, 0)).astype(x.dtype)

    check_pointwise(data, "Shrink", reference, attrs, special=False)
