"""The command `opgraft`: run, info, ops, plugin."""

import argparse
import json
import math
import os
import sys
import time

import numpy as np

from . import Error, InferenceSession, SessionOptions, _core, get_include, infer_shapes, load_plugin, operators, plugins
from ._plugins import cmake_dir, imports

_NUMPY = {
    "tensor(float)": "float32",
    "tensor(double)": "float64",
    "tensor(float16)": "float16",
    "tensor(int64)": "int64",
    "tensor(int32)": "int32",
    "tensor(int16)": "int16",
    "tensor(int8)": "int8",
    "tensor(uint8)": "uint8",
    "tensor(uint16)": "uint16",
    "tensor(uint32)": "uint32",
    "tensor(uint64)": "uint64",
    "tensor(bool)": "bool",
}


_MAX_RANDOM = 1 << 30  # elements


def _session(args, **options):
    sess_options = SessionOptions()
    sess_options.intra_op_num_threads = args.threads
    for name, value in options.items():
        setattr(sess_options, name, value)
    return InferenceSession(args.model, sess_options)


def _shapes(texts):
    """ "x=1,3,224,224" -> {"x": [1, 3, 224, 224]}"""
    result = {}
    for text in texts:
        name, _, dims = text.rpartition("=")
        if not name:
            raise Error(f"--shape {text}: write NAME=DIM,DIM,...")
        try:
            result[name] = [int(d) for d in dims.split(",") if d]
        except ValueError:
            raise Error(f"--shape {text}: dims must be whole numbers") from None
        if min(result[name], default=0) < 0:
            raise Error(f"--shape {text}: dims must not be negative")
        if math.prod(result[name]) > _MAX_RANDOM:
            raise Error(f"--shape {text}: more than {_MAX_RANDOM} elements of random input")
    return result


def _feeds(session, args):
    """Inputs from files (NAME=FILE.npy), the rest seeded random numbers; symbols default to 1."""
    given = {}
    for text in args.input:
        name, _, path = text.rpartition("=")
        if not name:
            raise Error(f"--input {text}: write NAME=FILE.npy")
        given[name] = np.load(path, allow_pickle=False)
    shapes = _shapes(args.shape)
    names = [info.name for info in session.get_inputs()]
    known = names + [info.name for info in session.get_overridable_initializers()]
    for option, wanted, allowed in (("--shape", shapes, names), ("--input", given, known)):
        for name in wanted:
            if name not in allowed:
                raise Error(f"{option} {name}: the model has no such input; its inputs are {', '.join(allowed)}")
            if option == "--shape" and name in given:
                raise Error(f"--shape {name}: this input comes from --input")
    rng = np.random.default_rng(args.seed)
    feeds = dict(given)
    for info in session.get_inputs():
        if info.name in feeds:
            continue
        if info.type not in _NUMPY:
            raise Error(f"input {info.name!r} is {info.type}: give it with --input {info.name}=FILE.npy")
        shape = shapes[info.name] if info.name in shapes else [d if isinstance(d, int) else 1 for d in info.shape]
        dtype = np.dtype(_NUMPY[info.type])
        feeds[info.name] = (
            rng.normal(size=shape).astype(dtype) if dtype.kind == "f" else rng.integers(0, 2, shape).astype(dtype)
        )
    return feeds


def _summary(array):
    array = np.asarray(array)
    result = {"dtype": str(array.dtype), "shape": list(array.shape)}
    if array.size and array.dtype.kind in "fiu":
        wide = array.astype(np.float64)
        result |= {"min": float(wide.min()), "max": float(wide.max()), "mean": float(wide.mean())}
    return result


