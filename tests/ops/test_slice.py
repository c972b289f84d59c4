"""Operator Slice."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import draw_axes
from random_more import check_moved, draw_moved, draw_opset

X = np.arange(2 * 7 * 5).astype(np.float32).reshape(2, 7, 5)
FAR = np.iinfo(np.int64).max
CASES = [
    ([0, 1], [2, 4], [0, 1], [1, 2]),
    ([1], [FAR], [1], None),
    ([-3], [-1], [1], [1]),
    ([FAR], [-FAR - 1], [1], [-1]),
    ([5], [0], [1], [-2]),
    ([3], [3], [2], [1]),
    ([0, 0, 0], [1, 2, 3], None, None),
    ([-100], [100], [-1], [3]),
]


def sliced(x, starts, ends, axes, steps):
    index = [slice(None)] * x.ndim
    for i, start in enumerate(starts):
        axis = i if axes is None else axes[i]
        step = 1 if steps is None else steps[i]
        end = ends[i]
        if step < 0 and end < -x.shape[axis]:
            end = None
        index[axis] = slice(start, end, step)
    return x[tuple(index)]


def test_slice():
    for dtype in (np.int64, np.int32):
        limit = np.iinfo(dtype)
        for starts, ends, axes, steps in CASES:
            given = [
                np.clip(np.array(v, np.float64), limit.min, limit.max) if v is not None else None
                for v in (starts, ends)
            ]
            given = [np.array([min(max(v, limit.min), limit.max) for v in values], dtype) for values in (starts, ends)]
            more = [None if v is None else np.array(v, dtype) for v in (axes, steps)]
            want = sliced(X, starts, ends, axes, steps)
            check_op("Slice", inputs=[X, *given, *more], reference=lambda x, *_, w=want: w)


def test_slice_with_attributes():
    attrs = {"starts": [[1, 0]], "ends": [[2, 3]], "axes": [[0, 2]]}
    check_op("Slice", inputs=[X], attrs=attrs, opset=9, reference=lambda x, **_: x[1:2, :, 0:3])


def test_slice_of_strings():
    x = np.array(["a", "b", "c", "d"], object)
    one = np.array([1], np.int64)
    check_op("Slice", inputs=[x, one, np.array([3], np.int64)], reference=lambda x, *_: x[1:3])


def test_a_start_before_the_first_element_with_a_negative_step_is_the_first():
    far = np.array([-FAR - 1], np.int64)
    one = np.array([1], np.int64)
    check_op("Slice", inputs=[X, far, far, one, -one], reference=lambda x, *_: x[:, :1])
    empty = np.zeros((2, 0), np.float32)
    check_op("Slice", inputs=[empty, -one, far, one, -one], reference=lambda x, *_: x)


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Slice") or 28
    x = draw_moved(data, "Slice", opset, min_rank=1)
    axes = draw_axes(data, x.ndim, min_size=1)
    axes = [axis % x.ndim for axis in axes] if opset < 11 else axes
    near = st.integers(-9, 9)
    starts, ends = ([data.draw(st.one_of(near, st.sampled_from([FAR, -FAR - 1]))) for _ in axes] for _ in range(2))
    steps = [data.draw(st.sampled_from([1, 1, 2, 3, -1, -2, FAR, -FAR]) if opset >= 10 else st.just(1)) for _ in axes]

    def reference(x, *_, **__):
        for axis, start, end, step in zip(axes, starts, ends, steps):
            size = x.shape[axis]
            least, most = (0, size) if step > 0 else (-1, size - 1)
            start, end = (v + size if v < 0 else v for v in (start, end))
            x = np.take(x, range(min(max(start, max(least, 0)), most), min(max(end, least), most), step), axis)
        return x

    if opset < 10:
        return check_moved(data, "Slice", [x], {"starts": starts, "ends": ends, "axes": axes}, reference, opset=opset)
    check_moved(data, "Slice", [x, *(np.array(v, np.int64) for v in (starts, ends, axes, steps))], None, reference, opset=opset)
