"""Operator Flatten."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import ANY, check_case, draw_array, draw_attrs, draw_opset, types_of


def test_flatten():
    def reference(x, axis=1):
        axis += x.ndim if axis < 0 else 0
        return x.reshape(int(np.prod(x.shape[:axis])), int(np.prod(x.shape[axis:])))

    check_op("Flatten", shapes=[(2, 3, 4, 5), (1, 5, 1, 1)], attrs={"axis": [0, 1, 2, 4, -1]}, reference=reference)
    check_op("Flatten", shapes=[(2, 3), (7,), (0, 3)], reference=reference)
    check_op("Flatten", shapes=[()], attrs={"axis": [0]}, reference=reference)


@given(st.data())
def test_random(data):
    def reference(x, axis=1):
        axis += x.ndim if axis < 0 else 0
        return x.reshape(int(np.prod(x.shape[:axis])), int(np.prod(x.shape[axis:])))

    opset = draw_opset(data, "Flatten")
    x = draw_array(data, types_of("Flatten", opset, ANY), min_rank=1)
    attrs = draw_attrs(data, axis=[*range(-x.ndim if opset is None or opset >= 11 else 0, x.ndim + 1)])
    check_case(data, "Flatten", [x], attrs, reference, opset=opset)
