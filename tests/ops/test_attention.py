"""Operator Attention: kernel and body against NumPy, on all ways of masking, caching and sharing heads."""

import ml_dtypes
import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, compare, run_node
from random_cases import ALL_FLOATS, check_case, draw_values


def split(x, heads):
    return x.reshape(*x.shape[:2], heads, x.shape[2] // heads).transpose(0, 2, 1, 3)


def attention(q, k, v, mask=None, past_key=None, past_value=None, filled=None, **attrs):
    """Y, present_key, present_value and qk_matmul_output, one query at a time."""
    flat = q.ndim == 3
    if flat:
        q, k, v = split(q, attrs["q_num_heads"]), split(k, attrs["kv_num_heads"]), split(v, attrs["kv_num_heads"])
    past = 0
    if past_key is not None:
        past = past_key.shape[2]
        k, v = np.concatenate([past_key, k], 2), np.concatenate([past_value, v], 2)
    batch, q_heads, length, width = q.shape
    total, group = k.shape[2], q_heads // max(k.shape[1], 1)
    scale = attrs.get("scale", 1 / np.sqrt(max(width, 1)))
    cap, mode = attrs.get("softcap", 0), attrs.get("qk_matmul_output_mode", 0)
    left, right = attrs.get("left_window_size", -1), attrs.get("right_window_size", -1)
    if mask is not None:
        bias = np.where(mask, 0.0, -np.inf) if mask.dtype == bool else mask.astype(np.float64)
        bias = np.concatenate([bias, np.full((*bias.shape[:-1], total - bias.shape[-1]), -np.inf)], -1)
        bias = np.broadcast_to(bias, (batch, q_heads, length, total))
    y, scores = np.zeros((batch, q_heads, length, v.shape[3])), np.zeros((batch, q_heads, length, total))
    columns = np.arange(total)
    for b, h, i in np.ndindex(batch, q_heads, length):
        at = i + (past if filled is None else int(filled[b]) - length)
        seen = columns < (total if filled is None else filled[b])
        if attrs.get("is_causal"):
            seen &= columns <= at
        if left >= 0:
            seen &= columns >= at - left
        if right >= 0:
            seen &= columns <= at + right
        raw = k[b, h // group] @ q[b, h, i] * scale
        capped = cap * np.tanh(raw / cap) if cap > 0 else raw
        masked = np.where(seen, capped if mask is None else capped + bias[b, h, i], -np.inf)
        alive = seen if mask is None else seen & (bias[b, h, i] > -np.inf)
        weights = np.zeros(total)
        if alive.any():
            weights = np.exp(masked - masked.max())
            weights /= weights.sum()
        y[b, h, i] = weights @ v[b, h // group]
        scores[b, h, i] = (raw, capped, masked, weights)[mode]
    if flat:
        y = y.transpose(0, 2, 1, 3).reshape(batch, length, q_heads * v.shape[3])
    return y, k, v, scores


def arrays(shape_q, shape_k, shape_v, dtype=np.float32, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(dtype) for shape in (shape_q, shape_k, shape_v)]


def check(inputs, tolerance=None, **attrs):
    check_op("Attention", inputs, attrs={k: [v] for k, v in attrs.items()}, reference=attention, outputs=4, tolerance=tolerance)


@pytest.mark.parametrize("heads", [(4, 4), (6, 2), (3, 1)])
@pytest.mark.parametrize("length,total", [(1, 1), (1, 300), (5, 9), (70, 600), (130, 257)])
def test_sizes(heads, length, total):
    q, k, v = arrays((2, heads[0], length, 16), (2, heads[1], total, 16), (2, heads[1], total, 12))
    check([q, k, v])
    check([q, k, v], is_causal=1)


@pytest.mark.parametrize("heads", [(4, 4), (6, 2)])
@pytest.mark.parametrize("length,total", [(1, 40), (20, 30)])
def test_inputs_of_three_axes(heads, length, total):
    inputs = arrays((2, length, heads[0] * 8), (2, total, heads[1] * 8), (2, total, heads[1] * 5))
    check(inputs, q_num_heads=heads[0], kv_num_heads=heads[1])
    check([*inputs, None, *arrays((2, heads[1], 7, 8), (2, heads[1], 7, 5), (1,))[:2]], q_num_heads=heads[0], kv_num_heads=heads[1])


@pytest.mark.parametrize("dtype", ALL_FLOATS)
def test_types(dtype):
    check(arrays((1, 2, 20, 8), (1, 2, 30, 8), (1, 2, 30, 8), dtype), tolerance=None if dtype != ml_dtypes.bfloat16 else 3e-2)


def test_value_of_another_type():
    q, k, v = arrays((1, 2, 3, 8), (1, 2, 4, 8), (1, 2, 4, 8))
    for q_type, v_type in [(np.float64, np.float32), (np.float32, np.float64), (np.float16, np.float32), (np.float32, np.float16)]:
        given_inputs = [q.astype(q_type), k.astype(q_type), v.astype(v_type)]
        want = attention(*(x.astype(np.float64) for x in given_inputs))
        for prefer_bodies in (False, True):
            got = run_node("Attention", given_inputs, outputs=3, prefer_bodies=prefer_bodies)
            for g, w, dtype in zip(got, want, (q_type, q_type, v_type)):
                compare(g, w.astype(dtype), 2e-3)


@pytest.mark.parametrize("mask_shape", [(9,), (5, 9), (1, 9), (4, 5, 9), (1, 5, 9), (2, 4, 5, 9), (2, 1, 1, 9), (2, 1, 5, 6), (3,), (0,)])
@pytest.mark.parametrize("dtype", [np.float32, np.bool_])
@pytest.mark.parametrize("mode", [0, 2, 3])
def test_masks(mask_shape, dtype, mode):
    rng = np.random.default_rng(1)
    mask = rng.normal(size=mask_shape).astype(np.float32) if dtype == np.float32 else rng.random(mask_shape) < 0.6
    inputs = arrays((2, 4, 5, 8), (2, 2, 9, 8), (2, 2, 9, 8))
    check([*inputs, mask], qk_matmul_output_mode=mode, softcap=1.5)
    check([*inputs, mask], qk_matmul_output_mode=mode, is_causal=1)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16, ml_dtypes.bfloat16, np.float64])
def test_masks_of_any_number(dtype):
    mask = np.array([[0, 1, 2], [3, 2, 1]], dtype)
    check([*arrays((1, 1, 2, 4), (1, 1, 4, 4), (1, 1, 4, 4)), mask], tolerance=1e-5)
    check([*arrays((1, 1, 2, 4), (1, 1, 4, 4), (1, 1, 4, 4), np.float64), mask], tolerance=1e-12)


def test_a_query_that_sees_nothing_gets_zeros():
    q, k, v = arrays((1, 1, 3, 4), (1, 1, 3, 4), (1, 1, 3, 4))
    q[0, 0, 1] = np.inf  # not even these scores matter
    for mask in (np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1]], bool), np.array([[0], [-np.inf], [0]], np.float32).repeat(3, 1)):
        for prefer_bodies in (False, True):
            y, weights = (run_node("Attention", [q, k, v, mask], {"qk_matmul_output_mode": 3}, outputs=4, prefer_bodies=prefer_bodies)[i] for i in (0, 3))
            assert (y[0, 0, 1] == 0).all() and (weights[0, 0, 1] == 0).all()
            assert np.isfinite(y).all()


