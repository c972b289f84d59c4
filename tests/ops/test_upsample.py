"""Upsample of opsets 7 and 9."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import check_against_onnxruntime
from random_cases import draw_shape, draw_values


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("scales", [[1.0, 1.0, 2.0, 3.0], [1.0, 1.0, 1.5, 1.0]])
def test_values(mode, scales):
    x = np.random.default_rng(0).normal(size=(1, 2, 5, 6)).astype(np.float32)
    check_against_onnxruntime("Upsample", [x], {"mode": mode, "scales": scales}, opset=7)
    for constants in ((1,), ()):
        check_against_onnxruntime("Upsample", [x, np.array(scales, np.float32)], {"mode": mode}, constants, opset=9)


@given(st.data())
def test_random(data):
    x = draw_values(data, draw_shape(data, 4, 4, [1, 2, 3, 5, 8]), np.float32, special=False)
    mode = data.draw(st.sampled_from(["nearest", "linear"]))
    scales = [1.0, 1.0, *(data.draw(st.sampled_from([1.0, 2.0, 3.0, 1.5])) for _ in range(2))]
    check_against_onnxruntime("Upsample", [x, np.array(scales, np.float32)], {"mode": mode}, data.draw(st.sampled_from([(1,), ()])), opset=9)
