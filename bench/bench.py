#!/usr/bin/env python3
"""Compares opgraft with other engines on whole models: latency, start-up, peak memory and accuracy, interleaved."""

import argparse
import dataclasses
import json
import multiprocessing
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "scripts")]

import agreement  # noqa: E402
import engines  # noqa: E402
import fetch_models  # noqa: E402
import model_table  # noqa: E402
import numpy as np  # noqa: E402

DEFAULT_MODELS = (
    "resnet50,mobilenetv2,ppocr4_det,ppocr4_rec,ppocr2_cls,magika,basic_pitch,minilm_int8,nakdimon,silero_vad,"
    "bert_base_128"
)
# Engines whose threads spin after a run would disturb the one measured next; this lets them fall asleep.
SETTLE_SECONDS = 0.03
ANSWER_SECONDS = 600


@dataclasses.dataclass(frozen=True)
class Effort:
    """How long to measure: pairs of blocks, seconds a block, and pairs of fresh processes."""

    pairs: int
    block_seconds: float
    fresh_processes: int


FULL = Effort(pairs=15, block_seconds=0.15, fresh_processes=5)
QUICK = Effort(pairs=5, block_seconds=0.05, fresh_processes=2)


class Failed(Exception):
    """An engine could not load or run a model."""


def serve(connection, engine_name: str, model_name: str, path: pathlib.Path, threads: int) -> None:
    """Worker: loads once, then runs as many times as each message asks for and answers with the times."""
    try:
        feeds = model_table.bench_feeds(model_name)
        run = engines.ENGINES[engine_name]().load(path, threads)
        connection.send(("ready", run(feeds)))
        while (count := connection.recv()) > 0:
            times = []
            for _ in range(count):
                start = time.perf_counter()
                run(feeds)
                times.append(time.perf_counter() - start)
            connection.send(("times", times))
    except EOFError:
        return
    except Exception as error:  # the parent reports it; any engine may fail in any way
        connection.send(("failed", f"{type(error).__name__}: {error}"))


class Worker:
    """A process that holds one engine with one model."""

    def __init__(self, engine_name: str, model_name: str, path: pathlib.Path, threads: int):
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, engine_name, model_name, path, threads), daemon=True)
        self.process.start()
        theirs.close()
        self.outputs = self.answer()

    def answer(self):
        try:
            if not self.connection.poll(ANSWER_SECONDS):
                raise Failed(f"no answer within {ANSWER_SECONDS} s")
            kind, content = self.connection.recv()
        except EOFError:
            self.process.join()
            raise Failed(f"the process ended with status {self.process.exitcode}") from None
        if kind == "failed":
            raise Failed(content)
        return content

    def times(self, count: int) -> list[float]:
        self.connection.send(count)
        return self.answer()

    def close(self) -> None:
        try:
            self.connection.send(0)
        except OSError:
            pass
        self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.connection.close()


class Progress:
    """A bar on stderr; one line a step when stderr is no terminal."""

    def __init__(self, total: int):
        self.total, self.done, self.start = total, 0, time.monotonic()

    def step(self, what: str) -> None:
        elapsed = time.monotonic() - self.start
        if sys.stderr.isatty():
            filled = 30 * self.done // self.total
            bar = "#" * filled + "." * (30 - filled)
            print(
                f"\r[{bar}] {self.done}/{self.total} {elapsed:4.0f} s  {what:<50.50}",
                end="",
                file=sys.stderr,
                flush=True,
            )
        else:
            print(f"[{self.done + 1}/{self.total}] {elapsed:4.0f} s  {what}", file=sys.stderr, flush=True)
        self.done += 1

    def finish(self) -> None:
        if sys.stderr.isatty():
            print(f"\r{'':<110}\r", end="", file=sys.stderr, flush=True)


