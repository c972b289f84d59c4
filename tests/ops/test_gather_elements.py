"""Operator GatherElements."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import ANY, check_case, draw_array, draw_axis, draw_opset, draw_values, types_of


def test_gather_elements():
    rng = np.random.default_rng(0)
    for shape, axis, rows in [((3, 4), 1, 2), ((5, 2, 3), 0, 7), ((4,), -1, 4)]:
        x = rng.normal(size=shape).astype(np.float32)
        wanted = list(shape)
        wanted[axis] = rows
        indices = rng.integers(-shape[axis], shape[axis], wanted)
        check_op(
            "GatherElements",
            inputs=[x, indices],
            attrs={"axis": [axis]},
            reference=lambda x, i, axis: np.take_along_axis(x, i, axis),
        )


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "GatherElements")
    x = draw_array(data, types_of("GatherElements", opset, ANY), min_rank=1)
    axis = draw_axis(data, x.ndim)
    shape = [size if data.draw(st.booleans()) else data.draw(st.integers(0, size)) for size in x.shape]
    shape[axis] = data.draw(st.integers(0, 20)) if x.shape[axis] else 0
    kind = data.draw(st.sampled_from([np.int32, np.int64]))
    indices = draw_values(data, tuple(shape), kind, low=-x.shape[axis], high=max(x.shape[axis] - 1, -x.shape[axis]))

    def reference(x, i, axis):
        part = tuple(slice(None) if k == axis % x.ndim else slice(size) for k, size in enumerate(i.shape))
        return np.take_along_axis(x[part], i, axis)

    check_case(data, "GatherElements", [x, indices], {"axis": axis}, reference, opset=opset)
