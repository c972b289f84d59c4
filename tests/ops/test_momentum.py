"""Operator Momentum."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from optimizer_cases import DOMAIN, check_errors, check_groups, draw_groups, groups_of


def step(rate, count, x, gradient, momentum, norm_coefficient, alpha, beta, mode):
    gradient = norm_coefficient * x + gradient
    momentum = alpha * momentum + (beta if count > 0 else 1) * gradient
    return x - rate * (gradient + alpha * momentum if mode == "nesterov" else momentum), momentum


ATTRS = {"alpha": 0.9, "beta": 0.3, "mode": "standard", "norm_coefficient": 0.1}


@pytest.mark.parametrize("count", [0, 1, 1000])
@pytest.mark.parametrize("mode", ["standard", "nesterov"])
@pytest.mark.parametrize("norm", [0.0, 0.1])
def test_values(count, mode, norm):
    attrs = ATTRS | {"mode": mode, "norm_coefficient": norm}
    check_groups("Momentum", step, groups_of(3, [(3, 5)]), count=count, **attrs)
    check_groups("Momentum", step, groups_of(3, [(), (0, 2), (17,)], [np.float32, np.float64]), count=count, **attrs)
    check_groups("Momentum", step, groups_of(3, [(4,)]), rate=[0.5], rate_type=np.float64, count=count, **attrs)


def test_errors():
    check_errors("Momentum", 3, ATTRS)
    with pytest.raises(opgraft.Error, match='mode = "fast" must be nesterov or standard'):
        x = np.zeros(2, np.float32)
        run_node("Momentum", [np.float32(1), np.array(1), x, x, x], ATTRS | {"mode": "fast"}, DOMAIN, outputs=2)


@given(st.data())
def test_random(data):
    attrs = {"mode": data.draw(st.sampled_from(["standard", "nesterov"]))}
    attrs |= {name: data.draw(st.sampled_from([0.0, 0.5, 0.9])) for name in ("alpha", "beta", "norm_coefficient")}
    count, rate = data.draw(st.integers(0, 10)), data.draw(st.sampled_from([0.0, 0.1, 3.0]))
    check_groups("Momentum", step, draw_groups(data, 3), rate, count, **attrs)
