"""The comparison itself: what it accepts, and the flat or broken references that it must refuse."""

import numpy as np
import pytest
from agreement import Disagreement, difference, require


def ramp(scale=1.0):
    return np.linspace(-scale, scale, 101, dtype=np.float32)


def test_error_is_a_fraction_of_the_range():
    expected = ramp(5.0)
    actual = expected.copy()
    actual[7] += 1e-3
    assert difference("y", actual, expected).fraction == pytest.approx(1e-4, rel=1e-2)


def test_equal_outputs_pass_and_small_errors_fail_beyond_the_bound():
    require("y", ramp(), ramp(), 1e-5)
    actual = ramp()
    actual[3] += 3e-5
    with pytest.raises(Disagreement, match=r"worst at \(3,\)"):
        require("y", actual, ramp(), 1e-5)


@pytest.mark.parametrize("value", [0.0, 0.001, 7.0])
def test_flat_reference_is_refused(value):
    flat = np.full((2, 3), value, np.float32)
    with pytest.raises(Disagreement, match="flat"):
        difference("y", flat, flat)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_reference_that_is_not_finite_is_refused(value):
    broken = ramp()
    broken[0] = value
    with pytest.raises(Disagreement, match="not finite"):
        difference("y", ramp(), broken)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_output_that_is_not_finite_fails(value):
    broken = ramp()
    broken[5] = value
    with pytest.raises(Disagreement, match=r"worst at \(5,\)"):
        require("y", broken, ramp(), 1e-2)


def test_other_type_or_shape_fails():
    with pytest.raises(Disagreement, match="type float64"):
        require("y", ramp().astype(np.float64), ramp(), 1.0)
    with pytest.raises(Disagreement, match="shape"):
        require("y", ramp()[None], ramp(), 1.0)


def test_whole_numbers_must_be_equal():
    numbers = np.arange(5)
    require("y", numbers, numbers, 1e-5)
    with pytest.raises(Disagreement):
        require("y", numbers + 1, numbers, 0.5)
