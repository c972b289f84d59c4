"""The operator of file_features.cc in Python: com.examples.python::FileFeatures."""

import numpy as np
import opgraft as og


@og.op("com.examples.python::FileFeatures")
def file_features(
    content: og.u8, *, begin_size: int = 1024, end_size: int = 1024, block_size: int = 4096, padding: int = 256
) -> og.i32:
    """Bytes of a file's beginning and end as the numbers that the classifier magika reads."""
    ...


@file_features.infer
def _(content, *, begin_size, end_size, block_size, padding):
    return og.i32, [1, begin_size + end_size]


@file_features.kernel("cpu")
def _(content, features, *, begin_size, end_size, block_size, padding):
    data = content.tobytes()
    head = data[:block_size].lstrip()[:begin_size]
    tail = data[-block_size:].rstrip()[-end_size:] if data else b""
    features[:] = padding
    features[0, : len(head)] = np.frombuffer(head, np.uint8)
    features[0, begin_size + end_size - len(tail) :] = np.frombuffer(tail, np.uint8)
