"""A run's preferences for trainers: chosen and rejected, and how reliable they are.

A line is in the conversational form of TRL, ``prompt``, ``chosen`` and ``rejected`` as
lists of messages, which OpenRLHF reads with its default keys too; recordings stand
beside the words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from trace_eval.data import strict_json
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair, instruction_of
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.data.outputs import write_lines
from trace_eval.estimate.figures import share_interval
from trace_eval.estimate.interval import SCORE, Range
from trace_eval.estimate.share import Share
from trace_eval.runs.exports import overall_by
from trace_eval.runs.run import Run
from trace_eval.runs.stored_lines import LineIndex
from trace_eval.runs.unchanged import refuse_changed

#: Labelled winners that a band of margins needs before its agreement says anything.
BAND_LABELS = 30

#: Bands at most.
MOST_BANDS = 5

#: Labels of winners; all others are no preference.
_WINNERS = ("1", "2")


@dataclass(frozen=True)
class Preference:
    """A pair where a judge prefers one answer.

    Attributes:
        winner: "1" for A or "2" for B.
        margin: how far the winner is ahead in the judge's own units; None: not
            measured.
        label: what annotators prefer; None: not asked.
    """

    pair: Pair
    judgement: Judgement
    winner: str
    margin: float | None
    label: str | None


@dataclass(frozen=True)
class Band:
    """Preferences of about one margin, and how often annotators share them.

    Attributes:
        low: the least margin; None: all margins, or preferences without one.
        limits: of the share, over instructions, or why there are none.
    """

    low: float | None
    agreed: Share
    limits: Range | str


def export_preferences(
    folder: Path, out: Path | None = None, policy: str | None = None
) -> Path:
    """Write a line of JSON per pair with a winner, and return the file.

    Args:
        out: None: ``export.preferences.jsonl`` in the run.
        policy: of the overall ratings; None: the last.

    Raises:
        UserError: no run of pairs is there, or recordings were replaced since they were
            judged: a trainer would learn from others.
    """
    run = Run.open(folder)
    path = out or run.path("export.preferences.jsonl")
    preferences = list(preferences_of(run, policy))
    pairs = (each.pair for each in preferences)
    refuse_changed(run, pairs, "judge again into a new --out, and export that")
    bands = bands_of(preferences)
    words = _Words(run)
    ordered = _telling_first(preferences, bands)
    rows = (_row(each, bands, words) for each in ordered)
    write_lines(
        path, (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
    )
    return path


def preferences_of(run: Run, policy: str | None = None) -> Iterator[Preference]:
    """Yield the pairs whose overall rating names a winner, in input order.

    Conversations are left out: a trainer's example has one answer.
    """
    judgements = run.judgements()
    overall = overall_by(run, policy)
    for pair in run.pairs():
        judgement = judgements.get(pair.id)
        fused = overall.get(pair.id)
        if judgement is None or fused is None or pair.has_conversations:
            continue
        winner = str(fused.rating)
        if winner not in _WINNERS:
            continue
        yield Preference(
            pair=pair,
            judgement=judgement,
            winner=winner,
            margin=_margin(judgement, fused, winner),
            label=_label(pair),
        )


def _label(pair: Pair) -> str | None:
    """Return what annotators say of a pair as a whole, ties included; None: nothing."""
    if pair.labels is None:
        return None
    label = pair.labels.overall or pair.labels.preference
    return None if label is None else str(label)


def _margin(judgement: Judgement, fused: Overall, winner: str) -> float | None:
    """Return how far the winner leads: by scores, margins or shares of votes."""
    ahead: float | None = None
    measured = [v.margin for v in judgement.dimensions.values() if v.margin is not None]
    if judgement.pair_scores:
        ahead = judgement.pair_scores.margin
    elif measured:
        ahead = sum(measured)
    elif fused.distribution:
        shares = {str(label): share for label, share in fused.distribution.items()}
        ahead = shares.get("1", 0.0) - shares.get("2", 0.0)
    if ahead is None:
        return None
    return ahead if winner == "1" else -ahead


def bands_of(preferences: Sequence[Preference], most: int = MOST_BANDS) -> list[Band]:
    """Cut labelled preferences into ascending bands of margins with enough labels each.

    A label that is a tie counts against the preference. Preferences without a margin
    are one band; ``most`` 1: all preferences are.
    """
    labelled = [each for each in preferences if each.label is not None]
    if not labelled:
        return []
    margins = sorted(each.margin for each in labelled if each.margin is not None)
    if most == 1 or not margins:
        return [_band(None, labelled)]
    edges = _edges(margins, bands=min(most, len(margins) // BAND_LABELS))
    inside: dict[float | None, list[Preference]] = {None: []}
    for edge in edges:
        inside[edge] = []
    for each in labelled:
        if each.margin is not None:
            inside[_edge(edges, each.margin)].append(each)
    return [_band(low, members) for low, members in inside.items()]


def _edges(margins: Sequence[float], bands: int) -> list[float]:
    """Return the distinct least margins of all bands but the lowest, ascending.

    Args:
        margins: ascending, at least one.
        bands: how many are wanted, of equal numbers of margins.
    """
    edges: set[float] = set()
    for number in range(1, bands):
        edge = margins[len(margins) * number // bands]
        if edge != margins[0]:
            edges.add(edge)
    return sorted(edges)


def _edge(edges: Sequence[float], margin: float) -> float | None:
    """Return the least margin of the band that holds a margin; None: the lowest."""
    return next((edge for edge in reversed(edges) if margin >= edge), None)


def _band(low: float | None, preferences: Sequence[Preference]) -> Band:
    """Count how often annotators share some preferences, clustered by instruction."""
    agreed = np.array([each.label == each.winner for each in preferences], float)
    names = [instruction_of(each.pair) or each.pair.id for each in preferences]
    _, unit = np.unique(names, return_inverse=True)
    right = np.bincount(unit, agreed)
    labels = np.bincount(unit)
    limits = share_interval(right.astype(np.float64), labels.astype(np.float64))
    return Band(low, Share(int(agreed.sum()), len(agreed)), limits)


def _agreement(
    preference: Preference, bands: Sequence[Band]
) -> tuple[dict[str, Any] | None, str | None]:
    """Return the agreement at the preference's margin, and why it is not known."""
    edges = [band.low for band in bands if band.low is not None]
    low: float | None = None
    if preference.margin is not None:
        low = _edge(edges, preference.margin)
    elif edges:
        return None, "the judge measured no margin for this pair"
    return agreement_of([band for band in bands if band.low == low])


