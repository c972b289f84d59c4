# Makes the seed models of the mutation tests: small models with every construct of the format, and real ones made small.
import pathlib
import sys

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIGHT = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
MODELS = ROOT / ".cache" / "models"
REAL = [
    "silero_vad_16k_op15",
    "silero_vad_op18_ifless",
    "ppocr2_cls",
    "nakdimon",
    "magika",
    "minilm_int8",
    "basic_pitch",
]
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def info(name, shape=("N", 4), dtype=FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def model(nodes, inputs, outputs, initializers=(), **more):
    graph = helper.make_graph(list(nodes), "g", list(inputs), list(outputs), list(initializers))
    return helper.make_model(graph, **({"opset_imports": [helper.make_opsetid("", 21)], "ir_version": 10} | more))


def weights(name, *shape):
    return numpy_helper.from_array(np.random.default_rng(len(name)).standard_normal(shape).astype("f4"), name)


def chain():
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], "matmul"),
        helper.make_node("Add", ["a", "b"], ["c"], "add"),
        helper.make_node("Relu", ["c"], ["d"], "relu"),
        helper.make_node("Softmax", ["d"], ["y"], "softmax", axis=-1),
    ]
    return model(nodes, [info("x")], [info("y", ("N", 3))], [weights("w", 4, 3), weights("b", 3)])


def convolution():
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["a"], pads=[1, 1, 1, 1], strides=[2, 2], kernel_shape=[3, 3]),
        helper.make_node("BatchNormalization", ["a", "s", "b2", "m", "v"], ["c"], epsilon=1e-3),
        helper.make_node("Clip", ["c", "", "six"], ["d"]),
        helper.make_node("MaxPool", ["d"], ["e"], kernel_shape=[2, 2], ceil_mode=1),
        helper.make_node("Resize", ["e", "", "scales"], ["f"], mode="nearest"),
        helper.make_node("GlobalAveragePool", ["f"], ["y"]),
    ]
    constants = [weights("w", 4, 3, 3, 3), weights("b", 4), weights("s", 4), weights("b2", 4), weights("m", 4)]
    constants += [numpy_helper.from_array(np.ones(4, "f4"), "v"), numpy_helper.from_array(np.float32(6), "six")]
    constants += [numpy_helper.from_array(np.array([1, 1, 2, 2], "f4"), "scales")]
    return model(nodes, [info("x", ("N", 3, "H", "W"))], [info("y", ("N", 4, 1, 1))], constants)


def shapes():
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Slice", ["s", "zero", "one"], ["batch"]),
        helper.make_node("Concat", ["batch", "rest"], ["target"], axis=0),
        helper.make_node("Reshape", ["x", "target"], ["r"]),
        helper.make_node("Transpose", ["r"], ["t"], perm=[0, 2, 1]),
        helper.make_node("Gather", ["t", "index"], ["g"], axis=1),
        helper.make_node("Split", ["g", "sizes"], ["p", "q"], axis=2),
        helper.make_node("Pad", ["p", "pads"], ["y"], mode="constant"),
        helper.make_node("TopK", ["q", "one"], ["values", "indices"], axis=-1),
    ]
    integers = {"zero": [0], "one": [1], "rest": [2, 2], "index": [1, 0], "sizes": [1, 1], "pads": [0, 0, 1, 0, 0, 1]}
    constants = [numpy_helper.from_array(np.array(value, "i8"), name) for name, value in integers.items()]
    outputs = [info("y", None), info("values", None), info("indices", None, INT64)]
    return model(nodes, [info("x")], outputs, constants)


