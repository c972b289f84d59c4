"""Operator Multinomial: statistics and types."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import check_case, draw_values
from random_more import draw_opset, types_of


def test_multinomial():
    chance = np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 1e-30]])
    for code, dtype in ((6, np.int32), (7, np.int64)):
        (y,) = run_node("Multinomial", [np.log(chance).astype(np.float32) + 5], {"sample_size": 20000, "dtype": code, "seed": 1.0})
        assert y.shape == (2, 20000) and y.dtype == dtype
        for row, expected in zip(y, chance, strict=True):
            np.testing.assert_allclose(np.bincount(row, minlength=3) / 20000, expected, atol=0.02)


def test_wrong_type():
    with pytest.raises(opgraft.Error, match="dtype = 1 must be int32 or int64"):
        run_node("Multinomial", [np.zeros((1, 2), np.float32)], {"dtype": 1})


@given(st.data())
def test_random(data):
    batch, classes = (data.draw(st.integers(low, 9)) for low in (0, 1))
    x = draw_values(data, (batch, classes), data.draw(st.sampled_from(types_of("Multinomial", name="T1"))), -2, 2)
    x[:, 1::2] = -np.inf
    count, code = data.draw(st.integers(1, 33)), data.draw(st.sampled_from([6, 7]))
    attrs = {"sample_size": count, "dtype": code, "seed": 3.0}

    def check(got, _):
        assert got[0].shape == (batch, count) and got[0].dtype == {6: np.int32, 7: np.int64}[code]
        assert ((got[0] >= 0) & (got[0] < classes) & (got[0] % 2 == 0)).all()

    check_case(data, "Multinomial", [x], attrs, lambda x, **_: [], check=check, opset=draw_opset(data, "Multinomial"))
