"""Operator Mish: kernel and body."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_pointwise


def test_mish():
    check_op(
        "Mish", shapes=[(3, 5), (0,), ()], dtypes=["f32", "f64", "f16"],
        reference=lambda x: x * np.tanh(np.logaddexp(0, x)),
    )
    x = np.array([-np.inf, -1e4, -90, -20, -1e-30, 0, 1e-30, 20, 90, 1e4, np.inf], np.float32)
    with np.errstate(all="ignore"):
        want = x.astype(np.float64) * np.tanh(np.logaddexp(0, x.astype(np.float64)))
    check_op("Mish", inputs=[x[1:-1]], reference=lambda x: want[1:-1])


@given(st.data())
def test_random(data):
    check_pointwise(data, "Mish", lambda x: x * np.tanh(np.logaddexp(0, x)), special=False)
