"""Other words that a recogniser heard at the ends of an English text.

Its search keeps several texts and writes the likeliest; what the others have instead
costs nothing. A short piece that a pause sets apart, and of whose words the recogniser
is unsure, is heard once more by itself: beside a whole sentence one word gets lost
("coughs", then a pause), or becomes a word that goes with what follows.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

from blueprints import OtherHearing, Span, Word, places_in
from extractors.audio import SPEECH_RATE, Samples
from extractors.short_windows import encoded

#: Words at either end of a text whose other hearings are kept, and how many words one
#: of them has at most.
END_WORDS, MOST_WORDS = 5, 8

#: A piece that is heard again lasts so long at most, and so long a pause or one of the
#: text's marks sets it apart, seconds.
MAX_PIECE_S, MIN_PAUSE_S = 1.5, 0.2
MARKS = ".,;:!?"

#: Its words have a lower mean probability, or there are none.
UNSURE = 0.65

#: Heard on both sides of a piece where the voice pauses, seconds.
MARGIN_S = 0.1

#: A window of a piece is at least this long: in one of 4 s the model repeats itself.
PIECE_WINDOW_S = 6.0

#: Texts of a piece that the search keeps, and tokens that one of them has at most. A word
#: without context is often none of the likeliest five; fifty cost twice as much.
PIECE_TEXTS, PIECE_TOKENS = 30, 16


class ShortPiece(NamedTuple):
    """Speech that is set apart at an end, and its place among the words of the text."""

    span: Span
    start: int
    end: int


class EveryText:
    """CTranslate2's model, which keeps all texts of its search.

    Attributes:
        texts: of the last window, the likeliest first.
    """

    def __init__(self, whisper: Any) -> None:
        self._model = whisper.model
        self._tokenizer = whisper.hf_tokenizer
        self.texts: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def generate(
        self, encoded: Any, prompts: list[list[int]], **options: Any
    ) -> list[Any]:
        """Decode one window, and keep its texts."""
        options["num_hypotheses"] = options.get("beam_size", 1)
        [result] = self._model.generate(encoded, prompts, **options)
        self.texts = tuple(texts_of(self._tokenizer, result))
        return [result]


def keeping_texts(whisper: Any) -> Any:
    """Return the same ``WhisperModel`` over an :class:`EveryText`."""
    other = copy.copy(whisper)
    other.model = EveryText(whisper)
    return other


def texts_of(tokenizer: Any, result: Any) -> list[str]:
    """Return the texts of a result of CTranslate2, without its marks of time."""
    end = tokenizer.token_to_id("<|endoftext|>")
    texts: list[str] = []
    for tokens in result.sequences_ids:
        texts.append(tokenizer.decode([token for token in tokens if token < end]))
    return texts


def with_texts(
    segments: Sequence[Mapping[str, Any]], before: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Add to each window the texts of one that began there and is decoded again."""
    texts_by_start = {segment["seek"]: segment.get("texts", ()) for segment in before}
    results: list[Mapping[str, Any]] = []
    for segment in segments:
        texts = segment.get("texts", ()) + texts_by_start.get(segment["seek"], ())
        results.append({**segment, "texts": texts})
    return results


def of_search(segments: Sequence[Mapping[str, Any]]) -> list[OtherHearing]:
    """Return what other texts of each window have at the ends of the whole text."""
    total = sum(len(str(segment["text"]).split()) for segment in segments)
    results: dict[OtherHearing, None] = {}
    behind = 0
    for _, window in groupby(segments, key=itemgetter("seek")):
        words: list[str] = []
        texts: tuple[str, ...] = ()
        for segment in window:
            words += str(segment["text"]).split()
            texts = segment.get("texts", ())
        for text in texts:
            for other in _differences(words, text.split(), behind):
                if other.start < END_WORDS or other.end > total - END_WORDS:
                    results[other] = None
        behind += len(words)
    return list(results)


def _differences(
    words: Sequence[str], others: Sequence[str], behind: int
) -> Iterator[OtherHearing]:
    """Yield the stretches in which words differ from others in more than capitals.

    ``behind`` counts the words of the text before these.
    """
    one = [word.lower() for word in words]
    two = [word.lower() for word in others]
    matcher = SequenceMatcher(None, one, two, autojunk=False)
    for kind, start, end, first, last in matcher.get_opcodes():
        if kind == "equal" or not words:
            continue
        if start == end and end < len(words):  # joined to the word that follows
            end, last = end + 1, last + 1
        elif start == end:
            start, first = start - 1, first - 1
        text = " ".join(others[first:last])
        if max(end - start, last - first) <= MOST_WORDS and any(map(str.isalnum, text)):
            yield OtherHearing(start=behind + start, end=behind + end, text=text)


