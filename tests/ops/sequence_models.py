"""Models of a few nodes on sequences and optionals, for tests of these operators."""

import numpy as np
import onnx
import opgraft
from onnx import TensorProto, helper

FLOAT = TensorProto.FLOAT
SEQUENCE = helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, None))


def run_graph(nodes, feeds, outputs, types=None, opset=21):
    """Runs nodes on feeds (arrays, lists, None); `types` are TypeProtos of inputs that are no plain tensors."""
    types = types or {}
    inputs = []
    for name, value in feeds.items():
        if name in types:
            inputs.append(helper.make_value_info(name, types[name]))
            continue
        array = np.asarray(value)
        code = TensorProto.STRING if array.dtype.kind in "OU" else helper.np_dtype_to_tensor_dtype(array.dtype)
        inputs.append(helper.make_tensor_value_info(name, code, array.shape))
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name=name) for name in outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    return opgraft.InferenceSession(model.SerializeToString()).run(None, feeds)


def floats(*values):
    return np.array(values, np.float32)
