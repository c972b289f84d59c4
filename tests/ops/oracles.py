"""References for operator tests: the onnx package's evaluator, and onnxruntime with constant inputs."""

import numpy as np
import onnx
import opgraft
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from opgraft.testing import compare, make_model


def onnx_reference(op_type, opset=None, outputs=1, domain="", domain_version=1):
    """A reference for check_op: the onnx package's own implementation, in double precision."""

    def call(*arrays, **attrs):
        model = onnx.load_model_from_string(make_model(op_type, arrays, attrs, domain, opset, outputs, domain_version=domain_version))
        feeds = {f"x{i}": x for i, x in enumerate(arrays) if x is not None}
        return ReferenceEvaluator(model).run(None, feeds)

    return call


def node_model(op_type, inputs, attrs, constants=(), opset=21, outputs=1, domain="", domain_version=1):
    """A one-node model whose inputs at the positions `constants` are initializers. Returns (bytes, feeds)."""
    names, infos, initializers, feeds = [], [], [], {}
    for i, array in enumerate(inputs):
        if array is None:
            names.append("")
            continue
        names.append(f"x{i}")
        if i in constants:
            initializers.append(numpy_helper.from_array(array, f"x{i}"))
        else:
            code = TensorProto.STRING if array.dtype.kind in "OSU" else helper.np_dtype_to_tensor_dtype(array.dtype)
            infos.append(helper.make_tensor_value_info(f"x{i}", code, array.shape))
            feeds[f"x{i}"] = array
    results = (
        [f"y{i}" if i in outputs else "" for i in range(max(outputs) + 1)]
        if isinstance(outputs, (list, tuple))
        else [f"y{i}" for i in range(outputs)]
    )
    node = helper.make_node(op_type, names, results, domain=domain, **attrs)
    graph = helper.make_graph([node], "test", infos, [], initializers)
    for name in results:
        if name:
            graph.output.add().name = name
    imports = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(domain, domain_version)] if domain else [])
    model = helper.make_model(graph, opset_imports=imports, ir_version=10)
    return model.SerializeToString(), feeds


def run_model(model, feeds, threads=2, optimize=True):
    """Outputs of a model in opgraft."""
    options = opgraft.SessionOptions()
    options.intra_op_num_threads = threads
    if not optimize:
        options.graph_optimization_level = opgraft.GraphOptimizationLevel.ORT_DISABLE_ALL
    return opgraft.InferenceSession(model, options).run(None, feeds)


def in_onnxruntime(model, feeds):
    """Outputs of a model in onnxruntime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def check_against_onnxruntime(op_type, inputs, attrs=None, constants=(), opset=21, outputs=1, tolerance=1e-5, domain="", domain_version=1):
    """Runs a one-node model in both engines and compares all outputs."""
    inputs = [None if x is None else np.asarray(x) for x in inputs]
    model, feeds = node_model(op_type, inputs, attrs or {}, constants, opset, outputs, domain, domain_version)
    want = in_onnxruntime(model, feeds)
    got = run_model(model, feeds)
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        compare(g, w, tolerance, f"{op_type} {attrs} output {i}")
