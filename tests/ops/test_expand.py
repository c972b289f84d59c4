"""Operator Expand."""

import numpy as np
from opgraft.testing import check_op


def test_expand():
    for shape, to in [
        ((3, 1), (2, 1, 6)),
        ((1,), (4,)),
        ((2, 3), (2, 3)),
        ((3, 1), (3, 4)),
        ((), (2, 2)),
        ((1, 0), (5, 0)),
        ((5,), (1,)),
    ]:
        for dtype in (np.float32, np.bool_, np.int64):
            x = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
            check_op("Expand", inputs=[x, np.array(to, np.int64)], reference=lambda x, to: x * np.ones(to, x.dtype))
