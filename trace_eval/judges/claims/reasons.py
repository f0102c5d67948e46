"""The reasons of a judge's opinion, checked by the blueprints that it was shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from blueprints import Accent, Blueprint, Emotion
from fusion import TYPED_TIE, Scale
from trace_eval.data.judgement import CheckedClaim, Judgement, VerdictOpinion
from trace_eval.data.outcome import Order, Outcome
from trace_eval.judges.base import Case
from trace_eval.judges.claims.check import check
from trace_eval.judges.claims.finding import ShownAnswers
from trace_eval.judges.claims.follows import follows, parts_about
from trace_eval.judges.claims.read import claims_of
from trace_eval.judges.claims.stated import StatedClaim


def shown_answers(case: Case, order: Order) -> ShownAnswers | None:
    """Return a case's blueprints by the place of showing; None without both."""
    sides = ("a", "b") if order == "ab" else ("b", "a")
    blueprints = case.blueprints
    if not all(side in blueprints for side in sides):
        return None
    first, second = (blueprints[side] for side in sides)
    return ShownAnswers({"1": first, "2": second}, case.instruction_text)


def checked(
    opinion: VerdictOpinion, case: Case, scale: Scale = TYPED_TIE
) -> list[CheckedClaim]:
    """Return every claim in the reasons of an opinion, and whether it holds.

    Where a case has the blueprint of one answer alone there is nothing to check by. Of
    calls, whose turns have blueprints, it says whether a verdict follows, and checks no
    number.
    """
    shown = shown_answers(case, opinion.order)
    if shown is None and case.blueprints.keys() & {"a", "b"}:
        return []
    labels = sorted(_labels(shown)) if shown else []
    results: list[CheckedClaim] = []
    read: dict[str, list[StatedClaim]] = {}
    for about, reason in opinion.reasoning.items():
        if reason not in read:  # there may be one reasoning for all dimensions
            read[reason] = claims_of(reason, labels)
            results += _facts(about, read[reason], shown) if shown else ()
        results += _verdict(
            opinion, about, reason=reason, claims=read[reason], scale=scale
        )
    return results


def with_claims(outcome: Outcome, case: Case, scale: Scale = TYPED_TIE) -> Outcome:
    """Give a judgement's opinions their reasons' claims; return a score as it is."""
    if not isinstance(outcome, Judgement):
        return outcome
    opinions = [
        opinion.model_copy(update={"claims": checked(opinion, case, scale)})
        for opinion in outcome.opinions
    ]
    return outcome.model_copy(update={"opinions": opinions})


def in_words(claims: Sequence[CheckedClaim], most: int = 3) -> str:
    """Write claims and what speaks against them, in a sentence of a prompt."""
    parts: list[str] = []
    for claim in claims[:most]:
        what = f"'{claim.text}'"
        if claim.kind == "verdict":
            what = f"the verdict on {claim.about} does not follow"
        parts.append(f"{what} ({claim.why})")
    if len(claims) > most:
        parts.append(f"and {len(claims) - most} more")
    return "; ".join(parts)


def _facts(
    about: str, claims: list[StatedClaim], shown: ShownAnswers
) -> Iterator[CheckedClaim]:
    for claim in claims:
        finding = check(claim, shown)
        yield CheckedClaim(
            about=about,
            kind=claim.kind,
            text=claim.text,
            holds=finding.holds,
            why=finding.why,
        )


def _verdict(
    opinion: VerdictOpinion,
    about: str,
    reason: str,
    claims: list[StatedClaim],
    scale: Scale,
) -> Iterator[CheckedClaim]:
    stated: Any = {str(name): label for name, label in opinion.ratings.items()}
    if about not in stated:
        return
    if list(opinion.reasoning.values()).count(reason) > 1:
        reason = parts_about(reason, about)
    label = scale.parse(stated[about])
    shown = str(scale.swap(label) if opinion.order == "ba" else label)
    if result := follows(reason, claims, about, shown):
        holds, why = result
        yield CheckedClaim(
            about=about, kind="verdict", text=shown, holds=holds, why=why
        )


def _labels(shown: ShownAnswers) -> Iterator[str]:
    for blueprint in shown.places.values():
        yield from _scored(blueprint)


def _scored(blueprint: Blueprint) -> Iterator[str]:
    if isinstance(blueprint.emotion, Emotion):
        yield from blueprint.emotion.scores
    if isinstance(blueprint.accent, Accent):
        yield from blueprint.accent.similarities
