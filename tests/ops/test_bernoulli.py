"""Operator Bernoulli: statistics and types."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft import _arrays
from opgraft.testing import compare, run_node
from random_cases import ALL_FLOATS, WHOLE_BYTES, check_case, draw_array, draw_attrs


def test_bernoulli():
    chance = np.broadcast_to(np.array([0, 0.2, 0.7, 1], np.float32), (20000, 4))
    for attrs, dtype in (({}, np.float32), ({"dtype": 9}, np.bool_), ({"dtype": 7}, np.int64), ({"dtype": 11}, np.float64)):
        (y,) = run_node("Bernoulli", [chance], {"seed": 3.0} | attrs)
        assert y.dtype == dtype and set(np.unique(y).astype(int)) == {0, 1}
        np.testing.assert_allclose(y.astype(np.float64).mean(0), [0, 0.2, 0.7, 1], atol=0.02)


@given(st.data())
def test_random(data):
    p = draw_array(data, ALL_FLOATS, low=0, high=1)
    p = np.rint(p.astype(np.float32)).astype(p.dtype)  # of what is certain or impossible
    dtype = np.dtype(data.draw(st.sampled_from(WHOLE_BYTES)))
    attrs = draw_attrs(data, dtype=[_arrays.dtype_code(dtype)], seed=(0.0, 9.0))
    want = p.astype(dtype if "dtype" in attrs else p.dtype)
    check_case(data, "Bernoulli", [p], attrs, lambda p, **_: p, check=lambda got, _: compare(got[0], want))
