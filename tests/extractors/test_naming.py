"""Which language is spoken: what is believed of what a multilingual model hears."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from blueprints import Span
from extractors.audio import SPEECH_RATE, Samples
from extractors.naming import name_language


class Hearing:
    """A multilingual model that names the same languages of whatever it is given."""

    frames_per_second = 100

    def __init__(self, *named: tuple[str, float]) -> None:
        ranked = [(f"<|{language}|>", p) for language, p in named]
        self.model = SimpleNamespace(detect_language=lambda encoded: [ranked])

    def feature_extractor(self, speech: Samples) -> Samples:
        return np.zeros((80, len(speech) // 160), np.float32)

    def encode(self, features: Samples) -> Samples:
        return features


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("p", "seconds", "sure"),
    [
        (0.58, 2.9, False),
        (0.69, 2.9, False),
        (0.9, 2.9, True),
        (0.5, 3.0, True),
        (0.49, 9, False),
    ],
)
def test_english_needs_the_seconds_and_certainty_of_other_languages(
    language: str, p: float, seconds: float, sure: bool
) -> None:
    # Mandarin was heard as English with 0.58 in under 3 s, Thai with 0.69.
    model = Hearing((language, p), ("th", 1 - p))
    speech = np.zeros(10 * SPEECH_RATE, np.float32)
    spoken = name_language(model, speech, [Span(start_s=0.5, end_s=0.5 + seconds)])
    assert (spoken.language, spoken.sure) == (language, sure)
