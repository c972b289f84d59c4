"""Operator Adagrad."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimizer_cases import check_errors, check_groups, draw_groups, groups_of

# The default is a float attribute.
LITTLE = float(np.float32(1e-6))


def step(rate, count, x, gradient, squares, norm_coefficient=0.0, decay_factor=0.0, epsilon=LITTLE):
    gradient = norm_coefficient * x + gradient
    squares = squares + gradient * gradient
    return x - rate / (1 + count * decay_factor) * gradient / (np.sqrt(squares) + epsilon), squares


@pytest.mark.parametrize("count", [0, 1, 1000])
@pytest.mark.parametrize("attrs", [{}, {"norm_coefficient": 0.1, "decay_factor": 0.2, "epsilon": 0.01}])
def test_values(count, attrs):
    check_groups("Adagrad", step, groups_of(3, [(3, 5)]), count=count, **attrs)
    check_groups("Adagrad", step, groups_of(3, [(), (0, 2), (17,)], [np.float32, np.float64]), count=count, **attrs)
    check_groups("Adagrad", step, groups_of(3, [(4,)]), rate=[0.5], rate_type=np.float64, count=count, **attrs)


def test_errors():
    check_errors("Adagrad", 3, {})


@given(st.data())
def test_random(data):
    names = [name for name in ("norm_coefficient", "decay_factor", "epsilon") if data.draw(st.booleans())]
    attrs = {name: data.draw(st.sampled_from([0.5, 0.01])) for name in names}
    count, rate = data.draw(st.integers(0, 10)), data.draw(st.sampled_from([0.0, 0.1, 3.0]))
    check_groups("Adagrad", step, draw_groups(data, 3), rate, count, **attrs)
