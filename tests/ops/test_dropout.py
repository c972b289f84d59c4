"""Operator Dropout."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import ALL_FLOATS, check_case, draw_array, draw_attrs


def test_dropout_at_inference_is_the_identity():
    check_op("Dropout", shapes=[(2, 3), (0, 5), ()], dtypes=["f32", "f64", "f16"], reference=lambda x: x)
    check_op("Dropout", shapes=[(2, 3)], outputs=2, reference=lambda x: [x, np.ones_like(x, bool)])
    check_op("Dropout", shapes=[(2, 3)], attrs={"ratio": [0.3]}, opset=10, reference=lambda x, ratio: x)


def test_dropout_in_training():
    x = np.ones((100, 100), np.float32)
    y, mask = run_node("Dropout", [x, np.float32(0.25), np.array(True)], {"seed": 3}, outputs=2)
    assert abs(mask.mean() - 0.75) < 0.02
    np.testing.assert_allclose(y, mask / 0.75, rtol=1e-6)


@given(st.data())
def test_random(data):
    x = draw_array(data, ALL_FLOATS)
    ratio = [np.float32(0), np.array(True)] if data.draw(st.booleans()) else [np.float32(0.5)]
    inputs = [x, *ratio[: data.draw(st.integers(0, 2))]]
    if len(inputs) == 2 and inputs[1] != 0 and data.draw(st.booleans()):
        inputs.append(np.array(False))
    outputs = data.draw(st.integers(1, 2))
    attrs = draw_attrs(data, seed=[3])
    check_case(data, "Dropout", inputs, attrs, lambda x, *_, **__: [x, np.ones(x.shape, bool)][:outputs], outputs)