def agreement_of(bands: Sequence[Band]) -> tuple[dict[str, Any] | None, str | None]:
    """Return the agreement of the first of these bands, and why it is not known."""
    if not bands:
        return None, "no pair of the run has a human label of the whole"
    band = bands[0]
    if band.agreed.of < BAND_LABELS:
        unknown = (
            f"{band.agreed.of} labelled preferences are too few; {BAND_LABELS} are"
            " needed"
        )
        return None, unknown
    lower: float | None = None
    upper: float | None = None
    if isinstance(band.limits, str):
        interval = band.limits
    else:
        interval = SCORE
        lower, upper = band.limits
    agreement = {
        "share": band.agreed.value,
        "low": lower,
        "high": upper,
        "interval": interval,
        "labels": band.agreed.of,
        "margin_at_least": band.low,
    }
    return agreement, None


class _Words:
    """The words of recordings, from their blueprints."""

    def __init__(self, run: Run) -> None:
        self._path = run.path("blueprints.jsonl")
        self._lines = LineIndex(self._path, "clip")
        self._clips = {source: record.clip for source, record in run.clips().items()}

    def of(self, spoken: Answer | Instruction) -> str:
        """Return the words of an answer or a request; empty: there are none."""
        if isinstance(spoken, Instruction) and spoken.text is not None:
            return spoken.text
        clip = self._clips.get(spoken.source_id) if spoken.has_audio else None
        line = self._lines.line(clip) if clip else None
        if line is None:
            return ""
        blueprint = strict_json.record(line.decode(), self._path)
        transcript = blueprint.get("transcript") or {}
        return str(transcript.get("text") or "")


def _telling_first(
    preferences: Sequence[Preference], bands: Sequence[Band]
) -> list[Preference]:
    """Put those first that show the types of all columns; all else stays in order.

    Readers take a column's type from the first ten megabytes, and refuse a text after
    nothing but nulls.
    """
    seen: set[str] = set()
    telling: list[Preference] = []
    others: list[Preference] = []
    for preference in preferences:
        facts = _facts(preference, bands)
        agreement = facts["agreement"] or {}
        filled = {name for name, value in facts.items() if value is not None}
        filled |= {f"its {name}" for name, v in agreement.items() if v is not None}
        if filled <= seen:
            others.append(preference)
        else:
            telling.append(preference)
        seen |= filled
    return telling + others


def _sides(preference: Preference) -> tuple[Answer, Answer]:
    """Return the answer that won, and the other one."""
    pair = preference.pair
    return (pair.a, pair.b) if preference.winner == "1" else (pair.b, pair.a)


def _row(
    preference: Preference, bands: Sequence[Band], words: _Words
) -> dict[str, Any]:
    chosen, rejected = _sides(preference)
    prompt = words.of(preference.pair.instruction)
    return {
        "prompt": [{"role": "user", "content": prompt}],
        "chosen": [{"role": "assistant", "content": words.of(chosen)}],
        "rejected": [{"role": "assistant", "content": words.of(rejected)}],
        **_facts(preference, bands),
    }


def _facts(preference: Preference, bands: Sequence[Band]) -> dict[str, Any]:
    """Return a row's columns but for the words."""
    pair, judgement = preference.pair, preference.judgement
    chosen, rejected = _sides(preference)
    agreement, unknown = _agreement(preference, bands)
    return {
        "prompt_audio": _place(pair.instruction),
        "chosen_audio": _place(chosen),
        "rejected_audio": _place(rejected),
        "id": pair.id,
        "chosen_system": chosen.system,
        "rejected_system": rejected.system,
        "judge": judgement.judge,
        "margin": preference.margin,
        "consistent": judgement.consistent,
        "human_label": preference.label,
        "agreement": agreement,
        "agreement_unknown": unknown,
    }


def _place(recording: Answer | Instruction) -> str | None:
    return recording.source_id if recording.has_audio else None
