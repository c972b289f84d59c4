"""Operator Adam."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimizer_cases import check_errors, check_groups, draw_groups, groups_of

DEFAULTS = {"alpha": 0.9, "beta": 0.999, "epsilon": 1e-6, "norm_coefficient": 0.0, "norm_coefficient_post": 0.0}


def step(rate, count, x, gradient, mean, squares, **attrs):
    a = {k: float(np.float32(v)) for k, v in (DEFAULTS | attrs).items()}
    gradient = a["norm_coefficient"] * x + gradient
    mean = a["alpha"] * mean + (1 - a["alpha"]) * gradient
    squares = a["beta"] * squares + (1 - a["beta"]) * gradient * gradient
    if count > 0:
        rate = rate * np.sqrt(1 - a["beta"] ** count) / (1 - a["alpha"] ** count)
    return (1 - a["norm_coefficient_post"]) * (x - rate * mean / (np.sqrt(squares) + a["epsilon"])), mean, squares


@pytest.mark.parametrize("count", [0, 1, 1000])
@pytest.mark.parametrize("attrs", [{}, {"norm_coefficient": 0.1, "norm_coefficient_post": 0.2, "alpha": 0.5, "beta": 0.6, "epsilon": 0.01}])
def test_values(count, attrs):
    check_groups("Adam", step, groups_of(4, [(3, 5)]), count=count, **attrs)
    check_groups("Adam", step, groups_of(4, [(), (0, 2), (17,)], [np.float32, np.float64]), count=count, **attrs)
    check_groups("Adam", step, groups_of(4, [(4,)]), rate=[0.5], rate_type=np.float64, count=count, **attrs)


def test_errors():
    check_errors("Adam", 4, {})


@given(st.data())
def test_random(data):
    attrs = {name: data.draw(st.sampled_from([0.5, 0.01])) for name in DEFAULTS if data.draw(st.booleans())}
    count, rate = data.draw(st.integers(0, 10)), data.draw(st.sampled_from([0.0, 0.1, 3.0]))
    check_groups("Adam", step, draw_groups(data, 4), rate, count, **attrs)
