"""Operator MeanVarianceNormalization."""

from opgraft.testing import check_op


def test_mean_variance_normalization():
    def reference(x, axes):
        axes = tuple(axes)
        return (x - x.mean(axes, keepdims=True)) / (x.std(axes, keepdims=True) + 1e-9)

    check_op("MeanVarianceNormalization", shapes=[(3, 4, 5, 6)], dtypes=["f32", "f64"], attrs={"axes": [[0, 2, 3], [1], [-1, 0]]}, reference=reference)
