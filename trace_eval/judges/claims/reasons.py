"""The reasons of a judge's opinion, checked by the blueprints that it was shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from blueprints import Accent, Blueprint, Emotion
from fusion import TYPED_TIE, Scale
from trace_eval.data.judgement import CheckedClaim, Judgement, VerdictOpinion
from trace_eval.data.outcome import Order, Outcome
from trace_eval.judges.base import Case
from trace_eval.judges.claims.check import check_all
from trace_eval.judges.claims.finding import ShownAnswers
from trace_eval.judges.claims.follows import follows, parts_about
from trace_eval.judges.claims.plain import plain
from trace_eval.judges.claims.read import claims_of
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.tokens import tokens


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
    by_order = _named_by_order(opinion.reasoning.values())
    for about, written in opinion.reasoning.items():
        reason = _ordered(written) if by_order else written
        if reason not in read:  # there may be one reasoning for all dimensions
            read[reason] = claims_of(reason, labels)
            results += _facts(about, read[reason], shown) if shown else ()
        results += _verdict(
            opinion,
            about,
            reason=reason,
            shared=list(opinion.reasoning.values()).count(written) > 1,
            claims=read[reason],
            scale=scale,
        )
    return results


#: Names of the answers in their order: "the one is faster, the other has more pauses".
_THE_ONE = re.compile(
    r"\b(?P<the>the) one\b(?! (?:that|who|which|whose|where|with the|with a|i|we|you)\b)",
    re.I,
)
_THE_OTHER = re.compile(
    r"\b(?P<the>the) other(?: one)?\b(?! (?:hand|way|side|than|day)\b)", re.I
)


def _named_by_order(reasons: Iterable[str]) -> bool:
    """Whether the reasons name the answers "the one" and "the other" alone."""
    text = "\n".join(reasons)
    if not _THE_ONE.search(text) or not _THE_OTHER.search(text):
        return False
    sides = {token.value for token in tokens(plain(text), ()) if token.kind == "side"}
    return not sides & {"1", "2"}


_QUOTED = re.compile(r"(\"[^\"\n]*\"|[“„][^“”\n]*[“”])")


def _ordered(reason: str) -> str:
    """Name the answers of such a reason as first and second, but not in quotations."""
    parts = _QUOTED.split(reason)
    for place in range(0, len(parts), 2):
        first = _THE_ONE.sub(r"\g<the> first one", parts[place])
        parts[place] = _THE_OTHER.sub(r"\g<the> second one", first)
    return "".join(parts)


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
    for claim, finding in check_all(claims, shown):
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
    shared: bool,
    claims: list[StatedClaim],
    scale: Scale,
) -> Iterator[CheckedClaim]:
    stated: Any = {str(name): label for name, label in opinion.ratings.items()}
    if about not in stated:
        return
    if shared:
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
