"""RMSNormalization: axes, broadcast scales."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, compare
from random_cases import check_case, draw_axis, draw_shape, draw_values
from random_more import types_of


def rms_normalization(x, scale, axis=-1, epsilon=1e-5):
    axes = tuple(range(axis % x.ndim, x.ndim))
    return x / np.sqrt((x**2).mean(axis=axes, keepdims=True) + epsilon) * scale


@pytest.mark.parametrize(
    "shapes,axis",
    [
        ([(3, 5, 17), (17,)], -1),
        ([(3, 5, 17), (5, 17)], 1),
        ([(3, 5, 17), (17,)], 1),
        ([(2, 4), (2, 4)], 0),
        ([(0, 5), (5,)], -1),
    ],
)
def test_values(shapes, axis):
    check_op(
        "RMSNormalization",
        shapes=[shapes],
        dtypes=["f32", "f64", "f16"],
        attrs={"axis": [axis]},
        reference=rms_normalization,
    )


@given(st.data())
def test_random(data):
    dtype, kind = (data.draw(st.sampled_from(types_of("RMSNormalization", name=name))) for name in ("T", "V"))
    shape = draw_shape(data, 1, 4, min_size=1)
    axis = draw_axis(data, len(shape))
    scale = tuple(1 if data.draw(st.integers(0, 3)) == 0 else size for size in shape[axis % len(shape) :])
    inputs = [draw_values(data, shape, dtype, special=False), draw_values(data, scale, kind, 1, 2)]
    attrs = {"axis": axis, "epsilon": data.draw(st.sampled_from([1e-5, 0.25]))}

    def check(got, want):  # the result has the type of scale
        assert got[0].dtype == kind
        compare(got[0], np.asarray(want[0]).astype(kind), 2e-2 if ml_dtypes.bfloat16 in (dtype, kind) else 1e-2 if np.float16 in (dtype, kind) else 1e-5)

    check_case(data, "RMSNormalization", inputs, attrs, rms_normalization, check=check)
