"""Word times that make sense: each word lasts, and none begins before the last ends.

Whisper aligns words by attention in steps of 20 ms and moves ends to where the sound
pauses, which leaves words of no length and words that overlap (seen: "then" from 5.37
to 5.37 s). Such words share the time of their neighbours by their letters, or take a
little of the pause behind them; never is a word drawn across a pause. Where there is no
time to be had, they have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from blueprints import Word

#: The shortest time of a word, seconds: two steps of the alignment.
MIN_WORD_S = 0.04

#: Words with a longer pause between them share no time, and take no more of it than
#: this, seconds.
MAX_GAP_S = 0.5

#: Times are rounded to milliseconds.
_DIGITS = 3


def repaired(words: Sequence[Word], seconds: float) -> list[Word]:
    """Put words in spoken order; each lasts ``MIN_WORD_S`` or more, and none overlap.

    A word whose times are fine, and its neighbours' too, is not touched, and one that
    lacks a time keeps what it has. ``seconds`` is the duration of the clip.
    """
    result = list(words)
    spans: list[tuple[int, float, float]] = []
    for number, word in enumerate(words):
        if word.start_s is not None and word.end_s is not None:
            spans.append((number, word.start_s, word.end_s))
    for group in _groups(spans, seconds):
        texts = [words[number].text for number in group.members]
        shares = group.shares(texts)
        for number, (start_s, end_s) in zip(group.members, shares, strict=True):
            times = {"start_s": start_s, "end_s": end_s}
            result[number] = words[number].model_copy(update=times)
    return result


class _Group:
    """Neighbouring words that share one stretch of time."""

    def __init__(self, member: int, start: float, end: float) -> None:
        self.members = [member]
        self.start = start
        self.end = max(start, end)

    @property
    def needed(self) -> float:
        """Return the shortest time of all words, seconds."""
        return MIN_WORD_S * len(self.members)

    @property
    def fits(self) -> bool:
        return self.end - self.start >= self.needed - 1e-9

    def stretch(self, until: float) -> None:
        """Take what is lacking of the pause behind, which lasts ``until`` (seconds)."""
        lacking = self.needed - (self.end - self.start)
        if 0 < lacking <= MAX_GAP_S:
            pause = max(0.0, until - self.end)
            self.end += min(lacking, pause)

    def take(self, other: _Group) -> None:
        """Join the group that follows."""
        self.members += other.members
        self.start = min(self.start, other.start)
        self.end = max(self.end, other.end)

    def shares(self, texts: Sequence[str]) -> list[tuple[float | None, float | None]]:
        """Share a stretch between words: a shortest time each, then by letters."""
        if not self.fits:
            return [(None, None)] * len(texts)
        if len(texts) == 1:
            return [(self.start, self.end)]
        rest = self.end - self.start - MIN_WORD_S * len(texts)
        letters = [max(1, sum(map(str.isalnum, text))) for text in texts]
        edges = [self.start]
        for count in letters:
            share = rest * count / sum(letters)
            edges.append(edges[-1] + MIN_WORD_S + share)
        rounded = [round(edge, _DIGITS) for edge in edges]
        return list(pairwise(rounded))


def _groups(spans: Sequence[tuple[int, float, float]], seconds: float) -> list[_Group]:
    """Group words (number, start, end) that overlap or have no room.

    Others stay alone.
    """
    groups: list[_Group] = []
    for number, start, end in spans:
        groups.append(_Group(number, min(start, seconds), min(end, seconds)))
        while len(groups) > 1:
            before, last = groups[-2:]
            overlaps = last.start < before.end
            is_near = last.start - before.end < MAX_GAP_S
            may_take = is_near and not before.fits
            if not overlaps and not may_take:
                break
            before.take(groups.pop())
    while len(groups) > 1 and not groups[-1].fits:
        before, last = groups[-2:]
        if last.start - before.end >= MAX_GAP_S:
            break
        before.take(groups.pop())
    starts_behind = [group.start for group in groups[1:]]
    starts_behind.append(seconds)
    for group, until in zip(groups, starts_behind, strict=False):
        group.stretch(until)
    return groups
