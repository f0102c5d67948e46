"""Judge ``turns``: how an agent handles its turns, by rules and without a model."""

from __future__ import annotations

from typing import ClassVar

from pydantic import JsonValue

from blueprints import UserError
from fusion import ItemKind
from trace_eval.conversations.findings import (
    KINDS,
    RULES,
    Findings,
    find,
    turn_blueprints,
)
from trace_eval.data.items import Pair, Single
from trace_eval.data.outcome import Outcome, Reason
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.scores import Score, ScoreEstimate, ScoreOpinion
from trace_eval.judges.base import Case, Judge, score_fields

#: Raise it whenever the same conversation could be scored otherwise.
VERSION = "1"

#: More than this share of its chances makes a finding common.
_COMMON = 0.1

CAVEAT = (
    "Fixed rules over times and words: they do not know whether what is said is right."
)


class TurnsJudge(Judge):
    """Scores lateness, talking over, missing answers, loops and foreign answers.

    Raises:
        UserError: the rubric has other elements.
    """

    spec = "turns"
    accepts: ClassVar[frozenset[ItemKind]] = frozenset({"single"})
    uses: ClassVar[frozenset[str]] = frozenset()
    groups: ClassVar[frozenset[str] | None] = frozenset({"transcript"})
    takes_conversations = True

    def __init__(self, rubric: ScoreRubric) -> None:
        if (
            not rubric.of_conversations
            or set(rubric.elements) != set(KINDS)
            or not rubric.overall
        ):
            raise UserError(
                f"judge turns: scores how turns are handled, and rubric {rubric.name}"
                " asks for something else; use --rubric handling, or name another judge"
            )
        self.rubric: ScoreRubric = rubric

    def parameters(self) -> dict[str, JsonValue]:
        rules: dict[str, JsonValue] = {**vars(RULES)}
        return {"version": VERSION, "rules": rules, "rubric": self.rubric.sha256}

    def roles(self, item: Pair | Single) -> list[str]:
        """Return the turns without a written text or language."""
        (answer,) = item.answers
        if answer.conversation is None:
            return []
        turns = answer.conversation.turns
        roles: list[str] = []
        for role in item.answer_roles:
            number = int(role.rpartition("-")[2])
            if turns[number].text is None:
                roles.append(role)
        return roles

    async def judge(self, case: Case) -> Outcome:
        item = case.single
        if item.answer.conversation is None:
            message = (
                f"rubric {self.rubric.name} is about conversations; give 'conversation'"
            )
            return self.unscored(item, Reason.EVIDENCE_MISSING, message)
        findings = find(
            item.answer.conversation, turn_blueprints("answer", case.blueprints)
        )
        elements = {
            kind: self._element(findings, kind) for kind in self.rubric.elements
        }
        total = self.rubric.total(elements)
        if total is None:
            why = "neither the words nor the times of both are known"
            return self.unscored(item, Reason.EVIDENCE_MISSING, why)
        scale = self.rubric.numbers
        labels: dict[str, int | float | None] = {}
        for kind, value in elements.items():
            labels[kind] = None if value is None else scale.parse(value)
        opinion = ScoreOpinion(
            score=scale.parse(total),
            elements=labels,
            reasoning=_reasoning(findings),
        )
        unknown = [kind for kind, value in elements.items() if value is None]
        gaps = [f"not known: {', '.join(unknown).replace('_', ' ')}"] if unknown else []
        return Score(
            **score_fields(item, self.rubric, self.spec),
            status="scored",
            value=total,
            used=1,
            samples=1,
            distribution={f"{n:g}": float(n == total) for n in scale.labels},
            elements=elements,
            opinions=[opinion],
            estimate=ScoreEstimate(mean=scale.position(scale.parse(total))),
            caveats=[CAVEAT] + list(findings.measured.caveats) + gaps,
        )

    def _element(self, findings: Findings, kind: str) -> float | None:
        """Rate an element from the chances at which it occurs; None if unknown."""
        share = findings.share(kind)  # type: ignore[arg-type]
        if share is None:
            return None
        labels = self.rubric.numbers.labels
        if not share:
            return float(labels[-1])
        if share > _COMMON:
            return float(labels[0])
        return float(labels[-2])


def _reasoning(findings: Findings) -> str:
    lines: list[str] = []
    for one in findings.results:
        line = f"turn {one.turn}: {one.kind}, {one.why}"
        if one.start_s is not None:
            line = f"{one.start_s:.1f} s, {line}"
        lines.append(line)
    return "; ".join(lines) or "nothing found"
