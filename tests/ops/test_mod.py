"""Operator Mod."""

import numpy as np
from opgraft.testing import check_op


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
