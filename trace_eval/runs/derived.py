"""Runs of pairs that are made of other runs' verdicts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from blueprints import UserError
from blueprints.decimals import written_apart
from fusion import Dimension, Rating, from_steps
from trace_eval.data.items import Pair
from trace_eval.data.judgement import DimensionVerdict, Judgement, PairScores
from trace_eval.data.manifests import Manifest
from trace_eval.data.outcome import Reason
from trace_eval.data.policies import any_policy
from trace_eval.runs.folders import written_atomically
from trace_eval.runs.fuse import fuse_run
from trace_eval.runs.record import JudgeRecord
from trace_eval.runs.run import Run
from trace_eval.runs.summary import Summary

#: The dimension that naturalness can stand for.
VOICE_QUALITY: Dimension = "voice_quality"

_BETTER = {"1": Rating.A, "2": Rating.B}


def write_derived(
    run: Run,
    base: Run | None,
    out: Path,
    description: str,
    verdicts: Collection[tuple[Pair, Judgement | None]],
) -> None:
    """Write a run of pairs judged by others' verdicts, beside its name until whole.

    Args:
        run: whose scores count; its record is taken over where there is no ``base``.
        base: whose verdicts are replaced in part.
        description: of the judge.

    Raises:
        UserError: see :func:`~trace_eval.runs.folders.written_atomically`.
    """
    record = (base or run).record()
    judge = JudgeRecord(
        spec=f"{record.judge.spec} with {description}" if base else description,
        parameters=record.judge.parameters,
    )
    changes = {"judge": judge, "rubrics": {}, "shard": None, "coverage": None}
    record = record.model_copy(update=changes)
    with written_atomically(out) as part:
        with Run(part) as target:
            target.start(record, Manifest(run.folder, [pair for pair, _ in verdicts]))
            for source in (base, run) if base else (run,):
                _copy_evidence(source, target)
            for _, made in verdicts:
                if made:
                    target.add(made)
            counts = fuse_run(target, any_policy(record.policy))
            summary = Summary(total=len(verdicts))
            summary.count(target, counts=counts)
            target.write_record(
                record.model_copy(update={"coverage": summary.record()})
            )
        (part / ".lock").unlink(missing_ok=True)


def _copy_evidence(source: Run, target: Run) -> None:
    stored = target.clips()
    clips = {record.clip for record in stored.values()}
    for name, record in source.clips().items():
        if name not in stored:
            target.add_clip(record)
    for blueprint in source.blueprints():
        if blueprint.clip not in clips:
            clips.add(blueprint.clip)
            target.add_blueprint(blueprint)


def typed_tie(scores: PairScores, label: str, acceptable: float) -> Rating:
    """Apply HCoT's steps to scores: first which answers are acceptable, then which won.

    Acceptable answers are found by their means.

    Args:
        label: ``1``, ``2`` or ``tie``, as the opinions voted; counts when both are
            acceptable.
        acceptable: least mean of an acceptable answer, on the scale of the scores.

    Raises:
        UserError: the scores have no scale (rewards), or it does not hold
            ``acceptable``.
    """
    if scores.low is None or scores.high is None:
        raise UserError(
            "acceptable: rewards are on no scale, only their differences mean anything;"
            " use a judge that gives scores (-J task=naturalness)"
        )
    if not scores.low <= acceptable <= scores.high:
        raise UserError(
            f"acceptable {acceptable:g}: the scores go from {scores.low:g} to"
            f" {scores.high:g}"
        )
    good = [mean >= acceptable for mean in (scores.mean_a, scores.mean_b)]
    return from_steps(good[0], good[1], _BETTER.get(label))


def write_as_voice_quality(
    folder: Path, onto: Path, out: Path, acceptable: float
) -> int:
    """Write a run in which naturalness replaces another judge's voice quality; fused.

    A pair without naturalness scores is unscored, with the reason of its own judgement.

    Args:
        folder: a run with scores of both answers (``pair_scores``).
        onto: a run of typed verdicts on the same pairs; its policy fuses the new one.
        acceptable: see :func:`typed_tie`.

    Returns:
        Pairs whose voice quality was replaced.

    Raises:
        UserError: see :func:`typed_tie`; ``out`` exists; the runs hold other pairs, no
            scores or no typed verdicts.
    """
    run = Run.open(folder)
    base = Run.open(onto)
    scored = run.judgements()
    before = base.judgements()
    pairs = list(base.pairs())
    places = {pair.id: (pair.a.source_id, pair.b.source_id) for pair in pairs}
    for pair in run.pairs():
        if places.get(pair.id, own := (pair.a.source_id, pair.b.source_id)) != own:
            raise UserError(
                f"pair {pair.id!r}: its recordings in {run.folder} are not those of"
                f" {base.folder}; judge the same pairs"
            )
    if not any(result.pair_scores for result in scored.values()):
        raise UserError(
            f"{folder}: no judgement scores both answers; judge with -J task=naturalness"
        )
    plain = next(
        (result for result in before.values() if result.label_set != "typed"), None
    )
    if plain is not None:
        raise UserError(
            f"{onto}: judge {plain.judge} gives {plain.label_set} labels, no typed ties"
        )
    message = (
        f"{VOICE_QUALITY} by the naturalness scores of judge {run.record().judge.spec};"
        f" acceptable from {acceptable:g}"
    )
    replaced: dict[str, Judgement] = {}
    for name, result in before.items():
        replaced[name] = _replaced(result, scored.get(name), acceptable, message)
    write_derived(
        run,
        base,
        out=out,
        description=message,
        verdicts=[(pair, replaced.get(pair.id)) for pair in pairs],
    )
    return sum(message in result.caveats for result in replaced.values())


def _replaced(
    before: Judgement, result: Judgement | None, acceptable: float, message: str
) -> Judgement:
    scores = result.pair_scores if result and result.status == "scored" else None
    if result is None or scores is None:
        reason = result.reason if result else None
        return stood_for(before, VOICE_QUALITY, verdict=None, caveats=[], reason=reason)
    means = [
        written_apart(mean, [acceptable], digits=2)
        for mean in (scores.mean_a, scores.mean_b)
    ]
    verdict = DimensionVerdict(
        rating=typed_tie(scores, str(result.label("overall")), acceptable),
        reasoning=f"mean naturalness {' and '.join(means)};"
        f" acceptable from {acceptable:g}",
        evidence={
            "mean_a": scores.mean_a,
            "mean_b": scores.mean_b,
            "p_a": scores.p_a,
            "acceptable": acceptable,
        },
        consistent=result.dimensions["overall"].consistent,
    )
    return stood_for(before, VOICE_QUALITY, verdict, result.caveats + [message])


def stood_for(
    before: Judgement,
    dimension: Dimension,
    verdict: DimensionVerdict | None,
    caveats: Sequence[str],
    reason: Reason | None = None,
) -> Judgement:
    """Replace one dimension of a judgement; unscored, with a reason, if no verdict."""
    if verdict is None:
        why = f"an answer has no score that could stand for {dimension}"
        reason = reason or Reason.EVIDENCE_MISSING
        return Judgement.unscored(before.pair, before.judge, reason, why)
    dimensions = dict(before.dimensions)
    dimensions[dimension] = verdict
    all_caveats = list(before.caveats)
    all_caveats.extend(caveats)
    return before.model_copy(update={"dimensions": dimensions, "caveats": all_caveats})
