"""Tester for operators: kernel, body and every CPU path against a reference, on awkward shapes and types."""

import itertools

import numpy as np

from . import _arrays
from ._session import InferenceSession, SessionOptions

DTYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "bool": np.bool_,
}
_TOLERANCE = {"float32": 1e-5, "float64": 1e-12, "float16": 1e-2, "bfloat16": 2e-2}


def numpy_type(name):
    """The NumPy type of a short name ("f32"); "bf16" needs ml_dtypes."""
    if name == "bf16":
        return _arrays.numpy_dtype(16).type
    return DTYPES[name]


def make_input(rng, shape, dtype):
    """Seeded contents: numbers around zero, small for integers, mixed for bool."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -9, 10, shape).astype(dtype)
    return rng.normal(0, 2, shape).astype(dtype)


def make_model(op_type, inputs, attrs, domain="", opset=None, outputs=1, symbolic=False, domain_version=1):
    """A one-node ONNX model (needs the package onnx) as bytes; inputs are arrays, or None for an omitted one."""
    from onnx import TensorProto, helper

    names, infos = [], []
    for i, array in enumerate(inputs):
        if array is None:
            names.append("")
            continue
        names.append(f"x{i}")
        code = _arrays.dtype_code(array.dtype)
        shape = [f"d{i}_{axis}" for axis in range(array.ndim)] if symbolic else list(array.shape)
        infos.append(helper.make_tensor_value_info(f"x{i}", code, shape))
    results = [f"y{i}" for i in range(outputs)]
    made = helper.make_node(op_type, names, results, domain=domain, **attrs)
    graph = helper.make_graph([made], "test", infos, [])
    for name in results:
        info = graph.output.add()
        info.name = name
    imports = [helper.make_opsetid("", opset or 28)]
    if domain:
        imports.append(helper.make_opsetid(domain, domain_version))
    del TensorProto
    return helper.make_model(graph, opset_imports=imports, ir_version=10).SerializeToString()


def run_node(op_type, inputs, attrs=None, domain="", opset=None, outputs=1, symbolic=False, prefer_bodies=False, domain_version=1, threads=2):
    """Runs one operator; returns its outputs as a list of arrays."""
    arrays = [None if x is None else np.asarray(x) for x in inputs]
    options = SessionOptions()
    options.prefer_bodies = prefer_bodies
    options.intra_op_num_threads = threads
    model = make_model(op_type, arrays, attrs or {}, domain, opset, outputs, symbolic, domain_version)
    session = InferenceSession(model, options)
    return session.run(None, {f"x{i}": x for i, x in enumerate(arrays) if x is not None})


def compare(got, want, tolerance=None, what=""):
    """Asserts equal dtype and shape, equal NaN places, and an error within tolerance of the largest finite |want|."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, f"{what}: shape {got.shape}, expected {want.shape}"
    assert got.dtype == want.dtype, f"{what}: dtype {got.dtype}, expected {want.dtype}"
    if want.dtype.kind in "biuOSU":
        np.testing.assert_array_equal(got, want, err_msg=what)
        return 0.0
    limit = tolerance if tolerance is not None else _TOLERANCE[want.dtype.name]
    wide_got, wide_want = got.astype(np.float64), want.astype(np.float64)
    finite = np.isfinite(wide_want)
    np.testing.assert_array_equal(np.isfinite(wide_got), finite, err_msg=f"{what}: finite places")
    np.testing.assert_array_equal(wide_got[~finite], wide_want[~finite], err_msg=f"{what}: infinities and NaN")
    if not finite.any():
        return 0.0
    scale = max(np.abs(wide_want[finite]).max(), 1e-30)
    error = np.abs(wide_got[finite] - wide_want[finite]).max() / scale
    assert error <= limit, f"{what}: error {error:.3g} of the range exceeds {limit:.3g}"
    return error


def _reference(reference, arrays, attrs):
    """The reference in double precision where the type is a float, given back in the inputs' type."""
    wide = [
        None if x is None else x.astype(np.float64) if x.dtype.name in _TOLERANCE and x.dtype != np.float64 else x
        for x in arrays
    ]
    with np.errstate(all="ignore"):
        results = reference(*wide, **attrs)
    results = list(results) if isinstance(results, (list, tuple)) else [results]
    floats = [x.dtype for x in arrays if x is not None and x.dtype.name in _TOLERANCE]
    first = floats[0] if floats else None
    return [
        np.asarray(r).astype(first) if first is not None and np.asarray(r).dtype == np.float64 else np.asarray(r)
        for r in results
    ]


def check_op(op_type, inputs=None, shapes=None, dtypes=("f32",), attrs=None, reference=None, opset=None, domain="", outputs=1, tolerance=None, seed=0, domain_version=1, body=True):
    """Runs an operator with every combination and compares with `reference(*arrays, **attrs)` in NumPy.

    inputs: a list of arrays (None = omitted), or shapes: a list of cases, each one shape or a list of shapes (one per
    input); dtypes: short names ("f32", "f16", "i64", "bool", ...), tried each; attrs: {name: list of values} tried each.
    Each case runs with static and with symbolic dims, with a non-contiguous first input, and, when the operator has a
    body and `body` is True, through the body as well. Floats are compared in units of the largest value; `tolerance`
    overrides the bound (float32 1e-5, float16 1e-2). Raises AssertionError naming the case.
    """
    from ._plugins import operators

    attrs = attrs or {}
    known = operators(domain, op_type)
    assert known, f"operator {domain}::{op_type} is not registered"
    has_body = body and known[-1]["has_body"]
    rng = np.random.default_rng(seed)
    cases = []
    if inputs is not None:
        cases.append([None if x is None else np.asarray(x) for x in inputs])
    for case in shapes or []:
        per_input = [case] if not case or not isinstance(case[0], (list, tuple)) else list(case)
        for dtype in dtypes:
            cases.append([make_input(rng, shape, numpy_type(dtype)) for shape in per_input])
    assert cases, "give inputs or shapes"
    names = list(attrs)
    for arrays, values in itertools.product(cases, itertools.product(*(attrs[name] for name in names))):
        chosen = dict(zip(names, values, strict=True))
        what = f"{op_type}({', '.join('-' if x is None else f'{x.dtype}{list(x.shape)}' for x in arrays)}, {chosen})"
        # An attribute is a float32: the reference gets what the operator gets.
        rounded = {k: float(np.float32(v)) if isinstance(v, float) else v for k, v in chosen.items()}
        want = _reference(reference, arrays, rounded)
        ways = [("static", {}), ("symbolic", {"symbolic": True})]
        if has_body:
            ways.append(("body", {"prefer_bodies": True}))
        for way, extra in ways:
            got = run_node(op_type, arrays, chosen, domain, opset, outputs, domain_version=domain_version, **extra)
            for i, (g, w) in enumerate(zip(got, want, strict=True)):
                compare(g, w, tolerance, f"{what} [{way}] output {i}")
        if arrays[0] is not None and arrays[0].ndim >= 2:
            strided = [np.asfortranarray(arrays[0]), *arrays[1:]]
            got = run_node(op_type, strided, chosen, domain, opset, outputs, domain_version=domain_version)
            compare(got[0], want[0], tolerance, f"{what} [non-contiguous]")
