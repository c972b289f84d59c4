"""Random cases for operator tests: shapes, arrays and attributes drawn by hypothesis, and one check for all of them.

    @given(st.data())
    def test_random(data):
        x = draw_array(data, FLOATS, min_rank=1)
        check_case(data, "Softmax", [x], {"axis": draw_axis(data, x.ndim)}, reference)

How many examples a test draws is set by the profile (conftest.py): a few in the test run, many in scripts/soak.sh.
"""

import ml_dtypes
import numpy as np
from hypothesis import strategies as st
from opgraft.testing import _reference, compare, make_input, run_node
from oracles import onnx_reference

FLOATS = [np.float32, np.float64, np.float16]
ALL_FLOATS = [*FLOATS, ml_dtypes.bfloat16]
SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
INTEGERS = [*SIGNED, *UNSIGNED]
NUMBERS = [*ALL_FLOATS, *INTEGERS]
WHOLE_BYTES = [*NUMBERS, np.bool_]

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
    if low is not None:
        if dtype.kind in "biu":
            return rng.integers(low, high, shape, endpoint=True).astype(dtype)
        return np.asarray(rng.uniform(low, high, shape)).astype(dtype)
    x = np.asarray(make_input(rng, shape, dtype))
    if special and x.size and data.draw(st.integers(0, 9), label="special") == 0:
        flat = x.reshape(-1)
        where = rng.integers(0, x.size, max(1, x.size // 16))
        if dtype.kind in "iu":
            flat[where] = rng.choice([np.iinfo(dtype).min, np.iinfo(dtype).max], len(where)).astype(dtype)
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
    rounded = {k: float(np.float32(v)) if isinstance(v, float) else v for k, v in attrs.items()}
    want = _reference(reference or onnx_reference(op_type, opset, outputs, domain, domain_version), arrays, rounded)
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
