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
    """Constants of turns, dB and seconds.

    Gaps of hand-made turns change little around them.
    """

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
    """One lane's speech as turns, in seconds.

    With what was left out it is the detector's.
    """

    segments: Spans  # what is spoken, in order and apart
    breath: Spans  # left out before something spoken, or alone
    trailing: Spans  # left out after something spoken
    echo: Spans  # left out as the other's voice
    doubtful: Spans  # segments that may be the other's voice
    path: (
        EchoPath | None
    )  # how the other's voice arrives on this lane; None: it does not


def turn_edges(
    lanes: Sequence[Lane], results: Sequence[Segmented], echoes: bool = True
) -> list[TurnEdges]:
    """Return the turns of two lanes, from the speech detected in them.

    Without ``echoes`` no lane carries the other's voice: they are parts of one channel.
    """
    grids = {band: Grid(lanes, band) for band in ("voice", "middle", "high")}
    sides = [_Side(grids, own, results, echoes) for own in range(len(lanes))]
    return [side.edges() for side in sides]


class _Side:
    """One lane beside the other."""

    def __init__(
        self,
        grids: dict[str, Grid],
        own: int,
        results: Sequence[Segmented],
        echoes: bool,
    ) -> None:
        self.grid = grids["voice"]
        self.segments = results[own].segments
        self.voice = self.grid.levels[own]
        self.middle = grids["middle"].levels[own]
        self.high = grids["high"].levels[own]
        raw = [one.raw for one in results]
        self.floor, self.line = self.grid.noise(own, raw)
        self.high_floor, _ = grids["high"].noise(own, raw)
        self.path: EchoPath | None = None
        other = self.grid.levels[1 - own]
        if echoes:
            other_speaks = inside(raw[1 - own], self.grid.times)
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
        """Level of this speaker in the whole conversation, dB."""
        is_spoken = inside(self.segments, self.grid.times)
        is_own = is_spoken & ~self.foreign
        measured = is_own if is_own.any() else is_spoken
        return float(np.quantile(self.voice[measured], 0.9))

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
            holes: Spans = []
            for kind, hole in _holes((start, end), turns):
                left[kind] += overlaps(parts, [hole])
                holes.append(hole)
            spoken = without(parts, holes)
            segments += spoken
            doubtful += overlaps(spoken, doubts)
        return TurnEdges(segments, **left, doubtful=doubtful, path=self.path)

    def _turns(self, span: tuple[float, float]) -> tuple[str, Spans, Spans]:
        """Return kind, turns and doubtful turns of a stretch.

        The kind is that of what is left out where there are no turns.
        """
        rules = TURN_RULES
        part = self.grid.part(span)
        voice = self.voice[part]
        is_own = ~self.foreign[part]
        level = max(float(np.quantile(voice, 0.9)), self.level - rules.own_db)
        is_loud = voice > max(level - rules.core_db, self.floor + rules.over_db)
        is_all_echo = bool(is_loud.any() and not (is_loud & is_own).any())
        is_steady = self.line - self.floor < rules.steady_db
        least_above_noise = rules.drown_db if is_steady else rules.noisy_db
        if level - self.floor < least_above_noise:
            return ("echo", [], []) if is_all_echo else ("", [span], [])
        groups = _loud_groups(is_loud & is_own)
        above_echo = [self._above(part, group) for group in groups]
        if not any(db >= rules.whole_db for db in above_echo):
            is_echo = is_all_echo or (is_loud.any() and bool(groups))
            kind = "echo" if is_echo else "breath"
            return kind, [], []
        soft = runs((is_loud | self._soft(part, level)) & is_own)
        fades = (voice > max(level - rules.fade_db, self.line)) & is_own
        turns: Spans = []
        doubts: Spans = []
        for group, above_db in zip(groups, above_echo, strict=True):
            if above_db < rules.whole_db:
                continue
            first, last = _reached(group[0][0], group[-1][1], soft)
            first, last = _faded(first, last, fades)
            start = self._at(part.start + first, 1)
            end = self._at(part.start + last, -1)
            turns.append((start, end))
            if above_db < rules.doubtful_db:
                doubts.append((start, end))
        return "", turns, doubts

    def _at(self, hop: int, inwards: int) -> float:
        return float(self.grid.base + hop * HOP_S + inwards * RULES.shift_s)

    def _above(self, part: slice, group: Sequence[tuple[int, int]]) -> float:
        """Return how far loud moments are above the echo that is expected then, dB."""
        if self.expected is None:
            return np.inf
        in_part = np.concatenate([np.arange(*run) for run in group])
        hops = in_part + part.start
        with_echo = hops[self.expected[hops] > SILENT_DB / 2]
        if len(with_echo) < len(hops) / 2:  # the other is silent
            return np.inf
        return float(np.median(self.voice[with_echo] - self.expected[with_echo]))

    def _soft(self, part: slice, level: float) -> IsSpeech:
        """Find soft syllables and hissing consonants, which breath is not."""
        rules = TURN_RULES
        voice = self.voice[part]
        middle = self.middle[part]
        high = self.high[part]
        voice_line = max(level - rules.soft_db, self.floor + rules.out_db)
        is_syllable = (voice > voice_line) & (middle < voice - rules.middle_db)
        high_line = max(level - rules.hiss_db, self.high_floor + rules.out_db)
        is_hiss = (high > high_line) & (high > middle - rules.high_db)
        return np.asarray(is_syllable | is_hiss)


def _holes(
    stretch: tuple[float, float], turns: Spans
) -> list[tuple[str, tuple[float, float]]]:
    """Return what is left out around and between a stretch's turns, with its kind."""
    start, end = stretch
    before = (start, turns[0][0])
    behind = (turns[-1][1], end)
    holes = []
    if total([before]) > TURN_RULES.noticed_s:
        holes.append(("breath", before))
    if total([behind]) > TURN_RULES.noticed_s:
        holes.append(("trailing", behind))
    for pause in gaps(turns):
        if total([pause]) > TURN_RULES.inner_s:
            holes.append(("breath", pause))
    return holes


def _loud_groups(is_spoken: IsSpeech) -> list[list[tuple[int, int]]]:
    """Return groups of runs with short pauses between, but no clicks."""
    spoken = [run for run in runs(is_spoken) if run[1] - run[0] > 1]
    groups: list[list[tuple[int, int]]] = []
    for group in _grouped(spoken, TURN_RULES.fill_s):
        hops = sum(last - first for first, last in group)
        if hops * HOP_S >= TURN_RULES.least_s:
            groups.append(group)
    return groups


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
    closure = round(TURN_RULES.closure_s / HOP_S)
    reach = round(TURN_RULES.reach_s / HOP_S)
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
    onset = round(TURN_RULES.onset_s / HOP_S)
    fade = round(TURN_RULES.fade_s / HOP_S)
    backwards = fades[max(0, first - onset) : first][::-1]
    forwards = fades[last : last + fade]
    hops_before = int(np.cumprod(backwards).sum())
    hops_behind = int(np.cumprod(forwards).sum())
    return first - hops_before, last + hops_behind
