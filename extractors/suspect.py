"""Reasons to distrust a transcript, whichever recogniser wrote it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from statistics import fmean, median
from typing import NamedTuple

from blueprints import (
    WEAK,
    Blueprint,
    Rate,
    Signal,
    Span,
    Transcript,
    Word,
    language_name,
)

#: Longest phrase that is looked for, words.
LOOP_PHRASE = 12

#: A phrase loops when it is repeated this often in a row, and the row has this many
#: words: speakers do repeat a word three times, or a sentence twice.
LOOP_TIMES, LOOP_WORDS = 4, 8

#: Words may lie this far outside detected speech: word times are that inexact, seconds.
SILENCE_SLACK_S = 0.3

#: Share of words outside detected speech from which the text is suspect.
SILENCE_SHARE = 0.1

#: More words per second of speech than this are made up by a recogniser that loops:
#: the fastest talkers say about 10, and answers were seen at up to 5.
MAX_WORDS_PER_S = 10.0

#: So are more letters and digits than this: the words of other languages are longer.
#: The same 61 English clips have 2 to 18.
MAX_LETTERS_PER_S = 25.0

#: More words than this per syllable that was counted are made up: nobody says more
#: words than syllables, but nuclei that run together are counted once; in 61 English
#: clips that are heard well they were 0.5 to 1.29. Asked of so many words at least, of
#: which a few may be miscounted.
MAX_WORDS_PER_SYLLABLE, MANY_WORDS = 1.7, 10

#: Speech of so many syllables has words: where none was heard, they were not
#: understood.
SPOKEN_SYLLABLES = 8

#: Flags of words that are guesses, with what they mean.
GUESSED = {
    "low_confidence": "it is unsure of its words",
    "text_over_silence": "it wrote words where nobody speaks",
    "unsure_language": "it is unsure of the language",
}

#: Languages of which Whisper base is measured to write more than ``WEAK_SHARE`` of the
#: words wrong: the 95 % interval of the share (Wilson) lies above it, in
#: benchmarks/results/languages.json, of people and of built and neural voices. Of
#: English alone it lies below.
WEAK_LANGUAGES = frozenset({"ca", "cs", "fi", "hi", "it", "ru"})

# Names of base, and of sizes above it: what was measured says nothing against those.
_BASE = re.compile(r"(?:faster-)?(?:whisper-)?base(?:\.pt)?")
_LARGER = re.compile(r"(?:^|[^a-z])(?:small|medium|large|turbo)(?:$|[^a-z])")

# One token per character where a script has no spaces between words.
_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+(?:'[^\W_]+)*"
)


class RepeatedPhrase(NamedTuple):
    """A phrase that is repeated over and over."""

    phrase: tuple[str, ...]
    times: int
    start: int  # index of the first word of the row

    @property
    def words(self) -> int:
        """Length of the whole row, in words."""
        return len(self.phrase) * self.times


def tokens(text: str) -> list[str]:
    """Split words in lower case without punctuation; CJK characters one by one.

    >>> tokens("Don't say 'tomato', say 你好!")
    ["don't", 'say', 'tomato', 'say', '你', '好']
    """
    return _TOKEN.findall(text.casefold().replace("’", "'"))


def longest_repetition(words: Sequence[str]) -> RepeatedPhrase | None:
    """Find the longest row of one phrase at least twice in a row; None without one.

    >>> longest_repetition("so the end the end the end".split())
    Loop(phrase=('the', 'end'), times=3, start=1)
    """
    best: RepeatedPhrase | None = None
    for size in range(1, min(LOOP_PHRASE, len(words) // 2) + 1):
        run = 0  # words in a row that equal the word one phrase earlier
        for index in range(size, len(words)):
            run = run + 1 if words[index] == words[index - size] else 0
            times = run // size + 1
            if times > 1 and (best is None or size * times > best.words):
                start = index - run - size + 1
                best = RepeatedPhrase(tuple(words[start : start + size]), times, start)
    return best


def repetition_loop(words: Sequence[str]) -> RepeatedPhrase | None:
    """Find a repetition too long to be meant, as when a recogniser or answer hangs."""
    loop = longest_repetition(words)
    if loop and loop.times >= LOOP_TIMES and loop.words >= LOOP_WORDS:
        return loop
    return None


def text_over_silence(words: Sequence[Word], speech: Sequence[Span]) -> bool:
    """Tell whether over ``SILENCE_SHARE`` of the timed words lie outside ``speech``."""
    timed = []
    for word in words:
        if word.start_s is not None and word.end_s is not None:
            timed.append((word.start_s + word.end_s) / 2)

    def is_spoken(middle: float) -> bool:
        for span in speech:
            if span.start_s - SILENCE_SLACK_S <= middle <= span.end_s + SILENCE_SLACK_S:
                return True
        return False

    outside = sum(not is_spoken(middle) for middle in timed)
    return outside > SILENCE_SHARE * len(timed)


def low_confidence(
    words: Sequence[Word], threshold: float, middle: float = 0.0
) -> bool:
    """Tell whether words' mean confidence is under ``threshold``, or their median low.

    Words without a confidence are left out.
    """
    confidences = [word.confidence for word in words if word.confidence is not None]
    return bool(confidences) and (
        fmean(confidences) < threshold or median(confidences) < middle
    )


def too_many(words: Sequence[Word], speech: Sequence[Span]) -> bool:
    """Tell whether there are more words than anybody can say in the time."""
    return len(words) > max(1.0, MAX_WORDS_PER_S * sum(span.seconds for span in speech))


def weak_language(model: str, language: str) -> str | None:
    """Return the flag of a language, by what was measured of Whisper base, or None.

    ``model`` is the name or path of the model that wrote them. Of a smaller one, or one
    of unknown size, nothing was measured; a larger one has no flag.
    """
    name = re.split(r"[/\\]", model.rstrip("/\\"))[-1].lower()
    if language == "en" or _LARGER.search(name):
        return None
    measured = _BASE.fullmatch(name) and language in WEAK_LANGUAGES
    return "weak_language" if measured else "unmeasured_language"


def weak(blueprint: Blueprint) -> str | None:
    """Say how many words of a language the recogniser gets wrong; None: no flag.

    E.g. ``the recogniser is measured to write more than 10% of the words of Russian
    wrong``.
    """
    transcript = blueprint.transcript
    if not isinstance(transcript, Transcript):
        return None
    what = next((why for flag, why in WEAK.items() if flag in transcript.suspect), None)
    return what and what.format(language=language_name(transcript.language))


def suspicions(
    text: str,
    words: Sequence[Word],
    speech: Sequence[Span],
    confidence: float,
    *,
    middle: float = 0.0,
    unsure: bool = False,
    weak: str | None = None,
) -> list[str]:
    """Return the ``suspect`` flags of a transcript, sorted.

    Args:
        words: of the text; times and confidence may be None.
        speech: stretches of speech from the voice activity detector.
        confidence: mean word confidence under which the recogniser is mostly wrong; it
            differs between recognisers.
        middle: the same of the median.
        unsure: the language in which it is written was not heard with certainty.
        weak: the flag of its language, see :func:`weak_language`; of a sure one that
            has words.
    """
    flags = {
        "repetition_loop": repetition_loop(tokens(text)) is not None,
        "text_over_silence": text_over_silence(words, speech),
        "word_end_missing": any(word.end_s is None for word in words),
        "low_confidence": low_confidence(words, confidence, middle)
        or too_many(words, speech),
        "unsure_language": unsure,
    }
    if weak and words and not unsure:
        flags[weak] = True
    return sorted(flag for flag, raised in flags.items() if raised)


def guessed(blueprint: Blueprint) -> str | None:
    """Say why a clip's words are guesses of the recogniser; None: they may be right.

    A clause about the recogniser, e.g. ``it wrote 149 words for 3.6 s of speech``. That
    an English text loops is no reason by itself: an answer may hang.
    """
    transcript, signal, rate = blueprint.transcript, blueprint.signal, blueprint.rate
    if not isinstance(transcript, Transcript):
        return None
    return guess_of(
        transcript.text,
        len(transcript.words),
        language=transcript.language,
        speech_s=signal.speech_s if isinstance(signal, Signal) else None,
        syllables=rate.syllables if isinstance(rate, Rate) else None,
        suspect=transcript.suspect,
    )


def guess_of(
    text: str,
    words: int,
    language: str,
    speech_s: float | None,
    syllables: int | None,
    suspect: Collection[str],
) -> str | None:
    """Tell guesses from parts; unknown numbers are None, no words are counted anew."""
    words = words or len(text.split())
    if speech_s is not None:
        if words > max(1.0, MAX_WORDS_PER_S * speech_s):
            return f"it wrote {words} words for {speech_s:.1f} s of speech"
        most = max(MAX_LETTERS_PER_S, MAX_LETTERS_PER_S * speech_s)
        if len(text) > most and (letters := sum(map(str.isalnum, text))) > most:
            return f"it wrote {letters} letters for {speech_s:.1f} s of speech"
    if syllables is not None:
        if words >= MANY_WORDS and words > MAX_WORDS_PER_SYLLABLE * syllables:
            return f"it wrote {words} words for {syllables} syllables"
        if not words and syllables >= SPOKEN_SYLLABLES:
            return f"it understood no word of {syllables} syllables"
    if "repetition_loop" in suspect and language != "en":
        return f"its text loops, as it does by itself in {language_name(language)}"
    return next((why for flag, why in GUESSED.items() if flag in suspect), None)
