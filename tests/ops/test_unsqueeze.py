"""Operator Unsqueeze."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_moved, draw_axes_to_insert, draw_moved, draw_opset


def test_unsqueeze():
    x = np.arange(6).astype(np.float32).reshape(2, 3)
    check_op("Unsqueeze", inputs=[x, np.array([0], np.int64)], reference=lambda x, a: x[None])
    check_op("Unsqueeze", inputs=[x, np.array([-1, 1], np.int64)], reference=lambda x, a: x[:, None, :, None])
    check_op("Unsqueeze", inputs=[np.float32(3), np.array([0], np.int64)], reference=lambda x, a: x.reshape(1))
    check_op("Unsqueeze", inputs=[x], attrs={"axes": [[0, 3]]}, opset=11, reference=lambda x, axes: x[None, :, :, None])


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Unsqueeze") or 28
    x = draw_moved(data, "Unsqueeze", opset)
    axes, rank = draw_axes_to_insert(data, x.ndim)
    axes = [axis % rank for axis in axes] if opset < 11 else axes
    if opset < 13 and not axes:
        axes = [0]
    inputs, attrs = ([x, np.array(axes, np.int64)], {}) if opset >= 13 else ([x], {"axes": axes})
    check_moved(data, "Unsqueeze", inputs, attrs, lambda x, *_, **__: np.expand_dims(x, tuple(axes)), opset=opset)
