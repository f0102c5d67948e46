"""Pairs made from scores: two answers to one question compared by their scores.

Written as a table of labels (``.csv``, ``.jsonl``), or as a run folder with which ``agree``,
``rank``, ``fuse`` and ``report`` work as with any other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from blueprints import UserError
from fusion import Rating, from_steps
from trace_eval.data.csv_cells import table_lines
from trace_eval.data.files import make_folder
from trace_eval.data.items import Single, side_of_pair
from trace_eval.data.judgement import DimensionVerdict, Judgement, Label
from trace_eval.data.manifests import Manifest, question_of
from trace_eval.data.outcome import Reason
from trace_eval.data.outputs import write_lines
from trace_eval.data.pairs import Pair, Preference
from trace_eval.data.scores import Score
from trace_eval.options import PairOptions
from trace_eval.runs.derived import derived_record, write_derived
from trace_eval.runs.run import Run

#: Means closer than this are equal, whatever their last digits.
EQUAL = 1e-9

#: Columns of a table of pairs, before its labels. Scores are on the rubric's scale, means on
#: [0, 1]; ``tokens`` are the words of a written answer.
COLUMNS = (
    "id",
    "instruction_id",
    "system_a",
    "system_b",
    "item_a",
    "item_b",
    "rubric",
    "judge",
    "score_a",
    "score_b",
    "tokens_a",
    "tokens_b",
    "mean_a",
    "mean_b",
    "p_a",
    "made_by",
)

#: Mean human scores: a table has them where its items have human scores.
PEOPLE = ("truth_score_a", "truth_score_b")


@dataclass(frozen=True)
class ScorePair:
    """Two scored answers to one question, and what their scores say.

    Attributes:
        a, b: the items; None of ``score_a``, ``score_b``: there is no score.
        preference: ``1``, ``2`` or ``tie``; None where a score is missing.
        typed: the typed tie, where answers can be told to be acceptable.
        p_a: P(A > B) + P(A = B) / 2 of independent draws from both distributions.
    """

    id: str
    a: Single
    b: Single
    score_a: Score | None
    score_b: Score | None
    preference: Preference | None
    typed: Rating | None
    p_a: float | None

    @property
    def means(self) -> list[float | None]:
        """Mean score of each answer on [0, 1]; None where it has none."""
        return [s.estimate.mean if s and s.estimate else None for s in (self.score_a, self.score_b)]


def pairs_of(run: Run, options: PairOptions) -> Iterator[ScorePair]:
    """The pairs of a run of scores.

    Items ``ID/a`` and ``ID/b`` are the pair ``ID`` again; of other items all pairs that share a
    question, in input order.

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
            name = key[1] if isinstance(key, tuple) and key[0] == "pair" else f"{a.id}+{b.id}"
            yield _compared(str(name), a, b, scores, options)


def _rubric(run: Run, options: PairOptions) -> str:
    available = list(run.record().rubrics)
    name = options.rubric or (available[0] if len(available) == 1 else None)
    if name not in available:
        raise UserError(
            f"{run.folder}: holds scores by {', '.join(available)}; name one of them with --rubric"
        )
    return name


def _compared(
    name: str, a: Single, b: Single, scores: Mapping[str, Score], options: PairOptions
) -> ScorePair:
    one, other = scores.get(a.id), scores.get(b.id)
    means = [s.estimate.mean if s and s.estimate else None for s in (one, other)]
    if one is None or other is None or means[0] is None or means[1] is None:
        return ScorePair(name, a, b, one, other, None, None, None)
    lead = means[0] - means[1]
    better = None if abs(lead) <= options.tie_margin + EQUAL else Rating.A if lead > 0 else Rating.B
    typed = None
    if options.acceptable is not None:
        good = [s.value is not None and s.value >= options.acceptable for s in (one, other)]
        typed = from_steps(good[0], good[1], better)
    preference: Preference = "tie" if better is None else "1" if better is Rating.A else "2"
    return ScorePair(name, a, b, one, other, preference, typed, probability(one, other))


def probability(a: Score, b: Score) -> float | None:
    """P(A > B) + P(A = B) / 2 of independent draws; None where a distribution is missing."""
    if not a.distribution or not b.distribution:
        return None
    return sum(
        p * q * (1.0 if float(x) > float(y) else 0.5 if float(x) == float(y) else 0.0)
        for x, p in a.distribution.items()
        for y, q in b.distribution.items()
    )


def made_by(rubric: str, judge: str, options: PairOptions) -> str:
    """How the labels came about, for every record."""
    parts = [f"scores by {rubric}, judge {judge}", f"tie margin {options.tie_margin:g}"]
    if options.acceptable is not None:
        parts.append(f"acceptable from {options.acceptable:g}")
    if options.stands_for:
        parts.append(f"as {options.stands_for}")
    return "; ".join(parts)


def write_pairs(folder: Path, out: Path, options: PairOptions) -> int:
    """Write the pairs of a run of scores, and return their number.

    Args:
        folder: the run.
        out: a new ``.csv`` or ``.jsonl`` table, or the folder of a new run of pairs.
        options: how scores become labels.

    Raises:
        UserError: see :func:`pairs_of`; ``out`` exists; answers without sound cannot be a run.
    """
    run = Run.open(folder)
    if out.exists():
        raise UserError(f"{out}: exists; name another file or folder")
    results = list(pairs_of(run, options))
    if not results:
        raise UserError(f"{folder}: no two answers share a question; there is nothing to compare")
    details = made_by(_rubric(run, options), run.record().judge.spec, options)
    if out.suffix in (".csv", ".jsonl"):
        rows = [_row(pair, details, options) for pair in results]
        _with_people(rows, results)
        make_folder(out.parent)
        write_lines(out, _csv(rows) if out.suffix == ".csv" else map(json.dumps, rows))
    else:
        _write_run(run, out, results, details, options)
    return len(results)


