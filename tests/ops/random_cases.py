"""Random cases for operator tests: shapes, arrays and attributes drawn by hypothesis, and one check for all of them.

    @given(st.data())
    def test_random(data):
        x = draw_array(data, FLOATS, min_rank=1)
        check_case(data, "Softmax", [x], {"axis": draw_axis(data, x.ndim)}, reference)

Operators of one kind share a check: check_unary, check_binary. How many examples a test draws is set by the profile (conftest.py): a few in the test run, many in scripts/soak.sh.
"""

import functools
import inspect

import ml_dtypes
import numpy as np
import onnx
from hypothesis import strategies as st
from opgraft import _arrays
from opgraft.testing import _reference, compare, make_input, run_node
from oracles import onnx_reference

FLOATS = [np.float32, np.float64, np.float16]
ALL_FLOATS = [*FLOATS, ml_dtypes.bfloat16]
SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
INTEGERS = [*SIGNED, *UNSIGNED]
NUMBERS = [*ALL_FLOATS, *INTEGERS]
WHOLE_BYTES = [*NUMBERS, np.bool_]
ANY = [*WHOLE_BYTES, object]  # object: strings

# Sizes at which loops and vectors end differently, zero among them.
SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65]
LARGEST = 20_000  # elements of one array

cases = 0  # how many have been checked in this process


def draw_shape(data, min_rank=0, max_rank=4, sizes=SIZES, min_size=0):
    """A shape of at most LARGEST elements; sizes below min_size do not occur."""
    shape, room = [], LARGEST
    for _ in range(data.draw(st.integers(min_rank, max_rank), label="rank")):
        size = data.draw(st.sampled_from([s for s in sizes if s >= min_size and s <= max(room, 1)]), label="size")
        room //= max(size, 1)
        shape.append(size)
    return tuple(shape)


