"""Edges of turns: where a listener would say that somebody begins and ends to speak.

The detector hears speech in breaths, lip noise, rustle and the room as well. Here a
stretch is read relative to the speaker's own level: what is loud is the turn; what is
softer belongs to it while it fades without a break, or where it has the spectrum of a
soft syllable or a hissing consonant and not that of breath. Sound is the other's voice
by its level and by whether it follows the other channel. An edge moves only where a
listener would notice it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trace_eval.conversations.sound.echo import EchoPath, echo_path
from trace_eval.conversations.sound.lanes import (
    HOP_S,
    SILENT_DB,
    IsSpeech,
    Lane,
    inside,
)
from trace_eval.conversations.sound.segments import RULES, Grid, Segmented
from trace_eval.conversations.spans import (
    Spans,
    gaps,
    joined,
    overlaps,
    runs,
    total,
    without,
)


@dataclass(frozen=True)
class TurnRules:
    """Constants of turns, dB and seconds; gaps of hand-made turns change little around them."""

    # a turn's own level (90th percentile) minus this is surely spoken
    core_db: float = 15.0
    # a soft stretch is read from the channel's level minus this at least,
    own_db: float = 6.0
    over_db: float = 6.0  # and this much above the noise
    fade_db: float = 28.0  # to where a turn fades without a break,
    fade_s: float = 0.2  # for how long at most,
    onset_s: float = 0.03  # and for how long it sets in
    soft_db: float = 18.0  # soft syllables reach down to this,
    hiss_db: float = 26.0  # hissing consonants to this,
    out_db: float = 2.0  # and both stand out of their band's noise by so much
    # a syllable is louder than its 1.5 to 3.5 kHz by more; breath is not
    middle_db: float = 6.0
    high_db: float = 2.0  # a consonant's part above 3.5 kHz is softer than that by less
    closure_s: float = 0.2  # they follow one another after shorter breaks,
    reach_s: float = 0.5  # and reach so far in all
    fill_s: float = 0.3  # shorter pauses are within a turn
    least_s: float = 0.06  # what is spoken in less is a click
    noticed_s: float = 0.06  # an edge that would move by less stays
    inner_s: float = 0.5  # a pause inside is left out from this on
    noisy_db: float = 12.0  # where the level is less above the noise, edges stay,
    drown_db: float = 18.0  # and above one so steady that soft endings drown in it,
    steady_db: float = 4.0  # whose line of speech is so little above its median
    # so little above the expected echo a moment is the other's voice,
    echo_db: float = 2.0
    whole_db: float = 6.0  # and a stretch as a whole;
    doubtful_db: float = 10.0  # up to this above it a stretch may be


TURN_RULES = TurnRules()


@dataclass(frozen=True)
class TurnEdges:
    """One lane's speech as turns, in seconds; with what was left out it is the detector's."""

    segments: Spans  # what is spoken, in order and apart
    breath: Spans  # left out before something spoken, or alone
    trailing: Spans  # left out after something spoken
    echo: Spans  # left out as the other's voice
    doubtful: Spans  # segments that may be the other's voice
    path: (
        EchoPath | None
    )  # how the other's voice arrives on this lane; None: it does not


def turn_edges(lanes: Sequence[Lane], results: Sequence[Segmented]) -> list[TurnEdges]:
    """Return the turns of two lanes, from the speech detected in them."""
    grids = {band: Grid(lanes, band) for band in ("voice", "middle", "high")}
    return [_Side(grids, own, results).edges() for own in range(len(lanes))]


class _Side:
    """One lane beside the other."""

    def __init__(
        self, grids: dict[str, Grid], own: int, results: Sequence[Segmented]
    ) -> None:
        self.grid = grids["voice"]
        self.segments = results[own].segments
        self.voice, self.middle, self.high = (
            grid.levels[own] for grid in grids.values()
        )
        raw = [one.raw for one in results]
        self.floor, self.line = self.grid.noise(own, raw)
        self.high_floor = grids["high"].noise(own, raw)[0]
        other_speaks = inside([*results[1 - own].raw], self.grid.times)
        other = self.grid.levels[1 - own]
        self.path = echo_path(other, self.voice, other_speaks)
        self.expected = self.path.expected(other) if self.path else None

    @cached_property
    def foreign(self) -> IsSpeech:
        """Moments that are the other's voice."""
        if self.expected is None:
            return np.zeros(len(self.voice), bool)
        return self.voice <= self.expected + TURN_RULES.echo_db

    @cached_property
    def level(self) -> float:
        """Of this speaker in the whole conversation, dB."""
        spoken = inside(self.segments, self.grid.times)
        mine = spoken & ~self.foreign
        return float(np.quantile(self.voice[mine if mine.any() else spoken], 0.9))

    def edges(self) -> TurnEdges:
        segments: Spans = []
        left: dict[str, Spans] = {"breath": [], "trailing": [], "echo": []}
        doubtful: Spans = []
        for start, end in joined(self.segments, TURN_RULES.fill_s):
            parts = [
                span for span in self.segments if start <= span[0] and span[1] <= end
            ]
            kind, turns, doubts = self._turns((start, end))
            if not turns:
                left[kind] += parts
                continue
            holes = [
                ("breath", (start, turns[0][0])),
                ("trailing", (turns[-1][1], end)),
            ]
            holes = [
                (kind, hole)
                for kind, hole in holes
                if total([hole]) > TURN_RULES.noticed_s
            ]
            inner = [hole for hole in gaps(turns) if total([hole]) > TURN_RULES.inner_s]
            holes += [("breath", hole) for hole in inner]
            for kind, hole in holes:
                left[kind] += overlaps(parts, [hole])
            kept = without(parts, [hole for _, hole in holes])
            segments += kept
            doubtful += overlaps(kept, doubts)
        return TurnEdges(segments, **left, doubtful=doubtful, path=self.path)

    def _turns(self, span: tuple[float, float]) -> tuple[str, Spans, Spans]:
        """Return kind, turns and doubtful turns of a stretch; the kind of one without turns."""
        rules, part = TURN_RULES, self.grid.part(span)
        voice, own = self.voice[part], ~self.foreign[part]
        level = max(float(np.quantile(voice, 0.9)), self.level - rules.own_db)
        loud = voice > max(level - rules.core_db, self.floor + rules.over_db)
        steady = self.line - self.floor < rules.steady_db
        if level - self.floor < (rules.drown_db if steady else rules.noisy_db):
            return (
                ("echo", [], [])
                if loud.any() and not (loud & own).any()
                else ("", [span], [])
            )
        spoken = [run for run in runs(loud & own) if run[1] - run[0] > 1]
        groups: list[list[tuple[int, int]]] = []
        for group in _grouped(spoken, rules.fill_s):
            if sum(last - first for first, last in group) * HOP_S >= rules.least_s:
                groups.append(group)
        above = [self._above(part, group) for group in groups]
        mine = [n for n, db in enumerate(above) if db >= rules.whole_db]
        if not mine:
            audible = loud.any() and (bool(groups) or not (loud & own).any())
            return "echo" if audible else "breath", [], []
        soft = runs((loud | self._soft(part, level)) & own)
        fades = (voice > max(level - rules.fade_db, self.line)) & own
        turns: Spans = []
        for n in mine:
            first, last = _reached(groups[n][0][0], groups[n][-1][1], soft)
            first, last = _faded(first, last, fades)
            turns.append(
                (self._at(part.start + first, 1), self._at(part.start + last, -1))
            )
        doubts = [
            turn
            for n, turn in zip(mine, turns, strict=True)
            if above[n] < rules.doubtful_db
        ]
        return "", turns, doubts

    def _at(self, hop: int, inwards: int) -> float:
        return float(self.grid.base + hop * HOP_S + inwards * RULES.shift_s)

    def _above(self, part: slice, group: Sequence[tuple[int, int]]) -> float:
        """Return how far loud moments are above the echo that is expected then, dB."""
        if self.expected is None:
            return np.inf
        there = np.concatenate([np.arange(*run) for run in group]) + part.start
        with_echo = there[self.expected[there] > SILENT_DB / 2]
        if len(with_echo) < len(there) / 2:  # the other is silent
            return np.inf
        return float(np.median(self.voice[with_echo] - self.expected[with_echo]))

    def _soft(self, part: slice, level: float) -> IsSpeech:
        """Find moments of soft syllables and hissing consonants, which breath is not."""
        rules = TURN_RULES
        voice, middle, high = self.voice[part], self.middle[part], self.high[part]
        syllable = (voice > max(level - rules.soft_db, self.floor + rules.out_db)) & (
            middle < voice - rules.middle_db
        )
        hiss = (high > max(level - rules.hiss_db, self.high_floor + rules.out_db)) & (
            high > middle - rules.high_db
        )
        return np.asarray(syllable | hiss)


