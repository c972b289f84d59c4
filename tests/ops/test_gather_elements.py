"""Operator GatherElements."""

import numpy as np
from opgraft.testing import check_op


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
