"""Operator GatherND."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import ANY, check_case, draw_array, draw_shape, draw_values


def reference(x, indices, batch_dims=0):
    batch = x.shape[:batch_dims]
    out = []
    for b in np.ndindex(*batch):
        flat = indices[b].reshape(-1, indices.shape[-1])
        out.append(np.stack([x[b][tuple(i)] for i in flat]))
    tail = x.shape[batch_dims + indices.shape[-1] :]
    return np.stack(out).reshape(indices.shape[:-1] + tail)


def test_gather_nd():
    x = np.arange(24).astype(np.float32).reshape(2, 3, 4)
    for indices in ([[0, 1], [1, -1]], [[[0, 0, 3]], [[1, 2, 1]]], [[1]]):
        for dtype in (np.float32, np.bool_, np.int64):
            check_op("GatherND", inputs=[x.astype(dtype), np.array(indices, np.int64)], reference=reference)
    check_op(
        "GatherND",
        inputs=[x, np.array([[[0], [2]], [[1], [1]]], np.int64)],
        attrs={"batch_dims": [1]},
        reference=reference,
    )


@given(st.data())
def test_random(data):
    x = draw_array(data, ANY, min_rank=1, min_size=1)
    batch = data.draw(st.integers(0, x.ndim - 1))
    depth = data.draw(st.integers(1, x.ndim - batch))
    shape = (*x.shape[:batch], *draw_shape(data, max_rank=2, sizes=[1, 2, 5, 17], min_size=1), depth)
    if np.prod(shape) > 2000:
        shape = (*x.shape[:batch], depth)
    bounds = x.shape[batch : batch + depth]
    indices = np.stack([draw_values(data, shape[:-1], np.int64, low=-b, high=b - 1) for b in bounds], -1)
    check_case(data, "GatherND", [x, indices], {"batch_dims": batch} if batch else {}, reference)