def unsure_pieces(
    text: str, words: Sequence[Word], speech: Sequence[Span]
) -> list[ShortPiece]:
    """Return the first and the last piece of speech, where they may be other words."""
    places = places_in(text, [word.text for word in words])
    times: list[Span] = []
    for word in words:
        if word.start_s is not None and word.end_s is not None:
            times.append(Span(start_s=word.start_s, end_s=word.end_s))
    if places is None or not speech or len(times) < len(words):
        return []
    ends = [len(text.split())]
    results: list[ShortPiece] = []
    for border in _first_borders(words, times, speech):
        piece = Span(start_s=max(0.0, speech[0].start_s - MARGIN_S), end_s=border.cut_s)
        if piece.seconds <= MAX_PIECE_S and _is_unsure(words[: border.word]):
            end = [*places, *ends][border.word]
            results.append(ShortPiece(piece, 0, end))
            break
    for border in _last_borders(words, times, speech):
        piece = Span(start_s=border.cut_s, end_s=speech[-1].end_s + MARGIN_S)
        if piece.seconds <= MAX_PIECE_S and _is_unsure(words[border.word :]):
            start = [*places, *ends][border.word]
            results.append(ShortPiece(piece, start, ends[0]))
            break
    return results


class _Border(NamedTuple):
    """Where a piece is cut, seconds, and the number of the word behind it."""

    cut_s: float
    word: int


def _first_borders(
    words: Sequence[Word], times: Sequence[Span], speech: Sequence[Span]
) -> Iterator[_Border]:
    """Yield the first pause of the voice, then the first mark of the text."""
    for pause in _pauses(speech):
        word = sum(_middle(time) < _middle(pause) for time in times)
        yield _Border(pause.start_s + MARGIN_S, word)
        break
    for number in range(min(END_WORDS, len(words) - 1)):
        if words[number].text[-1] in MARKS:
            yield _Border(_between(times, number), number + 1)
            break


def _last_borders(
    words: Sequence[Word], times: Sequence[Span], speech: Sequence[Span]
) -> Iterator[_Border]:
    """Yield the last pause of the voice, then the last mark of the text but its end."""
    for pause in _pauses(speech)[-1:]:
        word = sum(_middle(time) < _middle(pause) for time in times)
        yield _Border(pause.end_s - MARGIN_S, word)
    for number in range(len(words) - 2, max(-1, len(words) - 2 - END_WORDS), -1):
        if words[number].text[-1] in MARKS:
            yield _Border(_between(times, number), number + 1)
            break


def _pauses(speech: Sequence[Span]) -> list[Span]:
    pauses: list[Span] = []
    for one, following in pairwise(speech):
        if following.start_s - one.end_s >= MIN_PAUSE_S:
            pauses.append(Span(start_s=one.end_s, end_s=following.start_s))
    return pauses


def _middle(span: Span) -> float:
    return (span.start_s + span.end_s) / 2


def _between(times: Sequence[Span], number: int) -> float:
    """Return the middle between a word and the next one, seconds."""
    return (times[number].end_s + times[number + 1].start_s) / 2


def _is_unsure(words: Sequence[Word]) -> bool:
    """Whether words may be others; the very first is unsure in any text."""
    if not words:
        return True
    return sum(word.confidence or 0.0 for word in words) / len(words) < UNSURE


def of_pieces(
    whisper: Any, speech: Samples, text: str, pieces: Sequence[ShortPiece]
) -> list[OtherHearing]:
    """Hear pieces by themselves, by a ``WhisperModel``."""
    results: list[OtherHearing] = []
    for piece in pieces:
        known = {_spelled(" ".join(text.split()[piece.start : piece.end]))}
        first = round(piece.span.start_s * SPEECH_RATE)
        last = round(piece.span.end_s * SPEECH_RATE)
        for other in _heard_alone(whisper, speech[first:last]):
            words = other.strip().rstrip(f"{MARKS}- ")
            if _spelled(words) and _spelled(words) not in known:
                known.add(_spelled(words))
                results.append(
                    OtherHearing(start=piece.start, end=piece.end, text=f"{words}.")
                )
    return results


def _spelled(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(filter(str.isalnum, text.lower()))


def _heard_alone(whisper: Any, sound: Samples) -> list[str]:
    tokenizer = whisper.hf_tokenizer
    prompt = [
        tokenizer.token_to_id(mark)
        for mark in ("<|startoftranscript|>", "<|notimestamps|>")
    ]
    [result] = whisper.model.generate(
        encoded(whisper, sound, PIECE_WINDOW_S),
        [prompt],
        beam_size=PIECE_TEXTS,
        num_hypotheses=PIECE_TEXTS,
        max_length=PIECE_TOKENS,
        length_penalty=0.0,
        return_scores=True,
    )
    return texts_of(tokenizer, result)
