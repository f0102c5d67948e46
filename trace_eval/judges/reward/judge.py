"""Judges by a model in this process: by rewards (BTRM), or by replies (GRM).

A reward is any real number, of which only differences mean anything.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import JsonValue

from blueprints import JudgeError
from extractors import AudioError
from fusion import ItemKind
from trace_eval.data.items import Item
from trace_eval.data.judgement import Judgement, VerdictOpinion
from trace_eval.data.outcome import Order, Outcome, Reason, Usage
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.scores import Score, ScoreOpinion
from trace_eval.judges.ask.unread_reply import ReplyError
from trace_eval.judges.base import Case, Judge, score_fields
from trace_eval.judges.combine.orders import rewarded_judgement, voted_judgement
from trace_eval.judges.options.groups import (
    OpenAIOptions,
    PairwiseOptions,
    RewardOptions,
    names_of,
)
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.read.two_scores import NATURALNESS as QUESTION
from trace_eval.judges.read.two_scores import opinion_fields, read_json, read_text
from trace_eval.judges.reward import outputs
from trace_eval.judges.reward.base import SHARED_OPTIONS, InProcessJudge, files_of
from trace_eval.judges.reward.inputs import RewardTurn
from trace_eval.judges.scorer.batcher import Batcher
from trace_eval.judges.views.pair.naturalness import (
    MeantTexts,
    intended,
    style_of,
    texts_of,
)
from trace_eval.judges.views.text.fencing import shown_again
from trace_eval.judges.views.text.tasks import NATURALNESS

#: In every score: the rubric's scale does not hold for it.
CAVEAT = (
    "reward: a real number, not on the rubric's scale; only differences mean anything"
)


class _PairJudge(InProcessJudge):
    """Rewards of two recordings, with what should have been said in each."""

    def needs_instruction(self, item: Item) -> bool:
        """Say never: what should have been said is the answers' reference."""
        return False

    async def judge(self, case: Case) -> Outcome:
        texts = texts_of(case, self.options.transcripts == "asr")
        if texts.reason:
            return self.unscored(case.pair, Reason.EVIDENCE_MISSING, texts.reason)
        try:
            judgement = await self._judgement(case, texts)
        except AudioError as error:
            return self.unheard(case.pair, error)
        judgement.caveats.extend(texts.caveats)
        return judgement

    @abstractmethod
    async def _judgement(self, case: Case, texts: MeantTexts) -> Judgement:
        """Judge two recordings of these texts."""


class RewardJudge(_PairJudge):
    """Compares the rewards of two recordings: one call per clip, in no order."""

    uses: ClassVar[frozenset[str]] = SHARED_OPTIONS | names_of(RewardOptions)

    async def _judgement(self, case: Case, texts: MeantTexts) -> Judgement:
        pair = case.pair
        a, b = [await asyncio.to_thread(case.decode, one) for one in pair.answers]
        style = style_of(pair.meta)
        # One after the other: of two that wait, the second would find the first one's
        # reward.
        reward_a = await self.reward(a, texts.a, style)
        reward_b = await self.reward(b, texts.b, style)
        chance, margin = (
            outputs.probability(reward_a, reward_b),
            self.options.tie_margin,
        )
        return rewarded_judgement(
            pair.id,
            self.spec,
            rewards=(reward_a, reward_b),
            p_a=chance,
            tie_margin=margin,
        )


#: A conversation, how many replies to it, and the seed of the first.
_Request = tuple[list[RewardTurn], int, int]


