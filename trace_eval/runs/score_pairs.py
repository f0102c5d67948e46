"""Pairs made from scores: two answers to one question compared by their scores.

Written as a table of labels (``.csv``, ``.jsonl``), or as a run folder with which
``agree``, ``rank``, ``fuse`` and ``report`` work as with any other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from blueprints import RunFolderError
from fusion import Rating, from_steps
from trace_eval.data.files import make_folder
from trace_eval.data.items import Pair, PlainLabel, Single, side_of_pair
from trace_eval.data.judgement import DimensionVerdict, Judgement, Label
from trace_eval.data.outcome import Reason
from trace_eval.data.outputs import write_lines
from trace_eval.data.paired import question_of
from trace_eval.data.scores import Score
from trace_eval.runs.derived import stood_for, write_derived
from trace_eval.runs.options import PairOptions
from trace_eval.runs.run import Run
from trace_eval.runs.table import CellTable

#: Means closer than this are equal, whatever their last digits.
EQUAL = 1e-9


@dataclass(frozen=True)
class ScorePair:
    """Two scored answers to one question, and what their scores say.

    Attributes:
        score_a, score_b: None: there is no score.
        preference: ``1``, ``2`` or ``tie``; None where a score is missing.
        typed: the typed tie, where a threshold says which answers are acceptable.
        p_a: P(A > B) + P(A = B) / 2 of independent draws from both distributions.
    """

    id: str
    a: Single
    b: Single
    score_a: Score | None
    score_b: Score | None
    preference: PlainLabel | None = None
    typed: Rating | None = None
    p_a: float | None = None

    @property
    def means(self) -> list[float | None]:
        """Mean score of each answer on [0, 1]; None where it has none."""
        return [_mean_of(self.score_a), _mean_of(self.score_b)]


def _mean_of(score: Score | None) -> float | None:
    """Return the mean of a score on [0, 1]; None where there is none."""
    if score is None or score.estimate is None:
        return None
    return score.estimate.mean


def pairs_of(run: Run, options: PairOptions) -> Iterator[ScorePair]:
    """Make pairs of a run of scores.

    Items ``ID/a`` and ``ID/b`` are the pair ``ID`` again; of other items all pairs that
    share a question, in input order.

    Raises:
        UserError: the run has several rubrics and none is named, or not the named one.
    """
    rubric = _rubric(run, options)
    scores = {score.item: score for score in run.scores() if score.rubric == rubric}
    # in input order: items of one pair, by its id, and items of one question
    groups: dict[Any, list[Single]] = {}
    for item in run.singles():
        pair = _pair_id(item)
        key = question_of(item) if pair is None else ("pair", pair)
        groups.setdefault(key, []).append(item)
    for items in groups.values():
        for a, b in combinations(items, 2):
            name = _pair_id(a)
            if name is None:
                name = f"{a.id}+{b.id}"
            yield _compared(name, a, b, scores=scores, options=options)


def _pair_id(item: Single) -> str | None:
    """Return ``ID`` of an item ``ID/a`` or ``ID/b``; None of another item."""
    stem, _, side = item.id.rpartition("/")
    if stem and side in ("a", "b"):
        return stem
    return None


def _rubric(run: Run, options: PairOptions) -> str:
    """Return the rubric that is named, or the only one.

    Raises:
        UserError: there is no such rubric, or none is named of several.
    """
    rubrics = list(run.record().rubrics)
    name = options.rubric
    if not name and len(rubrics) == 1:
        name = rubrics[0]
    if name not in rubrics:
        raise RunFolderError(
            f"{run.folder}: holds scores by {', '.join(rubrics)}; name one of them"
            " with --rubric"
        )
    return name


def _compared(
    name: str, a: Single, b: Single, scores: Mapping[str, Score], options: PairOptions
) -> ScorePair:
    """Compare two answers by their means; without both means there is no preference."""
    score_a = scores.get(a.id)
    score_b = scores.get(b.id)
    pair = ScorePair(id=name, a=a, b=b, score_a=score_a, score_b=score_b)
    mean_a, mean_b = pair.means
    if score_a is None or score_b is None or mean_a is None or mean_b is None:
        return pair
    better = _better(mean_a - mean_b, options.tie_margin)
    preference: PlainLabel = "tie"
    if better is not None:
        preference = "1" if better is Rating.A else "2"
    typed: Rating | None = None
    if options.acceptable is not None:
        a_is_good = _is_from(score_a, options.acceptable)
        b_is_good = _is_from(score_b, options.acceptable)
        typed = from_steps(a_is_good, b_is_good, better)
    p_a = probability(score_a, score_b)
    return replace(pair, preference=preference, typed=typed, p_a=p_a)


def _better(lead: float, tie_margin: float) -> Rating | None:
    """Return the winner by how far A leads; None within the margin of a tie."""
    if abs(lead) <= tie_margin + EQUAL:
        return None
    return Rating.A if lead > 0 else Rating.B


def _is_from(score: Score, acceptable: float) -> bool:
    """Tell whether a score reaches the least that is acceptable."""
    return score.value is not None and score.value >= acceptable


def probability(a: Score, b: Score) -> float | None:
    """Return P(A > B) + P(A = B) / 2 of independent draws; None if unknown.

    It is unknown without distributions.
    """
    if not a.distribution or not b.distribution:
        return None
    total = 0.0
    for points_a, share_a in a.distribution.items():
        for points_b, share_b in b.distribution.items():
            lead = float(points_a) - float(points_b)
            if lead > 0:
                total += share_a * share_b
            elif lead == 0:
                total += share_a * share_b / 2
    return total


def write_pairs(folder: Path, out: Path, options: PairOptions) -> int:
    """Write the pairs of a run of scores, and return their number.

    Args:
        out: a new ``.csv`` or ``.jsonl`` table, or the folder of a new run of pairs.

    Raises:
        UserError: see :func:`pairs_of`; ``out`` exists; answers without sound cannot be
            a run.
    """
    run = Run.open(folder)
    if out.exists():
        raise RunFolderError(f"{out}: exists; name another file or folder")
    pairs = list(pairs_of(run, options))
    if not pairs:
        raise RunFolderError(
            f"{folder}: no two answers share a question; there is nothing to compare"
        )
    made_by = _made_by(run, options)
    if out.suffix in (".csv", ".jsonl"):
        rows = [_row(pair, made_by, options) for pair in pairs]
        _write_table(rows, out)
    else:
        _write_run(run, out, pairs=pairs, made_by=made_by, options=options)
    return len(pairs)


def _made_by(run: Run, options: PairOptions) -> str:
    """Say in a line what the pairs were made from, and how."""
    parts = [f"scores by {_rubric(run, options)}, judge {run.record().judge.spec}"]
    parts.append(f"tie margin {options.tie_margin:g}")
    if options.acceptable is not None:
        parts.append(f"acceptable from {options.acceptable:g}")
    if options.stands_for:
        parts.append(f"as {options.stands_for}")
    return "; ".join(parts)


def _write_table(rows: list[dict[str, Any]], out: Path) -> None:
    """Write rows; human scores are columns where a pair has those of both answers."""
    has_truth = False
    for row in rows:
        truth = (row["truth_score_a"], row["truth_score_b"])
        has_truth = has_truth or None not in truth
    if not has_truth:
        for row in rows:
            del row["truth_score_a"], row["truth_score_b"]
    make_folder(out.parent)
    if out.suffix == ".jsonl":
        write_lines(out, map(json.dumps, rows))
        return
    cells = (list(row.values()) for row in rows)
    table = CellTable(dict.fromkeys(rows[0], str), cells, digits=6)
    write_lines(out, table.csv_lines())


def _row(pair: ScorePair, made_by: str, options: PairOptions) -> dict[str, Any]:
    """Return a row: scores on the rubric's scale, means on [0, 1], words as ``tokens``.

    ``truth_score`` is the mean of an answer's human scores.
    """
    row: dict[str, Any] = {"id": pair.id, "instruction_id": pair.a.question_id}
    answers = {"a": pair.a, "b": pair.b}
    scores = {"a": pair.score_a, "b": pair.score_b}
    for side, item in answers.items():
        row[f"system_{side}"] = item.system
    for side, item in answers.items():
        row[f"item_{side}"] = item.id
    any_score = pair.score_a or pair.score_b
    row["rubric"] = any_score.rubric if any_score else None
    row["judge"] = any_score.judge if any_score else None
    for side, score in scores.items():
        row[f"score_{side}"] = score.value if score else None
    for side, item in answers.items():
        row[f"tokens_{side}"] = _number_of_words(item)
    row["mean_a"], row["mean_b"] = pair.means
    row["p_a"] = pair.p_a
    row["made_by"] = made_by
    row["preference"] = pair.preference
    if options.stands_for:
        row[options.stands_for] = pair.typed
    for side, item in answers.items():
        row[f"truth_score_{side}"] = _mean_rating(item)
    return row


def _number_of_words(item: Single) -> int | None:
    """Count the words of an answer; None where it is not written."""
    text = item.answer.text
    if text is None:
        return None
    return len(text.split())


def _mean_rating(item: Single) -> float | None:
    """Return the mean of an answer's human scores; None without any."""
    if not item.labels or not item.labels.ratings:
        return None
    return fmean(item.labels.ratings.values())


