"""Two answers of which reasons claim something, and what becomes of the claims."""

from __future__ import annotations

from blueprints import Blueprint
from tests.support import blueprints as make
from trace_eval.judges.claims.check import check_all
from trace_eval.judges.claims.finding import ShownAnswers
from trace_eval.judges.claims.read import claims_of

REQUEST = "Please whisper: good night, sleep well."


def fast() -> Blueprint:
    """214 words a minute, clean, 181 Hz, -23.4 LUFS, 12.4 s, a pause of 1.2 s."""
    return make.answer(
        "I cannot whisper, but here is the sentence: good night, sleep well.",
        rate=make.rate(wpm=214.2, articulation_wpm=236.0),
        quality=make.quality(3.3, 3.72, bak=4.1, sig=3.5),
        loudness=make.loudness(integrated_lufs=-23.4),
        pitch=make.pitch(mean_hz=181.0, median_hz=178.0, std_semitones=3.4),
        signal=make.signal(
            duration_s=12.4, bandwidth_hz=7900.0, pauses=make.pauses(0.4, 1.2).pauses
        ),
    )


def slow() -> Blueprint:
    """104 words a minute, clipped, 118 Hz, -29.6 LUFS, 6.1 s, no pause."""
    return make.answer(
        "Good night. Sleep well, my dear friend.",
        rate=make.rate(wpm=104.0, articulation_wpm=121.0),
        quality=make.quality(2.6, 3.11, bak=3.2, sig=3.0),
        loudness=make.loudness(integrated_lufs=-29.6),
        pitch=make.pitch(mean_hz=118.0, median_hz=115.0, std_semitones=1.2),
        signal=make.signal(
            duration_s=6.1, bandwidth_hz=3900.0, clipping_ratio=0.031, speech_s=5.0
        ),
    )


def findings(reason: str, swapped: bool = False) -> list[bool | None]:
    """Check each claim of a reason; swapped: the slow answer was shown first."""
    first, second = (slow(), fast()) if swapped else (fast(), slow())
    shown = ShownAnswers({"1": first, "2": second}, REQUEST)
    return [finding.holds for _, finding in check_all(claims_of(reason), shown)]
