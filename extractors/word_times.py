"""Word times that make sense: each word lasts, and none begins before the last ends.

Whisper aligns words by attention in steps of 20 ms and moves ends to where the sound
pauses, which leaves words of no length and words that overlap (seen: "then" from 5.37
to 5.37 s). Such words share the time of their neighbours by their letters, or take a
little of the pause behind them; never is a word drawn across a pause. Where there is no
time to be had, they have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, zip_longest

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
    spans = [
        (number, word.start_s, word.end_s)
        for number, word in enumerate(words)
        if word.start_s is not None and word.end_s is not None
    ]
    for group in _groups(spans, seconds):
        shares = group.shares([words[n].text for n in group.members])
        for n, (start, end) in zip(group.members, shares, strict=True):
            result[n] = words[n].model_copy(update={"start_s": start, "end_s": end})
    return result


class _Group:
    """Neighbouring words that share one stretch of time."""

    def __init__(self, member: int, start: float, end: float) -> None:
        self.members = [member]
        self.start, self.end = start, max(start, end)

    @property
    def fits(self) -> bool:
        return self.end - self.start >= MIN_WORD_S * len(self.members) - 1e-9

    def stretch(self, until: float) -> None:
        """Take what is lacking of the pause behind, which lasts ``until`` (seconds)."""
        lacking = MIN_WORD_S * len(self.members) - (self.end - self.start)
        if 0 < lacking <= MAX_GAP_S:
            self.end += min(lacking, max(0.0, until - self.end))

    def take(self, other: _Group) -> None:
        """Join the group that follows."""
        self.members += other.members
        self.start, self.end = min(self.start, other.start), max(self.end, other.end)

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
            edges.append(edges[-1] + MIN_WORD_S + rest * count / sum(letters))
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
            near = last.start - before.end < MAX_GAP_S
            if not (last.start < before.end or (not before.fits and near)):
                break
            before.take(groups.pop())
    while len(groups) > 1 and not groups[-1].fits:
        if groups[-1].start - groups[-2].end >= MAX_GAP_S:
            break
        groups[-2].take(groups.pop())
    for group, after in zip_longest(groups, groups[1:]):
        group.stretch(seconds if after is None else after.start)
    return groups
