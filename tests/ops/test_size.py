"""Operator Size."""

import numpy as np
from opgraft.testing import check_op


def test_size():
    check_op(
        "Size",
        shapes=[(2, 3, 4), (5,), (), (0, 3)],
        dtypes=["f32", "i8"],
        reference=lambda x: np.array(x.size, np.int64),
    )
