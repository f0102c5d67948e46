"""Quality by default: the same sound has the same scores, whatever surrounds it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.same_sound import CHANGES, measured, verdict
from blueprints import Quality
from extractors.audio import Clip
from tests.support.speech import SENTENCE, say
from trace_eval.judges.beside.voice import voice_lead

TEXT = (
    f"{SENTENCE} Afterwards we shall have tea with the neighbours, if they are at home."
)


@pytest.fixture(scope="module")
def spoken() -> Clip:
    return say(TEXT)


@pytest.mark.parametrize("change", CHANGES)
def test_the_same_sound_ties_in_voice_quality(spoken: Clip, change: str) -> None:
    whole = measured(spoken.mono, spoken.rate)
    other = measured(*CHANGES[change](spoken.mono, spoken.rate))
    for a, b in ((whole, other), (other, whole)):
        rating, steps = verdict(a, b)
        assert rating == "both_good", (change, steps)
    exact = ("silence behind", "three times", "softer", "louder")
    if change.endswith(exact):
        assert steps == pytest.approx(0, abs=0.05)


def test_too_little_speech_is_not_comparable_and_says_whose(spoken: Clip) -> None:
    syllable = measured(spoken.mono[: round(0.6 * spoken.rate)], spoken.rate)
    lead = voice_lead(syllable, measured(spoken.mono, spoken.rate))
    assert lead.steps is None
    assert lead.why == "too little speech in answer 1, at least 1 s is compared"


def test_parts_grow_and_go_on_in_windows_of_nine_seconds(spoken: Clip) -> None:
    sound = np.tile(spoken.mono, 5)
    quality = measured(sound, spoken.rate).quality
    assert isinstance(quality, Quality)
    assert quality.parts is not None
    start = quality.parts[0].start_s
    first = [part for part in quality.parts if part.start_s == start]
    lengths = [part.seconds for part in first]
    assert lengths == sorted(lengths)
    assert lengths[-1] == pytest.approx(9.01)
    # P.808 grows with what is scored: hence lengths that are equal
    assert first[-1].p808 > first[0].p808
    later = [part.start_s - start for part in quality.parts[len(first) :]]
    assert later == pytest.approx([9.0 * n for n in range(1, len(later) + 1)], abs=1e-3)
    assert quality.windows == 1 + len(later)
