"""Operator QLinearAveragePool of com.microsoft, against onnxruntime."""

from quantised_cases import check, output, quantised


def test_windows():
    for attrs in (
        {"kernel_shape": [2, 2]},
        {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]},
        {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1},
        {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1, "pads": [1, 1, 1, 1]},
    ):
        check("QLinearAveragePool", lambda rng, dtype: [*quantised(rng, (2, 3, 9, 11), dtype), *output(rng, dtype)], attrs)
