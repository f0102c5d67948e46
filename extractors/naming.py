"""The spoken language, named from the first seconds of speech, before any word.

Whisper's encoder costs what its window lasts, sound or padding: of 10 s it takes an
eighth of the time of its usual 30 s, and names as many languages rightly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import JsonValue

from blueprints import Span, Spoken
from extractors.audio import Samples
from extractors.recognised import share
from extractors.stretches import first_speech, last_speech

#: Speech that the model hears, seconds; shorter speech is padded to this.
WINDOW_S = 10.0

#: Of longer speech it also hears the end, seconds: half a window, so that 2 s of
#: another language count beside those before them. Padded to a shorter window, which
#: names the same languages for two thirds of the time; without padding the last 2 s are
#: missed.
LAST_S, LAST_WINDOW_S = 5.0, 7.0

#: A language of lower probability is not believed.
SURE_PROBABILITY = 0.5

#: In less speech than this, seconds, it takes a higher one: of 61 sentences of 1 to 4 s
#: in eight languages with 0.5, 8 were named wrongly, all of them in under 2.9 s; of 42
#: with 0.9, 3. Of 109 recordings under 3 s, of coded English and acted German, 10 of
#: 101 with 0.5 and none of 61 with 0.9. English is no exception: Mandarin and Thai are
#: taken for it.
SURE_SPEECH_S, SHORT_PROBABILITY = 3.0, 0.9

#: English of this probability in the first window is believed without a look at the
#: end.
PLAIN_ENGLISH = 0.9

#: The same as parameters of a transcript.
NAMED_BY: dict[str, JsonValue] = {
    "first_s": WINDOW_S,
    "last_s": LAST_S,
    "last_window_s": LAST_WINDOW_S,
    "short_probability": SHORT_PROBABILITY,
}


def name_language(model: Any, speech: Samples, spans: Sequence[Span]) -> Spoken:
    """Name the language of a clip by a multilingual model of faster-whisper.

    It is unsure where the end of longer speech is in another one: two languages in one
    window are taken for a third. ``speech`` is mono at 16 kHz [shape=(n,)] with at
    least one span of speech.
    """
    ranked = _ranked(model, first_speech(speech, spans, WINDOW_S), WINDOW_S)
    language, p = ranked[0]
    runner_up: str | None = None
    next_p: float | None = None
    if len(ranked) > 1:
        runner_up, next_p = ranked[1]
    seconds = sum(span.seconds for span in spans)
    least = SURE_PROBABILITY if seconds >= SURE_SPEECH_S else SHORT_PROBABILITY
    is_sure = p >= least
    is_plain_english = language == "en" and p >= PLAIN_ENGLISH
    if seconds > WINDOW_S and is_sure and not is_plain_english:
        end = last_speech(speech, spans, LAST_S)
        last, last_p = _ranked(model, end, LAST_WINDOW_S)[0]
        if last != language and last_p >= SURE_PROBABILITY:
            is_sure, runner_up, next_p = False, last, last_p
    return Spoken(
        language=language,
        probability=share(p) or 0.0,
        runner_up=runner_up,
        runner_up_probability=share(next_p),
        window_s=WINDOW_S,
        sure=is_sure,
    )


def _ranked(model: Any, speech: Samples, window_s: float) -> list[tuple[str, float]]:
    """Rank the languages of a window of speech, likeliest first.

    The window is cut or padded to its seconds.
    """
    from faster_whisper.audio import pad_or_trim

    frames = round(window_s * model.frames_per_second)
    features = model.feature_extractor(speech)[:, :frames]
    encoded = model.encode(pad_or_trim(features, frames))
    return [(token[2:-2], p) for token, p in model.model.detect_language(encoded)[0]]
