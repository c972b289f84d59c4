"""Operator Identity."""

import numpy as np
from opgraft.testing import check_op


def test_identity():
    check_op(
        "Identity",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool"],
        reference=lambda x: x,
    )
    check_op("Identity", inputs=[np.array(["a", "bc"], object)], reference=lambda x: x)
