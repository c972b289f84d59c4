"""Realistic inputs for models, made from a seed: pages of text, music, speech, files, sentences."""

import numpy as np

Feeds = dict[str, np.ndarray]

# Letters of five by seven dots, two hexadecimal digits a row.
LETTERS = {
    "A": "0E11111F111111",
    "B": "1E11111E11111E",
    "C": "0E11101010110E",
    "D": "1E11111111111E",
    "E": "1F10101E10101F",
    "F": "1F10101E101010",
    "G": "0E11101711110F",
    "H": "1111111F111111",
    "I": "0E04040404040E",
    "L": "1010101010101F",
    "M": "111B1515111111",
    "N": "11191513111111",
    "O": "0E11111111110E",
    "P": "1E11111E101010",
    "R": "1E11111E141211",
    "S": "0F10100E01011E",
    "T": "1F040404040404",
    "U": "1111111111110E",
}
WORDS = "OPERATOR GRAFT TENSOR SHAPE BUILD PLUGIN ENGINE PLAN MODEL FUSE NODE GRAPH HOST TABLE FOLD SPAN".split()


def text_line(text: str, scale: int) -> np.ndarray:
    """Ink (0 to 1) of letters seven times `scale` high, with soft edges."""
    dots = np.zeros((9, 6 * len(text) + 2), np.float32)
    for place, letter in enumerate(text):
        if letter != " ":
            rows = np.frombuffer(bytes.fromhex(LETTERS[letter]), np.uint8)
            dots[1:8, 6 * place + 1 : 6 * place + 6] = rows[:, None] >> np.arange(4, -1, -1) & 1
    ink = np.kron(dots, np.ones((scale, scale), np.float32))
    for axis in (0, 1):
        for _ in range(scale // 2 + 1):
            ink = (np.roll(ink, 1, axis) + 2 * ink + np.roll(ink, -1, axis)) / 4
    return ink


def page(height: int, width: int, seed: int) -> np.ndarray:
    """Lines of dark words on unevenly lit paper, values 0 to 1, shape [3, height, width]."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    paper = 0.85 + 0.08 * np.sin(x / 97 + seed) * np.cos(y / 83)
    scale = max(1, min(4, height // 12))
    left, step = 2 * scale, 11 * scale
    for top in range(height % step // 2, height - 9 * scale + 1, step):
        words = " ".join(random.choice(WORDS, 1 + width // (24 * scale)))
        ink = text_line(words, scale)[:, : max(1, width - 2 * left)]
        area = paper[top : top + ink.shape[0], left : left + ink.shape[1]]
        area += (0.15 - area) * ink
    tint = np.array([1.0, 0.97, 0.93], np.float32)[:, None, None]
    noise = random.normal(0, 0.02, (3, height, width)).astype(np.float32)
    return np.clip(paper[None] * tint + noise, 0, 1)


def pages(batch: int, height: int, width: int, mean: tuple[float, ...], deviation: tuple[float, ...]) -> np.ndarray:
    """A batch of pages, normalised as image networks expect."""
    stack = np.stack([page(height, width, seed) for seed in range(batch)])
    centred = stack - np.array(mean, np.float32)[:, None, None]
    return np.ascontiguousarray(centred / np.array(deviation, np.float32)[:, None, None], np.float32)


def music(samples: int, rate: int, seed: int, hiss: float) -> np.ndarray:
    """Notes with harmonics that decay, over a hiss of the given strength."""
    random = np.random.default_rng(seed)
    time = np.arange(samples, dtype=np.float64) / rate
    sound = np.zeros(samples)
    for start in np.arange(0, samples / rate, 0.2):
        frequency = 110 * 2 ** (random.integers(0, 36) / 12)
        since = np.clip(time - start, 0, None)
        envelope = np.where(time >= start, np.exp(-4 * since), 0)
        for harmonic in range(1, 6):
            sound += envelope * np.sin(2 * np.pi * frequency * harmonic * since) / harmonic**1.5
    sound = sound / np.abs(sound).max() * 0.8 + random.normal(0, hiss, samples)
    return sound.astype(np.float32)


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
        b"#!/usr/bin/env python3\nimport sys\n\n\ndef main():\n    for line in sys.stdin:\n        print(line)\n" * 9,
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
