"""The pairs of a report: one line each in the list, and everything on their pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from blueprints import Blueprint, counted, install_line
from fusion import DIMENSIONS, POLICIES
from trace_eval.conversations.findings import turn_blueprints
from trace_eval.data.answers import Answer, Recording
from trace_eval.data.items import Labels, Pair
from trace_eval.data.judgement import (
    UNSURE_BITS,
    CheckedClaim,
    DimensionVerdict,
    Judgement,
    Overall,
)
from trace_eval.data.measures.directions import spoken_directions
from trace_eval.data.measures.language import languages_of, requested_language
from trace_eval.judges.beside.text import block
from trace_eval.report.audio import AudioAssets, PlayedSound
from trace_eval.report.evidence import EvidenceGrid, grids, label
from trace_eval.report.lanes import lanes_of
from trace_eval.report.summary import Facts

#: Characters of a raw reply that are shown.
RAW_SHOWN = 4_000

#: Filters of the list: flag -> (title, what it means).
FLAGS = {
    "disagree": (
        "disagrees with human labels",
        "the overall rating differs from the human label",
    ),
    "swap": ("inconsistent under swap", "showing B first changed a rating"),
    "unsure": (
        "low confidence",
        f"the overall distribution has an entropy of at least {UNSURE_BITS:g} bit;"
        " known where a pair was asked several times",
    ),
    "failed": ("failed", "the pair has no overall rating"),
    "aloud": (
        "directions read aloud",
        "an answer speaks directions of the request as words instead of following them",
    ),
}


#: Labels as a sentence says them.
_SPOKEN = {"1": "A", "2": "B", "both_good": "both good", "both_bad": "both bad"}
_LABELS = re.compile(rf"\b({'|'.join(_SPOKEN)})\b")
_TIES = {"both_good": "A tie, both are good,", "both_bad": "A tie, both are bad,"}


@dataclass(frozen=True)
class PairRow:
    """A pair in the list; ``text`` is what the search looks through.

    ``agrees``: with the human label, where both are there.
    """

    number: int
    id: str
    systems: tuple[str, str]
    category: str
    ratings: tuple[str | None, ...]
    overall: str | None
    human: str | None
    entropy: float | None
    flags: tuple[str, ...]
    text: str
    agrees: bool = False


def pair_row(number: int, pair: Pair, facts: Facts) -> PairRow:
    """Make the list's line of a pair."""
    judgement, overall = facts.judgements.get(pair.id), facts.overall.get(pair.id)
    rating = entropy = human = None
    if overall:
        rating, entropy = overall.rating, overall.entropy_bits
    ratings: list[str | None] = [None] * len(DIMENSIONS)
    if judgement:
        ratings = [judgement.rating(name) for name in DIMENSIONS]
    labels = pair.labels
    if labels:
        human = labels.overall or labels.preference
    differs = disagrees(labels, judgement, overall)
    flags = {
        "disagree": differs is True,
        "swap": bool(judgement and judgement.inconsistent),
        "unsure": entropy is not None and entropy >= UNSURE_BITS,
        "failed": rating is None,
        "aloud": any(_aloud(pair, answer, facts) for answer in (pair.a, pair.b)),
    }
    words = [
        pair.id,
        pair.category,
        pair.a.system,
        pair.b.system,
        pair.instruction.text or facts.transcript_of(pair.instruction),
        facts.transcript_of(pair.a),
        facts.transcript_of(pair.b),
        judgement and judgement.reason,
        judgement and judgement.detail,
    ]
    return PairRow(
        number=number,
        id=pair.id,
        systems=(pair.a.system or "", pair.b.system or ""),
        category=pair.category or "",
        ratings=tuple(ratings),
        overall=rating,
        human=str(human) if human else None,
        entropy=entropy,
        flags=tuple(name for name, raised in flags.items() if raised),
        text=" ".join(str(word) for word in words if word).lower(),
        agrees=differs is False,
    )


