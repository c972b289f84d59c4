"""Operator PRelu."""

import numpy as np
import pytest
from opgraft.testing import check_op, run_node


def reference(x, slope):
    return np.where(x < 0, slope * x, x)


def test_p_relu():
    check_op(
        "PRelu",
        shapes=[[(2, 3), (2, 3)], [(13, 17), (17,)], [(2, 3, 5), (3, 1)], [(0, 3), (3,)], [(7,), ()], [(), ()]],
        dtypes=["f32", "f64", "f16", "i32", "i64"],
        reference=reference,
    )
    check_op("PRelu", shapes=[[(2, 3, 4), (3, 1)]], opset=9, reference=reference)


def test_p_relu_does_not_broadcast_the_input():
    with pytest.raises(Exception, match="slope .* does not broadcast to X"):
        run_node("PRelu", [np.ones((3,), np.float32), np.ones((2, 3), np.float32)])
