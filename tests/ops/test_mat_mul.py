"""MatMul: NumPy's shapes, all types, constant matrices, odd sizes."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from oracles import check_against_onnxruntime
from random_cases import check_case
from random_more import SMALL, draw_batches, draw_opset, draw_whole, types_of


@pytest.mark.parametrize(
    "a,b",
    [
        ((3, 4), (4, 5)),
        ((1, 64), (64, 17)),
        ((4,), (4,)),
        ((4,), (4, 5)),
        ((3, 4), (4,)),
        ((2, 3, 4), (4, 5)),
        ((2, 3, 4), (2, 4, 5)),
        ((2, 1, 3, 4), (5, 4, 6)),
        ((3, 4), (2, 5, 4, 1)),
        ((1, 1, 3, 4), (2, 3, 4, 5)),
        ((5,), (2, 3, 5, 4)),
        ((2, 3, 4, 5), (5,)),
        ((0, 4), (4, 5)),
        ((3, 0), (0, 5)),
        ((127, 131), (131, 67)),
        ((2, 0, 3, 4), (4, 2)),
    ],
)
def test_shapes_and_types(a, b):
    check_op(
        "MatMul",
        shapes=[[a, b]],
        dtypes=["f32", "f64", "i32", "i64", "u32", "u64", "f16"],
        reference=np.matmul,
    )


@pytest.mark.parametrize("m", [1, 2, 7, 33])
@pytest.mark.parametrize("b", [(64, 31), (1, 64, 16), (3, 64, 16)])
def test_constant_second_operand(m, b):
    rng = np.random.default_rng(m)
    inputs = [
        rng.normal(size=(3, m, 64)).astype(np.float32),
        rng.normal(size=b).astype(np.float32),
    ]
    check_against_onnxruntime("MatMul", inputs, constants=(1,))
    check_against_onnxruntime("MatMul", inputs, constants=(0,))


def test_integers_wrap_around():
    a = np.array([[2**31 - 1, 2]], np.int32)
    b = np.array([[3], [2**30]], np.int32)
    with np.errstate(over="ignore"):
        want = a @ b
    np.testing.assert_array_equal(run_node("MatMul", [a, b])[0], want)


def test_wrong_shapes_name_the_sizes():
    with pytest.raises(opgraft.Error, match="inner sizes 4 and 3 differ"):
        run_node("MatMul", [np.zeros((2, 4), np.float32), np.zeros((3, 5), np.float32)])
    with pytest.raises(opgraft.Error, match="scalar"):
        run_node("MatMul", [np.float32(1), np.zeros((3, 5), np.float32)])


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "MatMul")
    dtype = data.draw(st.sampled_from(types_of("MatMul", opset)), label="dtype")
    m, k, n = (data.draw(st.sampled_from(SMALL), label="size") for _ in range(3))
    batches = draw_batches(data)
    a = (k,) if data.draw(st.integers(0, 5)) == 0 else (*batches[0], m, k)
    b = (k,) if data.draw(st.integers(0, 5)) == 0 else (*batches[1], k, n)
    check_case(data, "MatMul", [draw_whole(data, a, dtype), draw_whole(data, b, dtype)], None, np.matmul, opset=opset)