def page_of(
    pair: Pair, facts: Facts, assets: AudioAssets, clips: dict[str, int]
) -> dict[str, Any]:
    """Return values for a pair's page; ``clips`` maps clip hashes to drawing numbers.

    ``verdict`` says in one sentence how it ended, and why; ``steps`` are those of the
    policy: (words, what it looked at or gave). The ``clip`` of a recording is the
    number of its drawing, None where there is none; ``reasons``: dimension -> what
    became of the claims in its reasons; ``language`` was heard or given, or says why it
    is not known. ``beside`` has lines on how far apart the answers are.
    """
    judgement, overall = facts.judgements.get(pair.id), facts.overall.get(pair.id)
    languages = _languages(pair, facts)

    def answer(side: str, system: str | None) -> dict[str, Any]:
        recording = {"A": pair.a, "B": pair.b}.get(side, pair.instruction)
        record = facts.clip_of(recording)
        sound = PlayedSound(None)
        is_call = isinstance(recording, Answer) and recording.conversation is not None
        if not is_call:
            sound = assets.sound(recording, record)
        clip = None
        if record and record.clip:
            clip = clips.get(record.clip)
        directions: tuple[str, ...] = ()
        if side in ("A", "B"):
            directions = _aloud(pair, recording, facts)
        return {
            "side": side,
            "system": system or "",
            "sound": sound,
            "clip": clip,
            "text": facts.transcript_of(recording),
            "language": languages.get(side, ""),
            "aloud": directions,
        }

    return {
        "verdict": _sentence(pair, judgement, overall),
        "pair": pair,
        "instruction": answer("instruction", None),
        "answers": [answer("A", pair.a.system), answer("B", pair.b.system)],
        "judgement": judgement,
        "overall": overall,
        "verdicts": list(_verdicts(pair, judgement, overall)),
        "reasons": _reasons(judgement),
        "steps": list(_steps(judgement, overall)),
        "calls": list(_calls(pair, facts, assets)),
        "beside": _beside(pair, facts),
    }


def _beside(pair: Pair, facts: Facts) -> list[str]:
    """Return how far apart the answers are, as text judges read it; 1 is A, and 2 is B.

    Empty where an answer is a call or has no blueprint.
    """
    if pair.a.conversation is not None or pair.b.conversation is not None:
        return []
    a, b = facts.blueprint_of(pair.a), facts.blueprint_of(pair.b)
    if a is None or b is None:
        return []
    return block(a, b).splitlines()


def _aloud(pair: Pair, answer: Recording, facts: Facts) -> tuple[str, ...]:
    """Return the directions of the request that an answer speaks as words."""
    request = pair.instruction.text or facts.transcript_of(pair.instruction)
    blueprint = facts.blueprint_of(answer)
    return spoken_directions(request, blueprint) if blueprint else ()


def _sentence(pair: Pair, judgement: Judgement | None, overall: Overall | None) -> str:
    """State the winner, the judge, and what decided."""
    if judgement is None:
        return "This pair is not judged yet."
    if overall is None or overall.rating is None:
        why = " ".join(filter(None, (label(judgement.reason or ""), judgement.detail)))
        if not why and overall:
            why = overall.why
        return f"No verdict by {judgement.judge}: {why or 'not fused'}"
    why = _LABELS.sub(lambda match: _SPOKEN[match[0]], overall.why)
    why = why.replace(": ", ", ")
    outcome = _outcome(pair, overall.rating)
    return f"{outcome} by {judgement.judge} ({overall.policy}: {why})."


def _outcome(pair: Pair, rating: str) -> str:
    """Say who wins, as the beginning of a sentence."""
    if rating == "1":
        return f"A ({pair.a.system}) wins" if pair.a.system else "A wins"
    if rating == "2":
        return f"B ({pair.b.system}) wins" if pair.b.system else "B wins"
    return _TIES.get(rating, "A tie")


def _languages(pair: Pair, facts: Facts) -> dict[str, str]:
    """Return each side's language in words; of the instruction: which it asks for."""
    answers: dict[str, Blueprint] = {}
    for side, answer in (("A", pair.a), ("B", pair.b)):
        blueprint = facts.blueprint_of(answer)
        if blueprint and blueprint.transcript.status == "ok":
            answers[side] = blueprint
    spoken = facts.blueprint_of(pair.instruction)
    spoken_languages = languages_of(
        pair.instruction.text, spoken, answers, pair.language
    )
    wanted = requested_language(pair.instruction.text, spoken, pair.language)
    is_english = all(text.startswith("English") for text in spoken_languages.values())
    if is_english and wanted in (None, "en"):
        return {}  # nothing but English is in sight: no note
    # The recogniser of a side without a language knows one only.
    unheard = f"language not heard (needs the extra base: {install_line('base')})"
    languages = dict.fromkeys(answers, unheard)
    languages |= spoken_languages
    if "asked" in languages:
        languages["instruction"] = f"asks for {languages.pop('asked')}"
    return languages


