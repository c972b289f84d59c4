"""ONNX's backend interface (onnx.backend.base), so that onnx.backend.test and other tools run on opgraft.

    from opgraft import backend
    outputs = backend.run_model(onnx.load("model.onnx"), [x])

Needs the package onnx. Device: "CPU". Errors are opgraft.Error.
"""

import onnx
from onnx.backend.base import Backend, BackendRep, namedtupledict

from ._session import InferenceSession, SessionOptions


class OpgraftBackendRep(BackendRep):
    """A loaded model. `session` is its InferenceSession."""

    def __init__(self, session):
        self.session = session

    def run(self, inputs, **kwargs):
        """Runs on a list of inputs in the model's order, or one input, or {name: value}; returns a named tuple."""
        if not isinstance(inputs, dict):
            values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
            names = [value.name for value in self.session.get_inputs()]
            if len(values) > len(names):
                names += [value.name for value in self.session.get_overridable_initializers()]
            if len(values) > len(names):
                raise ValueError(f"the model has {len(names)} inputs, {len(values)} were given")
            inputs = dict(zip(names, values))
        outputs = self.session.run(None, inputs)
        return namedtupledict("Outputs", [value.name for value in self.session.get_outputs()])(*outputs)


class OpgraftBackend(Backend):
    """The adapter; `options` may be replaced in a subclass."""

    options = SessionOptions

    @classmethod
    def is_compatible(cls, model, device="CPU", **kwargs):
        """True: whether a model can be run is told by prepare, with reasons."""
        return cls.supports_device(device)

    @classmethod
    def supports_device(cls, device):
        """Whether this device can be asked for."""
        return device == "CPU"

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        """Loads a ModelProto; raises opgraft.Error with everything that is wrong with it."""
        return OpgraftBackendRep(InferenceSession(model.SerializeToString(), cls.options()))

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, **kwargs):
        """Runs one NodeProto of the standard domain's newest opset, or of `opset_version`."""
        version = kwargs.get("opset_version", onnx.defs.onnx_opset_version())
        given = [name for name in node.input if name]
        infos = [
            onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
            for name, value in zip(given, inputs)
        ]
        outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
        graph = onnx.helper.make_graph([node], "node", infos, outputs)
        opsets = [onnx.helper.make_opsetid("", version)]
        if node.domain:
            opsets.append(onnx.helper.make_opsetid(node.domain, kwargs.get("domain_version", 1)))
        return cls.run_model(onnx.helper.make_model(graph, opset_imports=opsets), inputs, device)


is_compatible = OpgraftBackend.is_compatible
supports_device = OpgraftBackend.supports_device
prepare = OpgraftBackend.prepare
run_model = OpgraftBackend.run_model
run_node = OpgraftBackend.run_node