def spread(values: list[float]) -> dict[str, float]:
    """Median and quartiles."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    return {"median": middle, "low": low, "high": high}


def measure_latency(model: str, path: pathlib.Path, names: list[str], threads: int, effort: Effort) -> dict:
    """Blocks of runs, the engines in turn and in turning order; a ratio for each round, of the blocks' best times."""
    workers, results = {}, {name: {} for name in names}
    try:
        for name in names:
            try:
                workers[name] = Worker(name, model, path, threads)
            except Failed as error:
                results[name] = {"error": str(error)}
        counts = {}
        for name, worker in workers.items():
            worker.times(2)
            counts[name] = max(1, min(2000, round(effort.block_seconds / min(worker.times(2)))))
        best, every = {name: [] for name in workers}, {name: [] for name in workers}
        for pair in range(effort.pairs):
            order = list(workers) if pair % 2 == 0 else list(workers)[::-1]
            for name in order:
                time.sleep(SETTLE_SECONDS)
                times = workers[name].times(counts[name])
                best[name].append(min(times))
                every[name] += times
        for name, worker in workers.items():
            results[name] = {
                "min_ms": min(every[name]) * 1e3,
                "median_ms": statistics.median(every[name]) * 1e3,
                "runs": len(every[name]),
            }
            if engines.BASELINE in workers and name != engines.BASELINE:
                pairs = zip(best[name], best[engines.BASELINE], strict=True)
                results[name]["ratio"] = spread([ours / theirs for ours, theirs in pairs])
                results[name] |= accuracy(worker.outputs, workers[engines.BASELINE].outputs)
    finally:
        for worker in workers.values():
            worker.close()
    return results


def one_difference(name: str, actual: np.ndarray, expected: np.ndarray) -> float:
    """A single number has no range: it is measured against its own size (the tests follow it over many steps)."""
    if np.size(expected) != 1:
        return agreement.difference(name, actual, expected).fraction
    agreement.check_type_and_shape(name, actual, expected)
    return float(np.abs(actual - expected).max() / max(float(np.abs(expected).max()), 1e-6))


def accuracy(actual: dict, expected: dict) -> dict:
    """The largest difference over all outputs, as a fraction of the baseline's range; outputs are taken in order."""
    try:
        pairs = zip(actual.values(), expected.items(), strict=True)
        return {"difference": max(one_difference(name, ours, theirs) for ours, (name, theirs) in pairs)}
    except (agreement.Disagreement, ValueError) as error:
        return {"difference_error": str(error)}


def measure_fresh(model: str, path: pathlib.Path, names: list[str], effort: Effort) -> dict:
    """Fresh processes in turn: import, load and first result with one thread, and the growth of memory."""
    found, results = {name: [] for name in names}, {}
    for turn in range(effort.fresh_processes + 1):
        for name in names if turn % 2 == 0 else names[::-1]:
            if name in results:
                continue
            command = [sys.executable, str(HERE / "probe.py"), name, model, str(path), "1"]
            ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=ANSWER_SECONDS)
            if ended.returncode != 0:
                said = ended.stderr.strip().splitlines()
                results[name] = {"error": said[-1] if said else f"exit status {ended.returncode}"}
            elif turn > 0:  # the first turn fills the file cache
                found[name].append(json.loads(ended.stdout.strip().splitlines()[-1]))
    for name in names:
        if name in results:
            continue
        keys = ("import_s", "load_s", "first_run_s", "total_s", "peak_mib", "anonymous_mib")
        results[name] = {key: statistics.median(run[key] for run in found[name]) for key in keys}
        if name != engines.BASELINE and engines.BASELINE not in results and found.get(engines.BASELINE):
            pairs = zip(found[name], found[engines.BASELINE], strict=True)
            results[name]["ratio"] = spread([ours["total_s"] / theirs["total_s"] for ours, theirs in pairs])
    return results


def number(value: float) -> str:
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


def ratio(result: dict) -> str:
    if "ratio" not in result:
        return "" if "error" not in result else "failed"
    found = result["ratio"]
    return f"{found['median']:.2f} ({found['low']:.2f}-{found['high']:.2f})"


def tables(report: dict) -> list[tuple[str, list[str], list[list[str]]]]:
    """Title, head and rows of each table."""
    names, base = report["engines"], engines.BASELINE
    others = [name for name in names if name != base]
    made = []
    for threads in report["threads"]:
        head = ["model"] + [f"{name} {what} ms" for name in names for what in ("min", "median")]
        head += [f"{name} / {base}" for name in others] + [f"{name} difference" for name in others]
        rows = []
        for model, result in report["latency"].get(str(threads), {}).items():
            row = [model]
            for name in names:
                row += [
                    number(result[name][key]) if key in result[name] else "failed" for key in ("min_ms", "median_ms")
                ]
            row += [ratio(result[name]) for name in others]
            row += [f"{result[name]['difference']:.1e}" if "difference" in result[name] else "-" for name in others]
            rows.append(row)
        made.append((f"Latency, {threads} thread{'s' if threads > 1 else ''}", head, rows))
    head = ["model"] + [f"{name} {what}" for name in names for what in ("start-up ms", "peak MiB")]
    head += [f"start-up {name} / {base}" for name in others]
    rows = []
    for model, result in report["fresh"].items():
        row = [model]
        for name in names:
            good = "total_s" in result[name]
            row += [number(result[name]["total_s"] * 1e3) if good else "failed"]
            row += [number(result[name]["peak_mib"]) if good else "failed"]
        rows.append(row + [ratio(result[name]) for name in others])
    made.append(("Start-up (import, load, first result; fresh process, 1 thread) and growth of memory", head, rows))
    return [table for table in made if table[2]]