def _calls(
    pair: Pair, facts: Facts, assets: AudioAssets
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Draw the sides that are conversations."""
    recordings = pair.recordings()
    blueprints = {role: facts.blueprint_of(one) for role, one in recordings.items()}
    measured = {role: blueprint for role, blueprint in blueprints.items() if blueprint}
    for side, answer in (("A", pair.a), ("B", pair.b)):
        if answer.conversation is not None:
            turns = turn_blueprints(side.lower(), measured)
            yield side, lanes_of(answer.conversation, turns, assets, facts.clips)


def _verdicts(
    pair: Pair, judgement: Judgement | None, overall: Overall | None
) -> Iterator[tuple[str, DimensionVerdict, str | None, list[EvidenceGrid]]]:
    """Return dimension, verdict, human label and evidence."""
    if judgement is None:
        return
    human = {
        name: label for name, label, _ in compared(pair.labels, judgement, overall)
    }
    for name in DIMENSIONS:
        verdict = judgement.dimensions.get(name)
        if verdict:
            yield name, verdict, human.get(name), list(grids(verdict.evidence))


@dataclass(frozen=True)
class ReasonsOf:
    """The checked claims of a dimension: how many are true, and those that are not."""

    true: int
    checkable: int
    untrue: tuple[CheckedClaim, ...]

    @property
    def sentence(self) -> str:
        """E.g. ``17 of 20 claims in its reasons are true``."""
        return (
            f"{self.true} of {counted(self.checkable, 'claim')} in its reasons are true"
        )


def _reasons(judgement: Judgement | None) -> dict[str, ReasonsOf]:
    """Return the checkable claims of all calls' reasons, counted by dimension."""
    if judgement is None:
        return {}
    claims: dict[str, list[CheckedClaim]] = {}
    for opinion in judgement.opinions:
        for claim in opinion.claims:
            if claim.holds is not None:
                claims.setdefault(claim.about, []).append(claim)
    reasons: dict[str, ReasonsOf] = {}
    for about, several in claims.items():
        reasons[about] = ReasonsOf(
            true=sum(claim.holds is True for claim in several),
            checkable=len(several),
            untrue=tuple(claim for claim in several if not claim.holds),
        )
    return reasons


def _steps(
    judgement: Judgement | None, overall: Overall | None
) -> Iterator[tuple[str, str | None]]:
    """Yield the policy's steps to its rating: the ratings, its rule, its result."""
    if overall is None:
        yield ("nothing was fused yet; run trace-eval fuse", None)
        return
    if judgement is None or judgement.status != "scored":
        yield (overall.why, None)
        return
    ratings = {name: judgement.rating(name) for name in DIMENSIONS}
    if None in ratings.values():
        yield (overall.why, None)
        return
    for name, rating in ratings.items():
        yield (f"{label(name)} says", str(rating))
    summary = "a table of its own"
    if overall.policy in POLICIES:
        summary = POLICIES[overall.policy].summary
    yield (f"policy {overall.policy}: {summary}", None)
    yield (overall.why, str(overall.rating) if overall.rating else None)


def compared(
    labels: Labels | None, judgement: Judgement | None, overall: Overall | None
) -> Iterator[tuple[str, str, str]]:
    """Return dimension, human label and judge's rating wherever there are both.

    Against a plain preference the judge's typed ties are one tie.
    """
    if labels is None or judgement is None:
        return
    for name, verdict in judgement.dimensions.items():
        human = getattr(labels, name, None)
        if human is not None:
            yield name, str(human), str(verdict.rating)
    if overall is None or overall.rating is None:
        return
    rating = str(overall.rating)
    if labels.overall is not None:
        yield "overall", str(labels.overall), rating
    elif labels.preference is not None:
        untyped = rating if rating in ("1", "2") else "tie"
        yield "overall", labels.preference, untyped


def disagrees(
    labels: Labels | None, judgement: Judgement | None, overall: Overall | None
) -> bool | None:
    """Tell whether a human label differs from the judge's; None: not comparable.

    The overall labels count, or any dimension where there is none.
    """
    differs: dict[str, bool] = {}
    for name, human, rating in compared(labels, judgement, overall):
        differs[name] = human != rating
    if not differs:
        return None
    return differs.get("overall", any(differs.values()))