def control_flow():
    deep = helper.make_graph(
        [helper.make_node("Mul", ["x", "w"], ["deep"]), helper.make_node("Add", ["deep", "t"], ["deep2"])],
        "deep", [], [info("deep2")],
    )  # fmt: skip
    other = helper.make_graph([], "other", [], [info("t")])
    then_branch = helper.make_graph(
        [
            helper.make_node("Neg", ["x"], ["t"]),
            helper.make_node("If", ["c"], ["then"], "inner", then_branch=deep, else_branch=other),
        ],
        "then", [], [info("then")],
    )  # fmt: skip
    else_branch = helper.make_graph([helper.make_node("Identity", ["w"], ["else"])], "else", [], [info("else", (4,))])
    body = helper.make_graph(
        [
            helper.make_node("Add", ["carried", "x"], ["next"]),
            helper.make_node("Identity", ["keep"], ["keep_out"]),
            helper.make_node("ReduceSum", ["next"], ["scan"], keepdims=0),
        ],
        "body",
        [info("i", (), INT64), info("keep", (), TensorProto.BOOL), info("carried")],
        [info("keep_out", (), TensorProto.BOOL), info("next"), info("scan", ())],
    )
    nodes = [
        helper.make_node("If", ["c"], ["y"], "outer", then_branch=then_branch, else_branch=else_branch),
        helper.make_node("Loop", ["trips", "", "x"], ["z", "sums"], "loop", body=body),
    ]
    constants = [weights("w", 4), numpy_helper.from_array(np.array(3, "i8"), "trips")]
    outputs = [info("y", None), info("z", None), info("sums", None)]
    return model(nodes, [info("x"), info("c", (), TensorProto.BOOL)], outputs, constants)


def functions():
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.x", 1)]
    alpha = AttributeProto(name="alpha", ref_attr_name="slope", type=AttributeProto.FLOAT)
    leaky = helper.make_node("LeakyRelu", ["p"], ["q"])
    leaky.attribute.append(alpha)
    inner = helper.make_function("com.x", "Inner", ["p"], ["q"], [leaky], opsets, ["slope"])
    call = helper.make_node("Inner", ["p"], ["r"], domain="com.x")
    call.attribute.append(AttributeProto(name="slope", ref_attr_name="slope", type=AttributeProto.FLOAT))
    default = helper.make_attribute("slope", 0.25)
    outer = helper.make_function(
        "com.x", "Outer", ["p"], ["s"], [call, helper.make_node("Add", ["r", "p"], ["s"])], opsets,
        attribute_protos=[default],
    )  # fmt: skip
    nodes = [
        helper.make_node("Outer", ["x"], ["a"], domain="com.x", slope=0.5),
        helper.make_node("Outer", ["a"], ["y"], domain="com.x"),
    ]
    return model(nodes, [info("x")], [info("y")], functions=[inner, outer], opset_imports=opsets)


def element_types():
    tensors = []
    for name, number in TensorProto.DataType.items():
        if number in (0, TensorProto.STRING, TensorProto.FLOAT6E2M3, TensorProto.FLOAT6E3M2):
            continue
        tensor = TensorProto(name=name.lower(), data_type=number, dims=[2, 2])
        if number in (FLOAT, TensorProto.COMPLEX64):
            tensor.float_data.extend([1.5] * (4 if number == FLOAT else 8))
        elif number in (TensorProto.DOUBLE, TensorProto.COMPLEX128):
            tensor.double_data.extend([1.5] * (4 if number == TensorProto.DOUBLE else 8))
        elif number == INT64:
            tensor.int64_data.extend([1, -2, 3, 4])
        elif number in (TensorProto.UINT32, TensorProto.UINT64):
            tensor.uint64_data.extend([1, 2, 3, 4])
        else:
            small = {
                TensorProto.UINT4: 2,
                TensorProto.INT4: 2,
                TensorProto.FLOAT4E2M1: 2,
                TensorProto.UINT2: 1,
                TensorProto.INT2: 1,
            }
            tensor.int32_data.extend([1] * small.get(number, 4))
        tensors.append(tensor)
    tensors.append(helper.make_tensor("strings", TensorProto.STRING, [2], [b"one", b"two"]))
    graph = helper.make_graph([helper.make_node("Identity", ["float"], ["y"])], "g", [], [info("y", None)], tensors)
    values = helper.make_tensor("sparse", FLOAT, [2], [1.5, -2.0])
    indices = helper.make_tensor("indices", INT64, [2, 2], [0, 1, 2, 0])
    graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [3, 2]))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=11)


