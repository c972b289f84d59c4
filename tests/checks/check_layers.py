"""Checks who includes whom: the layers of src/, and that operators and back ends see the public headers only."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[2]
ORDER = ["base", "ir", "registry", ("plugin", "formats", "exec"), "passes", "runtime", "capi", ("python", "tools")]
RANK = {name: i for i, names in enumerate(ORDER) for name in ([names] if isinstance(names, str) else names)}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def problems():
    for file in sorted((ROOT / "src").rglob("*")):
        if file.suffix not in (".cc", ".h"):
            continue
        parts = file.relative_to(ROOT / "src").parts
        for included in INCLUDE.findall(file.read_text()):
            target = included.split("/")[0]
            if target == "opgraft" or "/" not in included:
                continue
            where = f"{file.relative_to(ROOT)} includes {included}"
            if parts[0] == "ops":
                yield f"{where}: operators include public headers only"
            elif parts[0] == "backends":
                if target != "hwy" and included.split("/")[:2] != list(parts[:2]):
                    yield f"{where}: a back end includes public headers and its own"
            elif target == "backends":
                if parts[0] != "runtime":
                    yield f"{where}: only the runtime registers back ends"
            elif target not in RANK:
                yield f"{where}: not a layer"
            elif RANK[target] > RANK[parts[0]] or (RANK[target] == RANK[parts[0]] and target != parts[0]):
                yield f"{where}: {parts[0]} is below or beside {target}"
    for file in sorted((ROOT / "include").rglob("*")):
        if file.suffix in (".h", ".inc"):
            for included in INCLUDE.findall(file.read_text()):
                if "compat/onnx" in str(file):
                    continue
                if not included.startswith("opgraft/"):
                    yield f"{file.relative_to(ROOT)} includes {included}: public headers include public headers only"
    for file in sorted([*(ROOT / "src").rglob("*"), *(ROOT / "include").rglob("*")]):
        if file.suffix in (".cc", ".h") and len(file.read_text().splitlines()) > 600:
            yield f"{file.relative_to(ROOT)} has more than 600 lines"


found = list(problems())
print("\n".join(found) or "layers are in order")
sys.exit(bool(found))
