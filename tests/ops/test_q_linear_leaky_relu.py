"""Operator QLinearLeakyRelu of com.microsoft, against onnxruntime."""

from quantised_cases import check, output, quantised


def test_shapes():
    for shape in ((3, 5, 33), (1,), (), (0, 4)):
        check("QLinearLeakyRelu", lambda rng, dtype, shape=shape: [*quantised(rng, shape, dtype), *output(rng, dtype)], {"alpha": 0.3})
