"""Operator Squeeze."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_moved, draw_axes_to_insert, draw_moved, draw_opset


def test_squeeze():
    x = np.arange(6).astype(np.float32).reshape(1, 2, 1, 3)
    check_op("Squeeze", inputs=[x, np.array([0], np.int64)], reference=lambda x, a: x.squeeze(0))
    check_op("Squeeze", inputs=[x, np.array([0, -2], np.int64)], reference=lambda x, a: x.squeeze((0, 2)))
    check_op("Squeeze", inputs=[x], reference=lambda x: x.squeeze())
    check_op("Squeeze", inputs=[x], attrs={"axes": [[2]]}, opset=11, reference=lambda x, axes: x.squeeze(2))


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Squeeze") or 28
    x = draw_moved(data, "Squeeze", opset)
    axes, rank = draw_axes_to_insert(data, x.ndim)
    axes = [axis % rank for axis in axes] if opset < 11 else axes
    wide = np.expand_dims(x, tuple(axes))
    if not axes:  # all axes of size 1
        return check_moved(data, "Squeeze", [x], None, lambda x: x.squeeze(), opset=opset)
    inputs, attrs = ([wide, np.array(axes, np.int64)], {}) if opset >= 13 else ([wide], {"axes": axes})
    check_moved(data, "Squeeze", inputs, attrs, lambda *_, **__: x, opset=opset)
