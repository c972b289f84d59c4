"""Cases that Adagrad, Adam and Momentum share: groups of tensors in one call."""

import numpy as np
import opgraft
import pytest
from hypothesis import strategies as st
from opgraft.testing import compare, run_node
from random_cases import draw_shape, draw_values

DOMAIN = "ai.onnx.preview.training"


def wanted(step, groups, rate, count, **attrs):
    """Outputs of `step(x, gradient, *state)`, which returns x and state, in the operator's order."""
    results = [[np.asarray(y) for y in step(rate, count, *(v.astype(np.float64) for v in group), **attrs)] for group in groups]
    return [y.astype(group[0].dtype) for column, _ in zip(zip(*results), results[0]) for y, group in zip(column, groups)]


def check_groups(op_type, step, groups, rate=0.1, count=3, rate_type=np.float32, tolerance=None, **attrs):
    """Runs the operator on all groups at once and compares with one step of each."""
    columns = [x for column in zip(*groups) for x in column]
    rounded = {k: float(np.float32(v)) if isinstance(v, float) else v for k, v in attrs.items()}
    rate = np.array(rate, rate_type)
    want = wanted(step, groups, np.float64(rate), count, **rounded)
    for symbolic in (False, True):
        got = run_node(op_type, [rate, np.array(count), *columns], attrs, DOMAIN, outputs=len(want), symbolic=symbolic)
        for i, (g, w) in enumerate(zip(got, want, strict=True)):
            compare(g, w, tolerance, f"{op_type} {attrs} output {i}")


def groups_of(kinds, shapes, dtypes=(np.float32,), seed=0):
    """One group a shape; the last kind, a sum of squares, is positive."""
    rng = np.random.default_rng(seed)
    made = []
    for i, shape in enumerate(shapes):
        group = [rng.normal(size=shape).astype(dtypes[i % len(dtypes)]) for _ in range(kinds)]
        made.append([*group[:-1], np.abs(group[-1])])
    return made


def draw_groups(data, kinds):
    groups = []
    for _ in range(data.draw(st.integers(1, 3), label="groups")):
        shape, dtype = draw_shape(data, 0, 3), data.draw(st.sampled_from([np.float32, np.float64]))
        group = [draw_values(data, shape, dtype, special=False) for _ in range(kinds)]
        groups.append([*group[:-1], np.abs(group[-1])])
    return groups


def check_errors(op_type, kinds, attrs):
    """Wrong counts, types and dims of inputs."""
    rate, count, x = np.float32(0.1), np.array(1), np.zeros(3, np.float32)

    def run(*inputs, outputs=1):
        run_node(op_type, list(inputs), attrs, DOMAIN, outputs=outputs)

    with pytest.raises(opgraft.Error, match=f"there are {kinds + 1} inputs after R and T; they must be {kinds} for each tensor"):
        run(rate, count, *[x] * (kinds + 1))
    with pytest.raises(opgraft.Error, match=f"there are {kinds} outputs; 1 tensors have {kinds - 1}"):
        run(rate, count, *[x] * kinds, outputs=kinds)
    with pytest.raises(opgraft.Error, match=r"input 3 has dims \[4\], but its tensor, input 2, has \[3\]"):
        run(rate, count, x, np.zeros(4, np.float32), *[x] * (kinds - 2))
    with pytest.raises(opgraft.Error, match="input 3 is double, but its tensor, input 2, is float"):
        run(rate, count, x, x.astype(np.float64), *[x] * (kinds - 2))
    with pytest.raises(opgraft.Error, match=r"R must be one number, it has dims \[2\]"):
        run(np.zeros(2, np.float32), count, *[x] * kinds)
