"""The models that tests and benchmarks run, as data: name, cases with seeded realistic inputs, and the bound of agreement."""

import dataclasses
from collections.abc import Callable

import numpy as np

Feeds = dict[str, np.ndarray]

# Largest difference allowed, as a fraction of the output's range, by the precision that a model computes in.
BOUND_FLOAT32 = 1e-5
BOUND_FLOAT16 = 1e-2


@dataclasses.dataclass(frozen=True)
class Case:
    """One set of inputs: a name for reports, and a function that makes the feeds (always the same ones)."""

    name: str
    make: Callable[[], Feeds]


@dataclasses.dataclass(frozen=True)
class Model:
    """One model: its cases, the first of which is the one that benchmarks time."""

    name: str
    cases: tuple[Case, ...]
    bound: float = BOUND_FLOAT32
    needs_generator: bool = False


@dataclasses.dataclass(frozen=True)
class Streaming:
    """A recurrent model that is fed its own state: which outputs become which inputs of the next step."""

    name: str
    sample_rate: int
    rows: int
    chunk: int
    context: int
    state: dict[str, tuple[str, tuple[int, ...]]]  # input name -> (output name, shape)
    has_rate_input: bool
    bound: float = BOUND_FLOAT32

    @property
    def label(self) -> str:
        return f"{self.name}-{self.sample_rate // 1000}k" + (f"-rows{self.rows}" if self.rows != 1 else "")


