"""Operator GatherND."""

import numpy as np
from opgraft.testing import check_op


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