def test_what_is_not_filled_is_not_read():
    q, k, v = arrays((2, 2, 20, 4), (2, 2, 8, 4), (2, 2, 8, 4))
    k[0, :, 5:] = v[0, :, 5:] = np.nan
    filled = np.array([5, 8])
    want = attention(q, np.nan_to_num(k), np.nan_to_num(v), filled=filled)[0]
    compare(run_node("Attention", [q, k, v, None, None, None, filled])[0], want.astype(np.float32))
    compare(run_node("Attention", [q[:, :, :1], k, v, None, None, None, filled])[0], want[:, :, :1].astype(np.float32))


@pytest.mark.parametrize("length", [1, 3, 12])
@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("window", [(-1, -1), (0, 0), (2, -1), (-1, 1), (3, 2), (2**62, 2**62)])
def test_windows_and_caches(length, causal, window):
    q, k, v = arrays((2, 4, length, 8), (2, 2, 10, 8), (2, 2, 10, 6))
    attrs = {"is_causal": causal, "left_window_size": window[0], "right_window_size": window[1]}
    check([q, k, v], **attrs)
    check([q, k, v, None, None, None, np.array([4, 10])], **attrs, qk_matmul_output_mode=3)
    check([q, k, v, None, None, None, np.array([0, 10])], **attrs, qk_matmul_output_mode=2)
    check([q, k, v, None, *arrays((2, 2, 5, 8), (2, 2, 5, 6), (1,), seed=1)[:2]], **attrs)


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
@pytest.mark.parametrize("length", [4, 40])
def test_scores(mode, length):
    q, k, v = arrays((1, 2, length, 8), (1, 2, 300, 8), (1, 2, 300, 8))
    check([q, k, v], qk_matmul_output_mode=mode, softcap=0.7, is_causal=1, left_window_size=3, scale=0.5)
    check([q, k, v, None, None, None, np.array([280])], qk_matmul_output_mode=mode, softcap=0.7)


