"""Windows of pooling operators, one by one, in Python."""

import itertools

import numpy as np

CASES = [
    ((1, 2, 9, 8), {"kernel_shape": [2, 2]}),
    ((2, 3, 13, 17), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ((1, 2, 9, 8), {"kernel_shape": [3, 2], "strides": [3, 2]}),
    ((1, 2, 10, 11), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    (
        (1, 2, 10, 11),
        {
            "kernel_shape": [3, 3],
            "strides": [2, 3],
            "pads": [1, 1, 1, 1],
            "ceil_mode": 1,
            "count_include_pad": 1,
        },
    ),
    ((1, 2, 4, 4), {"kernel_shape": [1, 1], "strides": [3, 3], "ceil_mode": 1}),
    (
        (1, 2, 12, 11),
        {
            "kernel_shape": [3, 2],
            "dilations": [2, 3],
            "pads": [1, 0, 2, 1],
            "count_include_pad": 1,
        },
    ),
    (
        (1, 2, 12, 11),
        {"kernel_shape": [3, 2], "dilations": [2, 3], "pads": [1, 0, 2, 1]},
    ),
    ((2, 3, 17), {"kernel_shape": [4], "strides": [3], "pads": [2, 1]}),
    (
        (1, 2, 5, 6, 7),
        {"kernel_shape": [2, 3, 2], "strides": [1, 2, 2], "pads": [0, 1, 0, 1, 1, 1]},
    ),
    ((1, 1, 1, 1), {"kernel_shape": [1, 1]}),
    ((0, 2, 4, 4), {"kernel_shape": [2, 2]}),
]


def windows_of(x, kernel_shape, reduce, strides=None, pads=None, dilations=None, ceil_mode=0, **_):
    """reduce(values inside the input, taps, taps inside the padded input) for each window."""
    n = len(kernel_shape)
    strides, dilations, pads = (
        strides or [1] * n,
        dilations or [1] * n,
        pads or [0] * (2 * n),
    )
    out = []
    for i in range(n):
        room = x.shape[2 + i] + pads[i] + pads[n + i] - dilations[i] * (kernel_shape[i] - 1) - 1
        size = (-(-room // strides[i]) if ceil_mode else room // strides[i]) + 1
        if ceil_mode and (size - 1) * strides[i] >= x.shape[2 + i] + pads[i]:
            size -= 1
        out.append(size)
    y = np.zeros([*x.shape[:2], *out])
    for at in itertools.product(*(range(d) for d in y.shape)):
        inside, padded = [], 0
        for tap in itertools.product(*(range(k) for k in kernel_shape)):
            place = [at[2 + i] * strides[i] - pads[i] + tap[i] * dilations[i] for i in range(n)]
            if all(p < x.shape[2 + i] + pads[n + i] for i, p in enumerate(place)):
                padded += 1
            if all(0 <= p < x.shape[2 + i] for i, p in enumerate(place)):
                inside.append(x[(*at[:2], *place)])
        y[at] = reduce(inside, int(np.prod(kernel_shape)), padded)
    return y
