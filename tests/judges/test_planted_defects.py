"""``rules`` accepts no answer with a planted loop, or of which half is missing."""

from __future__ import annotations

import numpy as np
import pytest
import soundfile

from benchmarks.defects_planted import loop, silence
from benchmarks.defects_voices import TEXTS, spoken
from blueprints import Blueprint
from fusion import Rating
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.start import extract
from trace_eval.judges.rules.thresholds import RuleThresholds
from trace_eval.judges.rules.voice_quality import judge_voice_quality

UNUSED = ("transcript", "pitch", "rate", "loudness", "emotion", "accent")


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Blueprint]:
    """Make a built voice's sentence: as it is, with a part repeated, with half lost."""
    folder = tmp_path_factory.mktemp("planted")
    plain, rate = spoken("espeak-ng", "en-gb+f2", TEXTS[2])
    looped, *_ = loop(plain, rate, np.random.default_rng(1))
    missing, *_ = silence(plain, rate, np.random.default_rng(0))
    for name, samples in (("plain", plain), ("loop", looped), ("silence", missing)):
        soundfile.write(folder / f"{name}.wav", samples, rate)
    paths = sorted(folder.iterdir())
    overrides = {"defects": "defects"} | dict.fromkeys(UNUSED, "none")
    results = extract(paths, ExtractOptions(overrides=dict(overrides)))
    return {
        path.stem: one.blueprint
        for path, one in zip(paths, results, strict=True)
        if one.blueprint is not None
    }


def test_the_answer_without_the_defect_wins_and_the_reason_says_where(
    answers: dict[str, Blueprint],
) -> None:
    cuts = RuleThresholds()
    for kind, reason in (
        ("loop", "its sound repeats itself from "),
        ("silence", " is silence"),
    ):
        verdict = judge_voice_quality(answers[kind], answers["plain"], cuts)
        assert verdict.rating == Rating.B, kind
        assert reason in verdict.reasoning
    both = judge_voice_quality(answers["loop"], answers["silence"], cuts)
    assert both.rating == Rating.BOTH_BAD
