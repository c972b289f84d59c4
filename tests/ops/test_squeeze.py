"""Operator Squeeze."""

import numpy as np
from opgraft.testing import check_op


def test_squeeze():
    x = np.arange(6).astype(np.float32).reshape(1, 2, 1, 3)
    check_op("Squeeze", inputs=[x, np.array([0], np.int64)], reference=lambda x, a: x.squeeze(0))
    check_op("Squeeze", inputs=[x, np.array([0, -2], np.int64)], reference=lambda x, a: x.squeeze((0, 2)))
    check_op("Squeeze", inputs=[x], reference=lambda x: x.squeeze())
    check_op("Squeeze", inputs=[x], attrs={"axes": [[2]]}, opset=11, reference=lambda x, axes: x.squeeze(2))
