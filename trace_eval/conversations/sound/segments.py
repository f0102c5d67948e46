"""Segments of two lanes: what is the other's voice is dropped, edges follow the energy.

A detector by itself makes every reply look some 56 ms faster and every yield 100 ms
slower: its stretches end late. Here each edge moves to where the level leaves the noise
of moments when nobody speaks. Constants were found on rendered calls with known truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_eval.conversations.sound.lanes import HOP_S, SILENT_DB, IsSpeech, Lane
from trace_eval.conversations.spans import Spans, joined, without


@dataclass(frozen=True)
class SegmentRules:
    """Constants of gate and edges, dB and seconds."""

    # frames this near to a stretch's loudest decide whose voice it is
    loud_db: float = 20.0
    louder_db: float = 15.0  # the other channel is louder by more: crosstalk
    deepest_db: float = 40.0  # below a stretch's peak by more is none of it
    other_db: float = 20.0  # below the other channel by more is none of it
    voice_db: float = 10.0  # so much above the noise,
    voice_share: float = 0.4  # in so much of the frames, is a voice
    floor_db: float = -90.0  # lowest noise floor
    # On a channel where the median stretch's peak is not this much above the floor,
    # stretches under it keep their raw edges: soft ends drown in the noise. On a better
    # channel a soft stretch's refined end is the nearer one.
    noisy_db: float = 20.0
    margin_s: float = 0.2  # kept away from speech where noise is measured
    before_s: float = 0.3  # how far an end is looked for before the detector's,
    after_s: float = 0.2  # and behind it; a start is looked for so far on both sides
    # The detector's stretch ends late by at most so much: a tail that drowns in the
    # noise before is longer than its loud part.
    late_s: float = 0.16
    shift_s: float = 0.006  # half of what the level's window smears
    quiet_s: float = 0.5  # silence that a noise floor needs
    softest: float = 0.1  # share of a channel that is taken for it where there is less


RULES = SegmentRules()


@dataclass(frozen=True)
class Segmented:
    """One lane's speech, in seconds of the conversation."""

    segments: Spans  # refined, in order and apart
    raw: Spans  # the detector's stretches that were kept
    crosstalk: Spans  # stretches that are the other's voice
    uncertain: Spans  # segments that begin while the other is much louder
    noisy: int  # how many segments kept their raw edges


def segmented(
    lanes: Sequence[Lane], ignore: Sequence[tuple[float, float]] = ()
) -> list[Segmented]:
    """Find speech of two lanes recorded together.

    ``ignore`` are stretches that are none, such as music.
    """
    grid = Grid(lanes)
    kept: list[Spans] = []
    crosstalk: list[Spans] = []
    for own, lane in enumerate(lanes):
        spans = without(lane.stretches, ignore)
        foreign = [span for span in spans if grid.is_other(own, span)]
        kept.append([span for span in spans if span not in foreign])
        crosstalk.append(foreign)
    floors = [grid.noise(own, kept)[0] for own in range(len(lanes))]
    parts: list[Spans] = []
    for own, spans in enumerate(kept):
        parts.append([grid.own_part(own, span, floors[own]) for span in spans])
    return [_refined(grid, own, parts, crosstalk[own]) for own in range(len(lanes))]