def test_past_without_presents():
    q, k, v = arrays((2, 4, 3, 8), (2, 2, 4, 8), (2, 2, 4, 6))
    past = arrays((2, 2, 5, 8), (2, 2, 5, 6), (1,), seed=1)[:2]
    want = attention(q, k, v, None, *past)
    for length in (1, 3):
        (y,) = run_node("Attention", [q[:, :, :length], k, v, None, *past])
        compare(y, want[0][:, :, :length].astype(np.float32))
    compare(run_node("Attention", [q, k, v, None, *past], outputs=2)[1], want[1].astype(np.float32))


@pytest.mark.parametrize("shapes", [((0, 2, 3, 4), (0, 2, 5, 4)), ((1, 2, 0, 4), (1, 2, 5, 4)), ((1, 2, 3, 4), (1, 2, 0, 4)), ((1, 2, 3, 0), (1, 2, 5, 0)), ((1, 0, 3, 4), (1, 0, 5, 4))])
def test_sizes_of_zero(shapes):
    q, k, v = arrays(shapes[0], shapes[1], shapes[1])
    check([q, k, v])
    check([q, k, np.ones((*shapes[1][:3], 3), np.float32)], is_causal=1)


@pytest.mark.parametrize("precision", [1, 10, 11, 16])
def test_softmax_precision(precision):
    inputs = arrays((1, 2, 20, 8), (1, 2, 30, 8), (1, 2, 30, 8))
    check(inputs, softmax_precision=precision, tolerance=2e-2 if precision in (10, 16) else 1e-5)


def test_old_versions():
    q, k, v = arrays((1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4))
    past = arrays((1, 2, 2, 4), (1, 2, 2, 4), (1,), seed=1)[:2]
    mask = np.random.default_rng(0).normal(size=(3, 1)).astype(np.float32)
    check_op("Attention", [q, k, v], attrs={"is_causal": [0, 1]}, reference=attention, outputs=4, opset=24)
    check_op("Attention", [q, k, v, None, *past], attrs={"is_causal": [0, 1]}, reference=attention, outputs=4, opset=23)
    # The last axis of the mask broadcasts in version 23, and is filled up afterwards.
    for opset, wide in ((23, mask.repeat(7, 1)), (24, mask)):
        want = attention(q, k, v, wide, *past)[0].astype(np.float32)
        compare(run_node("Attention", [q, k, v, mask, *past], opset=opset)[0], want)


@pytest.mark.parametrize(
    "change,attrs,text",
    [
        ({0: (1, 2, 3)}, {}, r"must all have 3 or all have 4 axes"),
        ({0: (1, 3, 3, 4)}, {}, "3 query heads must be a multiple of the 2 heads"),
        ({1: (2, 2, 5, 4)}, {}, "the batch sizes of Q and K differ: 1 and 2"),
        ({1: (1, 2, 6, 4)}, {}, "the sequence lengths of K and V differ: 6 and 5"),
        ({1: (1, 2, 5, 3)}, {}, "the head sizes of Q and K differ: 4 and 3"),
        ({2: (1, 1, 5, 4)}, {}, "the heads of K and V differ: 2 and 1"),
        ({3: (2, 5)}, {}, r"attn_mask \[2,5\] does not broadcast to \[1,2,3,5\]"),
        ({3: (6,)}, {}, r"attn_mask \[6\] does not broadcast"),
        ({4: (1, 2, 1, 4)}, {}, "past_key and past_value must be given together"),
        ({4: (1, 2, 1, 4), 5: (1, 2, 2, 4)}, {}, "lengths of past_key and past_value differ: 1 and 2"),
        ({4: (1, 2, 1), 5: (1, 2, 2, 4)}, {}, r"past_key must be \[batch, heads, length, head size\]"),
        ({}, {"qk_matmul_output_mode": 4}, "qk_matmul_output_mode = 4 must be 0, 1, 2 or 3"),
        ({}, {"softmax_precision": 7}, "softmax_precision = 7 must be 1"),
        ({}, {"left_window_size": -2}, "left_window_size = -2 must be -1"),
        ({}, {"q_num_heads": 3}, "axis 1 and q_num_heads differ: 2 and 3"),
        ({0: (1, 3, 8), 1: (1, 5, 8), 2: (1, 5, 8)}, {"q_num_heads": 2}, "kv_num_heads is not given"),
        ({0: (1, 3, 8), 1: (1, 5, 8), 2: (1, 5, 8)}, {"q_num_heads": 3, "kv_num_heads": 1}, "8, does not divide into 3 heads"),
        ({0: (1, 3, 8), 1: (1, 5, 8), 2: (1, 5, 8)}, {"q_num_heads": -1, "kv_num_heads": 1}, "q_num_heads = -1: with inputs of 3 axes"),
    ],
)
def test_errors(change, attrs, text):
    shapes = {0: (1, 2, 3, 4), 1: (1, 2, 5, 4), 2: (1, 2, 5, 4)} | change
    inputs = [np.zeros(shapes[i], np.float32) if i in shapes else None for i in range(max(shapes) + 1)]
    for symbolic in (False, True):
        with pytest.raises(opgraft.Error, match=text):
            run_node("Attention", inputs, attrs, symbolic=symbolic)


