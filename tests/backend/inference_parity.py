"""Compares opgraft.infer_shapes with onnx.shape_inference (strict, with data propagation) on one model."""

import onnx
import opgraft
from onnx import TensorProto


def _tensor(type_proto):
    """(kind, element type, dims or None) of a TypeProto; dims hold numbers, names, or None."""
    kind = type_proto.WhichOneof("value")
    if kind in ("sequence_type", "optional_type"):
        inner = getattr(type_proto, kind).elem_type
        name = "seq" if kind == "sequence_type" else "optional"
        return f"{name}({_tensor(inner)[0]})", None
    if kind != "tensor_type":
        return kind, None
    tensor = type_proto.tensor_type
    names = {TensorProto.FLOAT: "float", TensorProto.DOUBLE: "double"}
    element = names.get(tensor.elem_type, TensorProto.DataType.Name(tensor.elem_type).lower())
    if not tensor.HasField("shape"):
        return f"tensor({element})", None
    return f"tensor({element})", [d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim]


def differences(model):
    """What onnx knows of the model's values and opgraft does not, or tells otherwise; one text each."""
    inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    ours = opgraft.infer_shapes(model.SerializeToString())
    found = []
    for info in [*inferred.graph.value_info, *inferred.graph.output]:
        kind, dims = _tensor(info.type)
        mine = ours.get(info.name)
        if mine is None or not mine.type:
            found.append(f"{info.name}: unknown, onnx has {kind}")
        elif kind is not None and kind != mine.type:
            found.append(f"{info.name}: {mine.type}, onnx has {kind}")
        elif dims is not None and not mine.ranked:
            found.append(f"{info.name}: rank unknown, onnx has {dims}")
        elif dims is not None and len(dims) != len(mine.shape):
            found.append(f"{info.name}: {mine.shape}, onnx has {dims}")
        elif dims is not None:
            for theirs, size in zip(dims, mine.shape):
                if theirs is not None and size != theirs:
                    found.append(f"{info.name}: {mine.shape}, onnx has {dims}")
                    break
    return found
