"""How fast an answer is spoken, by words or syllables: one method for both answers."""

from __future__ import annotations

from typing import NamedTuple

from blueprints import UNSURE, Absent, Blueprint, Rate, Transcript, language_name
from extractors import guessed, unmeasured

#: Syllables per second of read speech by language: Pellegrino, Coupé & Marsico 2011, "A
#: cross-language perspective on speech information rate", Language 87(3). Of others no
#: norm is known here.
SYLLABLES_PER_S = {
    "de": 5.97,
    "en": 6.19,
    "es": 7.82,
    "fr": 7.18,
    "it": 6.99,
    "ja": 7.84,
    "vi": 5.22,
    "zh": 5.18,
}

#: Syllable nuclei per word, for clips whose words cannot be trusted. Our cut: seen at
#: 1.1 to 1.3 in real answers; running text has more, but nuclei are missed.
NUCLEI_PER_WORD = 1.25


class WordRate(NamedTuple):
    """The articulation rate of one answer."""

    wpm: float | None  # English words per minute of speech; None: not known
    what: str  # how to call it, or why it is not known
    by_syllables: bool = True  # estimated from syllable nuclei, not from words


def words_per_minute(blueprint: Blueprint, trust_words: bool = True) -> WordRate:
    """Return the articulation rate in English words per minute, or why it is not known.

    Words that the recogniser itself distrusts are not counted: what it cannot
    understand it shortens, and fast speech would read as slow. Nor are words of another
    language, which are longer or shorter than English ones. Syllable nuclei need no
    recogniser, but a norm of their language: what is fast in Mandarin is slow in
    Spanish.

    ``trust_words=False``: by syllables in any case, for a comparison with an answer
    whose words cannot be trusted.
    """
    rate = blueprint.rate
    transcript = blueprint.transcript
    language = transcript.language if isinstance(transcript, Transcript) else "en"
    if isinstance(transcript, Transcript) and "unsure_language" in transcript.suspect:
        language = UNSURE
    if isinstance(rate, Absent):
        return WordRate(None, f"rate {unmeasured('rate', rate)}")
    if (
        trust_words
        and language == "en"
        and rate.articulation_wpm
        and guessed(blueprint) is None
    ):
        what = f"{rate.articulation_wpm:.0f} words/min of speech"
        return WordRate(rate.articulation_wpm, what, by_syllables=False)
    if not rate.syllables_per_s:
        return WordRate(None, "rate has no word rate")
    if (norm := SYLLABLES_PER_S.get(language)) is None:
        name = "an unsure language" if language == UNSURE else language_name(language)
        return WordRate(None, f"no norm of syllable rates for {name}")
    as_english = rate.syllables_per_s * SYLLABLES_PER_S["en"] / norm
    estimate = 60 * as_english / NUCLEI_PER_WORD
    of = "" if language == "en" else f" against the norm of {language_name(language)}"
    return WordRate(
        estimate, f"about {estimate:.0f} words/min of speech, by syllables{of}"
    )


def rates(a: Blueprint, b: Blueprint) -> tuple[WordRate, WordRate]:
    """Return the rates of both answers, counted by one method."""
    first, second = words_per_minute(a), words_per_minute(b)
    counted = [
        isinstance(x.rate, Rate) and bool(x.rate.syllables_per_s) for x in (a, b)
    ]
    if first.by_syllables != second.by_syllables and all(counted):
        return words_per_minute(a, trust_words=False), words_per_minute(
            b, trust_words=False
        )
    return first, second
