"""Operator Mod."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_case, draw_broadcast_shapes, draw_values
from random_more import draw_opset, types_of


def test_mod_of_integers_has_the_sign_of_the_divisor():
    a, b = np.array([7, -7, 7, -7, 6], np.int32), np.array([3, 3, -3, -3, 3], np.int32)
    check_op("Mod", inputs=[a, b], reference=np.mod)


def test_fmod():
    a, b = np.array([7.5, -7.5, 7.5, -7.5], np.float32), np.array([2, 2, -2, -2], np.float32)
    check_op("Mod", inputs=[a, b], attrs={"fmod": [1]}, reference=lambda a, b, fmod: np.fmod(a, b))


def test_mod_of_floats_has_the_sign_of_the_divisor():
    a = np.array([7.5, -7.5, 7.5, -7.5, 6, -6, np.inf, 1, -1, 1], np.float32)
    b = np.array([2, 2, -2, -2, -3, 3, 2, 0, np.inf, -np.inf], np.float32)
    check_op("Mod", inputs=[a, b], reference=np.mod)


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Mod")
    dtype = np.dtype(data.draw(st.sampled_from(types_of("Mod", opset)), label="dtype"))
    a, b = (draw_values(data, shape, dtype) for shape in draw_broadcast_shapes(data, 2))
    whole = dtype.kind in "iu"
    fmod = data.draw(st.integers(0, 1), label="fmod") if whole or opset is None else 1
    b = np.where(b == 0, np.ones((), dtype), b) if whole else b
    check_case(data, "Mod", [a, b], {"fmod": fmod}, lambda a, b, fmod: (np.fmod if fmod else np.mod)(a, b), opset=opset)
