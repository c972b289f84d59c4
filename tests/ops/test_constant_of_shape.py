"""Operator ConstantOfShape."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import numpy_helper
from opgraft.testing import check_op
from random_cases import FLOATS, INTEGERS, check_case, draw_opset, draw_shape, draw_values


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


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "ConstantOfShape")
    shape = np.array(draw_shape(data), np.int64)
    value = draw_values(data, (1,), data.draw(st.sampled_from([*FLOATS, *INTEGERS, np.bool_])))
    attrs = {"value": numpy_helper.from_array(value)} if data.draw(st.booleans()) else {}
    fill = value if attrs else np.zeros(1, np.float32)
    check_case(data, "ConstantOfShape", [shape], attrs, lambda s, **_: np.full(s.tolist(), fill), opset=opset)
