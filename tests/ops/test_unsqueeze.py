"""Operator Unsqueeze."""

import numpy as np
from opgraft.testing import check_op


def test_unsqueeze():
    x = np.arange(6).astype(np.float32).reshape(2, 3)
    check_op("Unsqueeze", inputs=[x, np.array([0], np.int64)], reference=lambda x, a: x[None])
    check_op("Unsqueeze", inputs=[x, np.array([-1, 1], np.int64)], reference=lambda x, a: x[:, None, :, None])
    check_op("Unsqueeze", inputs=[np.float32(3), np.array([0], np.int64)], reference=lambda x, a: x.reshape(1))
    check_op("Unsqueeze", inputs=[x], attrs={"axes": [[0, 3]]}, opset=11, reference=lambda x, axes: x[None, :, :, None])
