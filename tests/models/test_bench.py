"""The benchmark command, the generator of standard architectures and the fetching of models."""

import collections
import json
import pathlib
import subprocess
import sys

import fetch_models
import pytest
import standard_models

BENCH = pathlib.Path(standard_models.__file__).with_name("bench.py")


def run_bench(*arguments):
    return subprocess.run([sys.executable, BENCH, *arguments], capture_output=True, text=True, timeout=300, check=False)


def test_bench_reports_every_figure():
    ended = run_bench("--quick", "--models", "ppocr2_cls", "--engines", "onnxruntime", "--threads", "1", "--json", "-")
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    latency = report["latency"]["1"]["ppocr2_cls"]["onnxruntime"]
    assert 0 < latency["min_ms"] <= latency["median_ms"]
    fresh = report["fresh"]["ppocr2_cls"]["onnxruntime"]
    assert fresh["total_s"] >= fresh["load_s"] + fresh["first_run_s"]
    assert fresh["peak_mib"] > 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--models", "no_such_model"), "no inputs for model 'no_such_model'; known: ppocr4_det"),
        (("--engines", "no_such_engine"), "no engine 'no_such_engine'; known: opgraft, onnxruntime"),
    ],
)
def test_bench_refuses_what_it_does_not_know(arguments, said):
    ended = run_bench(*arguments)
    assert ended.returncode != 0
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


def kinds(name):
    return collections.Counter(node.op_type for node in standard_models.build(name).graph.node)


def test_convolutional_networks_have_the_exporters_nodes():
    assert kinds("mobilenetv2") == {
        "Conv": 52, "Clip": 35, "Constant": 70, "Add": 10, "GlobalAveragePool": 1, "Flatten": 1, "Gemm": 1,
    }  # fmt: skip


def test_generated_weights_are_the_same_each_time():
    once, again = standard_models.build("gru_uni2"), standard_models.build("gru_uni2")
    assert once.SerializeToString(deterministic=True) == again.SerializeToString(deterministic=True)


def test_fetching_names_what_it_knows(tmp_path):
    with pytest.raises(fetch_models.FetchError, match="no model 'no_such_model'; known: .*magika.onnx"):
        fetch_models.ensure("no_such_model", tmp_path)


def test_file_of_another_size_counts_as_missing(tmp_path):
    package = fetch_models.Package("example==1", {"a.onnx": ("example/a.onnx", 3)})
    assert package.missing(tmp_path) == ["a.onnx"]
    (tmp_path / "a.onnx").write_bytes(b"12")
    assert package.missing(tmp_path) == ["a.onnx"]
    (tmp_path / "a.onnx").write_bytes(b"123")
    assert package.missing(tmp_path) == []