def _grouped(
    spoken: Sequence[tuple[int, int]], fill_s: float
) -> list[list[tuple[int, int]]]:
    """Group runs with shorter pauses between them."""
    groups: list[list[tuple[int, int]]] = []
    for run in spoken:
        if groups and (run[0] - groups[-1][-1][1]) * HOP_S < fill_s:
            groups[-1].append(run)
        else:
            groups.append([run])
    return groups


def _reached(first: int, last: int, soft: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Extend a group by the soft runs that follow it closely at either end."""
    closure, reach = (
        round(s / HOP_S) for s in (TURN_RULES.closure_s, TURN_RULES.reach_s)
    )
    soft = [run for run in soft if run[1] - run[0] > 1]
    start, end = first, last
    for one, two in soft:
        if two > end and one - end <= closure and two - last <= reach:
            end = two
    for one, two in reversed(soft):
        if one < start and start - two <= closure and first - one <= reach:
            start = one
    return start, end


def _faded(first: int, last: int, fades: IsSpeech) -> tuple[int, int]:
    """Extend a group by what sets in and fades without a break."""
    onset, fade = (round(s / HOP_S) for s in (TURN_RULES.onset_s, TURN_RULES.fade_s))
    before, after = (
        fades[max(0, first - onset) : first][::-1],
        fades[last : last + fade],
    )
    return first - int(np.cumprod(before).sum()), last + int(np.cumprod(after).sum())