class Grid:
    """Levels of both lanes at the same moments, in one of ``BANDS``, or in all."""

    def __init__(self, lanes: Sequence[Lane], band: str | None = None) -> None:
        first_s = min(lane.at(0.0) for lane in lanes)
        last_s = max(lane.end_s for lane in lanes)
        self.base = min(0.0, first_s)
        length = int((last_s - self.base) / HOP_S) + 1
        self.times = np.asarray(self.base + HOP_S * np.arange(length), np.float64)
        self.levels = [lane.levels_at(self.times, band) for lane in lanes]

    def hop(self, at_s: float) -> int:
        """Return the nearest hop to a moment."""
        hop = round((at_s - self.base) / HOP_S)
        return min(max(0, hop), len(self.levels[0]))

    def part(self, span: tuple[float, float]) -> slice:
        """Return the hops of a stretch."""
        start, end = span
        first = int((start - self.base) / HOP_S)
        last = int((end - self.base) / HOP_S)
        return slice(max(0, first), max(first, last) + 1)

    def is_other(self, own: int, span: tuple[float, float]) -> bool:
        """Tell whether the other channel is louder where this stretch is loud."""
        part = self.part(span)
        mine = self.levels[own][part]
        theirs = self.levels[1 - own][part]
        is_loud = mine > mine.max(initial=SILENT_DB) - RULES.loud_db
        if not is_loud.any():
            return False
        louder_by = (theirs - mine)[is_loud]
        return bool(np.median(louder_by) > RULES.louder_db)

    def own_part(
        self, own: int, span: tuple[float, float], floor: float
    ) -> tuple[float, float]:
        """Cut off the crosstalk before a stretch's own voice.

        No detector parts the two.
        """
        part = self.part(span)
        mine = self.levels[own][part]
        theirs = self.levels[1 - own][part]
        voice = (mine > floor + RULES.voice_db) & (mine > theirs - RULES.louder_db)
        size = min(len(voice), round(RULES.margin_s / HOP_S))
        voiced_hops = np.convolve(voice, np.ones(size), "valid")
        is_often = voiced_hops >= RULES.voice_share * size
        if not is_often.any():
            return span
        often_from = int(np.argmax(is_often))
        first = often_from + int(np.argmax(voice[often_from:]))
        foreign = theirs[:first] - mine[:first] > RULES.louder_db
        if first * HOP_S <= RULES.before_s or foreign.mean() <= RULES.voice_share:
            return span
        return self.base + (part.start + first) * HOP_S, span[1]

    def outside(self, *lanes: Spans) -> IsSpeech:
        """Say where none of the lanes has a stretch, nor near one."""
        free = np.ones(len(self.levels[0]), bool)
        for spans in lanes:
            for start, end in spans:
                first = self.hop(start - RULES.margin_s)
                last = self.hop(end + RULES.margin_s)
                free[first:last] = False
        return free

    def noise(self, own: int, kept: list[Spans]) -> tuple[float, float]:
        """Return the noise floor of a lane, and the line that speech is above, dB."""
        levels = self.levels[own]
        there = levels > SILENT_DB + 1  # not beyond the file's end, not muted
        least = RULES.quiet_s / HOP_S
        free = self.outside(*kept) & there
        if free.sum() < least:
            free = self.outside(kept[own]) & there
        if free.sum() < least:
            # Muted or echoed pauses: what is softest lies between the words.
            softest = SILENT_DB
            if there.any():
                softest = float(np.quantile(levels[there], RULES.softest))
            free = there & (levels <= softest)
        quiet = np.maximum(levels[free], RULES.floor_db)
        if not len(quiet):
            return RULES.floor_db, RULES.floor_db + 1.5
        floor = float(np.median(quiet))
        spread = float(np.quantile(quiet, 0.95)) - floor
        above_floor = min(spread, 6.0) + 1.0
        return floor, floor + max(1.5, above_floor)


def _refined(grid: Grid, own: int, kept: list[Spans], crosstalk: Spans) -> Segmented:
    floor, line = grid.noise(own, kept)
    mine = grid.levels[own]
    theirs = grid.levels[1 - own]
    segments: Spans = []
    uncertain: Spans = []
    noisy = 0
    peaks: list[float] = []
    for span in kept[own]:
        levels = mine[grid.part(span)]
        peaks.append(float(levels.max(initial=SILENT_DB)))
    is_lane_noisy = bool(peaks) and np.median(peaks) - floor < RULES.noisy_db
    for span, peak in zip(kept[own], peaks, strict=True):
        if is_lane_noisy and peak - floor < RULES.noisy_db:
            noisy += 1
            segment = span
        else:
            own_line = max(line, peak - RULES.deepest_db)
            segment = _edges(grid, own, span, own_line)
        segments.append(segment)
        start = segment[0]
        onset = grid.part((start, start + 10 * HOP_S))
        louder_by = theirs[onset] - mine[onset]
        if len(louder_by) and np.median(louder_by) > RULES.louder_db:
            uncertain.append(segment)
    return Segmented(
        segments=joined(segments),
        raw=kept[own],
        crosstalk=crosstalk,
        uncertain=uncertain,
        noisy=noisy,
    )


def _edges(
    grid: Grid, own: int, span: tuple[float, float], line: float
) -> tuple[float, float]:
    """Return the first and last moment at which two neighbouring frames are speech."""
    start, end = span
    near_start = slice(
        grid.hop(start - RULES.after_s),
        grid.hop(start + RULES.after_s),
    )
    pairs = _hot_pairs(grid, own, near_start, line)
    if len(pairs):
        hop = near_start.start + pairs[0]
        start = grid.base + hop * HOP_S + RULES.shift_s
    near_end = slice(
        max(1, grid.hop(end - RULES.before_s)) - 1,
        grid.hop(end + RULES.after_s) - 1,
    )
    pairs = _hot_pairs(grid, own, near_end, line)
    if len(pairs):
        hop = near_end.start + pairs[-1] + 2
        end = grid.base + hop * HOP_S - RULES.shift_s
    return start, max(end, span[1] - RULES.late_s, start + 2 * HOP_S)


def _hot_pairs(grid: Grid, own: int, where: slice, line: float) -> NDArray[np.int64]:
    """Find places from which two frames are over the line and not under the other."""
    wider = slice(where.start, where.stop + 1)
    mine = grid.levels[own][wider]
    theirs = grid.levels[1 - own][wider]
    is_hot = (mine > line) & (mine > theirs - RULES.other_db)
    return np.flatnonzero(is_hot[:-1] & is_hot[1:])
