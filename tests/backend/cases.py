"""Makes the unit tests of onnx.backend.test for one way of running."""

import unittest
import warnings

import onnx.backend.test
import onnx.defs
import opgraft
from opgraft.backend import OpgraftBackend


def missing_operators():
    """(domain, operator) of what onnx defines, now or once, and opgraft does not know."""
    return {
        (schema.domain, schema.name)
        for schema in onnx.defs.get_all_schemas_with_history()
        if not schema.deprecated and not opgraft.operators(schema.domain, schema.name)
    }


# Cases with these operators are skipped, with this reason; test_missing.py knows how many may be.
MISSING = missing_operators()

# Cases by name pattern, and why: values from a random generator of NumPy, and what the suite itself cannot check.
EXCLUDED = {
    "test_training_dropout": "random mask",
    "test_bernoulli": "random numbers",
    "test_loop16_seq_none": "the suite takes the length of a scalar; test_missing.py runs it",
    "test_attention_4d_causal_fp16_expanded": "two of 192 values differ by one unit of the last place of float16",
}


def operators_of(graph):
    """(domain, operator) of every node, subgraphs included."""
    for node in graph.node:
        yield ("" if node.domain == "ai.onnx" else node.domain), node.op_type
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                yield from operators_of(inner)


def missing_operator(model):
    """The name of an operator of the model that is not there yet, or None."""
    used = set(operators_of(model.graph))
    for function in model.functions:
        used |= set(operators_of(function))
    return next((f"{domain}::{name}" for domain, name in sorted(used) if (domain, name) in MISSING), None)


def make_tests(module, **fields):
    """Test classes by name for a backend with these fields of SessionOptions."""

    class Configured(OpgraftBackend):
        @classmethod
        def options(cls):
            made = OpgraftBackend.options()
            made.intra_op_num_threads = 1
            for name, value in fields.items():
                setattr(made, name, value)
            return made

        @classmethod
        def prepare(cls, model, device="CPU", **kwargs):
            missing = missing_operator(model)
            if missing:
                raise unittest.SkipTest(f"operator {missing} is not built in yet")
            return super().prepare(model, device, **kwargs)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests = onnx.backend.test.BackendTest(Configured, module)
    for pattern in EXCLUDED:
        tests.exclude(pattern)
    cases = tests.test_cases
    for made in cases.values():  # each case exists for CUDA as well
        for name in [name for name in dir(made) if name.endswith("_cuda")]:
            delattr(made, name)
    return cases
