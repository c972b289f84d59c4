"""Element types and arrays that the buffer protocol cannot carry: strings, sequences, ml_dtypes, sub-byte packing."""

import numpy as np

# Numbers of ONNX's TensorProto.DataType -> NumPy names (ml_dtypes' where NumPy has none).
NUMPY_NAMES = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    8: "object",
    9: "bool",
    10: "float16",
    11: "float64",
    12: "uint32",
    13: "uint64",
    14: "complex64",
    15: "complex128",
    16: "bfloat16",
    17: "float8_e4m3fn",
    18: "float8_e4m3fnuz",
    19: "float8_e5m2",
    20: "float8_e5m2fnuz",
    21: "uint4",
    22: "int4",
    23: "float4_e2m1fn",
    24: "float8_e8m0fnu",
    25: "uint2",
    26: "int2",
    27: "float6_e2m3fn",
    28: "float6_e3m2fn",
}
CODES = {name: code for code, name in NUMPY_NAMES.items()}
BITS = {21: 4, 22: 4, 23: 4, 25: 2, 26: 2, 27: 6, 28: 6}


def numpy_dtype(code):
    """The NumPy dtype of an element type number; needs the package ml_dtypes for types that NumPy lacks."""
    name = NUMPY_NAMES[code]
    if code < 16:
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(f"element type {name} needs the package ml_dtypes: pip install ml_dtypes") from None
    return np.dtype(getattr(ml_dtypes, name))


def dtype_code(dtype):
    """The element type number of a NumPy dtype, or None."""
    dtype = np.dtype(dtype)
    if dtype.kind in "OUST":
        return 8
    return CODES.get(dtype.name)


def pack(array, bits):
    """A stream of bits, the first element in the lowest bits, as uint8."""
    flat = np.ascontiguousarray(array).view(np.uint8).reshape(-1)
    return np.packbits(np.unpackbits(flat[:, None], axis=1, count=bits, bitorder="little").reshape(-1), bitorder="little")


def unpack(data, bits, shape, signed):
    """The reverse of pack; sign-extends when asked."""
    count = int(np.prod(shape, dtype=np.int64))
    stream = np.unpackbits(data.reshape(-1), bitorder="little")[: count * bits].reshape(count, bits)
    values = np.packbits(stream, axis=1, bitorder="little").reshape(-1)
    if signed:
        values = (values.astype(np.int8) ^ (1 << (bits - 1))) - (1 << (bits - 1))
    return values.reshape(shape)


def _map_arrays(value):
    """Keys (strings or int64) and values of a dictionary as arrays; Python floats become float32."""
    keys = list(value)
    if keys and all(isinstance(key, str) for key in keys):
        keys = np.array(keys, dtype=object)
    elif all(isinstance(key, (int, np.integer)) for key in keys):
        keys = np.array(keys, dtype=np.int64)
    else:
        raise TypeError("keys of a map must be all str or all int")
    values = list(value.values())
    if any(isinstance(item, str) for item in values):
        return [keys, np.array(values, dtype=object)]
    values = np.array(values)
    return [keys, values.astype(np.float32) if values.dtype == np.float64 and type(next(iter(value.values()))) is float else values]


def make_map(keys, values):
    """A dictionary of Python numbers and strings."""
    return dict(zip(keys.tolist(), values.tolist(), strict=True))


def normalize(value):
    """(kind, payload, element type, dims) of anything that may be fed; raises TypeError or ValueError."""
    if isinstance(value, dict):
        return ("map", _map_arrays(value), 0, [])
    if isinstance(value, (list, tuple)) and any(isinstance(item, (np.ndarray, dict)) for item in value):
        return ("sequence", list(value), 0, [])
    if isinstance(value, list) and not value:
        return ("sequence", [], 0, [])
    if not isinstance(value, np.ndarray) and hasattr(value, "__dlpack__"):
        value = np.from_dlpack(value)
    array = np.asarray(value)
    code = dtype_code(array.dtype)
    if code is None:
        raise TypeError(f"NumPy type {array.dtype} has no ONNX element type")
    shape = list(array.shape)
    if code == 8:
        strings = array.reshape(-1).tolist()
        for i, item in enumerate(strings):
            if not isinstance(item, (str, bytes)):
                raise TypeError(f"element {i} of the object array is {type(item).__name__}, not str or bytes")
        return ("strings", strings, code, shape)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("="))
    array = np.ascontiguousarray(array).reshape(shape)
    if code in BITS:
        return ("packed", pack(array, BITS[code]), code, shape)
    if code >= 16:
        array = array.view(np.uint16 if code == 16 else np.uint8)
    return ("array", array, code, shape)


def restore(array, code, shape):
    """The array of a carrier that came from the engine, in its own dtype."""
    dtype = numpy_dtype(code)
    if code in BITS:
        signed = code in (22, 26)
        values = unpack(array, BITS[code], shape, signed)
        if code in (23, 27, 28):
            return values.view(dtype)
        return values.astype(dtype)
    return array.view(dtype)


def string_array(strings, shape):
    """An object array of str."""
    array = np.empty(len(strings), dtype=object)
    array[:] = strings
    return array.reshape(shape)
