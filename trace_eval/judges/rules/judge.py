"""The judge ``rules``: three dimensions, each from named thresholds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import ClassVar

from pydantic import JsonValue

from blueprints import Blueprint, Extension, Signal, Transcript
from extractors import guessed
from fusion import DIMENSIONS, Dimension, Rating
from trace_eval.conversations.findings import turn_blueprints
from trace_eval.data.items import Item
from trace_eval.data.judgement import DimensionVerdict, Judgement
from trace_eval.data.outcome import Reason
from trace_eval.judges.base import Case, Judge
from trace_eval.judges.beside.steps import DELIVERY, VOICE, VOICE_WITH_DISTILLMOS
from trace_eval.judges.rules.content import judge_content
from trace_eval.judges.rules.conversation import judge_conversations
from trace_eval.judges.rules.heard import asks_to_laugh, laughter_verdict
from trace_eval.judges.rules.outcome import MeasurementMissing
from trace_eval.judges.rules.paralinguistics import judge_paralinguistics
from trace_eval.judges.rules.requests import WORDLESS, instruction_text
from trace_eval.judges.rules.session import session_caveats
from trace_eval.judges.rules.thresholds import RuleThresholds
from trace_eval.judges.rules.voice_quality import judge_voice_quality

#: Raise it whenever the same case could be judged otherwise at equal thresholds.
VERSION = "9"

CAVEAT = (
    "Screening baseline: fixed rules over measurements. It does not know whether an"
    " answer is correct, and it hears no more of the delivery than its numbers say:"
    " none of them predicts how natural a voice sounds."
)


@dataclass(frozen=True)
class RulesJudge(Judge):
    """Judge by rules: deterministic, symmetric in A and B, no LLM."""

    thresholds: RuleThresholds = field(
        default_factory=RuleThresholds
    )  # every number that it uses

    spec: ClassVar[str] = "rules"  # type: ignore[misc]
    uses: ClassVar[frozenset[str]] = frozenset()
    takes_conversations: ClassVar[bool] = True

    def parameters(self) -> dict[str, JsonValue]:
        steps: dict[str, JsonValue] = {one.name: one.size for one in VOICE + DELIVERY}
        steps |= {
            f"{one.name} beside Distill-MOS": one.size for one in VOICE_WITH_DISTILLMOS
        }
        return {
            "version": VERSION,
            "thresholds": asdict(self.thresholds),
            "steps": steps,
        }

    def needs_instruction(self, item: Item) -> bool:
        """Tell whether a spoken instruction matters: only if nobody wrote it down."""
        return not item.instruction.text

    async def judge(self, case: Case) -> Judgement:
        """Judge one case; unscored as ``evidence_missing`` without any evidence."""
        return self.judge_case(case)

    def judge_case(self, case: Case) -> Judgement:
        """Judge one case without an event loop."""
        verdicts: dict[Dimension, DimensionVerdict] = {}
        gaps: list[str] = []
        rules = self._rules(case)
        if rules is None:
            gaps.append(
                "one answer is a conversation and the other is not; compare like"
                " with like"
            )
        for dimension, rule in (rules or {}).items():
            try:
                verdicts[dimension] = rule()
            except MeasurementMissing as gap:
                gaps.append(f"{dimension}: {gap}")
        caveats = [CAVEAT]
        if not case.pair.has_conversations:
            caveats += session_caveats(case.a, case.b, instruction_text(case))
        if not gaps:
            return Judgement.scored(case.pair.id, self.spec, verdicts, tuple(caveats))
        return Judgement(
            pair=case.pair.id,
            judge=self.spec,
            status="unscored",
            reason=Reason.EVIDENCE_MISSING,
            detail="; ".join(gaps),
            dimensions=verdicts,
            caveats=caveats,
        )

    def _rules(
        self, case: Case
    ) -> Mapping[Dimension, Callable[[], DimensionVerdict]] | None:
        """Return how to judge each dimension; None: the answers cannot be compared."""
        cuts, pair = self.thresholds, case.pair
        if pair.has_conversations:
            a, b = (
                answer.conversation
                and (answer.conversation, turn_blueprints(side, case.blueprints))
                for side, answer in pair.sides.items()
            )
            return judge_conversations(a, b, cuts) if a and b else None
        instruction = instruction_text(case)
        wordless = WORDLESS.search(instruction.text or "")
        without_words = wordless and any(
            _has_no_words(side, cuts) for side in (case.a, case.b)
        )
        laughter = None
        if wordless and asks_to_laugh(instruction):
            laughter = laughter_verdict(case.a, case.b, cuts)
        if wordless and without_words and laughter is None:
            heard = _heard(case.a), _heard(case.b)
            return dict.fromkeys(
                DIMENSIONS, partial(_not_measured, wordless.group(), *heard)
            )
        rules: dict[Dimension, Callable[[], DimensionVerdict]] = {
            "content": lambda: judge_content(case.a, case.b, instruction, cuts),
            "voice_quality": lambda: judge_voice_quality(
                case.a, case.b, cuts, instruction
            ),
            "paralinguistics": lambda: judge_paralinguistics(
                case.a, case.b, instruction, cuts
            ),
        }
        if laughter:
            rules["paralinguistics"] = lambda: laughter
        if (
            laughter and without_words
        ):  # words and scores of speech say nothing of a laugh
            rules["content"] = lambda: laughter
            rules["voice_quality"] = lambda: _not_compared()
        return rules


def _has_no_words(blueprint: Blueprint, cuts: RuleThresholds) -> bool:
    """Whether sound has no speech, or words that are guessed, not recognised."""
    signal, words = blueprint.signal, blueprint.transcript
    if not isinstance(signal, Signal) or signal.peak_dbfs is None:
        return False
    silent = signal.peak_dbfs < cuts.min_level_dbfs
    empty = isinstance(words, Transcript) and not words.text.strip()
    return not silent and (
        signal.speech_s <= 0 or empty or guessed(blueprint) is not None
    )


def _heard(blueprint: Blueprint) -> str | None:
    """Return the sounds other than speech; None if the extractor did not run."""
    group = blueprint.extensions.get("sounds")
    return group.render(None) if isinstance(group, Extension) else None


def _not_measured(word: str, a: str | None, b: str | None) -> DimensionVerdict:
    reason = (
        f"the instruction says {word!r}, an answer is sound without words, and of such"
        " sound"
    )
    if a is None and b is None:
        raise MeasurementMissing(f"{reason} nothing is measured")
    there = f"in A is {a or 'not measured'}; in B is {b or 'not measured'}"
    raise MeasurementMissing(
        f"{reason} it is not known whether it was asked for ({there})"
    )


def _not_compared() -> DimensionVerdict:
    """Return a tie: predicted scores of voices are not defined for a laugh."""
    return DimensionVerdict(
        rating=Rating.BOTH_GOOD,
        reasoning=(
            "An answer is a laugh without words; the quality of such sound is not"
            " compared."
        ),
        margin=0.0,
        evidence={"compared": False},
    )