def show(report: dict, markdown: bool) -> None:
    machine = report["machine"]
    print(
        f"{machine['cpu']}, {machine['cores']} cores, load {machine['load']:.1f}; "
        + ", ".join(f"{name} {version}" for name, version in report["engines"].items())
    )
    for title, head, rows in tables(report):
        print(f"\n{'### ' if markdown else ''}{title}\n")
        if markdown:
            print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
            print("\n".join("| " + " | ".join(row) + " |" for row in rows))
            continue
        widths = [max(len(line[column]) for line in [head, *rows]) for column in range(len(head))]
        for line in [head, *rows]:
            print("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip())
    for line in failures(report):
        flat = " ".join(line.split())
        print(f"failed: {flat if len(flat) <= 300 else flat[:300] + ' ...'}", file=sys.stderr)


def failures(report: dict) -> list[str]:
    found = []
    parts = {f"{threads} thread(s)": result for threads, result in report["latency"].items()} | {
        "start-up": report["fresh"]
    }
    for part, models in parts.items():
        for model, result in models.items():
            for name, values in result.items():
                for key in ("error", "difference_error"):
                    if key in values:
                        found.append(f"{model}, {part}, {name}: {values[key]}")
    return found


def processor() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default=DEFAULT_MODELS, help="comma-separated (default: %(default)s)")
    parser.add_argument("--engines", help=f"comma-separated (default: those installed of {', '.join(engines.ENGINES)})")
    parser.add_argument("--threads", default="1,2", help="comma-separated numbers of threads (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter measurements")
    parser.add_argument("--no-latency", action="store_true", help="leave out latency and accuracy")
    parser.add_argument("--no-start-up", action="store_true", help="leave out start-up and memory")
    parser.add_argument("--json", metavar="FILE", help="write all figures there (- for standard output)")
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    return parser.parse_args()


def main() -> int:
    arguments = parse()
    effort = QUICK if arguments.quick else FULL
    names = (
        arguments.engines.split(",") if arguments.engines else [n for n, e in engines.ENGINES.items() if e.installed()]
    )
    for name in names:
        if name not in engines.ENGINES:
            sys.exit(f"bench: no engine {name!r}; known: {', '.join(engines.ENGINES)}")
        if not engines.ENGINES[name].installed():
            sys.exit(f"bench: engine {name!r} is not installed here ({sys.executable}); pip install {name}")
    models = arguments.models.split(",")
    threads = [int(text) for text in arguments.threads.split(",")]
    try:
        for model in models:
            model_table.bench_feeds(model)
        paths = {model: fetch_models.ensure(model) for model in models}
    except (fetch_models.FetchError, ValueError) as error:
        sys.exit(f"bench: {error}")
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"bench: the machine is busy (load {load:.1f}); ratios hold better than times", file=sys.stderr)
    report = {
        "engines": {name: engines.ENGINES[name]().version() for name in names},
        "threads": threads,
        "machine": {"cpu": processor(), "cores": os.cpu_count(), "load": load},
        "effort": dataclasses.asdict(effort),
        "latency": {},
        "fresh": {},
    }
    steps = len(models) * (len(threads) * (not arguments.no_latency) + (not arguments.no_start_up))
    progress = Progress(max(1, steps))
    for model in models:
        if not arguments.no_latency:
            for count in threads:
                progress.step(f"{model}, {count} thread(s)")
                report["latency"].setdefault(str(count), {})[model] = measure_latency(
                    model, paths[model], names, count, effort
                )
        if not arguments.no_start_up:
            progress.step(f"{model}, start-up")
            report["fresh"][model] = measure_fresh(model, paths[model], names, effort)
    progress.finish()
    if arguments.json == "-":
        print(json.dumps(report, indent=1))
    else:
        if arguments.json:
            pathlib.Path(arguments.json).write_text(json.dumps(report, indent=1) + "\n")
        show(report, arguments.markdown)
    return 1 if failures(report) else 0


if __name__ == "__main__":
    sys.exit(main())
