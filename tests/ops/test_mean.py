"""Operator Mean."""

from opgraft.testing import check_op


def test_mean():
    shapes = [[(3, 4)], [(3, 4), (4,)], [(2, 1), (1, 5), (2, 5)], [(0, 3), (3,)]]
    check_op("Mean", shapes=shapes, dtypes=["f32", "f64", "f16"], reference=lambda *x: sum(x) / len(x))