def run(args):
    """Runs a model once or several times and shows its outputs."""
    begin = time.perf_counter()
    session = _session(args, enable_profiling=args.profile)
    load_ms = (time.perf_counter() - begin) * 1000
    feeds = _feeds(session, args)
    times = []
    for i in range(args.repeat):
        begin = time.perf_counter()
        outputs = session.run(None, feeds)
        times.append((time.perf_counter() - begin) * 1000)
        if args.repeat > 20 and sys.stderr.isatty():
            print(f"\r{i + 1}/{args.repeat}", end="", file=sys.stderr)
    names = [info.name for info in session.get_outputs()]
    if args.output:
        np.savez(args.output, **dict(zip(names, outputs, strict=True)))
    report = {
        "load_ms": load_ms,
        "run_ms": {"first": times[0], "min": min(times), "median": float(np.median(times))},
        "outputs": {name: _summary(value) for name, value in zip(names, outputs, strict=True)},
        "memory": session.memory(),
    }
    if args.profile:
        by_type = {}
        for event in session.take_profile():
            entry = by_type.setdefault(event["op_type"], [0, 0.0])
            entry[0] += 1
            entry[1] += event["duration_ns"] / 1e6
        report["profile"] = {
            name: {"calls": calls, "ms": ms} for name, (calls, ms) in sorted(by_type.items(), key=lambda kv: -kv[1][1])
        }
    if args.json:
        print(json.dumps(report))
        return
    print(f"loaded in {load_ms:.1f} ms; ran in {min(times):.3f} ms (best of {args.repeat}), first {times[0]:.3f} ms")
    for name, value in report["outputs"].items():
        numbers = f"  min {value['min']:.6g}  max {value['max']:.6g}  mean {value['mean']:.6g}" if "min" in value else ""
        print(f"{name}: {value['dtype']}{value['shape']}{numbers}")
    for name, entry in report.get("profile", {}).items():
        print(f"  {name:28} {entry['calls']:6} calls {entry['ms']:10.3f} ms")


def repr_type(value):
    """ "tensor(float)[N, 3]"; "[...]" when the rank is not known."""
    if not value.type:
        return "?"
    return value.type + (f"[{', '.join('?' if d is None else str(d) for d in value.shape)}]" if value.ranked else "[...]")


def info(args):
    """Inputs, outputs, operators and placement of a model."""
    session = _session(args)
    meta = session.get_modelmeta()
    report = {
        "inputs": [{"name": i.name, "type": i.type, "shape": i.shape} for i in session.get_inputs()],
        "outputs": [{"name": i.name, "type": i.type, "shape": i.shape} for i in session.get_outputs()],
        "producer": meta.producer_name,
        "version": meta.version,
        "metadata": meta.custom_metadata_map,
        "placement": session.placement().splitlines(),
    }
    if args.shapes:
        report["shapes"] = {name: repr_type(value) for name, value in infer_shapes(args.model).items()}
    if args.json:
        print(json.dumps(report))
        return
    for side in ("inputs", "outputs"):
        print(side + ":")
        for value in report[side]:
            print(f"  {value['name']}: {value['type']} {value['shape']}")
    print(f"nodes: {len(report['placement'])}")
    for name, text in report.get("shapes", {}).items():
        print(f"  {name}: {text}")
    if args.placement:
        print("\n".join(report["placement"]))
    if args.graph:
        print(session.graph_text(), end="")


def _ways(op):
    """How an operator runs, best first."""
    return [way for way, there in (("kernel", op["kernels"]), ("lowering", op["has_lowering"]), ("body", op["has_body"])) if there]


def _accepted(known, file_format):
    """What the importer of a model format accepts: a dictionary for each operator name and plug-in."""
    found = {}

    def add(name, op, versions):
        key = name, op["plugin_file"]
        entry = found.setdefault(
            key, {"name": name, "versions": [], "types": {}, "runs": [], "plugin": op["plugin"], "file": op["plugin_file"]}
        )
        entry["versions"] = sorted({*entry["versions"], *versions})
        for variable, types in op["types"].items():
            entry["types"][variable] = sorted({*entry["types"].get(variable, []), *types})
        entry["runs"] = list(dict.fromkeys([*entry["runs"], *_ways(op)]))

    if file_format == "onnx":
        for op in known:
            add(_full_name(op), op, [op["since_version"], *(old["since_version"] for old in op["old_versions"])])
    for rule in imports():
        if rule["format"] == file_format:
            for op in known:
                if rule["operator"] in (op["name"], _full_name(op)):
                    add(rule["name"], op, [rule["first_version"]])
    return [found[key] for key in sorted(found)]


def _full_name(op):
    return (op["domain"] + "::" if op["domain"] else "") + op["name"]


