"""How far an engine's outputs are from the reference's, as a fraction of the reference's range."""

import dataclasses

import numpy as np

# A reference whose range is below this fraction of its magnitude says nothing about the arithmetic behind it.
SMALLEST_SPREAD = 1e-3


class Disagreement(AssertionError):
    """Outputs differ in type, shape or value; or the reference is too flat to tell."""


@dataclasses.dataclass(frozen=True)
class Difference:
    """Largest error of one output, as a fraction of the reference's range (0 or 1 for whole numbers)."""

    output: str
    fraction: float
    range: float

    def __str__(self) -> str:
        return f"{self.output}: {self.fraction:.2e} of range {self.range:.4g}"


def allowed(bound: float, doubt: float) -> float:
    """The bound, or more where the reference's own rounding (its doubt) makes the bound meaningless."""
    return max(bound, 3 * doubt)


def check_type_and_shape(output: str, actual: np.ndarray, expected: np.ndarray) -> None:
    if actual.dtype != expected.dtype:
        raise Disagreement(f"output {output!r} has type {actual.dtype}, {expected.dtype} expected")
    if actual.shape != expected.shape:
        raise Disagreement(f"output {output!r} has shape {actual.shape}, {expected.shape} expected")


def reference_range(output: str, expected: np.ndarray) -> float:
    if not np.isfinite(expected).all():
        raise Disagreement(f"reference of {output!r} is not finite; choose other inputs")
    wide = expected.astype(np.float64)
    spread = float(wide.max() - wide.min()) if expected.size else 0.0
    if spread <= SMALLEST_SPREAD * float(np.abs(wide).max(initial=0.0)) or spread == 0.0:
        raise Disagreement(f"reference of {output!r} is flat (range {spread:.3g}); it would agree with almost anything")
    return spread


def difference(output: str, actual: np.ndarray, expected: np.ndarray) -> Difference:
    """Compares one output; raises Disagreement on another type or shape, and on a reference that is flat."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    check_type_and_shape(output, actual, expected)
    if not np.issubdtype(expected.dtype, np.floating):
        return Difference(output, float(not np.array_equal(actual, expected)), 0.0)
    spread = reference_range(output, expected)
    error = np.abs(actual.astype(np.float64) - expected.astype(np.float64)).max()
    return Difference(output, float(error / spread) if np.isfinite(error) else float("inf"), spread)


def require(output: str, actual: np.ndarray, expected: np.ndarray, bound: float) -> Difference:
    """Raises Disagreement unless the output lies within `bound` of the reference's range."""
    found = difference(output, actual, expected)
    if not found.fraction <= bound:
        where = np.unravel_index(
            np.argmax(np.abs(np.nan_to_num(actual, nan=np.inf).astype(np.float64) - expected)), np.shape(expected)
        )
        raise Disagreement(
            f"output {found}, allowed {bound:.0e}; worst at {tuple(int(i) for i in where)}: "
            f"{np.asarray(actual)[where]!r}, {np.asarray(expected)[where]!r} expected"
        )
    return found
