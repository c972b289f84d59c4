"""Checks that every public header compiles alone as C++17 with g++ and clang++, abi.h as C too, and every engine header as C++20."""

import concurrent.futures
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]


def compile_alone(job):
    compiler, standard, language, include, header = job
    command = [compiler, f"-std={standard}", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-fopenmp-simd", "-x", language, "-"]
    folders = ["-I", str(ROOT / "include"), *(["-I", str(ROOT / "src")] if include == "src" else [])]
    done = subprocess.run([*command, *folders], input=f'#include "{header}"\n', capture_output=True, text=True)
    return f"{header} with {compiler}:\n{done.stderr}" if done.returncode else ""


compilers = ["g++", "clang++-14"]
missing = [c for c in compilers if not shutil.which(c)]
if missing:
    sys.exit(f"missing compilers: {missing}; run scripts/setup.sh test")
jobs = [("gcc", "c11", "c", "public", "opgraft/abi.h"), ("gcc", "c11", "c", "public", "opgraft/services.h")]
for header in sorted((ROOT / "include/opgraft").glob("*.h")):
    jobs += [(c, "c++17", "c++", "public", f"opgraft/{header.name}") for c in compilers]
for header in sorted((ROOT / "src").rglob("*.h")):
    name = str(header.relative_to(ROOT / "src"))
    if name.startswith(("python/", "backends/")) or name.endswith("-inl.h"):
        continue  # python needs the interpreter's headers; back end headers are compiled per CPU level
    jobs.append(("g++", "c++20", "c++", "src", name))
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    failures = [text for text in pool.map(compile_alone, jobs) if text]
print("\n".join(failures) or f"{len(jobs)} headers compile alone")
sys.exit(bool(failures))
