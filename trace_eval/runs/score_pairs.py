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
        return [
            s.estimate.mean if s and s.estimate else None
            for s in (self.score_a, self.score_b)
        ]


def pairs_of(run: Run, options: PairOptions) -> Iterator[ScorePair]:
    """Make pairs of a run of scores.

    Items ``ID/a`` and ``ID/b`` are the pair ``ID`` again; of other items all pairs that
    share a question, in input order.

    Raises:
        UserError: the run has several rubrics and none is named, or not the named one.
    """
    rubric = _rubric(run, options)
    scores = {s.item: s for s in run.scores() if s.rubric == rubric}
    groups: dict[Any, list[Single]] = {}
    for item in run.singles():
        stem, _, side = item.id.rpartition("/")
        key = ("pair", stem) if stem and side in ("a", "b") else question_of(item)
        groups.setdefault(key, []).append(item)
    for key, group in groups.items():
        for a, b in combinations(group, 2):
            name = (
                key[1]
                if isinstance(key, tuple) and key[0] == "pair"
                else f"{a.id}+{b.id}"
            )
            yield _compared(str(name), a, b=b, scores=scores, options=options)


def _rubric(run: Run, options: PairOptions) -> str:
    rubrics = list(run.record().rubrics)
    name = options.rubric or (rubrics[0] if len(rubrics) == 1 else None)
    if name not in rubrics:
        raise RunFolderError(
            f"{run.folder}: holds scores by {', '.join(rubrics)}; name one of them"
            " with --rubric"
        )
    return name


def _compared(
    name: str, a: Single, b: Single, scores: Mapping[str, Score], options: PairOptions
) -> ScorePair:
    one = scores.get(a.id)
    other = scores.get(b.id)
    pair = ScorePair(id=name, a=a, b=b, score_a=one, score_b=other)
    mean_a, mean_b = pair.means
    if one is None or other is None or mean_a is None or mean_b is None:
        return pair
    lead = mean_a - mean_b
    better = (
        None
        if abs(lead) <= options.tie_margin + EQUAL
        else Rating.A
        if lead > 0
        else Rating.B
    )
    typed = None
    if options.acceptable is not None:
        good = [
            s.value is not None and s.value >= options.acceptable for s in (one, other)
        ]
        typed = from_steps(good[0], good[1], better)
    preference: PlainLabel = (
        "tie" if better is None else "1" if better is Rating.A else "2"
    )
    return replace(
        pair, preference=preference, typed=typed, p_a=probability(one, other)
    )


def probability(a: Score, b: Score) -> float | None:
    """Return P(A > B) + P(A = B) / 2 of independent draws; None if unknown.

    It is unknown without distributions.
    """
    if not a.distribution or not b.distribution:
        return None
    return sum(
        p * q * (1.0 if float(x) > float(y) else 0.5 if float(x) == float(y) else 0.0)
        for x, p in a.distribution.items()
        for y, q in b.distribution.items()
    )


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
    results = list(pairs_of(run, options))
    if not results:
        raise RunFolderError(
            f"{folder}: no two answers share a question; there is nothing to compare"
        )
    parts = [f"scores by {_rubric(run, options)}, judge {run.record().judge.spec}"]
    parts.append(f"tie margin {options.tie_margin:g}")
    if options.acceptable is not None:
        parts.append(f"acceptable from {options.acceptable:g}")
    if options.stands_for:
        parts.append(f"as {options.stands_for}")
    made_by = "; ".join(parts)
    if out.suffix in (".csv", ".jsonl"):
        rows = [_row(pair, made_by, options) for pair in results]
        if not any(None not in (r["truth_score_a"], r["truth_score_b"]) for r in rows):
            for row in rows:
                del row["truth_score_a"], row["truth_score_b"]
        make_folder(out.parent)
        table = CellTable(
            dict.fromkeys(rows[0], str), (list(row.values()) for row in rows), digits=6
        )
        write_lines(
            out, table.csv_lines() if out.suffix == ".csv" else map(json.dumps, rows)
        )
    else:
        _write_run(run, out, results=results, made_by=made_by, options=options)
    return len(results)


