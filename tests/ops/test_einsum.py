"""Operator Einsum against NumPy."""

import ml_dtypes
import numpy as np
import onnx
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, compare, make_model, run_node
from random_cases import ALL_FLOATS, INTEGERS, check_case, draw_values


def reference(*operands, equation):
    return np.asarray(np.einsum(equation, *operands), operands[0].dtype)


EQUATIONS = [
    ("ij->ji", (3, 5)),
    ("ij", (3, 5)),
    ("ji", (3, 5)),
    ("ij->", (13, 17)),
    ("ij->j", (13, 17)),
    ("ijk->ik", (3, 40, 5)),
    ("ii", (6, 6)),
    ("ii->i", (6, 6)),
    ("iij->j", (4, 4, 3)),
    ("iji->ji", (4, 3, 4)),
    ("Ab -> bA", (2, 3)),
    ("bA", (2, 3)),
    ("...ij->...ji", (2, 3, 4, 5)),
    ("i...->...i", (2, 3, 4)),
    ("i...", (2, 3, 4)),
    ("...", (2, 3)),
    ("i->...i", (3,)),
    ("", ()),
    ("->", ()),
    ("i,i", (7,), (7,)),
    ("i,i->i", (7,), (7,)),
    ("i,j->ij", (7,), (9,)),
    ("i,j->ji", (7,), (9,)),
    ("i,j->", (7,), (9,)),
    (",i->i", (), (3,)),
    (",", (), ()),
    ("ij,jk", (13, 17), (17, 11)),
    ("ij,jk->ik", (64, 65), (65, 66)),
    ("ij,jk->ki", (64, 65), (65, 66)),
    ("ji,jk->ik", (64, 65), (64, 66)),
    ("ij,kj->ik", (64, 65), (66, 65)),
    ("ji,kj->ki", (64, 65), (66, 64)),
    ("ij,j->i", (64, 65), (65,)),
    ("ij,i->j", (64, 65), (64,)),
    ("i,ij->j", (64,), (64, 65)),
    ("j,ij->i", (65,), (64, 65)),
    ("ij,ij->", (13, 17), (13, 17)),
    ("ij,ji->", (13, 17), (17, 13)),
    ("bij,bjk->bik", (3, 5, 7), (3, 7, 9)),
    ("bij,bjk->ikb", (3, 17, 19), (3, 19, 21)),
    ("bi,bi->b", (33, 65), (33, 65)),
    ("bij,bj->bi", (3, 17, 19), (3, 19)),
    ("bhqd,bhkd->bhqk", (2, 3, 17, 16), (2, 3, 19, 16)),
    ("bqhd,bkhd->bhqk", (2, 17, 3, 16), (2, 19, 3, 16)),
    ("bhqk,bkhd->bqhd", (2, 3, 17, 19), (2, 19, 3, 16)),
    ("abc,cd,ad->bd", (3, 4, 5), (5, 6), (3, 6)),
    ("ea,fb,abcd,gc,hd->efgh", (3, 3), (3, 3), (3, 3, 3, 3), (3, 3), (3, 3)),
    ("ij,jk,kl->il", (9, 10), (10, 11), (11, 12)),
    ("ij,k->j", (4, 5), (6,)),
    ("ijk,kji->j", (2, 3, 4), (4, 3, 2)),
    ("...ij,...jk->...ik", (2, 1, 5, 6), (3, 6, 7)),
    ("...ij,jk", (2, 3, 5, 6), (6, 7)),
    ("...i,...i->...", (2, 3), (4, 2, 3)),
    ("i...,j...->ij...", (2, 5), (3, 4, 5)),
    ("ij,jk->ik", (2, 1), (3, 4)),
    ("ij,jk->ik", (0, 3), (3, 4)),
    ("ij,jk->ik", (2, 0), (0, 4)),
    ("ij->", (0, 3)),
    ("i,j->ij", (0,), (3,)),
    ("aab,bcc->ac", (5, 5, 4), (4, 6, 6)),
    ("abxc,abyc->abxy", (1, 5, 1, 7), (1, 5, 2, 7)),
]


@pytest.mark.parametrize("equation,shapes", [(e, s) for e, *s in EQUATIONS], ids=lambda x: str(x).replace(" ", ""))
def test_equations(equation, shapes):
    check_op("Einsum", shapes=[list(shapes)], dtypes=("f32", "f64", "i32"), attrs={"equation": [equation]}, reference=reference, tolerance=1e-5)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.uint32, np.int64, np.uint64, np.float16, ml_dtypes.bfloat16])
def test_types(dtype):
    rng = np.random.default_rng(0)
    a, b = (rng.integers(0, 100 if np.dtype(dtype).kind in "iu" else 9, shape).astype(dtype) for shape in ((5, 40), (40, 6)))
    for equation, operands in (("ij,jk->ik", [a, b]), ("ij,ik->ijk", [a, a]), ("ij->j", [a]), ("ij,ij->i", [a, a])):
        (got,) = run_node("Einsum", operands, {"equation": equation})
        wide = np.einsum(equation, *(x.astype(np.int64) for x in operands))
        if np.dtype(dtype).kind in "iu":
            np.testing.assert_array_equal(got, wide.astype(dtype))
        else:
            compare(got, wide.astype(dtype), 1e-2)


def test_opset_12():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    (got,) = run_node("Einsum", [a, a], {"equation": "ij,kj->ik"}, opset=12)
    np.testing.assert_array_equal(got, a @ a.T)


def test_long_sums_are_accurate():
    x = np.random.default_rng(0).uniform(0, 1, 1_000_003).astype(np.float32)
    (got,) = run_node("Einsum", [x, x], {"equation": "i,i->"})
    compare(got, np.float32(np.dot(x.astype(np.float64), x)), 1e-6)


