"""Operator MeanVarianceNormalization."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import check_case, draw_axes, draw_shape
from random_more import draw_opset, draw_whole, types_of


def test_mean_variance_normalization():
    def reference(x, axes):
        axes = tuple(axes)
        return (x - x.mean(axes, keepdims=True)) / (x.std(axes, keepdims=True) + 1e-9)

    check_op("MeanVarianceNormalization", shapes=[(3, 4, 5, 6)], dtypes=["f32", "f64"], attrs={"axes": [[0, 2, 3], [1], [-1, 0]]}, reference=reference)


def test_halves_with_little_or_no_deviation():
    x = np.full((2, 3, 2, 2), 7, np.float16)
    np.testing.assert_array_equal(run_node("MeanVarianceNormalization", [x])[0], np.zeros_like(x))
    x[0, :, 0, 0] = 7.01  # one step of the format
    check_op("MeanVarianceNormalization", inputs=[x], reference=lambda x: (x - x.mean((0, 2, 3), keepdims=True)) / x.std((0, 2, 3), keepdims=True))


@given(st.data())
def test_random(data):
    def reference(x, axes=(0, 2, 3)):
        axes = tuple(axes)
        return (x - x.mean(axes, keepdims=True)) / (x.std(axes, keepdims=True) + 1e-9)

    opset = draw_opset(data, "MeanVarianceNormalization")
    dtype = data.draw(st.sampled_from(types_of("MeanVarianceNormalization", opset)), label="dtype")
    shape = draw_shape(data, 4, 4, [2, 3, 5, 8])
    attrs = {"axes": draw_axes(data, 4, min_size=1)} if data.draw(st.booleans()) else {}
    check_case(data, "MeanVarianceNormalization", [draw_whole(data, shape, dtype, low=-99, high=99)], attrs, reference, opset=opset)
