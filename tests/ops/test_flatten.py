"""Operator Flatten."""

import numpy as np
from opgraft.testing import check_op


def test_flatten():
    def reference(x, axis=1):
        axis += x.ndim if axis < 0 else 0
        return x.reshape(int(np.prod(x.shape[:axis])), int(np.prod(x.shape[axis:])))

    check_op("Flatten", shapes=[(2, 3, 4, 5), (1, 5, 1, 1)], attrs={"axis": [0, 1, 2, 4, -1]}, reference=reference)
    check_op("Flatten", shapes=[(2, 3), (7,), (0, 3)], reference=reference)
    check_op("Flatten", shapes=[()], attrs={"axis": [0]}, reference=reference)