def test_nan_and_infinity():
    a = np.array([[1, np.inf], [np.nan, 2]], np.float32)
    b = np.array([[1, 0], [3, 4]], np.float32)
    for equation in ("ij,jk->ik", "ij,ij->ij", "ij,ij->i"):
        (got,) = run_node("Einsum", [a, b], {"equation": equation})
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(got, np.einsum(equation, a, b))


def inferred(equation, *shapes):
    from onnx import TensorProto, helper

    infos = [helper.make_tensor_value_info(f"x{i}", TensorProto.FLOAT, shape) for i, shape in enumerate(shapes)]
    node = helper.make_node("Einsum", [f"x{i}" for i in range(len(shapes))], ["y"], equation=equation)
    output = onnx.ValueInfoProto()
    output.name = "y"
    graph = helper.make_graph([node], "test", infos, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return opgraft.InferenceSession(model.SerializeToString()).get_outputs()[0].shape


def test_inference_with_symbols():
    assert inferred("bij,bjk->bik", ["B", 3, "K"], ["B", "K", 5]) == ["B", 3, 5]
    assert inferred("ij,jk", ["M", 4], ["K", "N"]) == ["M", "N"]
    assert inferred("...i,...i->...", ["A", 1, 3], [7, "C", 3]) == [7, "C"]
    assert inferred("ij,jk->jik", ["M", "K"], [4, "N"]) == [4, "M", "N"]


@pytest.mark.parametrize(
    "equation,shapes,text",
    [
        ("ij,jk->ik", [(2, 3)], r'equation "ij,jk->ik" has 2 terms for 1 inputs'),
        ("i", [(2,), (2,)], "has 1 terms for 2 inputs"),
        ("i1->i", [(2, 3)], "has the character '1'; terms are made of letters"),
        ("i..->i", [(2, 3)], r"has the character '\.'"),
        ("......->...", [(2, 3)], "more than one ellipsis"),
        ("ij->ik", [(2, 3)], 'has k in its output, but in no term before "->"'),
        ("ij->ii", [(2, 3)], "has i twice in its output"),
        ("ij->i->j", [(2, 3)], "has the character '-'"),
        ("ijk->i", [(2, 3)], "input 0 has rank 2, its term in the equation has 3 letters"),
        ("...ijk->i...", [(2, 3)], "has 3 letters beside the ellipsis"),
        ("...i->i", [(2, 3)], "stands for 1 axes; the output needs it too"),
        ("ii->i", [(2, 3)], "input 0 repeats i for axes of sizes 2 and 3"),
        ("ij,jk->ik", [(2, 3), (4, 5)], "input 1 has size 4 for j, another input has 3"),
        ("...i,...i->...", [(2, 3), (4, 3)], "input 1 has size 4 for axis 0 of the ellipsis, another input has 2"),
    ],
)
def test_errors(equation, shapes, text):
    for symbolic in (False, True):
        with pytest.raises(opgraft.Error, match=text):
            run_node("Einsum", [np.zeros(shape, np.float32) for shape in shapes], {"equation": equation}, symbolic=symbolic)


def test_intermediate_results_of_hostile_size():
    x = np.zeros(100_000, np.float32)
    model = make_model("Einsum", [x] * 4 + [np.zeros((1, 1, 1, 1), np.float32)], {"equation": "a,b,c,d,abcd->"})
    with pytest.raises(opgraft.Error, match="too|more than|memory|limit"):
        opgraft.InferenceSession(model).run(None, {**{f"x{i}": x for i in range(4)}, "x4": np.zeros((1, 1, 1, 1), np.float32)})


@given(st.data())
def test_random(data):
    letters = "abcdXYZ"
    sizes = {letter: data.draw(st.sampled_from([0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 17])) for letter in letters}
    extra = data.draw(st.lists(st.sampled_from([1, 2, 3]), max_size=2))
    dtype = data.draw(st.sampled_from([*ALL_FLOATS, *INTEGERS]))
    terms, arrays, ellipsis = [], [], False
    for _ in range(data.draw(st.integers(1, 3), label="operands")):
        term = data.draw(st.lists(st.sampled_from(letters), max_size=4))
        shape = [sizes[letter] for letter in term]
        if data.draw(st.integers(0, 3)) == 0:
            at = data.draw(st.integers(0, len(term)))
            kept = extra[data.draw(st.integers(0, len(extra))) :]
            term.insert(at, "...")
            shape[at:at] = [1 if data.draw(st.integers(0, 3)) == 0 else size for size in kept]
            ellipsis = True
        terms.append("".join(term))
        arrays.append(draw_values(data, tuple(shape), dtype, special=False))
    equation = ",".join(terms)
    if data.draw(st.booleans(), label="explicit"):
        used = sorted(set("".join(terms)) - {"."})
        kept = data.draw(st.permutations(used))[: data.draw(st.integers(0, len(used)))]
        if ellipsis:
            kept.insert(data.draw(st.integers(0, len(kept))), "...")
        equation += "->" + "".join(kept)
    counts = [equation.split("->")[0].count(letter) for letter in letters]
    total = np.prod([float(sizes[letter]) for letter, count in zip(letters, counts) if count]) * np.prod([float(x) for x in extra])
    if total > 3e6:
        return

    def wrapping(*operands, equation):
        kind = np.int64 if np.dtype(dtype).kind == "i" else np.uint64 if np.dtype(dtype).kind == "u" else np.float64
        return np.asarray(np.einsum(equation, *(x.astype(kind) for x in operands))).astype(dtype)

    check_case(data, "Einsum", arrays, {"equation": equation}, wrapping, tolerance={2: 2e-2}.get(np.dtype(dtype).itemsize, 1e-5))
