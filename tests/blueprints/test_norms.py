"""Words for numbers: every cut is sharp, every norm names its source."""

from __future__ import annotations

import re

import pytest

from blueprints import NORMS, Norm
from blueprints import norms as n


@pytest.mark.parametrize(
    ("norm", "value", "word"),
    [
        (n.SPEECH_RATE, 210, "fast"),  # over 190, fast for a radio monologue
        (n.SPEECH_RATE, 160, "average"),  # the mean of radio monologues
        (n.SPEECH_RATE, 140, "average"),  # the mean of lectures
        (n.SPEECH_RATE, 90, "slow"),
        (n.BANDWIDTH, 3.4, "narrowband"),  # G.711
        (n.BANDWIDTH, 8.0, "wideband"),  # all that 16 kHz sampling holds
        (n.BANDWIDTH, 12.0, "super-wideband"),  # all that 24 kHz sampling holds
        (n.BANDWIDTH, 20.0, "fullband"),  # G.719
        (n.LOUDNESS, -23, "normal"),  # EBU R 128
        (n.LOUDNESS, -18, "normal"),  # inside AES TD1004
        (n.LOUDNESS, -12, "loud"),
        (n.LOUDNESS, -40, "very quiet"),
        (n.PITCH, 120, "male range"),
        (n.PITCH, 210, "female range"),
        (n.PITCH, 300, "very high"),
        (n.PITCH_VARIATION, 1.0, "monotone"),
        (n.PITCH_VARIATION, 2.8, "typical"),
        (n.OPINION, 1.0, "bad"),
        (n.OPINION, 3.0, "fair"),
        (n.OPINION, 5.0, "excellent"),
        (n.DISTORTION, 4.0, "slightly distorted"),
        (n.NOISE, 5.0, "not noticeable"),
        (n.PAUSE, 0.1, "brief"),
        (n.PAUSE, 0.6, "medium"),
        (n.PAUSE, 1.2, "long"),
        (n.TEMPO_TREND, 1.0, "steady"),
        (n.TEMPO_TREND, 1.3, "accelerating"),
    ],
)
def test_published_values_get_the_published_words(
    norm: Norm, value: float, word: str
) -> None:
    assert norm.word(value) == word


@pytest.mark.parametrize("norm", NORMS, ids=lambda norm: norm.quantity)
def test_each_cut_belongs_to_the_upper_word_and_each_norm_names_a_publication(
    norm: Norm,
) -> None:
    for index, cut in enumerate(norm.cuts):
        assert norm.word(cut - 1e-9) == norm.words[index]
        assert norm.word(cut) == norm.words[index + 1]
    assert re.search(r"\b(19|20)\d\d\b|ITU-T [PG]\.\d+|EBU R \d+", norm.source)
    assert len(set(norm.words)) == len(norm.words)


def test_a_norm_with_a_word_too_few_is_refused() -> None:
    with pytest.raises(ValueError, match="need 3 words, not 2"):
        Norm(quantity="x", unit="s", cuts=(1, 2), words=("low", "high"), source="us")
    with pytest.raises(ValueError, match="ascending"):
        Norm(
            quantity="x",
            unit="s",
            cuts=(2, 1),
            words=("low", "mid", "high"),
            source="us",
        )
