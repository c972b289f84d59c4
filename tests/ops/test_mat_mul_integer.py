"""Operator MatMulInteger."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import check_case, draw_values
from random_more import SMALL, draw_batches


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


@given(st.data())
def test_random(data):
    m, k, n = (data.draw(st.sampled_from(SMALL), label="size") for _ in range(3))
    batches = draw_batches(data)
    left, right = (data.draw(st.sampled_from([np.uint8, np.int8])) for _ in range(2))
    a, b = draw_values(data, (*batches[0], m, k), left), draw_values(data, (*batches[1], k, n), right)
    rows, columns = data.draw(st.sampled_from([None, (), (m,), (*batches[0], m, 1)])), data.draw(st.sampled_from([None, (), (n,), (*batches[1], 1, n)]))
    a_zero, b_zero = None if rows is None else draw_values(data, rows, left), None if columns is None else draw_values(data, columns, right)

    def reference(a, b, a_zero=None, b_zero=None):
        a, b = a.astype(np.int32), b.astype(np.int32)
        a_zero, b_zero = (np.int32(0) if z is None else z.astype(np.int32) for z in (a_zero, b_zero))
        return (a - (a_zero[:, None] if a_zero.ndim == 1 else a_zero)) @ (b - b_zero)

    check_case(data, "MatMulInteger", [a, b, a_zero, b_zero], None, reference)