def page(height: int, width: int, seed: int) -> np.ndarray:
    """A light page with lines of dark strokes and a smooth background, values 0 to 1, shape [3, height, width]."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    paper = 0.85 + 0.1 * np.sin(x / 37 + seed) * np.cos(y / 53)
    line_height = max(10, height // 6)
    for top in range(line_height // 4, height - line_height // 2, line_height):
        left = int(random.integers(2, 8))
        while left < width - 8:
            stroke_width = int(random.integers(2, 4))
            stroke_height = int(random.integers(line_height // 3, line_height * 3 // 4 + 1))
            paper[top : top + stroke_height, left : left + stroke_width] = random.uniform(0.02, 0.2)
            if random.random() < 0.5:
                middle = top + int(random.integers(0, stroke_height))
                paper[middle : middle + 2, left : left + 3 * stroke_width] = random.uniform(0.02, 0.2)
            left += int(random.integers(4, 14))
    tint = np.array([1.0, 0.97, 0.93], np.float32)[:, None, None]
    noise = random.normal(0, 0.02, (3, height, width)).astype(np.float32)
    return np.clip(paper[None].astype(np.float32) * tint + noise, 0, 1)


def pages(batch: int, height: int, width: int, mean: tuple[float, ...], deviation: tuple[float, ...]) -> np.ndarray:
    stack = np.stack([page(height, width, seed) for seed in range(batch)])
    centred = stack - np.array(mean, np.float32)[:, None, None]
    return np.ascontiguousarray(centred / np.array(deviation, np.float32)[:, None, None], np.float32)


IMAGENET_MEAN, IMAGENET_DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
HALF = (0.5, 0.5, 0.5)


def image_case(batch: int, height: int, width: int, imagenet: bool, input_name: str = "x") -> Case:
    mean, deviation = (IMAGENET_MEAN, IMAGENET_DEVIATION) if imagenet else (HALF, HALF)
    return Case(f"{batch}x{height}x{width}", lambda: {input_name: pages(batch, height, width, mean, deviation)})


def music(samples: int, rate: int, seed: int) -> np.ndarray:
    """Notes with harmonics that decay, and a little noise."""
    random = np.random.default_rng(seed)
    time = np.arange(samples, dtype=np.float64) / rate
    sound = random.normal(0, 1e-3, samples)
    for start in np.arange(0, samples / rate, 0.2):
        frequency = 110 * 2 ** (random.integers(0, 36) / 12)
        since = np.clip(time - start, 0, None)
        envelope = np.where(time >= start, np.exp(-4 * since), 0)
        for harmonic in range(1, 6):
            sound += envelope * np.sin(2 * np.pi * frequency * harmonic * since) / harmonic**1.5
    return (sound / np.abs(sound).max() * 0.8).astype(np.float32)


def speech(samples: int, rate: int, seed: int) -> np.ndarray:
    """Voiced syllables (a gliding pitch through three resonances), hiss and pauses."""
    random = np.random.default_rng(seed)
    time = np.arange(samples, dtype=np.float64) / rate
    pitch = 120 + 30 * np.sin(2 * np.pi * 0.7 * time + seed) + 12 * np.sin(2 * np.pi * 3.1 * time)
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    formants = 500 + 250 * np.sin(2 * np.pi * 1.9 * time), 1500 + 500 * np.sin(2 * np.pi * 1.3 * time), 2500
    voiced = np.zeros(samples)
    for harmonic in range(1, int(rate / 2 / 160)):
        gain = sum(1 / (1 + ((harmonic * pitch - formant) / 120) ** 2) for formant in formants)
        voiced += gain * np.sin(harmonic * phase)
    syllables = np.clip(np.sin(2 * np.pi * 2.3 * time), 0, 1) ** 0.5 * (np.sin(2 * np.pi * 0.45 * time + 1) > -0.4)
    sound = voiced * syllables / np.abs(voiced).max() * 0.5 + random.normal(0, 4e-3, samples)
    return sound.astype(np.float32)


def file_bytes(rows: int) -> Feeds:
    """First and last 1024 bytes of small files in several languages; 256 marks what is beyond the file's end."""
    texts = [
        b"#!/usr/bin/env python3\nimport sys\n\n\ndef main():\n    for line in sys.stdin:\n        print(line.strip())\n"
        * 9,
        b'{"name": "graft", "values": [1, 2.5, -3], "nested": {"on": true, "off": null}}\n' * 30,
        b"#include <vector>\n\nint main() {\n  std::vector<int> v{1, 2, 3};\n  return v.size() == 3 ? 0 : 1;\n}\n" * 12,
        b"\x7fELF\x02\x01\x01" + bytes(np.random.default_rng(5).integers(0, 256, 3000, dtype=np.uint8)),
        b"<html><head><title>Page</title></head><body><p>Hello</p></body></html>",
    ]
    features = np.full((rows, 2048), 256, np.int32)
    for row in range(rows):
        content = texts[row % len(texts)].strip()
        head, tail = content[:1024], content[-1024:]
        features[row, : len(head)] = np.frombuffer(head, np.uint8)
        features[row, 2048 - len(tail) :] = np.frombuffer(tail, np.uint8)
    return {"bytes": features}


def sentences(batch: int, length: int, with_types: bool) -> Feeds:
    """Token ids of a BERT vocabulary: [CLS] words [SEP], rows after the first padded at the end."""
    random = np.random.default_rng(7)
    ids = random.integers(1996, 29000, (batch, length), dtype=np.int64)
    mask = np.ones((batch, length), np.int64)
    for row in range(batch):
        end = length - 5 * row
        ids[row, 0], ids[row, end - 1] = 101, 102
        ids[row, end:], mask[row, end:] = 0, 0
    feeds = {"input_ids": ids, "attention_mask": mask}
    return feeds | {"token_type_ids": np.zeros((batch, length), np.int64)} if with_types else feeds


def hebrew(batch: int, length: int) -> Feeds:
    """Character ids (0 is padding, 4 a blank, 16 to 42 the letters) in words of three to seven letters."""
    random = np.random.default_rng(11)
    ids = np.zeros((batch, length), np.float32)
    for row in range(batch):
        position, end = 0, length - 7 * row
        while position < end:
            letters = min(int(random.integers(3, 8)), end - position)
            ids[row, position : position + letters] = random.integers(16, 43, letters)
            if position + letters < end:
                ids[row, position + letters] = 4
            position += letters + 1
    return {"input_1": ids}


