"""Operator MatMulInteger."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import run_node


@pytest.mark.parametrize("left", [np.uint8, np.int8])
@pytest.mark.parametrize("right", [np.uint8, np.int8])
def test_mat_mul_integer(left, right):
    rng = np.random.default_rng(0)

    def numbers(shape, dtype):
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max + 1, shape).astype(dtype)

    for a_shape, b_shape in (((3, 5), (5, 4)), ((2, 3, 5), (5, 4)), ((2, 1, 3, 5), (3, 5, 4)), ((5,), (5, 4)), ((3, 5), (5,)), ((0, 5), (5, 2))):
        a, b = numbers(a_shape, left), numbers(b_shape, right)
        for a_zero, b_zero in ((None, None), (np.array(7, left), np.array(3, right)), (None, numbers((b_shape[-1],), right) if len(b_shape) > 1 else None)):
            (got,) = run_node("MatMulInteger", [a, b, a_zero, b_zero])
            wide_a = a.astype(np.int32) - (0 if a_zero is None else a_zero.astype(np.int32))
            wide_b = b.astype(np.int32) - (0 if b_zero is None else b_zero.astype(np.int32))
            np.testing.assert_array_equal(got, wide_a @ wide_b)
    rows = numbers((3,), left)
    a, b = numbers((3, 5), left), numbers((5, 4), right)
    (got,) = run_node("MatMulInteger", [a, b, rows])
    np.testing.assert_array_equal(got, (a.astype(np.int32) - rows.astype(np.int32)[:, None]) @ b.astype(np.int32))


def test_zero_points_must_fit():
    with pytest.raises(opgraft.Error, match="zero point"):
        run_node("MatMulInteger", [np.zeros((2, 3), np.uint8), np.zeros((3, 2), np.uint8), np.zeros(5, np.uint8)])
