"""Operator QLinearMatMul."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import check_case, draw_shape, draw_values
from random_more import SMALL, draw_opset


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_q_linear_mat_mul(dtype):
    rng = np.random.default_rng(0)
    info = np.iinfo(dtype)
    for a_shape, b_shape in (((3, 5), (5, 4)), ((2, 3, 5), (2, 5, 4))):
        a = rng.integers(info.min, info.max + 1, a_shape).astype(dtype)
        b = rng.integers(info.min, info.max + 1, b_shape).astype(dtype)
        scales = [np.array(v, np.float32) for v in (0.02, 0.03, 0.11)]
        zeros = [np.array(v, dtype) for v in (3, 5, 7)]
        (got,) = run_node("QLinearMatMul", [a, scales[0], zeros[0], b, scales[1], zeros[1], scales[2], zeros[2]])
        exact = (a.astype(np.int64) - 3) @ (b.astype(np.int64) - 5) * (float(scales[0]) * float(scales[1]) / float(scales[2]))
        want = np.clip(np.rint(exact) + 7, info.min, info.max)
        assert np.abs(got.astype(int) - want).max() <= (np.abs(exact - np.floor(exact) - 0.5) < 1e-4).max()


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "QLinearMatMul")
    m, k, n = (data.draw(st.sampled_from(SMALL), label="size") for _ in range(3))
    batch = draw_shape(data, 0, 2, [0, 1, 2, 3])
    kinds = [data.draw(st.sampled_from([np.uint8, np.int8])) for _ in range(3)]
    a, b = draw_values(data, (*batch, m, k), kinds[0]), draw_values(data, (*batch, k, n), kinds[1])
    # Powers of two: the products before rounding are exact.
    scales = [np.array(2.0 ** data.draw(st.integers(-3, 1)), np.float32) for _ in range(3)]
    zeros = [draw_values(data, (), kind, 0, 9) for kind in kinds]
    limits = np.iinfo(kinds[2])

    def reference(a, sa, za, b, sb, zb, sy, zy):
        sums = (a.astype(np.int64) - int(za)) @ (b.astype(np.int64) - int(zb))
        return np.clip(np.rint(sums * float(sa * sb / sy)) + int(zy), limits.min, limits.max).astype(kinds[2])

    check_case(data, "QLinearMatMul", [a, scales[0], zeros[0], b, scales[1], zeros[1], scales[2], zeros[2]], None, reference, opset=opset)