def draw_values(data, shape, dtype, low=None, high=None, special=True):
    """An array of this shape; with low and high uniform between them, else around zero, now and then with NaN,
    infinities or the largest and smallest integers."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1), label="seed"))
    dtype = np.dtype(dtype)
    if dtype.kind == "O":
        return rng.choice(np.array(["", "a", "\u00e4\u00f6", "a text that is too long for a small buffer"], object), shape)
    if low is not None:
        if dtype.kind in "biu":
            return rng.integers(low, high, shape, np.uint64 if high >= 2**63 else np.int64, endpoint=True).astype(dtype)
        return np.asarray(rng.uniform(low, high, shape)).astype(dtype)
    x = np.asarray(make_input(rng, shape, dtype))
    if special and x.size and data.draw(st.integers(0, 9), label="special") == 0:
        flat = x.reshape(-1)
        where = rng.integers(0, x.size, max(1, x.size // 16))
        if dtype.kind in "iu":
            flat[where] = rng.choice(np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], dtype), len(where))
        elif dtype.kind != "b":
            flat[where] = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], len(where)).astype(dtype)
    return x


def draw_array(data, dtypes, min_rank=0, max_rank=4, min_size=0, **values):
    """An array of a random shape and one of the types; `values`: arguments of draw_values."""
    shape = draw_shape(data, min_rank, max_rank, min_size=min_size)
    return draw_values(data, shape, data.draw(st.sampled_from(dtypes), label="dtype"), **values)


def draw_axis(data, rank):
    """An axis from -rank to rank-1; of rank 0: 0."""
    return data.draw(st.integers(-rank, rank - 1), label="axis") if rank else 0


def draw_axes(data, rank, min_size=0):
    """Different axes in any order, some counted from the end."""
    axes = data.draw(st.lists(st.integers(0, rank - 1), unique=True, min_size=min_size, max_size=rank)) if rank else []
    return [axis - rank if data.draw(st.booleans()) else axis for axis in axes]


def draw_broadcast_shapes(data, count, max_rank=4):
    """Shapes that broadcast together."""
    whole = draw_shape(data, 0, max_rank)
    shapes = []
    for _ in range(count):
        kept = whole[data.draw(st.integers(0, len(whole)), label="leading axes left out") :]
        shapes.append(tuple(1 if size != 0 and data.draw(st.integers(0, 3)) == 0 else size for size in kept))
    return shapes


def draw_attrs(data, **choices):
    """Attributes, each left out now and then; a choice is a list of values or a pair of bounds of a float."""
    attrs = {}
    for name, choice in choices.items():
        if data.draw(st.integers(0, 3), label=f"{name} is given"):
            values = st.sampled_from(choice) if isinstance(choice, list) else st.floats(*choice, width=32)
            attrs[name] = data.draw(values, label=name)
    return attrs


def draw_windows(data, spatial, dilated=True, padded=True):
    """(sizes, attributes): windows of every stride, dilation and padding, and sizes of an image that has room for them."""

    def numbers(low, high, label, count=spatial):
        return data.draw(st.lists(st.integers(low, high), min_size=count, max_size=count), label=label)

    kernel = numbers(1, 4, "kernel_shape")
    strides, dilations = numbers(1, 3, "strides"), numbers(1, 3 if dilated else 1, "dilations")
    pads = [data.draw(st.integers(0, k - 1 if padded else 0), label="pad") for k in kernel * 2]
    extents = [d * (k - 1) + 1 - pads[i] - pads[spatial + i] for i, (k, d) in enumerate(zip(kernel, dilations))]
    sizes = [max(extent, 1) + more for extent, more in zip(extents, numbers(0, 12 // spatial, "more"))]
    attrs = {"kernel_shape": kernel, "strides": strides, "dilations": dilations, "pads": pads}
    if not dilated:
        del attrs["dilations"]
    if data.draw(st.booleans(), label="defaults left out"):
        attrs = {k: v for k, v in attrs.items() if k == "kernel_shape" or len({*v} - {0 if k == "pads" else 1})}
    return sizes, attrs


def draw_auto_pad(data, attrs):
    """Attributes as draw_windows gives them, now and then with auto_pad in place of pads."""
    auto_pad = data.draw(st.sampled_from(["NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"]), label="auto_pad")
    return attrs if auto_pad == "NOTSET" else {k: v for k, v in attrs.items() if k != "pads"} | {"auto_pad": auto_pad}


def explicit_pads(sizes, auto_pad="NOTSET", **attrs):
    """Attributes with the pads that auto_pad means for an image of these sizes."""
    if not auto_pad.startswith("SAME"):
        return attrs
    ones = [1] * len(sizes)
    totals = [
        max(0, (-(-size // stride) - 1) * stride + dilation * (kernel - 1) + 1 - size)
        for size, kernel, stride, dilation in zip(sizes, attrs["kernel_shape"], attrs.get("strides", ones), attrs.get("dilations", ones))
    ]
    less, more = [total // 2 for total in totals], [total - total // 2 for total in totals]
    return attrs | {"pads": less + more if auto_pad == "SAME_UPPER" else more + less}


@functools.cache
def _versions(op_type):
    return {onnx.defs.get_schema(op_type, v, "").since_version: v for v in range(1, 29) if onnx.defs.has(op_type, v, "")}


def draw_opset(data, op_type, since=1):
    """None (the newest) or, now and then, one of an older version of the operator that is no older than `since`."""
    older = [opset for version, opset in _versions(op_type).items() if version >= since]
    return data.draw(st.sampled_from([None, None, None, *older]), label="opset")


def types_of(op_type, opset, dtypes, parameter=0):
    """Those of the types that an input of the operator may have in this opset."""
    schema = onnx.defs.get_schema(op_type, opset or 28, "")
    names = {d: onnx.TensorProto.DataType.Name(_arrays.dtype_code(np.dtype(d))).lower() for d in dtypes}
    return [d for d in dtypes if f"tensor({names[d]})" in schema.inputs[parameter].types]


def _float_defaults(op_type, opset, domain, reference):
    """Defaults of float attributes that the reference names: they are float32, 0.01 is 0.009999999776482582."""
    if reference is None or not onnx.defs.has(op_type, opset or 28, domain):
        return {}
    attributes = onnx.defs.get_schema(op_type, opset or 28, domain).attributes.values()
    named = () if isinstance(reference, np.ufunc) else inspect.signature(reference).parameters
    return {a.name: a.default_value.f for a in attributes if a.name in named and a.default_value.type == onnx.AttributeProto.FLOAT}


def check_unary(data, op_type, reference, dtypes=ALL_FLOATS, attrs=None, since=1, tolerance=None, **values):
    """A random case of an operator with one input, `reference(x, **attrs)`; `values`: arguments of draw_array."""
    opset = draw_opset(data, op_type, since)
    x = draw_array(data, types_of(op_type, opset, dtypes), **values)
    check_case(data, op_type, [x], attrs, reference, opset=opset, tolerance=tolerance)


def _check_old_broadcast(data, op_type, reference, dtype, opset):
    """Before opset 7 only the second input was spread, and along axes from `axis` on."""
    a = draw_values(data, draw_shape(data), dtype)
    axis = data.draw(st.integers(0, a.ndim), label="axis")
    shape = a.shape[axis : data.draw(st.integers(axis, a.ndim), label="end")]
    aligned = (*shape, *[1] * (a.ndim - axis - len(shape)))
    attrs = {"broadcast": 1} | ({} if len(shape) in (0, a.ndim - axis) else {"axis": axis})
    inputs = [a, draw_values(data, shape, dtype)]
    check_case(data, op_type, inputs, attrs, lambda a, b, **_: reference(a, b.reshape(aligned)), opset=opset)


def check_binary(data, op_type, reference, dtypes=NUMBERS, attrs=None, since=1, **values):
    """A random case of an operator with two inputs that broadcast."""
    opset = draw_opset(data, op_type, since)
    dtype = data.draw(st.sampled_from(types_of(op_type, opset, dtypes)), label="dtype")
    if opset and opset < 7:
        return _check_old_broadcast(data, op_type, reference, dtype, opset)
    inputs = [draw_values(data, shape, dtype, **values) for shape in draw_broadcast_shapes(data, 2)]
    check_case(data, op_type, inputs, attrs, reference, opset=opset)


def in_memory(data, x):
    """The same array laid out otherwise: reversed, transposed or with gaps."""
    if x is None or x.ndim == 0 or x.dtype.kind in "OSU":
        return x
    way = data.draw(st.sampled_from(["plain", "plain", "fortran", "reversed", "gaps"]), label="layout")
    if way == "fortran":
        return np.asfortranarray(x)
    if way == "reversed":
        return np.ascontiguousarray(x[::-1])[::-1]
    if way == "gaps":
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    return x


def check_case(data, op_type, inputs, attrs=None, reference=None, outputs=1, opset=None, domain="", domain_version=1, tolerance=None, check=None):
    """Runs one node, in a random way (dims known or not, kernel or body, 1 or 2 threads, any layout of the inputs), and
    compares all outputs with `reference(*arrays, **attrs)`, by default onnx's own evaluator. `check(got, want)` replaces
    the comparison of the lists of outputs."""
    global cases
    attrs = attrs or {}
    arrays = [None if x is None else np.asarray(x) for x in inputs]
    rounded = _float_defaults(op_type, opset, domain, reference)
    rounded |= {k: float(np.float32(v)) if isinstance(v, float) else v for k, v in attrs.items()}
    with np.errstate(all="ignore"):
        want = _reference(reference or onnx_reference(op_type, opset, outputs, domain, domain_version), arrays, rounded)
    want = [w.astype(object) if w.dtype.kind == "U" else w for w in want]  # NumPy's strings of rank 0
    got = run_node(
        op_type,
        [in_memory(data, x) for x in arrays],
        attrs,
        domain,
        opset,
        outputs,
        symbolic=data.draw(st.booleans(), label="symbolic"),
        prefer_bodies=data.draw(st.booleans(), label="prefer_bodies"),
        domain_version=domain_version,
        threads=data.draw(st.integers(1, 2), label="threads"),
    )
    cases += 1
    if check:
        return check(got, want)
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        compare(g, w, tolerance, f"{op_type} {attrs} output {i}")
