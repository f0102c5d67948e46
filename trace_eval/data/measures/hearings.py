"""The texts of an answer: as it was heard, with its pauses, and by other hearings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from blueprints import Blueprint, Signal, Span, Transcript
from trace_eval.data.measures.manner import words_in

#: A pause from this long on ends a sentence, and lies so near to the border of two
#: words at most, seconds: recognisers draw words into pauses.
MIN_PAUSE_S, MAX_OFF_S = 0.15, 0.3

#: Marks at which a text pauses by itself.
MARKS = ".,;:!?"


class Variant(NamedTuple):
    """A text that an answer may have, and where it differs from what was written.

    Attributes:
        text: of the whole answer.
        written: the words of its transcript that this text replaces.
        replaced: by which words.
    """

    text: str
    written: str = ""
    replaced: str = ""

    @property
    def differs(self) -> bool:
        """Whether it has other words, and not only other marks."""
        return words_in(self.written) != words_in(self.replaced)


def with_stops(transcript: Transcript, speech: Sequence[Span]) -> list[str]:
    """Return the words of a text, with a full stop where only the voice pauses."""
    parts = transcript.text.split()
    places = transcript.places()
    words = transcript.words
    if places is None or any(word.end_s is None for word in words) or len(words) < 2:
        return parts
    for before, after in pairwise(speech):
        if after.start_s - before.end_s < MIN_PAUSE_S:
            continue
        offs: list[tuple[float, int]] = []
        for number, (one, two) in enumerate(pairwise(words)):
            late = (one.end_s or 0.0) - after.start_s
            early = before.end_s - (two.start_s or 0.0)
            offs.append((max(0.0, late, early), number))
        off, number = min(offs)
        place = places[number]
        ends = places[number + 1] > place and parts[place][-1] not in MARKS
        if off <= MAX_OFF_S and ends:
            parts[place] += "."
    return parts


def variants(blueprint: Blueprint) -> Iterator[Variant]:
    """Yield the text, then with its pauses, then with each other hearing."""
    transcript, signal = blueprint.transcript, blueprint.signal
    if not isinstance(transcript, Transcript):
        return
    speech = signal.speech if isinstance(signal, Signal) else []
    parts = with_stops(transcript, speech)
    yield Variant(transcript.text)
    if parts != transcript.text.split():
        yield Variant(" ".join(parts))
    for other in transcript.others:
        text = [*parts[: other.start], other.text, *parts[other.end :]]
        written = transcript.text.split()[other.start : other.end]
        yield Variant(" ".join(text), " ".join(written), other.text)
