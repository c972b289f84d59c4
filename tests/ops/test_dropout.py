"""Operator Dropout."""

import numpy as np
from opgraft.testing import check_op, run_node


def test_dropout_at_inference_is_the_identity():
    check_op("Dropout", shapes=[(2, 3), (0, 5), ()], dtypes=["f32", "f64", "f16"], reference=lambda x: x)
    check_op("Dropout", shapes=[(2, 3)], outputs=2, reference=lambda x: [x, np.ones_like(x, bool)])
    check_op("Dropout", shapes=[(2, 3)], attrs={"ratio": [0.3]}, opset=10, reference=lambda x, ratio: x)


def test_dropout_in_training():
    x = np.ones((100, 100), np.float32)
    y, mask = run_node("Dropout", [x, np.float32(0.25), np.array(True)], {"seed": 3}, outputs=2)
    assert abs(mask.mean() - 0.75) < 0.02
    np.testing.assert_allclose(y, mask / 0.75, rtol=1e-6)
