"""Fusing judgements into overall ratings: pure, instant, repeatable with any policy."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

import fusion
from blueprints import UserError
from fusion import DIMENSIONS, Policy, Rating, entropy, fuse_distributions
from trace_eval.data.jsonl import write_all
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.data.pairs import Pair
from trace_eval.measures.measure import PairMeasures
from trace_eval.runs.run import NOT_JUDGED, Outcome, Run


def load_policy(spec: str) -> Policy:
    """Find a policy by built-in name, table file (``.csv``, ``.json``) or entry point.

    Raises:
        UserError: nothing of that name exists, or the table is not valid. (``fusion`` stands
            on the standard library alone and raises a plain ``ValueError``.)
    """
    try:
        return fusion.load_policy(spec)
    except ValueError as error:
        raise UserError(str(error)) from error


def fuse(judgement: Judgement, policy: Policy) -> Overall:
    """The overall rating of one judgement; an unscored one stays without a rating."""
    ratings = [judgement.rating(name) for name in DIMENSIONS]
    scored = [rating for rating in ratings if rating is not None]
    if judgement.status != "scored" or len(scored) < len(ratings):
        reason = judgement.reason or "incomplete"
        why = f"unscored, {reason}: {judgement.detail or 'no rating on every dimension'}"
        return Overall(pair=judgement.pair, policy=policy.name, rating=None, why=why)
    decision = policy.decide(*scored)
    distribution = overall_distribution(judgement, policy)
    return Overall(
        pair=judgement.pair,
        policy=policy.name,
        rating=decision.rating,
        why=decision.why,
        distribution=distribution,
        entropy_bits=None if distribution is None else round(entropy(distribution), 6),
    )


def overall_distribution(judgement: Judgement, policy: Policy) -> dict[Rating, float] | None:
    """Distribution of the overall rating; its entropy says how uncertain the judge was.

    A dimension without votes counts as certain. None where the judgement is unscored, or
    where no dimension has votes.
    """
    if judgement.status != "scored":
        return None
    parts = [judgement.dimensions[name] for name in DIMENSIONS]
    if all(part.distribution is None for part in parts):
        return None
    return fuse_distributions(policy, *(part.distribution or {part.rating: 1.0} for part in parts))


def missing(pair: str, policy: Policy) -> Overall:
    """The record of a pair that was not judged yet."""
    return Overall(pair=pair, policy=policy.name, rating=None, why="not judged yet")


def fuse_run(run: Run, policy: Policy) -> list[Overall]:
    """Fuse all judgements of a run and replace its ``overall.jsonl`` and ``results.csv``."""
    fused: dict[str, Overall] = {}
    outcomes: dict[str, Outcome] = {}
    for judgement in run.attempts():
        fused[judgement.pair] = fuse(judgement, policy)
        outcomes[judgement.pair] = Outcome.of(judgement)
    overall = [
        fused.pop(pair.id) if pair.id in fused else missing(pair.id, policy) for pair in run.pairs()
    ]
    run.write_overall(overall)
    write_all(run.path("results.csv"), _table(run.pairs(), outcomes, overall, run.measures()))
    return overall


def _table(
    pairs: Iterable[Pair],
    outcomes: dict[str, Outcome],
    overall: Iterable[Overall],
    measured: dict[str, PairMeasures],
) -> Iterator[str]:
    measures = sorted({name for found in measured.values() for name in found.measures})
    header = ["pair", "system_a", "system_b", "status", *DIMENSIONS, "overall", "policy", "why"]
    measured_margins = any(m is not None for o in outcomes.values() for m in o.margins)
    margins = [f"margin_{name}" for name in DIMENSIONS] if measured_margins else []
    yield _row([*header, *margins, *measures])
    for pair, fused in zip(pairs, overall, strict=True):
        outcome = outcomes.get(pair.id, NOT_JUDGED)
        yield _row(
            [pair.id, pair.a.system or "", pair.b.system or "", outcome.status]
            + [str(rating or "") for rating in (*outcome.ratings, fused.rating)]
            + [fused.policy, fused.why]
            + ["" if m is None else f"{m:g}" for m in outcome.margins[: len(margins)]]
            + [_value(measured.get(pair.id), name) for name in measures]
        )


def _row(cells: list[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow(cells)
    return buffer.getvalue()


def _value(found: PairMeasures | None, name: str) -> str:
    measure = found.measures.get(name) if found else None
    return "" if measure is None or measure.value is None else f"{measure.value:.4g}"


def fuse_again(folder: Path, spec: str) -> list[Overall]:
    """Fuse a run again with another policy; nothing is extracted or judged."""
    policy = load_policy(spec)
    run = Run.open(folder)
    with run:
        overall = fuse_run(run, policy)
        run.write_record(run.record().model_copy(update={"policy": spec}))
    return overall
