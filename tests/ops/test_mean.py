"""Operator Mean."""

from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_broadcast


def test_mean():
    shapes = [[(3, 4)], [(3, 4), (4,)], [(2, 1), (1, 5), (2, 5)], [(0, 3), (3,)]]
    check_op("Mean", shapes=shapes, dtypes=["f32", "f64", "f16"], reference=lambda *x: sum(x) / len(x))


@given(st.data())
def test_random(data):
    check_broadcast(data, "Mean", lambda *xs: sum(xs) / len(xs), oldest=8, least=1, most=4, whole=True)