class ReplyJudge(_PairJudge):
    """Samples replies with two scores, in both orders, and lets them vote."""

    uses: ClassVar[frozenset[str]] = (
        SHARED_OPTIONS
        | names_of(PairwiseOptions, OpenAIOptions)
        | {"samples", "temperature", "top_p", "top_k", "seed", "max_tokens", "repair"}
    )

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._ask: Batcher[_Request, Any] = Batcher(self._generate, 1)

    def _generate(self, requests: Sequence[_Request]) -> list[Any]:
        model, options = self.model(), self.options
        replies: list[Any] = []
        for turns, count, seed in requests:
            replies.append(
                outputs.replies(model, turns, options=options, samples=count, seed=seed)
            )
        return replies

    async def _judgement(self, case: Case, texts: MeantTexts) -> Judgement:
        pair = case.pair
        clips = [await asyncio.to_thread(case.decode, one) for one in pair.answers]
        a, b = (self.samples(clip) for clip in clips)
        style = style_of(pair.meta)
        opinions: list[VerdictOpinion] = []
        for order in self.options.orders(pair.id):
            step = 1 if order == "ab" else -1
            first, second = (a, b)[::step]
            shown = self.prompt.pair((texts.a, texts.b)[::step], (first, second), style)
            opinions += await self._opinions(self.turns(shown), order)
        return voted_judgement(pair.id, self.spec, opinions, QUESTION)

    async def _opinions(
        self, turns: list[RewardTurn], order: Order
    ) -> list[VerdictOpinion]:
        options = self.options
        replies, prompt_tokens = await self._ask.ask(
            (turns, options.samples, options.seed)
        )
        opinions = []
        for sample, reply in enumerate(replies):
            opinion = self._opinion(reply, order, sample, prompt_tokens)
            if opinion.reason is not None and options.repair:
                opinion = await self._repaired(turns, opinion)
            opinions.append(opinion)
        return opinions

    def _opinion(
        self, reply: Any, order: Order, sample: int, prompt_tokens: int
    ) -> VerdictOpinion:
        fields: dict[str, Any] = {
            "order": order,
            "sample": sample,
            "seed": self.options.seed,
            "raw": reply.text,
            "usage": Usage(input_tokens=prompt_tokens, output_tokens=reply.tokens),
        }
        try:
            if reply.cut:
                message = (
                    f"the reply has no end after {reply.tokens} tokens; raise -J"
                    " max_tokens"
                )
                raise ReplyError(Reason.REPLY_CUT, message)
            text = self.options.structure in ("auto", "text")
            scores = read_text(reply.text) if text else read_json(reply.text)
        except ReplyError as error:
            return VerdictOpinion.model_validate(
                {**fields, "reason": error.reason, "detail": error.detail}
            )
        return VerdictOpinion.model_validate(
            {**fields, **opinion_fields(scores, order)}
        )

    async def _repaired(
        self, turns: list[RewardTurn], failed: VerdictOpinion
    ) -> VerdictOpinion:
        """Ask a second time; the first reply stays in the conversation."""
        first = shown_again(failed.raw)
        details = self.prompt.repair(failed.detail or "")
        more = [
            *turns,
            RewardTurn("assistant", (first,)),
            RewardTurn("user", (details,)),
        ]
        seed = self.options.seed + failed.sample
        (reply,), prompt_tokens = await self._ask.ask((more, 1, seed))
        again = self._opinion(reply, failed.order, failed.sample, prompt_tokens)
        return again.model_copy(update={"repaired": True})


class RewardRater(InProcessJudge):
    """Gives each recording its reward."""

    accepts: ClassVar[frozenset[ItemKind]] = frozenset({"single"})
    uses: ClassVar[frozenset[str]] = SHARED_OPTIONS

    def parameters(self) -> dict[str, JsonValue]:
        return {**super().parameters(), "rubric": self.rubric.sha256}

    def roles(self, item: Item) -> list[str]:
        """Name the answer's recording, which is decoded and recognised."""
        return [role for role in item.answer_roles if role == "answer"]

    async def judge(self, case: Case) -> Outcome:
        item = case.single
        reference = item.reference[0] if item.reference else None
        may_recognise = self.options.transcripts == "asr"
        text, caveats = intended(
            reference, case.blueprints.get("answer"), may_recognise
        )
        if not item.answer.has_audio:
            return self.unscored(
                item, Reason.EVIDENCE_MISSING, "the item has no recording"
            )
        if text is None:
            message = (
                "the item has no reference text; give one, or use -J transcripts=asr"
            )
            return self.unscored(item, Reason.EVIDENCE_MISSING, message)
        try:
            clip = await asyncio.to_thread(case.decode, item.answer)
            reward = await self.reward(clip, text, style_of(item.meta))
        except AudioError as error:
            return self.unheard(item, error)
        return Score(
            **score_fields(item, self.rubric, self.spec),
            status="scored",
            value=reward,
            used=1,
            samples=1,
            opinions=[ScoreOpinion(sample=0, score=reward)],
            caveats=[CAVEAT] + caveats,
        )


def judge_in_process(argument: str, options: JudgeOptions) -> Judge:
    """Make the judge of a model in this process: by rewards, else by replies.

    Raises:
        UserError: see :func:`files_of` and :class:`InProcessJudge`.
    """
    files = files_of(argument, options)
    kind = RewardJudge if files.scores else ReplyJudge
    structure = "text" if options.structure == "auto" else options.structure
    return kind(f"reward:{argument}", files, options, structure)


def raters_in_process(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> list[RewardRater]:
    """Make the rater of a reward model.

    Raises:
        UserError: as :func:`judge_in_process`; there is no reward head, or the rubric
            is another.
    """
    spec = f"reward:{argument}"
    for rubric in rubrics:
        if rubric.name != NATURALNESS:
            raise JudgeError(
                f"judge {spec}: knows naturalness only, not rubric {rubric.name}; use"
                f" --rubric {NATURALNESS}"
            )
    files = files_of(argument, options)
    if not files.scores:
        raise JudgeError(
            f"judge {spec}: has no reward_head.pt, so it compares pairs and scores no"
            " single recording; use trace-eval judge"
        )
    raters = [RewardRater(spec, files, options, options.structure) for _ in rubrics]
    for rater, rubric in zip(raters, rubrics, strict=True):
        rater.rubric = rubric
    return raters