def containers():
    types = [
        helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, ["N", 4])),
        helper.make_optional_type_proto(helper.make_tensor_type_proto(FLOAT, [1])),
        helper.make_map_type_proto(TensorProto.STRING, helper.make_tensor_type_proto(INT64, [])),
        helper.make_optional_type_proto(helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, None))),
    ]
    inputs = [helper.make_value_info(f"x{i}", proto) for i, proto in enumerate(types)]
    nodes = [
        helper.make_node("SequenceAt", ["x0", "zero"], ["y"]),
        helper.make_node("Optional", [], ["z"], type=types[0].sequence_type.elem_type),
    ]
    constants = [numpy_helper.from_array(np.array(0, "i8"), "zero")]
    return model(nodes, inputs, [info("y", None)], constants)


def external():
    tensor = TensorProto(name="w", data_type=FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": "weights.bin", "offset": "0", "length": "16"}.items():
        tensor.external_data.add(key=key, value=value)
    return model([helper.make_node("Add", ["x", "w"], ["y"])], [info("x")], [info("y")], [tensor])


def attributes():
    graph = helper.make_graph([], "empty", [], [])
    node = helper.make_node(
        "Everything", ["x"], ["y"], domain="com.x", i=1, f=2.0, s="three", ints=[1, 2], floats=[1.0, 2.0]
    )
    tensor = helper.make_tensor("t", FLOAT, [2], [1.0, 2.0])
    sparse = helper.make_sparse_tensor(tensor, helper.make_tensor("i", INT64, [2], [1, 3]), [4])
    more = {"strings": ["a", "b"], "t": tensor, "tensors": [tensor, tensor], "g": graph, "graphs": [graph, graph]}
    more |= {"tp": helper.make_tensor_type_proto(FLOAT, [1]), "sparse": sparse}
    node.attribute.extend(helper.make_attribute(name, value) for name, value in more.items())
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.x", 1)]
    made = model([node], [info("x")], [info("y")], opset_imports=opsets, producer_name="seed", doc_string="text")
    helper.set_model_props(made, {"key": "value"})
    return made


def old_form():
    nodes = [helper.make_node("Mul", ["x", "w"], ["a"]), helper.make_node("Dropout", ["a"], ["y", "mask"], ratio=0.5)]
    inputs = [info("x", (1, 4)), info("w", (4,))]
    opsets = [helper.make_opsetid("", 9)]
    return model(nodes, inputs, [info("y", (1, 4))], [weights("w", 4)], opset_imports=opsets, ir_version=3)


def hollow(graph):
    """Large weights become ConstantOfShape nodes, in subgraphs too: the file is small, the graph stays what it was."""
    nodes, kept = [], []

    def replace(name, tensor):
        shape = helper.make_tensor("s", INT64, [len(tensor.dims)], tensor.dims)
        value = helper.make_tensor("v", tensor.data_type, [1], [1])
        nodes.append(helper.make_node("Constant", [], [name + ":shape"], value=shape))
        nodes.append(helper.make_node("ConstantOfShape", [name + ":shape"], [name], value=value))

    for tensor in graph.initializer:
        if np.prod(tensor.dims) > 64:
            replace(tensor.name, tensor)
        else:
            kept.append(tensor)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                hollow(attribute.g)
        if node.op_type == "Constant" and np.prod(node.attribute[0].t.dims) > 64:
            replace(node.output[0], node.attribute[0].t)
        else:
            nodes.append(node)
    nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    kept = [TensorProto.FromString(tensor.SerializeToString()) for tensor in kept]
    del graph.initializer[:], graph.node[:], graph.value_info[:]
    graph.initializer.extend(kept)
    graph.node.extend(nodes)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    made = [
        chain,
        convolution,
        shapes,
        control_flow,
        functions,
        element_types,
        containers,
        external,
        attributes,
        old_form,
    ]
    seeds = {function.__name__: function() for function in made}
    for path in sorted(LIGHT.glob("*.onnx")):
        if path.stat().st_size < 100_000:
            seeds[path.stem] = onnx.load(path)
    for name in REAL:
        path = MODELS / f"{name}.onnx"
        if path.exists():
            loaded = onnx.load(path)
            hollow(loaded.graph)
            if loaded.ByteSize() < 300_000:
                seeds["real_" + name] = loaded
    for name, seed in seeds.items():
        (folder / f"{name}.seed").write_bytes(seed.SerializeToString())
    print(f"{len(seeds)} seed models in {folder}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_seeds.py FOLDER")
    main(pathlib.Path(sys.argv[1]))
