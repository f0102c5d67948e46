"""Blueprints to render: one by hand at a real length, and any by hypothesis."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from blueprints import (
    Absent,
    Accent,
    Blueprint,
    Contour,
    Emotion,
    EmotionWindow,
    Extension,
    Loudness,
    Pitch,
    Present,
    Quality,
    Rate,
    Signal,
    Span,
    Status,
    Transcript,
    Word,
)
from tests.support import blueprints as make
from tests.support.tokens import ACCENTS, EMOTIONS

TEXT = (
    "The British pronunciation has a long vowel in the second syllable, and the"
    " American one rhymes with potato."
)


def absent(status: Status = Status.UNAVAILABLE) -> Absent:
    return Absent(status=status, reason="a reason for people")


def spoken(seconds: float = 16.8, text: str = TEXT, models: bool = True) -> Blueprint:
    """Return a plausible answer: a pause from 8.6 to 9.2 s, moving pitch and level."""
    frames = int(seconds / 0.1)
    times = [0.05 + 0.1 * i for i in range(frames)]
    quiet = [8.6 <= t < 9.2 for t in times]

    def moving(middle: float, swing: float) -> Contour:
        values = [
            None if q else middle + swing * math.sin(t)
            for t, q in zip(times, quiet, strict=True)
        ]
        return Contour(start_s=0.05, step_s=0.1, values=values)

    words = [
        Word(text=w, start_s=0.3 * i, end_s=0.3 * i + 0.2)
        for i, w in enumerate(text.split())
    ]
    return Blueprint(
        clip="0" * 64,
        signal=make.signal(
            duration_s=seconds,
            peak_dbfs=-5.2,
            rms_dbfs=-26.1,
            bandwidth_hz=7_750.0,
            speech_s=seconds - 0.6,
            speech=[Span(start_s=0, end_s=8.6), Span(start_s=9.2, end_s=seconds)],
            pauses=[Span(start_s=8.6, end_s=9.2)],
        ),
        transcript=make.transcript(text, words=words),
        quality=make.quality(
            3.607, 3.974, sig=4.031, bak=4.219, windows=3, level_dbfs=-26.1
        ),
        pitch=make.pitch(
            mean_hz=203.71,
            std_hz=49.83,
            median_hz=207.02,
            std_semitones=4.91,
            range_semitones=19.34,
            slope_semitones_per_s=-0.131,
            voiced_ratio=0.563,
            floor_hz=80,
            ceiling_hz=420,
            contour=moving(200, 40),
        ),
        loudness=make.loudness(
            integrated_lufs=-24.07,
            std_lu=6.72,
            range_lu=5.23,
            slope_lu_per_s=-0.112,
            contour=moving(-24.07, 5),
        ),
        rate=make.rate(
            wpm=154.62,
            articulation_wpm=180.43,
            syllables_per_s=4.12,
            words=len(words),
            syllables=66,
            trend=1.07,
            contour=Contour(
                start_s=0.5, step_s=1.0, values=[3.5, 4.1] * int(seconds / 2)
            ),
        ),
        emotion=make.emotion(
            neutral=0.812, happy=0.131, **dict.fromkeys(EMOTIONS[:3], 0.001)
        )
        if models
        else absent(),
        accent=make.accent(**{a: 0.613 - 0.05 * i for i, a in enumerate(ACCENTS)})
        if models
        else absent(),
    )


def spoken_with(group: str, *, seconds: float = 16.8, **values: object) -> Blueprint:
    """Return the same answer with other values in a group."""
    bp = spoken(seconds)
    return bp.model_copy(update={group: bp.group(group).model_copy(update=values)})


_number = st.floats(-1e6, 1e6, allow_nan=False)
_positive = st.floats(1e-3, 1e6, allow_nan=False)
_share = st.floats(0, 1, allow_nan=False)
_second = st.floats(0, 1e5, allow_nan=False)
_score = st.floats(-1, 1, allow_nan=False)
#: Anything that UTF-8 can carry, line separators and direction overrides included.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
_absent = st.builds(Absent, status=st.sampled_from(Status), reason=texts.filter(bool))
_span = st.builds(Span, start_s=_second, end_s=_second)
_contour = st.builds(
    Contour,
    start_s=_second,
    step_s=_positive,
    values=st.lists(st.none() | _number, max_size=40),
)
_scores = st.dictionaries(texts, _score, min_size=1, max_size=12)


def _maybe(group: type[Present], **fields: Any) -> st.SearchStrategy[Any]:
    return _absent | st.builds(group, **fields)


blueprints = st.builds(
    Blueprint,
    clip=st.just("0" * 64),
    signal=_maybe(
        Signal,
        duration_s=_second,
        rate_hz=st.integers(1, 400_000),
        channels=st.integers(1, 16),
        peak_dbfs=st.none() | _number,
        rms_dbfs=st.none() | _number,
        clipping_ratio=_share,
        bandwidth_hz=st.none() | _second,
        speech_s=_second,
        speech=st.lists(_span, max_size=3),
        pauses=st.lists(_span, max_size=3),
    ),
    transcript=_maybe(
        Transcript,
        text=texts,
        language=texts,
        language_source=st.sampled_from(("detected", "given", "model")),
        words=st.lists(
            st.builds(
                Word,
                text=texts,
                start_s=st.none() | _second,
                end_s=st.none() | _second,
                confidence=st.none() | _share,
            ),
            max_size=4,
        ),
        suspect=st.lists(texts, max_size=2),
    ),
    quality=_maybe(
        Quality,
        sig=_number,
        bak=_number,
        ovrl=_number,
        p808=_number,
        windows=st.integers(1, 99),
        level_dbfs=st.none() | _number,
    ),
    pitch=_maybe(
        Pitch,
        mean_hz=_positive,
        std_hz=_second,
        median_hz=_positive,
        std_semitones=_second,
        range_semitones=_second,
        slope_semitones_per_s=_number,
        voiced_ratio=st.floats(1e-6, 1),
        floor_hz=_positive,
        ceiling_hz=_positive,
        contour=_contour,
    ),
    loudness=_maybe(
        Loudness,
        integrated_lufs=_number,
        std_lu=_second,
        range_lu=st.none() | _second,
        slope_lu_per_s=_number,
        contour=_contour,
    ),
    rate=_maybe(
        Rate,
        wpm=st.none() | _second,
        articulation_wpm=st.none() | _second,
        syllables_per_s=_second,
        words=st.none() | st.integers(0, 999),
        syllables=st.integers(0, 999),
        trend=st.none() | _number,
        contour=_contour,
    ),
    emotion=_maybe(
        Emotion,
        scores=_scores,
        top=texts,
        trajectory=st.lists(
            st.builds(EmotionWindow, start_s=_second, end_s=_second, scores=_scores),
            max_size=3,
        ),
    ),
    accent=_maybe(Accent, similarities=_scores, top=texts),
    extensions=st.dictionaries(
        texts, _maybe(Extension, values=st.dictionaries(texts, _number)), max_size=2
    ),
)
