"""More for random tests: types and versions asked of ONNX's schemas, elements of every type, and checks that many operators share."""

import functools

import ml_dtypes
import numpy as np
import onnx
from hypothesis import strategies as st
from random_cases import WHOLE_BYTES, check_case, draw_array, draw_axes, draw_broadcast_shapes, draw_shape, draw_values

SMALL = [0, 1, 2, 3, 5, 8, 17, 33]  # sizes where an operator's work grows faster than its arrays
_NAMES = {
    "float": np.float32,
    "double": np.float64,
    "string": np.object_,
    "float8e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8e5m2": ml_dtypes.float8_e5m2,
    "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "int4": ml_dtypes.int4,
    "uint4": ml_dtypes.uint4,
    "int2": ml_dtypes.int2,
    "uint2": ml_dtypes.uint2,
    "float4e2m1": ml_dtypes.float4_e2m1fn,
    "complex64": np.complex64,
    "complex128": np.complex128,
} | {np.dtype(dtype).name: dtype for dtype in WHOLE_BYTES if dtype not in (np.float32, np.float64)}


@functools.cache
def _schema(op_type, opset):
    return onnx.defs.get_schema(op_type, opset or 28, "")


def types_of(op_type, opset=None, name="T", every=False):
    """The NumPy types that a type variable of an operator may be, in this opset; `every`: strings, complex numbers, 8-bit
    floats and elements smaller than a byte too."""
    for constraint in _schema(op_type, opset).type_constraints:
        if constraint.type_param_str == name:
            types = [_NAMES.get(text.removeprefix("tensor(").rstrip(")")) for text in constraint.allowed_type_strs]
            return [t for t in types if t is not None and (every or t in WHOLE_BYTES)]
    raise KeyError(f"{op_type} has no type variable {name}")


def draw_opset(data, op_type, oldest=1):
    """None, the newest; now and then an older one in which the operator changed."""
    older = [v for v in range(oldest, 28) if onnx.defs.has(op_type, max_inclusive_version=v) and _schema(op_type, v).since_version == v]
    return data.draw(st.one_of(st.none(), st.sampled_from(older)) if older else st.none(), label="opset")


def draw_number(data, low=-2, high=2):
    """A number that float32 holds."""
    return data.draw(st.integers(4 * low, 4 * high), label="quarters") / 4


def draw_any(data, shape, dtype):
    """An array of any element type at all: words, complex numbers and parts of a byte too."""
    dtype = np.dtype(dtype)
    if dtype.name in ("bfloat16", "float16") or dtype.kind in "biuf":
        return draw_values(data, shape, dtype)
    codes = draw_values(data, shape, np.int32, 0, 1 if dtype.itemsize == 1 else 9)
    if dtype.kind == "O":
        words = np.array(["", "a", "é", "日本", "a longer word, for the heap", "b", "c", "d e", "F", "\t"], object)
        return np.asarray(words[codes], object)
    return (codes + 1j * codes.T.reshape(shape)).astype(dtype) if dtype.kind == "c" else codes.astype(dtype)


def draw_moved(data, op_type, opset=None, name="T", min_rank=0, max_rank=4, min_size=0):
    """An array of any type for an operator that only moves elements."""
    dtype = data.draw(st.sampled_from(types_of(op_type, opset, name, every=True)), label="dtype")
    return draw_any(data, draw_shape(data, min_rank, max_rank, min_size=min_size), dtype)


def draw_whole(data, shape, dtype, **values):
    """Whole numbers: their sums and products are exact, so no cancellation makes a small error a large one."""
    return np.rint(draw_values(data, shape, dtype, **values)) if np.dtype(dtype).kind not in "biu" else draw_values(data, shape, dtype, **values)


def draw_batches(data, count=2):
    """Leading axes of matrices that broadcast together."""
    whole = draw_shape(data, 0, 2, [0, 1, 2, 3])
    cuts = [data.draw(st.integers(0, len(whole)), label="leading axes left out") for _ in range(count)]
    return [tuple(1 if size and data.draw(st.integers(0, 3)) == 0 else size for size in whole[cut:]) for cut in cuts]


def exact(got, want):
    """All elements equal, of any type."""
    for g, w in zip(got, want, strict=True):
        g, w = np.asarray(g), np.asarray(w)
        assert (g.dtype, g.shape) == (w.dtype, w.shape), f"{g.dtype}{g.shape}, expected {w.dtype}{w.shape}"
        if g.dtype.kind not in "biufcOSU":
            g, w = g.astype(np.float64), w.astype(np.float64)
        np.testing.assert_array_equal(g, w)