def _row(pair: ScorePair, made_by: str, options: PairOptions) -> dict[str, Any]:
    """Return a row: scores on the rubric's scale, means on [0, 1], words as ``tokens``.

    ``truth_score`` is the mean of an answer's human scores.
    """
    present = pair.score_a or pair.score_b
    sides = (("a", pair.a, pair.score_a), ("b", pair.b, pair.score_b))
    texts = {side: item.answer.text for side, item, _ in sides}
    human = {
        side: list(item.labels.ratings.values())
        for side, item, _ in sides
        if item.labels
    }
    return {
        "id": pair.id,
        "instruction_id": pair.a.question_id,
        **{f"system_{side}": item.system for side, item, _ in sides},
        **{f"item_{side}": item.id for side, item, _ in sides},
        "rubric": present.rubric if present else None,
        "judge": present.judge if present else None,
        **{f"score_{side}": score.value if score else None for side, _, score in sides},
        **{
            f"tokens_{s}": None if text is None else len(text.split())
            for s, text in texts.items()
        },
        **dict(zip(("mean_a", "mean_b"), pair.means, strict=True)),
        "p_a": pair.p_a,
        "made_by": made_by,
        "preference": pair.preference,
        **({options.stands_for: pair.typed} if options.stands_for else {}),
        **{f"truth_score_{s}": fmean(human[s]) if human.get(s) else None for s in "ab"},
    }


def _write_run(
    run: Run, out: Path, results: list[ScorePair], made_by: str, options: PairOptions
) -> None:
    by_id = {pair.id: pair for pair in results}
    base = None
    verdicts: list[tuple[Pair, Judgement | None]]
    if options.onto and options.stands_for:
        base = Run.open(options.onto)
        verdicts = []
        before = base.judgements()
        for pair in base.pairs():
            scores = by_id.get(pair.id)
            stored = before.get(pair.id)
            if stored:
                typed = scores.typed if scores else None
                verdict = (
                    _verdict(scores, typed) if scores and typed is not None else None
                )
                stored = stood_for(stored, options.stands_for, verdict, [made_by])
            verdicts.append((pair, stored))
    else:
        verdicts = [(_pair(p), _judgement(p, made_by, options)) for p in by_id.values()]
    write_derived(run, base, out=out, description=made_by, verdicts=verdicts)


def _pair(result: ScorePair) -> Pair:
    answers = {}
    for side, item in (("a", result.a), ("b", result.b)):
        if not item.answer.has_audio and not item.has_conversations:
            raise RunFolderError(
                f"item {item.id!r} has no recording of its own, and a run of pairs"
                " needs one per answer; write a table instead: --out FILE.csv"
            )
        answers[side] = side_of_pair(item, item.system)
    return Pair(
        id=result.id,
        instruction=result.a.instruction,
        instruction_id=result.a.question_id,
        category=result.a.category,
        **answers,
    )


def _judgement(pair: ScorePair, made_by: str, options: PairOptions) -> Judgement:
    if pair.preference is None:
        missing = [
            s for s in (pair.score_a, pair.score_b) if s is None or s.value is None
        ]
        reason = next(
            (s.reason for s in missing if s and s.reason), Reason.EVIDENCE_MISSING
        )
        return Judgement.unscored(
            pair.id, made_by, reason, "an answer of the pair has no score"
        )
    about: Any = options.stands_for or "overall"
    label: Any = pair.typed if options.stands_for else pair.preference
    return Judgement(
        pair=pair.id,
        judge=made_by,
        status="unscored" if options.stands_for else "scored",
        reason=Reason.EVIDENCE_MISSING if options.stands_for else None,
        detail="scores stand for one dimension; see --onto"
        if options.stands_for
        else None,
        label_set="typed" if options.stands_for else "plain",
        dimensions={about: _verdict(pair, label)},
        caveats=[made_by],
    )


def _verdict(pair: ScorePair, label: Label) -> DimensionVerdict:
    values = [s.value if s else None for s in (pair.score_a, pair.score_b)]
    scores = " and ".join(
        "none" if value is None else f"{value:.2f}" for value in values
    )
    mean_a, mean_b = pair.means
    return DimensionVerdict.model_validate(
        {
            "rating": label,
            "reasoning": f"the answers' scores are {scores}",
            "evidence": {"mean_a": mean_a, "mean_b": mean_b, "p_a": pair.p_a},
        }
    )