def test_wrong_lengths():
    q, k, v = arrays((2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4))
    for wrong in (-1, 6, 2**62):
        with pytest.raises(opgraft.Error, match=rf"nonpad_kv_seqlen holds {wrong}, it must be in \[0, 5\]"):
            run_node("Attention", [q, k, v, None, None, None, np.array([1, wrong])])
    with pytest.raises(opgraft.Error, match="it cannot go with past_key"):
        run_node("Attention", [q, k, v, None, k, v, np.array([1, 2])])
    with pytest.raises(opgraft.Error, match="batch sizes of Q and nonpad_kv_seqlen differ"):
        run_node("Attention", [q, k, v, None, None, None, np.array([1])])


@given(st.data())
def test_random(data):
    def size(low, *sizes):
        return data.draw(st.sampled_from([low, *sizes]))

    batch, kv_heads, group = size(1, 2, 0), size(1, 2, 3), size(1, 2, 5)
    length, fresh, width, value_width = size(1, 0, 2, 7, 33, 100), size(1, 0, 3, 16, 65, 300), size(4, 1, 8, 0, 17), size(4, 1, 8, 0, 17)
    past = data.draw(st.sampled_from([None, None, 0, 1, 9]))
    total = fresh + (past or 0)
    dtype = data.draw(st.sampled_from(ALL_FLOATS))
    flat = data.draw(st.booleans())

    def array(*shape):
        return draw_values(data, shape, dtype, low=-1, high=1)

    attrs = {}
    if flat:
        attrs |= {"q_num_heads": kv_heads * group, "kv_num_heads": kv_heads}
        inputs = [array(batch, length, kv_heads * group * width), array(batch, fresh, kv_heads * width), array(batch, fresh, kv_heads * value_width)]
    else:
        inputs = [array(batch, kv_heads * group, length, width), array(batch, kv_heads, fresh, width), array(batch, kv_heads, fresh, value_width)]
    mask = None
    if data.draw(st.booleans()):
        whole = [batch, kv_heads * group, length]
        lead = [1 if data.draw(st.integers(0, 2)) == 0 else n for n in whole][data.draw(st.integers(0, 3)) :]
        columns = data.draw(st.sampled_from([total, total, total // 2]))
        mask = draw_values(data, (*lead, columns), data.draw(st.sampled_from([np.bool_, dtype, np.int8])), low=0, high=1)
    caches = [None, None] if past is None else [array(batch, kv_heads, past, width), array(batch, kv_heads, past, value_width)]
    filled = None
    if past is None and data.draw(st.booleans()):
        filled = np.array([data.draw(st.integers(0, total)) for _ in range(batch)], np.int64)
    for name, values in {"is_causal": [0, 1], "left_window_size": [-1, 0, 2, 50], "right_window_size": [-1, 0, 2], "qk_matmul_output_mode": [0, 1, 2, 3], "softcap": [0.0, 0.5], "scale": [0.3, -0.5]}.items():
        if data.draw(st.booleans()):
            attrs[name] = data.draw(st.sampled_from(values))
    inputs += [mask, *caches, filled]
    while inputs[-1] is None:
        inputs.pop()
    outputs = data.draw(st.sampled_from([1, 3, 4]))
    tolerance = {np.float32: 2e-5, np.float64: 1e-11, np.float16: 1e-2}.get(dtype, 4e-2)
    check_case(data, "Attention", inputs, attrs, lambda *a, **k: attention(*a, **k)[:outputs], outputs, tolerance=tolerance)