def check_moved(data, op_type, inputs, attrs, reference, **more):
    """check_case for operators that move elements: any type, and every bit the same."""
    check_case(data, op_type, inputs, attrs, reference, check=exact, **more)


def check_pointwise(data, op_type, reference, attrs=None, oldest=1, dtypes=None, **values):
    """One input, one output of the same dims, of each type that the schema names."""
    opset = draw_opset(data, op_type, oldest)
    x = draw_array(data, dtypes or types_of(op_type, opset), **values)
    check_case(data, op_type, [x], attrs, reference, opset=opset)


def check_broadcast(data, op_type, reference, oldest=7, most=2, least=2, whole=False, **values):
    """Inputs that broadcast together, of each type that the schema names."""
    opset = draw_opset(data, op_type, oldest)
    dtype = data.draw(st.sampled_from(types_of(op_type, opset)), label="dtype")
    draw = draw_whole if whole else draw_values
    inputs = [draw(data, shape, dtype, **values) for shape in draw_broadcast_shapes(data, data.draw(st.integers(least, most), label="count"))]
    check_case(data, op_type, inputs, None, reference, opset=opset)


def check_reduction(data, op_type, reference, axes_are_input=18, dtypes=None, min_size=0, **values):
    """`reference(x, axes, keepdims)` with a tuple of axes; axes as input, as attribute, empty or left out."""
    opset = draw_opset(data, op_type)
    dtype = data.draw(st.sampled_from([t for t in types_of(op_type, opset) if dtypes is None or t in dtypes]), label="dtype")
    x = draw_whole(data, draw_shape(data, min_size=min_size), dtype, **values)
    attrs = {"keepdims": data.draw(st.integers(0, 1), label="keepdims")}
    axes, inputs = draw_axes(data, x.ndim), [x]
    if opset is None or opset >= axes_are_input:
        given = data.draw(st.booleans(), label="axes given")
        inputs, axes = ([x, np.array(axes, np.int64)], axes) if given else ([x], [])
        attrs["noop_with_empty_axes"] = data.draw(st.integers(0, 1), label="noop")
    elif axes:
        attrs["axes"] = axes = [axis % x.ndim for axis in axes] if opset < 11 else axes
    whole = tuple(axes) if axes or attrs.get("noop_with_empty_axes") else tuple(range(x.ndim))
    check_case(data, op_type, inputs, attrs, lambda x, *_, **__: reference(x, whole, bool(attrs["keepdims"])), opset=opset)


def check_loss(data, op_type, reference, outputs=1, **values):
    """`reference(scores, labels, weights or None, reduction, ignored or None)` for losses over classes."""
    opset = draw_opset(data, op_type)
    dtype = data.draw(st.sampled_from(types_of(op_type, opset)), label="dtype")
    batch, classes, *rest = draw_shape(data, 2, 4, SMALL)
    classes = max(classes, 1)
    scores = draw_values(data, (batch, classes, *rest), dtype, **values)
    labels = draw_values(data, (batch, *rest), data.draw(st.sampled_from([np.int32, np.int64])), 0, classes - 1)
    weights = draw_values(data, (classes,), dtype, 1, 2) if data.draw(st.booleans(), label="weights") else None
    attrs = {"reduction": data.draw(st.sampled_from(["none", "sum", "mean"]))}
    ignored = data.draw(st.sampled_from([None, 0, -1, classes + 7]), label="ignore_index")
    if ignored is not None:
        attrs["ignore_index"] = ignored
        labels.reshape(-1)[::3] = ignored
    check_case(data, op_type, [scores, labels, weights], attrs, lambda s, t, w, **_: reference(s, t, w, attrs["reduction"], ignored), outputs, opset)


def draw_axes_to_insert(data, rank):
    """Axes of a result for Unsqueeze, with its rank."""
    more = data.draw(st.integers(0, 3), label="new axes")
    axes = data.draw(st.lists(st.integers(0, rank + more - 1), min_size=more, max_size=more, unique=True)) if more else []
    return [axis - rank - more if data.draw(st.booleans()) else axis for axis in axes], rank + more


def draw_sequence(data, dtype=np.float32, most=5):
    """A list of arrays of one type, each of its own shape."""
    return [draw_any(data, draw_shape(data, 0, 3, SMALL), dtype) for _ in range(data.draw(st.integers(0, most), label="elements"))]
