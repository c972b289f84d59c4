"""Random operands of the quantised operators of com.microsoft, and their comparison with onnxruntime."""

import numpy as np
from opgraft.testing import compare
from oracles import node_model, run_model


def quantised(rng, shape, dtype):
    """A tensor, its scale and its zero point."""
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    return [x, np.float32(rng.uniform(0.01, 0.1)), dtype(rng.integers(info.min // 2, info.max // 2))]


def output(rng, dtype, scale=None):
    """A scale and a zero point of a result."""
    return quantised(rng, (), dtype)[1:] if scale is None else [np.float32(scale), dtype(3)]


def check(op_type, make, attrs=None, opset=21, dtypes=(np.uint8, np.int8), steps=1):
    """Compares with onnxruntime for several draws of `make(rng, dtype)`, the list of inputs, None where one is left out. Results
    may differ by `steps` in a hundredth of the elements: onnxruntime rounds its scales first, or takes values from tables."""
    import onnxruntime

    for seed, dtype in enumerate(dtypes * 3):
        inputs = [None if x is None else np.asarray(x) for x in make(np.random.default_rng(seed), dtype)]
        constants = [i for i, x in enumerate(inputs) if x is not None and x.ndim == 0]
        model, feeds = node_model(op_type, inputs, attrs or {}, constants, opset, domain="com.microsoft")
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        (want,) = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"]).run(None, feeds)
        (got,) = run_model(model, feeds)
        assert got.dtype == want.dtype and got.shape == want.shape
        if got.dtype.kind == "f":
            compare(got, want, 1e-5, op_type)
            continue
        apart = np.abs(got.astype(int) - want.astype(int))
        assert apart.max(initial=0) <= steps and np.count_nonzero(apart) <= max(1, apart.size // 100), f"{op_type} {attrs}: {np.count_nonzero(apart)} of {apart.size}"