def _write_run(
    run: Run, out: Path, pairs: list[ScorePair], made_by: str, options: PairOptions
) -> None:
    """Write the pairs as a run, or as one dimension of the run that they stand in."""
    verdicts: list[tuple[Pair, Judgement | None]] = []
    by_id = {pair.id: pair for pair in pairs}
    if not (options.onto and options.stands_for):
        for pair in by_id.values():
            verdicts.append((_pair(pair), _judgement(pair, made_by, options)))
        write_derived(run, None, out=out, description=made_by, verdicts=verdicts)
        return
    base = Run.open(options.onto)
    judgements = base.judgements()
    for stored_pair in base.pairs():
        judgement = judgements.get(stored_pair.id)
        if judgement:
            verdict: DimensionVerdict | None = None
            scored = by_id.get(stored_pair.id)
            if scored is not None and scored.typed is not None:
                verdict = _verdict(scored, scored.typed)
            judgement = stood_for(judgement, options.stands_for, verdict, [made_by])
        verdicts.append((stored_pair, judgement))
    write_derived(run, base, out=out, description=made_by, verdicts=verdicts)


def _pair(scored: ScorePair) -> Pair:
    """Make the pair of two answers; UserError where one has no recording."""
    answers = {}
    for side, item in (("a", scored.a), ("b", scored.b)):
        if not item.answer.has_audio and not item.has_conversations:
            raise RunFolderError(
                f"item {item.id!r} has no recording of its own, and a run of pairs"
                " needs one per answer; write a table instead: --out FILE.csv"
            )
        answers[side] = side_of_pair(item, item.system)
    return Pair(
        id=scored.id,
        instruction=scored.a.instruction,
        instruction_id=scored.a.question_id,
        category=scored.a.category,
        **answers,
    )