def _row(pair: ScorePair, told: str, options: PairOptions) -> dict[str, Any]:
    present = pair.score_a or pair.score_b
    cells = (
        pair.id,
        pair.a.question_id,
        pair.a.system,
        pair.b.system,
        pair.a.id,
        pair.b.id,
        present.rubric if present else None,
        present.judge if present else None,
        *(None if s is None else s.value for s in (pair.score_a, pair.score_b)),
        *map(_words, (pair.a, pair.b)),
        *pair.means,
        pair.p_a,
        told,
    )
    label: dict[str, Any] = {options.stands_for: pair.typed} if options.stands_for else {}
    return {**dict(zip(COLUMNS, cells, strict=True)), "preference": pair.preference, **label}


def _words(item: Single) -> int | None:
    return None if item.answer.text is None else len(item.answer.text.split())


def _with_people(rows: list[dict[str, Any]], pairs: Sequence[ScorePair]) -> None:
    """Add mean human scores, where there are any."""
    means = [tuple(map(_people, (pair.a, pair.b))) for pair in pairs]
    if any(None not in row for row in means):
        for row, values in zip(rows, means, strict=True):
            row |= dict(zip(PEOPLE, values, strict=True))


def _people(item: Single) -> float | None:
    provided = item.labels.scores.values() if item.labels else ()
    available = [value for value in provided if value is not None]
    return fmean(available) if available else None


def _csv(rows: list[dict[str, Any]]) -> Iterator[str]:
    cells = (
        [f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row.values()]
        for row in rows
    )
    return table_lines(rows[0], cells)


def _write_run(
    run: Run, out: Path, results: list[ScorePair], message: str, options: PairOptions
) -> None:
    base = Run.open(options.onto) if options.onto else None
    before = base.judgements() if base else {}
    pairs = {pair.id: pair for pair in base.pairs()} if base else {p.id: _pair(p) for p in results}
    by_id = {pair.id: pair for pair in results}
    write_derived(
        (base, run) if base else (run,),
        out,
        derived_record(run, base, message),
        Manifest(run.folder, list(pairs.values())),
        lambda name: _judgement(name, by_id.get(name), before.get(name), message, options),
    )


def _pair(result: ScorePair) -> Pair:
    answers = {}
    for side, item in (("a", result.a), ("b", result.b)):
        if not item.answer.has_audio and not item.has_conversations:
            raise UserError(
                f"item {item.id!r} has no recording of its own, and a run of pairs needs one per"
                " answer; write a table instead: --out FILE.csv"
            )
        answers[side] = side_of_pair(item, item.system)
    return Pair(
        id=result.id,
        instruction=result.a.instruction,
        instruction_id=result.a.question_id,
        category=result.a.category,
        **answers,
    )


def _judgement(
    name: str,
    found: ScorePair | None,
    before: Judgement | None,
    told: str,
    options: PairOptions,
) -> Judgement | None:
    if options.onto:
        return _replaced(found, before, told, options) if before else None
    assert found is not None
    if found.preference is None:
        missing = [s for s in (found.score_a, found.score_b) if s is None or s.value is None]
        reason = next((s.reason for s in missing if s and s.reason), Reason.EVIDENCE_MISSING)
        return Judgement.unscored(name, told, reason, "an answer of the pair has no score")
    about: Any = options.stands_for or "overall"
    label: Any = found.typed if options.stands_for else found.preference
    return Judgement(
        pair=name,
        judge=told,
        status="unscored" if options.stands_for else "scored",
        reason=Reason.EVIDENCE_MISSING if options.stands_for else None,
        detail="scores stand for one dimension; see --onto" if options.stands_for else None,
        label_set="typed" if options.stands_for else "plain",
        dimensions={about: _verdict(found, label)},
        caveats=[told],
    )


def _replaced(
    result: ScorePair | None, before: Judgement, message: str, options: PairOptions
) -> Judgement:
    """A judgement with the scores' verdict on one dimension."""
    assert options.stands_for is not None
    caveats = [*before.caveats, message]
    if result is None or result.typed is None:
        return Judgement.unscored(
            before.pair, before.judge, Reason.EVIDENCE_MISSING, "an answer has no score"
        )
    verdict = _verdict(result, result.typed)
    dimensions = {**before.dimensions, options.stands_for: verdict}
    return before.model_copy(update={"dimensions": dimensions, "caveats": caveats})


def _verdict(result: ScorePair, label: Label) -> DimensionVerdict:
    values = [s.value if s else None for s in (result.score_a, result.score_b)]
    message = " and ".join("none" if value is None else f"{value:.2f}" for value in values)
    mean_a, mean_b = result.means
    return DimensionVerdict.model_validate(
        {
            "rating": label,
            "reasoning": f"the answers' scores are {message}",
            "evidence": {"mean_a": mean_a, "mean_b": mean_b, "p_a": result.p_a},
        }
    )
