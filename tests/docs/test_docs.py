"""The code in the documentation is compiled and run, block after block, in one folder for each file."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).parents[2]
FILES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)

# What the pages take for granted: a model, and the name of the source file that a C++ block is saved under.
SOURCES = {"README.md": "foo.cc", "tutorial.md": "swish.cc", "cpp_sdk.md": "sdk.cc"}
NODES = {
    "README.md": ("Foo", "com.examples", "input1"),
    "tutorial.md": ("Swish", "com.examples", "x"),
    "cli.md": ("Relu", "", "x"),
}


def write_model(page, folder):
    op_type, domain, name = NODES[page]
    node = helper.make_node(op_type, [name], ["y"], domain=domain)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )
    opsets = [helper.make_opsetid("", 18)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    (folder / "model.onnx").write_bytes(model.SerializeToString())


def commands(text):
    """Commands of a shell block that this test can run: not set-up scripts, not placeholders."""
    for line in text.splitlines():
        line = line.split(" # ")[0].strip()
        if line.startswith(("g++ ", "opgraft ")):
            yield line.replace("x=1,3,224,224", "input1=7")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_code_of(path, tmp_path):
    bin_folder = str(pathlib.Path(sys.executable).parent)
    environment = os.environ | {"PATH": bin_folder + os.pathsep + os.environ["PATH"]}
    page = path.name
    if page in NODES:
        write_model(page, tmp_path)

    def check(command, **options):
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, **options)
        assert done.returncode == 0, f"{page}: {command}\n{done.stdout}\n{done.stderr}"

    text = path.read_text(encoding="utf-8")
    build = re.search(r"`(g\+\+ [^`]*)`", text)  # a command within a sentence
    script = "import numpy as np\nx = np.ones(5, np.float32)\n"
    ran = 0
    for language, code in BLOCK.findall(text):
        if language == "cpp":
            (tmp_path / SOURCES[page]).write_text(code)
            if build:
                check(build[1], shell=True)
            ran += 1
        elif language == "sh":
            if page == "README.md":
                environment["OPGRAFT_PLUGINS"] = str(tmp_path / "foo.so")
            for command in commands(code):
                check(command, shell=True)
                ran += 1
        elif language == "python":
            script += code + "\n"
            (tmp_path / "page.py").write_text(script)  # a page's blocks build on each other
            check([sys.executable, "page.py"])
            ran += 1
    assert ran or not BLOCK.search(text), f"{page}: none of its code was run"


def test_the_command_line_page_names_every_option():
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for command in ([], ["run"], ["info"], ["ops"], ["plugin"]):
        done = subprocess.run([sys.executable, "-m", "opgraft._cli", *command, "--help"], capture_output=True, text=True)
        for option in re.findall(r"--[a-z-]+", done.stdout):
            assert option == "--help" or option in text, f"{option} of `opgraft {' '.join(command)}` is not on the page"
