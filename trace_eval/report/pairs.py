"""The pairs of a report: one line each in the list, and everything on their pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from blueprints import counted, install_line
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
from trace_eval.data.measures.directions import read_aloud
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
    rating = overall.rating if overall else None
    labels = pair.labels
    human = (labels.overall or labels.preference) if labels else None
    entropy = overall.entropy_bits if overall else None
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
        ratings=tuple(
            judgement.rating(name) if judgement else None for name in DIMENSIONS
        ),
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
        is_call = isinstance(recording, Answer) and recording.conversation is not None
        return {
            "side": side,
            "system": system or "",
            "sound": PlayedSound(None) if is_call else assets.sound(recording, record),
            "clip": clips.get(record.clip) if record and record.clip else None,
            "text": facts.transcript_of(recording),
            "language": languages.get(side, ""),
            "aloud": _aloud(pair, recording, facts) if side in ("A", "B") else (),
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
    return block(a, b).splitlines() if a and b else []


def _aloud(pair: Pair, answer: Recording, facts: Facts) -> tuple[str, ...]:
    """Return the directions of the request that an answer speaks as words."""
    request = pair.instruction.text or facts.transcript_of(pair.instruction)
    return read_aloud(request, facts.transcript_of(answer) or "")


def _sentence(pair: Pair, judgement: Judgement | None, overall: Overall | None) -> str:
    """State the winner, the judge, and what decided."""
    if judgement is None:
        return "This pair is not judged yet."
    if overall is None or overall.rating is None:
        message = " ".join(
            filter(None, (label(judgement.reason or ""), judgement.detail))
        )
        why = message or (overall.why if overall else "not fused")
        return f"No verdict by {judgement.judge}: {why}"
    ends = {"both_good": "A tie, both are good,", "both_bad": "A tie, both are bad,"}
    for rating, side, system in (("1", "A", pair.a.system), ("2", "B", pair.b.system)):
        ends[rating] = f"{side} ({system}) wins" if system else f"{side} wins"
    message = ends.get(overall.rating, "A tie")
    why = _LABELS.sub(lambda result: _SPOKEN[result[0]], overall.why).replace(
        ": ", ", "
    )
    return f"{message} by {judgement.judge} ({overall.policy}: {why})."


def _languages(pair: Pair, facts: Facts) -> dict[str, str]:
    """Return each side's language in words; of the instruction: which it asks for."""
    results = {"A": facts.blueprint_of(pair.a), "B": facts.blueprint_of(pair.b)}
    answers = {
        side: b for side, b in results.items() if b and b.transcript.status == "ok"
    }
    spoken = facts.blueprint_of(pair.instruction)
    details = languages_of(pair.instruction.text, spoken, answers, pair.language)
    wanted = requested_language(pair.instruction.text, spoken, pair.language)
    if wanted in (None, "en") and all(
        text.startswith("English") for text in details.values()
    ):
        return {}  # nothing but English is in sight: no note
    requested = (
        {"instruction": f"asks for {details.pop('asked')}"}
        if "asked" in details
        else {}
    )
    # its recogniser knows one language only
    unheard = f"language not heard (needs the extra base: {install_line('base')})"
    return {**dict.fromkeys(answers, unheard), **details, **requested}


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
    human = {
        name: label for name, label, _ in compared(pair.labels, judgement, overall)
    }
    for name in DIMENSIONS:
        verdict = judgement.dimensions.get(name) if judgement else None
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
    claims: dict[str, list[CheckedClaim]] = {}
    for opinion in judgement.opinions if judgement else ():
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
    ratings = {
        name: judgement.rating(name) if judgement else None for name in DIMENSIONS
    }
    if judgement is None or judgement.status != "scored" or None in ratings.values():
        yield (overall.why, None)
        return
    for name, rating in ratings.items():
        yield (f"{name.replace('_', ' ')} says", str(rating))
    policy = POLICIES.get(overall.policy)
    yield (
        (
            f"policy {overall.policy}:"
            f" {policy.summary if policy else 'a table of its own'}"
        ),
        None,
    )
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
        label = getattr(labels, name, None)
        if label is not None:
            yield name, str(label), str(verdict.rating)
    rating = overall.rating if overall else None
    if rating is None:
        return
    if labels.overall is not None:
        yield "overall", str(labels.overall), str(rating)
    elif labels.preference is not None:
        yield (
            "overall",
            labels.preference,
            str(rating) if rating in ("1", "2") else "tie",
        )


def disagrees(
    labels: Labels | None, judgement: Judgement | None, overall: Overall | None
) -> bool | None:
    """Tell whether a human label differs from the judge's; None: not comparable.

    The overall labels count, or any dimension where there is none.
    """
    rows = {
        name: label != rating
        for name, label, rating in compared(labels, judgement, overall)
    }
    if "overall" in rows:
        return rows["overall"]
    return any(rows.values()) if rows else None
