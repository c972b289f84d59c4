"""Small ONNX models for tests, as bytes."""

from onnx import TensorProto, helper


def model(nodes, inputs, outputs, initializers=(), opset=18, domains=(), functions=(), ir_version=10):
    """nodes: NodeProtos; inputs and outputs: (name, element type, shape) triples."""
    graph = helper.make_graph(
        nodes,
        "test",
        [helper.make_tensor_value_info(*info) for info in inputs],
        [helper.make_tensor_value_info(*info) for info in outputs],
        list(initializers),
    )
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, v) for d, v in domains)]
    made = helper.make_model(graph, opset_imports=imports, functions=list(functions), ir_version=ir_version)
    return made.SerializeToString()


def one_node(op_type, domain="", version=1, elem=TensorProto.FLOAT, shape=(2, 2), name="n", **attributes):
    """x -> op -> y."""
    node = helper.make_node(op_type, ["x"], ["y"], name=name, domain=domain, **attributes)
    domains = [(domain, version)] if domain else []
    return model([node], [("x", elem, list(shape))], [("y", elem, None)], domains=domains)
