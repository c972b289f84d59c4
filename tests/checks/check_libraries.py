"""Checks the installed module: it needs no libhwy and only system libraries, and exports nothing but its entry."""

import pathlib
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
libraries = [p for p in folder.rglob("*.so*") if "opgraft" in str(p)]
assert libraries, f"no library of opgraft below {folder}"
problems = []
for library in libraries:
    needed = subprocess.run(["readelf", "-d", str(library)], capture_output=True, text=True, check=True).stdout
    names = [line.split("[")[1].split("]")[0] for line in needed.splitlines() if "(NEEDED)" in line]
    allowed = ("libstdc++", "libm.", "libgcc_s", "libc.", "ld-linux", "libpthread", "libdl")
    problems += [f"{library.name} needs {name}" for name in names if not name.startswith(allowed)]
    exported = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True).stdout
    symbols = [line.split()[-1] for line in exported.splitlines()]
    problems += [f"{library.name} exports {s}" for s in symbols if "opgraft" in s]
    if "PyInit__core" not in symbols:
        problems.append(f"{library.name} does not export PyInit__core")
print("\n".join(problems) or f"{len(libraries)} library: nothing of libhwy, nothing exported but the entry")
sys.exit(bool(problems))