def sound_rows(batch: int) -> Feeds:
    rows = np.stack([music(43844, 22050, seed) for seed in range(batch)])
    return {"serving_default_input_2:0": rows[:, :, None]}


def light_image(input_name: str) -> tuple[Case, ...]:
    return (image_case(1, 224, 224, imagenet=True, input_name=input_name),)


LIGHT_INPUTS = {
    "bvlc_alexnet": "data_0",
    "densenet121": "data_0",
    "inception_v1": "data_0",
    "inception_v2": "data_0",
    "resnet50": "gpu_0/data_0",
    "shufflenet": "gpu_0/data_0",
    "squeezenet": "data_0",
    "vgg19": "data_0",
    "zfnet512": "gpu_0/data_0",
}

REAL = (
    Model(
        "ppocr4_det",
        tuple(image_case(*size, imagenet=True) for size in ((1, 320, 320), (1, 96, 160), (2, 64, 224), (1, 192, 32))),
    ),
    Model(
        "ppocr4_rec",
        tuple(image_case(*size, imagenet=False) for size in ((1, 48, 320), (1, 48, 100), (3, 48, 160), (1, 48, 641))),
    ),
    Model(
        "ppocr2_cls",
        tuple(image_case(*size, imagenet=False) for size in ((1, 48, 192), (6, 48, 192), (1, 32, 100), (2, 64, 320))),
    ),
    Model("magika", (Case("1 file", lambda: file_bytes(1)), Case("5 files", lambda: file_bytes(5)))),
    Model("basic_pitch", (Case("1x43844", lambda: sound_rows(1)), Case("2x43844", lambda: sound_rows(2)))),
    Model(
        "minilm_int8",
        (
            Case("1x32", lambda: sentences(1, 32, True)),
            Case("1x7", lambda: sentences(1, 7, True)),
            Case("3x37", lambda: sentences(3, 37, True)),
        ),
    ),
    Model(
        "nakdimon",
        (
            Case("1x40", lambda: hebrew(1, 40)),
            Case("1x9", lambda: hebrew(1, 9)),
            Case("3x64", lambda: hebrew(3, 64)),
        ),
    ),
)

LIGHT = tuple(Model(f"light_{name}", light_image(input_name)) for name, input_name in LIGHT_INPUTS.items())

STANDARD = (
    Model("resnet50", (image_case(1, 224, 224, imagenet=True),), needs_generator=True),
    Model("mobilenetv2", (image_case(1, 224, 224, imagenet=True),), needs_generator=True),
    Model("bert_base_128", (Case("1x128", lambda: sentences(1, 128, False)),), needs_generator=True),
)

STATE = {"state": ("stateN", (2, -1, 128))}
STREAMING = (
    Streaming("silero_vad", 16000, 1, 512, 64, STATE, True),
    Streaming("silero_vad", 8000, 1, 256, 32, STATE, True),
    Streaming("silero_vad", 16000, 3, 512, 64, STATE, True),
    Streaming("silero_vad_16k_op15", 16000, 1, 512, 64, STATE, True),
    Streaming("silero_vad_16k_op15", 16000, 2, 512, 64, STATE, True),
    Streaming(
        "silero_vad_16k_sequence", 16000, 4, 512, 64, {"h": ("hn", (1, 1, 128)), "c": ("cn", (1, 1, 128))}, False
    ),
    Streaming("silero_vad_half", 16000, 1, 512, 64, STATE, False),
    Streaming("silero_vad_op18_ifless", 16000, 1, 512, 64, STATE, True),
    Streaming("silero_vad_op18_ifless", 8000, 1, 256, 32, STATE, True),
    Streaming("silero_vad_op18_ifless", 16000, 3, 512, 64, STATE, True),
    Streaming("silero_vad_openvino_16k", 16000, 1, 512, 64, STATE, False),
)
