"""Operator CastLike."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import compare, run_node
from random_cases import WHOLE_BYTES, check_case, draw_opset, draw_shape, draw_values, types_of
from test_cast import converted


def test_cast_like():
    x = np.array([[1.5, -2.5]], np.float32)
    for dtype in (np.float64, np.float16, np.int32, np.int64):
        for bodies in (False, True):
            got = run_node("CastLike", [x, np.zeros(1, dtype)], prefer_bodies=bodies)[0]
            compare(got, x.astype(dtype))


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "CastLike")
    source, target = (data.draw(st.sampled_from(types_of("CastLike", opset, WHOLE_BYTES))) for _ in range(2))
    x, like = draw_values(data, draw_shape(data), source), draw_values(data, draw_shape(data), target)
    want = converted(x, target)
    check_case(data, "CastLike", [x, like], None, lambda x, y: x, opset=opset, check=lambda got, _: compare(got[0], want))
