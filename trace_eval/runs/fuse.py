"""Fusing judgements into overall ratings: pure, instant, repeatable with any policy."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import fusion
from blueprints import UserError
from fusion import DIMENSIONS, Policy, Rating, entropy, fuse_distributions
from trace_eval.data.jsonl import write_all
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.runs.run import Run
from trace_eval.runs.table import results_table


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


def fuse_run(run: Run, policy: Policy, others: Iterable[str] = ()) -> list[Overall]:
    """Fuse all judgements of a run and replace its ``overall.jsonl`` and ``results.csv``.

    Args:
        run: locked for writing.
        policy: the one that counts from now on.
        others: policies that the run was fused with before; their results, under
            ``policies/NAME``, are brought up to date. One that cannot be had any more is left.
    """
    overall = _fuse_to(run, policy, run.folder)
    for spec in others:
        with suppress(UserError):
            other = load_policy(spec)
            _fuse_to(run, other, run.policy_folder(other.name))
    return overall


def _fuse_to(run: Run, policy: Policy, folder: Path) -> list[Overall]:
    fused = {judgement.pair: fuse(judgement, policy) for judgement in run.attempts()}
    overall = {pair.id: fused.get(pair.id) or missing(pair.id, policy) for pair in run.pairs()}
    folder.mkdir(parents=True, exist_ok=True)
    write_all(folder / "overall.jsonl", (found.model_dump_json() for found in overall.values()))
    write_all(folder / "results.csv", results_table(run, overall).csv_lines())
    return list(overall.values())


def fuse_again(folder: Path, spec: str) -> list[Overall]:
    """Fuse a run again with another policy; nothing is extracted or judged.

    What earlier policies came to is kept under ``policies/NAME``.
    """
    policy = load_policy(spec)
    with Run.open(folder) as run:
        record = run.record()
        policies = tuple(dict.fromkeys((spec, *record.policies, record.policy)))
        overall = fuse_run(run, policy, policies[1:])
        run.write_record(record.model_copy(update={"policy": spec, "policies": policies}))
    return overall
