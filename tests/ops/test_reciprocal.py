"""Operator Reciprocal."""


from opgraft.testing import check_op


def test_reciprocal():
    check_op(
        "Reciprocal",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        reference=lambda x: 1 / x,
    )
