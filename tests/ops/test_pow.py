"""Operator Pow."""

import ml_dtypes
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import check_case, draw_broadcast_shapes, draw_values
from random_more import draw_opset, types_of


def test_pow():
    rng = np.random.default_rng(0)
    for shape in [(2, 3), (13, 17), ()]:
        for dtype in (np.float32, np.float64):
            x = (np.abs(rng.normal(1, 1, shape)) + 0.1).astype(dtype)
            for exponent in (2, 3, 0.5, -1.5, 0):
                check_op("Pow", inputs=[x, dtype(exponent)], reference=np.power)
            check_op("Pow", inputs=[x, rng.normal(0, 2, shape).astype(dtype)], reference=np.power)


def test_pow_of_mixed_types():
    x = np.array([1, 2, 3], np.float32)
    check_op("Pow", inputs=[x, np.array([3, 2, 1], np.int64)], reference=np.power)
    base = np.array([-2, 3, 7], np.int32)
    check_op("Pow", inputs=[base, np.array([3, 2, 0], np.int32)], reference=np.power)
    check_op(
        "Pow", inputs=[base, np.array([2.0, 2.0, 1.0], np.float32)], reference=lambda a, b: (a**b).astype(np.int32)
    )


def test_half_exponents():
    for dtype in (np.float16, ml_dtypes.bfloat16):
        exponents = np.array([2, 0.5, 3], dtype)
        for base in (np.float32, np.float64, np.float16, np.int32, np.int64):
            got = run_node("Pow", [np.array([3, 4, 2], base), exponents])[0]
            assert got.dtype == base and got.tolist() == [9, 2, 8]


def test_pow_of_special_values():
    x = np.array([-np.inf, -4, -0.0, 0, 0.25, np.inf, np.nan], np.float32)
    for exponent in (-1, 0, 0.5, 1, 2, 3, -0.5, np.inf):
        with np.errstate(all="ignore"):
            want = np.power(x.astype(np.float64), np.full(7, exponent))  # a scalar 0.5 would be NumPy's square root
        check_op("Pow", inputs=[x, np.float32(exponent)], reference=lambda x, y, want=want: want)
    check_op("Pow", inputs=[np.float32(2), x[1:5]], reference=np.power)


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Pow", 7)
    base = np.dtype(data.draw(st.sampled_from(types_of("Pow", opset)), label="base"))
    kind = np.dtype(data.draw(st.sampled_from(types_of("Pow", opset, "T1") if (opset or 28) >= 12 else [base]), label="exponent"))
    shapes = draw_broadcast_shapes(data, 2)
    if base.kind in "iu":
        x, y = draw_values(data, shapes[0], base, -9, 9), draw_values(data, shapes[1], np.int8, 0, 4).astype(kind)
    else:
        x, y = draw_values(data, shapes[0], base, 0.25, 3), draw_values(data, shapes[1], kind, 0, 3) if kind.kind == "u" else draw_values(data, shapes[1], kind, -2, 3)
    check_case(data, "Pow", [x, y], None, lambda x, y: np.power(x.astype(np.float64), y.astype(np.float64)).astype(x.dtype), opset=opset)
