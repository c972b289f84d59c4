"""Tells the types of real files: the model magika with an operator grafted onto its front at run time.

Usage: python demo.py MAGIKA_MODEL MAGIKA_CONFIG [FILE ...]
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import opgraft
from onnx import TensorProto, helper

HERE = pathlib.Path(__file__).parent


def graft(model_path, domain):
    """The classifier's model with a node in front: file content (uint8) in, probabilities out."""
    model = onnx.load(model_path)
    features = model.graph.input[0].name
    node = helper.make_node("FileFeatures", ["content"], [features], name="front", domain=domain)
    model.graph.node.insert(0, node)
    del model.graph.input[:]
    model.graph.input.append(helper.make_tensor_value_info("content", TensorProto.UINT8, ["size"]))
    model.opset_import.append(helper.make_opsetid(domain, 1))
    return model.SerializeToString()


def build(folder):
    """One C++ file to one library, with the headers of the installed package alone."""
    library = pathlib.Path(folder) / "file_features.so"
    compiler = shutil.which("g++") or shutil.which("clang++")
    command = [compiler, "-std=c++17", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{opgraft.get_include()}"]
    subprocess.run([*command, str(HERE / "file_features.cc"), "-o", str(library)], check=True)
    return library


def refusal_of_onnxruntime(model):
    """What stock onnxruntime says of the grafted model."""
    try:
        import onnxruntime
    except ImportError:
        return "onnxruntime is not installed"
    try:
        onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    except Exception as error:
        return str(error).strip().splitlines()[0]
    return "onnxruntime loaded it"


def classify(session, labels, path):
    """Label and probability of one file."""
    content = np.fromfile(path, np.uint8)
    scores = session.run(None, {"content": content})[0][0]
    best = int(scores.argmax())
    return labels[best], float(scores[best])


def main(arguments):
    model_path, config_path, *files = arguments
    labels = json.loads(pathlib.Path(config_path).read_text())["target_labels_space"]
    files = files or [str(path) for path in sorted(HERE.iterdir()) if path.is_file()] + [sys.executable, np.__file__]
    with tempfile.TemporaryDirectory() as folder:
        opgraft.load_plugin(build(folder))
        opgraft.load_plugin(HERE / "file_features.py")
        models = {domain: graft(model_path, domain) for domain in ("com.examples", "com.examples.python")}
        print("onnxruntime:", refusal_of_onnxruntime(models["com.examples"]))
        sessions = {domain: opgraft.InferenceSession(model) for domain, model in models.items()}
        print("opgraft:     loaded, with FileFeatures from file_features.cc and from file_features.py\n")
        print(f"{'file':40} {'type (C++ plug-in)':24} {'type (Python plug-in)':24}")
        for path in files:
            found = [classify(session, labels, path) for session in sessions.values()]
            shown = [f"{label} {score:6.1%}" for label, score in found]
            print(f"{path[-40:]:40} {shown[0]:24} {shown[1]:24}")
            if found[0][0] != found[1][0] or abs(found[0][1] - found[1][1]) > 1e-6:
                raise SystemExit(f"the two plug-ins disagree on {path}: {found}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(sys.argv[1:])
