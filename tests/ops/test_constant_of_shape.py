"""Operator ConstantOfShape."""

import numpy as np
from onnx import numpy_helper
from opgraft.testing import check_op


def test_constant_of_shape():
    for shape in ([2, 3], [0, 4], []):
        given = np.array(shape, np.int64)
        check_op("ConstantOfShape", inputs=[given], reference=lambda s: np.zeros(s.tolist(), np.float32))
        for dtype in (np.float32, np.float16, np.int32, np.int64, np.bool_):
            value = numpy_helper.from_array(np.array([1], dtype))
            check_op(
                "ConstantOfShape",
                inputs=[given],
                attrs={"value": [value]},
                reference=lambda s, value, d=dtype: np.ones(s.tolist(), d),
            )
