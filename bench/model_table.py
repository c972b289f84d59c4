"""The models that tests and benchmarks run, as data: cases with seeded realistic inputs, bounds of agreement."""

import dataclasses
import functools
from collections.abc import Callable

import numpy as np
from model_inputs import Feeds, file_bytes, hebrew, music, pages, sentences, speech

# Largest difference allowed, as a fraction of the output's range, by the precision that a model computes in.
BOUND_FLOAT32 = 1e-5
BOUND_FLOAT16 = 1e-2


@dataclasses.dataclass(frozen=True)
class Case:
    """One set of inputs: a name for reports, and a function that makes the feeds (always the same ones)."""

    name: str
    make: Callable[[], Feeds]
    bound: float | None = None  # instead of the model's, with the reason beside it


@dataclasses.dataclass(frozen=True)
class Model:
    """One model: its cases, the first of which is the one that benchmarks time."""

    name: str
    cases: tuple[Case, ...]
    bound: float = BOUND_FLOAT32


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
    sequence: bool = False  # rows are steps in time, not a batch
    bound: float = BOUND_FLOAT32

    @property
    def label(self) -> str:
        return f"{self.name}-{self.sample_rate // 1000}k" + (f"-rows{self.rows}" if self.rows != 1 else "")


IMAGENET_MEAN, IMAGENET_DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
HALF = (0.5, 0.5, 0.5)


def image_case(batch: int, height: int, width: int, imagenet: bool, input_name: str = "x") -> Case:
    mean, deviation = (IMAGENET_MEAN, IMAGENET_DEVIATION) if imagenet else (HALF, HALF)
    return Case(f"{batch}x{height}x{width}", lambda: {input_name: pages(batch, height, width, mean, deviation)})


def music_case(*seeds: int, hiss: float) -> Case:
    def make() -> Feeds:
        rows = np.stack([music(43844, 22050, seed, hiss) for seed in seeds])
        return {"serving_default_input_2:0": rows[:, :, None]}

    return Case(f"{len(seeds)}x43844 hiss {hiss:g}", make)


def light_image(input_name: str) -> tuple[Case, ...]:
    return (image_case(1, 224, 224, imagenet=True, input_name=input_name),)


# The nine networks of the onnx package and the name of the one input that is not a weight.
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
    # The fifth file is nearly constant. The model takes its variance as a difference of two means that agree to five
    # digits: one unit in the last place of a tanh (1.3e-7 between the engines) becomes 1.2e-6 there, 1.3e-5 behind the
    # reciprocal root, 1.1e-4 in the scores.
    Model("magika", (Case("1 file", lambda: file_bytes(1)), Case("5 files", lambda: file_bytes(5), 3e-4))),
    Model("basic_pitch", (music_case(4, hiss=0.3), music_case(7, hiss=0.03), music_case(2, 1, hiss=0.1))),
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
    Model("resnet50", (image_case(1, 224, 224, imagenet=True),)),
    Model("mobilenetv2", (image_case(1, 224, 224, imagenet=True),)),
    Model("bert_base_128", (Case("1x128", lambda: sentences(1, 128, False)),)),
)

STATE = {"state": ("stateN", (2, -1, 128))}
CELL_STATE = {"h": ("hn", (1, 1, 128)), "c": ("cn", (1, 1, 128))}
STREAMING = (
    Streaming("silero_vad", 16000, 1, 512, 64, STATE, True),
    Streaming("silero_vad", 8000, 1, 256, 32, STATE, True),
    Streaming("silero_vad", 16000, 3, 512, 64, STATE, True),
    Streaming("silero_vad_16k_op15", 16000, 1, 512, 64, STATE, True),
    Streaming("silero_vad_16k_op15", 16000, 2, 512, 64, STATE, True),
    Streaming("silero_vad_16k_sequence", 16000, 4, 512, 64, CELL_STATE, False, sequence=True),
    Streaming("silero_vad_half", 16000, 1, 512, 64, STATE, False),
    Streaming("silero_vad_op18_ifless", 16000, 1, 512, 64, STATE, True),
    Streaming("silero_vad_op18_ifless", 8000, 1, 256, 32, STATE, True),
    Streaming("silero_vad_op18_ifless", 16000, 3, 512, 64, STATE, True),
    Streaming("silero_vad_openvino_16k", 16000, 1, 512, 64, STATE, False),
)

MODELS = {model.name: model for model in REAL + LIGHT + STANDARD}


@functools.cache
def spoken(rate: int) -> np.ndarray:
    return speech(6 * rate, rate, seed=1)


def streaming_feeds(model: Streaming, step: int, state: Feeds | None = None) -> Feeds:
    """The inputs of one step: sound with the tail of the previous chunk before it, and the state (zeros at first)."""
    sound = spoken(model.sample_rate)
    window = model.chunk + model.context
    starts = [(step + 17 * row) * model.chunk % (len(sound) - window) for row in range(model.rows)]
    if model.sequence:
        starts = [(step * model.rows + row) * model.chunk % (len(sound) - window) for row in range(model.rows)]
    feeds = {"input": np.stack([sound[start : start + window] for start in starts])}
    for name, (_, shape) in model.state.items():
        full = tuple(model.rows if size < 0 else size for size in shape)
        feeds[name] = np.zeros(full, np.float32) if state is None else state[name]
    if model.has_rate_input:
        feeds["sr"] = np.array(model.sample_rate, np.int64)
    return feeds


def bench_feeds(name: str) -> Feeds:
    """The inputs that benchmarks use: the first case of a model, or the first step of a streaming one."""
    if name in MODELS:
        return MODELS[name].cases[0].make()
    for model in STREAMING:
        if model.name == name:
            return streaming_feeds(model, 0)
    if name in EXTRA_INPUTS:
        return EXTRA_INPUTS[name]()
    known = [*MODELS, *dict.fromkeys(model.name for model in STREAMING), *EXTRA_INPUTS]
    raise ValueError(f"no inputs for model {name!r}; known: {', '.join(known)}")


def noise(*shape: int) -> Feeds:
    return {"x": np.random.default_rng(3).standard_normal(shape, np.float32)}


# Standard architectures that only benchmarks run.
EXTRA_INPUTS: dict[str, Callable[[], Feeds]] = {
    "mobilenetv3_large": image_case(1, 224, 224, imagenet=True).make,
    "efficientnet_b0": image_case(1, 224, 224, imagenet=True).make,
    "unet256": image_case(1, 256, 256, imagenet=True).make,
    "deit_small": image_case(1, 224, 224, imagenet=True).make,
    "vit_b16": image_case(1, 224, 224, imagenet=True).make,
    "lstm_bi2": lambda: noise(1, 100, 80),
    "gru_uni2": lambda: noise(1, 100, 80),
    "distilbert_128": lambda: sentences(1, 128, False),
}