def _judgement(pair: ScorePair, made_by: str, options: PairOptions) -> Judgement:
    """Make the judgement of a pair; of one dimension alone it has no overall score."""
    if pair.preference is None:
        return Judgement.unscored(
            pair.id,
            made_by,
            _why_missing(pair),
            "an answer of the pair has no score",
        )
    label: Any = pair.preference
    dimension: Any = options.stands_for
    if dimension:
        label = pair.typed
        return Judgement(
            pair=pair.id,
            judge=made_by,
            status="unscored",
            reason=Reason.EVIDENCE_MISSING,
            detail="scores stand for one dimension; see --onto",
            label_set="typed",
            dimensions={dimension: _verdict(pair, label)},
            caveats=[made_by],
        )
    return Judgement(
        pair=pair.id,
        judge=made_by,
        status="scored",
        label_set="plain",
        dimensions={"overall": _verdict(pair, label)},
        caveats=[made_by],
    )


def _why_missing(pair: ScorePair) -> Reason:
    """Return why the first answer without a score, of those that say so, has none."""
    for score in (pair.score_a, pair.score_b):
        if score is not None and score.value is None and score.reason:
            return score.reason
    return Reason.EVIDENCE_MISSING


def _verdict(pair: ScorePair, label: Label) -> DimensionVerdict:
    """Make a verdict whose reasoning names both scores on the rubric's scale."""
    shown: list[str] = []
    for score in (pair.score_a, pair.score_b):
        if score is None or score.value is None:
            shown.append("none")
        else:
            shown.append(f"{score.value:.2f}")
    mean_a, mean_b = pair.means
    return DimensionVerdict.model_validate(
        {
            "rating": label,
            "reasoning": f"the answers' scores are {' and '.join(shown)}",
            "evidence": {"mean_a": mean_a, "mean_b": mean_b, "p_a": pair.p_a},
        }
    )