def ops(args):
    """Registered operators, or what a model format can bring: versions, types, how each runs, who provides it."""
    plugins(installed=args.installed)
    known = operators()
    if args.format:
        known = _accepted(known, args.format)
        if not known:
            raise Error(f"no import rule for format {args.format!r}")
    if args.name:
        known = [op for op in known if args.name.lower() in (op["name"] if args.format else _full_name(op)).lower()]
        if not known:
            raise Error(f"no registered operator has {args.name!r} in its name")
    if args.json:
        print(json.dumps(known))
        return
    for op in known:
        if args.format:
            types = "; ".join(
                f"{variable}: {', '.join(t.removeprefix('tensor(').removesuffix(')') if t.startswith('tensor(') else t for t in names)}"
                for variable, names in op["types"].items()
            )
            versions = ", ".join(map(str, op["versions"]))
            print(f"{op['name']}  versions {versions}  [{', '.join(op['runs'])}]  {op['plugin']}  {types}".rstrip())
            continue
        ways = [f"{len(op['kernels'])} kernels" if way == "kernel" else way for way in _ways(op)]
        print(f"{_full_name(op)} {op['since_version']}  [{', '.join(ways)}]  {op['plugin']}  {op['doc'].splitlines()[0] if op['doc'] else ''}")


def plugin(args):
    """Lists plug-ins; `list` loads those of OPGRAFT_PLUGINS and installed packages first."""
    found = plugins(installed=True)
    if args.json:
        print(json.dumps(found))
        return
    for item in found:
        print(f"{item['name']} {item['version']}  ABI level {item['abi_level']}  {item['operators']} operators  {item['file']}")


def main(argv=None):
    """Entry point; the exit status is 0 only when everything asked for was done, 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="opgraft", description="Inference with operators grafted on at run time.")
    parser.add_argument("--include-dir", action="store_true", help="print the folder of the public headers and exit")
    parser.add_argument("--cmake-dir", action="store_true", help="print the folder of the CMake package and exit")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="machine-readable output")
    common.add_argument("--plugin", action="append", default=[], metavar="FILE", help="load a plug-in first (.so or .py)")
    commands = parser.add_subparsers(dest="command")
    model = argparse.ArgumentParser(add_help=False)
    model.add_argument("model", help="path of the model")
    model.add_argument("--threads", type=int, default=0, help="threads of one run; 0 = all processors")
    p = commands.add_parser("run", parents=[common, model], help=run.__doc__)
    p.add_argument("--input", action="append", default=[], metavar="NAME=FILE.npy", help="an input; others are random")
    p.add_argument("--shape", action="append", default=[], metavar="NAME=DIMS", help="dims of a random input")
    p.add_argument("--seed", type=int, default=0, help="of random inputs")
    p.add_argument("--repeat", type=int, default=1, help="number of runs")
    p.add_argument("--output", metavar="FILE.npz", help="write the outputs")
    p.add_argument("--profile", action="store_true", help="time per operator type")
    p.set_defaults(call=run)
    p = commands.add_parser("info", parents=[common, model], help=info.__doc__)
    p.add_argument("--placement", action="store_true", help="which kernel runs each node")
    p.add_argument("--shapes", action="store_true", help="type and shape of every value")
    p.add_argument("--graph", action="store_true", help="the optimised graph as text")
    p.set_defaults(call=info)
    p = commands.add_parser("ops", parents=[common], help=ops.__doc__)
    p.add_argument("name", nargs="?", help="part of a name")
    p.add_argument("--format", help="what this model format's importer accepts")
    p.add_argument("--installed", action="store_true", help="load installed plug-ins first")
    p.set_defaults(call=ops)
    p = commands.add_parser("plugin", parents=[common], help=plugin.__doc__)
    p.add_argument("action", choices=["list"])
    p.set_defaults(call=plugin)
    args = parser.parse_args(argv)
    if args.include_dir or args.cmake_dir:
        print(get_include() if args.include_dir else cmake_dir())
        return 0
    if not args.command:
        parser.print_help()
        return 2
    if getattr(args, "repeat", 1) < 1:
        parser.error("--repeat must be at least 1")
    try:
        _core.cpu_level()
        for path in args.plugin:
            load_plugin(path)
        args.call(args)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (Error, OSError, ValueError, TypeError, MemoryError) as error:
        print(json.dumps({"error": str(error)}) if args.json else f"opgraft: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
