"""Rewards of single recordings: any real number, of which only differences mean anything."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from pydantic import JsonValue

from blueprints import Transcript, UserError
from extractors import AudioError
from fusion import ItemKind
from trace_eval.data.items import Single
from trace_eval.data.outcome import Outcome, Reason
from trace_eval.data.pairs import Pair
from trace_eval.data.scores import Score, ScoreOpinion
from trace_eval.judges.base import Case, score_fields
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.reward.engine import SHARED_OPTIONS, RewardEngine
from trace_eval.judges.reward.judge import InProcessJudge
from trace_eval.judges.views.pair.naturalness import TEXT_FROM_ASR, style_of
from trace_eval.judges.views.text.tasks import NATURALNESS
from trace_eval.rubrics.single import ScoreRubric

#: In every score: the rubric's scale does not hold for it.
CAVEAT = "reward: a real number, not on the rubric's scale; only differences mean anything"


class RewardRater(InProcessJudge):
    """Gives each recording its reward."""

    accepts: ClassVar[frozenset[ItemKind]] = frozenset({"single"})
    uses: ClassVar[frozenset[str]] = SHARED_OPTIONS

    def __init__(self, spec: str, engine: RewardEngine, rubric: ScoreRubric) -> None:
        super().__init__(spec, engine)
        self.rubric = rubric

    def parameters(self) -> dict[str, JsonValue]:
        """What decides the rewards."""
        return {**super().parameters(), "rubric": self.rubric.sha256}

    def roles(self, item: Pair | Single) -> list[str]:
        """The recording of the answer; it is decoded, and recognised where its words serve."""
        return [role for role in item.answer_roles if role == "answer"]

    async def judge(self, case: Case) -> Outcome:
        """Rate one answer."""
        item = case.single
        text, caveats = self._text(case)
        if not item.answer.has_audio:
            return self.unscored(item, Reason.EVIDENCE_MISSING, "the item has no recording")
        if text is None:
            message = "the item has no reference text; give one, or use -J transcripts=asr"
            return self.unscored(item, Reason.EVIDENCE_MISSING, message)
        try:
            clip = await asyncio.to_thread(case.decode, item.answer)
            reward = await self.engine.reward(clip, text, style_of(item.meta))
        except AudioError as error:
            return self.unheard(item, error)
        return Score(
            **score_fields(item, self.rubric, self.spec),
            status="scored",
            value=reward,
            used=1,
            samples=1,
            opinions=[ScoreOpinion(sample=0, score=reward)],
            caveats=[CAVEAT, *caveats],
        )

    def _text(self, case: Case) -> tuple[str | None, list[str]]:
        """(what should have been said, caveats)."""
        if case.single.reference:
            return case.single.reference[0], []
        recognised = case.blueprints.get("answer")
        if self.engine.options.transcripts == "asr" and recognised:
            transcript = recognised.transcript
            if isinstance(transcript, Transcript):
                return transcript.text, [TEXT_FROM_ASR]
        return None, []


def raters_in_process(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> list[RewardRater]:
    """The rater of a reward model.

    Raises:
        UserError: see :class:`RewardEngine`; there is no reward head, or the rubric is another.
    """
    spec = f"reward:{argument}"
    for rubric in rubrics:
        if rubric.name != NATURALNESS:
            raise UserError(
                f"judge {spec}: knows naturalness only, not rubric {rubric.name}; use --rubric"
                f" {NATURALNESS}"
            )
    engine = RewardEngine(spec, argument, options, options.structure)
    if not engine.files.scores:
        raise UserError(
            f"judge {spec}: has no reward_head.pt, so it compares pairs and scores no single"
            " recording; use trace-eval judge"
        )
    return [RewardRater(spec, engine, rubric) for rubric in rubrics]
