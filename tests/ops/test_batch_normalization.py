"""BatchNormalization: inference and training, mixed types, all versions."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from oracles import check_against_onnxruntime, onnx_reference
from random_cases import ALL_FLOATS, check_case, draw_array, draw_attrs, draw_opset, draw_values


def batch_normalization(x, scale, b, mean, var, epsilon=1e-5):
    shape = [1, -1] + [1] * (x.ndim - 2)
    return (x - mean.reshape(shape)) / np.sqrt(var.reshape(shape) + epsilon) * scale.reshape(shape) + b.reshape(shape)


def training(x, scale, b, mean, var, epsilon=1e-5, momentum=0.9, training_mode=1):
    axes = (0, *range(2, x.ndim))
    now = x.mean(axes), x.var(axes)
    y = batch_normalization(x, scale, b, *now, epsilon)
    return y, *(old * momentum + new * (1 - momentum) for old, new in zip((mean, var), now))


def arrays(shape, dtype):
    rng = np.random.default_rng(0)
    channels = shape[1]
    return [
        rng.normal(3, 2, shape).astype(dtype),
        rng.normal(1, 0.3, channels).astype(dtype),
        rng.normal(0, 1, channels).astype(dtype),
        rng.normal(3, 1, channels).astype(dtype),
        rng.uniform(0.5, 3, channels).astype(dtype),
    ]


@pytest.mark.parametrize(
    "shape",
    [(2, 3, 13, 17), (1, 17, 5), (5, 33), (1, 1, 1, 1), (0, 3, 4), (2, 3, 4, 5, 6)],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_inference(shape, dtype):
    check_op(
        "BatchNormalization",
        inputs=arrays(shape, dtype),
        attrs={"epsilon": [1e-5, 0.1]},
        reference=batch_normalization,
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_training(dtype):
    check_op(
        "BatchNormalization",
        inputs=arrays((3, 4, 5, 7), dtype),
        attrs={"training_mode": [1], "momentum": [0.9, 0.5]},
        outputs=3,
        reference=onnx_reference("BatchNormalization", outputs=3),
        tolerance=1e-5,
    )


@pytest.mark.parametrize("opset", [7, 9, 14, 15])
def test_versions(opset):
    check_against_onnxruntime(
        "BatchNormalization",
        arrays((2, 5, 6, 7), np.float32),
        constants=(1, 2, 3, 4),
        opset=opset,
    )


def test_statistics_of_another_type():
    x = arrays((2, 3, 4), np.float32)
    mixed = [x[0].astype(np.float16), *x[1:]]
    got = run_node("BatchNormalization", mixed)[0]
    assert got.dtype == np.float16
    np.testing.assert_allclose(got, batch_normalization(*x), atol=2e-2)


def test_wrong_statistics():
    x = arrays((2, 3, 4), np.float32)
    with pytest.raises(opgraft.Error, match="input_mean has dims"):
        run_node("BatchNormalization", [*x[:3], np.zeros(4, np.float32), x[4]])


@given(st.data())
def test_random(data):
    x = draw_array(data, ALL_FLOATS, min_rank=2, min_size=1, special=False)
    channel = [draw_values(data, x.shape[1:2], x.dtype, special=False) for _ in range(3)]
    inputs = [x, *channel, draw_values(data, x.shape[1:2], x.dtype, low=0.5, high=3)]
    attrs = draw_attrs(data, epsilon=(0.0009765625, 0.5))
    if data.draw(st.booleans()):
        return check_case(data, "BatchNormalization", inputs, attrs, batch_normalization, opset=draw_opset(data, "BatchNormalization", 15))
    attrs |= {"training_mode": 1, "momentum": data.draw(st.floats(0, 1, width=32))}
    tolerance = {2: 2e-2, 4: 1e-5, 8: 1e-5}[x.dtype.itemsize]
    check_case(data, "BatchNormalization", inputs, attrs, training, outputs=3, tolerance=tolerance)
