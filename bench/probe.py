"""A fresh process for one engine and model: prints start-up times and memory as one line of JSON."""

import json
import pathlib
import sys
import time


def memory_kib(field: str) -> int:
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    raise RuntimeError(f"/proc/self/status has no field {field}; memory is measured on Linux only")


def main() -> None:
    engine_name, model_name, path, threads = sys.argv[1:5]
    import engines
    import model_table

    feeds = model_table.bench_feeds(model_name)
    # Peak and present are both reset to here: NumPy and the inputs are no cost of the engine.
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = memory_kib("VmRSS")
    clock = [time.perf_counter()]
    engine = engines.ENGINES[engine_name]()
    clock.append(time.perf_counter())
    run = engine.load(pathlib.Path(path), int(threads))
    clock.append(time.perf_counter())
    run(feeds)
    clock.append(time.perf_counter())
    result = {
        "import_s": clock[1] - clock[0],
        "load_s": clock[2] - clock[1],
        "first_run_s": clock[3] - clock[2],
        "total_s": clock[3] - clock[0],
        "peak_mib": (memory_kib("VmHWM") - before) / 1024,
        "anonymous_mib": memory_kib("RssAnon") / 1024,
        "version": engine.version(),
    }
    print("\n" + json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
