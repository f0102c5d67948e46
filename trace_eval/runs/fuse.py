"""Fusing judgements into overall ratings: pure, instant, repeatable with any policy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path

from blueprints import UserError
from fusion import (
    DIMENSIONS,
    PLAIN_POLICIES,
    TYPED_TIE,
    PlainPolicy,
    Policy,
    Rating,
    entropy,
    fuse_distributions,
)
from fusion.plain import POINTS
from trace_eval.data.files import make_folder, write_all
from trace_eval.data.judgement import Judgement, Label, Overall
from trace_eval.data.policies import WHOLE_PAIR, AnyPolicy, any_policy
from trace_eval.judges.base import Judge
from trace_eval.runs.outcomes import PairCounts
from trace_eval.runs.run import Run
from trace_eval.runs.table import results_table


def check_policy(policy: AnyPolicy, judge: Judge) -> None:
    """Refuse typed policies for verdicts without types, before anything is sent.

    Raises:
        UserError: the judge answers several questions by plain labels, and the policy
            takes typed ties.
    """
    rubric = judge.rubric
    if (
        len(rubric.dimensions) > 1
        and rubric.scale != TYPED_TIE
        and isinstance(policy, Policy)
    ):
        raise _untyped(policy, judge.spec, rubric.scale.label_set)


def _untyped(policy: Policy, judge: str, label_set: str | None) -> UserError:
    return UserError(
        f"policy {policy.name} takes typed ties, and judge {judge} gives {label_set}"
        f" labels on each dimension; use --policy {' or '.join(PLAIN_POLICIES)}"
    )


def fuse(judgement: Judgement, policy: AnyPolicy) -> Overall:
    """Fuse one judgement to its overall rating, where it can be known.

    A dimension without a rating is never guessed: the overall rating is known where the
    policy says the same whatever the missing ratings would be, and else there is none.

    Raises:
        UserError: a policy for typed ties meets plain labels.
    """
    scored = judgement.status == "scored"
    for about in ("overall", "match") if scored else ():
        if verdict := judgement.dimensions.get(about):
            why = "the judge was asked for the pair as a whole"
            spread = verdict.distribution
            return _overall(
                judgement,
                WHOLE_PAIR,
                rating=verdict.rating,
                why=why,
                distribution=spread,
            )
    if isinstance(policy, PlainPolicy):
        return _plain(judgement, policy)
    if scored and judgement.label_set != "typed":
        raise _untyped(policy, judgement.judge, judgement.label_set)
    return _typed(judgement, policy)


def _overall(
    judgement: Judgement,
    policy: str,
    rating: str | None,
    why: str,
    distribution: Mapping[Label, float] | Mapping[Rating, float] | None = None,
) -> Overall:
    bits = None if distribution is None else round(entropy(dict(distribution)), 6)
    record = {"pair": judgement.pair, "policy": policy, "rating": rating, "why": why}
    return Overall.model_validate(
        record | {"distribution": distribution, "entropy_bits": bits}
    )


def _in_part(
    judgement: Judgement, policy: AnyPolicy, possible: Sequence[str]
) -> Overall:
    """Fuse a judgement without some ratings to the only possible result, or none."""
    missing: list[str] = []
    for name in DIMENSIONS:
        if name not in judgement.dimensions:
            missing.append(name.replace("_", " "))
    unknown = " and ".join(missing)
    if len(possible) == 1:
        why = f"{policy.name} gives {possible[0]} whatever {unknown} would be"
        return _overall(judgement, policy.name, possible[0], why)
    why = f"unscored, {judgement.reason or 'incomplete'}: "
    why += judgement.detail or "no rating on every dimension"
    if possible:
        why += f"; without {unknown} {policy.name} could give {', '.join(possible)}"
    return _overall(judgement, policy.name, None, why)


def _plain(judgement: Judgement, policy: PlainPolicy) -> Overall:
    labels = {
        str(name): verdict.rating for name, verdict in judgement.dimensions.items()
    }
    if judgement.status == "scored":
        decision = policy.decide(labels)
        return _overall(judgement, policy.name, decision.label, decision.why)
    missing = [name for name in DIMENSIONS if name not in labels]
    present = bool(labels) and judgement.label_set == "typed"
    cases = product(POINTS, repeat=len(missing)) if present else ()
    possible = {
        policy.decide(labels | dict(zip(missing, case, strict=True))).label
        for case in cases
    }
    return _in_part(judgement, policy, sorted(possible))


def _typed(judgement: Judgement, policy: Policy) -> Overall:
    ratings = [judgement.rating(name) for name in DIMENSIONS]
    scored = [rating for rating in ratings if rating is not None]
    if judgement.status != "scored" or len(scored) < len(ratings):
        return _in_part(judgement, policy, policy.possible(*ratings) if scored else ())
    decision = policy.decide(*scored)
    spread = overall_distribution(judgement, policy)
    return _overall(
        judgement,
        policy.name,
        rating=decision.rating,
        why=decision.why,
        distribution=spread,
    )


def overall_distribution(
    judgement: Judgement, policy: Policy
) -> dict[Rating, float] | None:
    """Return the overall rating's distribution, whose entropy is the judge's doubt.

    A dimension without votes counts as certain. None: the judgement is unscored, or no
    dimension has votes.
    """
    if judgement.status != "scored":
        return None
    parts = [judgement.dimensions[name] for name in DIMENSIONS]
    if all(part.distribution is None for part in parts):
        return None
    typed: list[dict[Rating, float]] = []
    for part in parts:
        votes = part.distribution or {part.rating: 1.0}
        typed.append({Rating(label): share for label, share in votes.items()})
    return fuse_distributions(policy, *typed)


def fuse_run(run: Run, policy: AnyPolicy, others: Iterable[str] = ()) -> PairCounts:
    """Fuse all judgements of a run; replace its ``overall.jsonl`` and ``results.csv``.

    Returns how many pairs have what.

    Args:
        run: locked for writing.
        others: policies that the run was fused with before; their results, under
            ``policies/NAME``, are brought up to date. One that cannot be had any more
            is left.
    """
    judged = run.stored_judgements()
    counts = _fuse_to(run, judged, policy, run.folder)
    for spec in others:
        with suppress(UserError):
            other = any_policy(spec)
            _fuse_to(run, judged, other, run.policy_folder(other.name))
    return counts


def _fuse_to(
    run: Run, judged: Mapping[str, Judgement], policy: AnyPolicy, folder: Path
) -> PairCounts:
    """Write the results of a policy; no more than a pair is in memory at a time."""
    counts = PairCounts()

    def lines() -> Iterator[str]:
        for pair in run.pairs():
            judgement = judged.get(pair.id)
            fused = _fused(pair.id, judgement, policy)
            counts.add(judgement, fused)
            yield fused.model_dump_json()

    make_folder(folder, private=True)
    write_all(folder / "overall.jsonl", lines())
    overall = run.stored_overall(folder)
    table = results_table(run, overall, judged, margins=counts.margins > 0)
    write_all(folder / "results.csv", table.csv_lines())
    return counts


def _fused(pair: str, judgement: Judgement | None, policy: AnyPolicy) -> Overall:
    if judgement is not None:
        return fuse(judgement, policy)
    return Overall(pair=pair, policy=policy.name, rating=None, why="not judged yet")


def fuse_again(folder: Path | str, spec: str | Path | AnyPolicy) -> list[Overall]:
    """Fuse a run again with another policy; nothing is extracted or judged.

    What earlier policies came to is kept under ``policies/NAME``.
    """
    policy = any_policy(spec)
    named = policy.name if isinstance(spec, Policy | PlainPolicy) else str(spec)
    with Run.open(folder) as run:
        record = run.record()
        policies = tuple(dict.fromkeys((named, *record.policies, record.policy)))
        fuse_run(run, policy, policies[1:])
        run.write_record(
            record.model_copy(update={"policy": named, "policies": policies})
        )
        return list(run.overall().values())
