"""Judges of pairs by a model in this process: by rewards (BTRM), or by replies (GRM)."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import JsonValue

from extractors import AudioError
from fusion import preference_rubric
from trace_eval.data.items import Item
from trace_eval.data.judgement import Judgement, VerdictOpinion
from trace_eval.data.outcome import Order, Outcome, Reason, Usage
from trace_eval.judges.ask.reply_json import ReplyError
from trace_eval.judges.base import Case, Judge, listening
from trace_eval.judges.combine.orders import PairOpinions
from trace_eval.judges.combine.votes import rewarded_judgement, voted_judgement
from trace_eval.judges.options.groups import OpenAIOptions, PairwiseOptions, RewardOptions, names_of
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.read.two_scores import NATURALNESS as QUESTION
from trace_eval.judges.read.two_scores import opinion_fields, read_json, read_text
from trace_eval.judges.reward.engine import SHARED_OPTIONS, RewardEngine
from trace_eval.judges.reward.inputs import RewardTurn
from trace_eval.judges.scorer.batcher import Batcher
from trace_eval.judges.views.pair.naturalness import Texts, style_of, texts_of
from trace_eval.judges.views.text.fencing import shown_again
from trace_eval.judges.views.text.tasks import NATURALNESS


class InProcessJudge(Judge):
    """What all kinds share: a model with its limits, and no extractors but a recogniser."""

    rubric: Any = preference_rubric("naturalness")

    def __init__(self, spec: str, engine: RewardEngine) -> None:
        self.spec = spec
        self.engine = engine
        self.reads = listening(engine.options.transcripts)  # type: ignore[misc]

    @property
    def concurrency(self) -> int:
        """Cases in flight."""
        return self.engine.concurrency

    def parameters(self) -> dict[str, JsonValue]:
        """What decides the outcomes."""
        options = self.engine.options
        used = (self.uses or frozenset()) - {"base"}  # the files are in it by their hash
        return {"task": NATURALNESS, **self.engine.parameters(), **options.deciding(used)}

    def unheard(self, item: Item, error: AudioError) -> Outcome:
        """The outcome of a recording that cannot be decoded, or is over a limit."""
        reason = Reason.SILENT if getattr(error, "silent", False) else Reason.CLIP_FAILED
        return self.unscored(item, reason, str(error))

    def load(self) -> None:
        """Load the model."""
        self.engine.model()

    async def close(self) -> None:
        """Release the engine."""
        await self.engine.close()


class _PairJudge(InProcessJudge):
    """Rewards of two recordings, with what should have been said in each."""

    def needs_instruction(self, item: Item) -> bool:
        """Never: what should have been said is the answers' reference."""
        return False

    async def judge(self, case: Case) -> Outcome:
        """Judge one case; a clip over a limit is unscored, and never cut."""
        asr = self.engine.options.transcripts == "asr"
        texts = texts_of((case.pair.a, case.a), (case.pair.b, case.b), asr)
        if texts.reason:
            return self.unscored(case.pair, Reason.EVIDENCE_MISSING, texts.reason)
        try:
            judgement = await self._judgement(case, texts)
        except AudioError as error:
            return self.unheard(case.pair, error)
        judgement.caveats.extend(texts.caveats)
        return judgement

    @abstractmethod
    async def _judgement(self, case: Case, texts: Texts) -> Judgement:
        """The judgement of two recordings of these texts."""


class RewardJudge(_PairJudge):
    """Compares the rewards of two recordings: one call per clip, in no order."""

    uses: ClassVar[frozenset[str]] = SHARED_OPTIONS | names_of(RewardOptions)

    async def _judgement(self, case: Case, texts: Texts) -> Judgement:
        from trace_eval.judges.reward.score import probability

        pair = case.pair
        a, b = [await asyncio.to_thread(case.decode, one) for one in pair.answers]
        style = style_of(pair.meta)
        # One after the other: of two that wait, the second would find the first one's reward.
        reward_a = await self.engine.reward(a, texts.a, style)
        reward_b = await self.engine.reward(b, texts.b, style)
        chance, margin = probability(reward_a, reward_b), self.engine.options.tie_margin
        return rewarded_judgement(pair.id, self.spec, (reward_a, reward_b), chance, margin)


#: A conversation, how many replies to it, and the seed of the first.
_Request = tuple[list[RewardTurn], int, int]


class ReplyJudge(_PairJudge):
    """Samples replies with two scores, in both orders, and lets them vote."""

    uses: ClassVar[frozenset[str]] = (
        SHARED_OPTIONS
        | names_of(PairwiseOptions, OpenAIOptions)
        | {"samples", "temperature", "top_p", "top_k", "seed", "max_tokens", "repair"}
    )

    def __init__(self, spec: str, engine: RewardEngine) -> None:
        super().__init__(spec, engine)
        self._ask: Batcher[_Request, Any] = Batcher(self._generate, 1)

    def _generate(self, requests: Sequence[_Request]) -> list[Any]:
        from trace_eval.judges.reward.generate import replies

        model, options = self.engine.model(), self.engine.options
        return [replies(model, turns, options, count, seed) for turns, count, seed in requests]

    async def _judgement(self, case: Case, texts: Texts) -> Judgement:
        pair = case.pair
        clips = [await asyncio.to_thread(case.decode, one) for one in pair.answers]
        a, b = (self.engine.samples(clip) for clip in clips)
        style = style_of(pair.meta)
        orders: tuple[Order, ...] = self.engine.options.orders(pair.id)
        opinions: list[VerdictOpinion] = []
        for order in orders:
            step = 1 if order == "ab" else -1
            first, second = (a, b)[::step]
            shown = self.engine.prompt.pair((texts.a, texts.b)[::step], (first, second), style)
            opinions += await self._opinions(self.engine.turns(shown), order)
        return voted_judgement(PairOpinions(pair.id, self.spec, orders, opinions), QUESTION)

    async def _opinions(self, turns: list[RewardTurn], order: Order) -> list[VerdictOpinion]:
        options = self.engine.options
        replies, prompt_tokens = await self._ask.ask((turns, options.samples, options.seed))
        opinions = []
        for sample, reply in enumerate(replies):
            opinion = self._opinion(reply, order, sample, prompt_tokens)
            if opinion.reason is not None and options.repair:
                opinion = await self._repaired(turns, opinion)
            opinions.append(opinion)
        return opinions

    def _opinion(self, reply: Any, order: Order, sample: int, prompt_tokens: int) -> VerdictOpinion:
        fields: dict[str, Any] = {
            "order": order,
            "sample": sample,
            "seed": self.engine.options.seed,
            "raw": reply.text,
            "usage": Usage(input_tokens=prompt_tokens, output_tokens=reply.tokens),
        }
        try:
            if reply.cut:
                message = f"the reply has no end after {reply.tokens} tokens; raise -J max_tokens"
                raise ReplyError(Reason.REPLY_CUT, message)
            text = self.engine.options.structure in ("auto", "text")
            scores = read_text(reply.text) if text else read_json(reply.text)
        except ReplyError as error:
            return VerdictOpinion.model_validate(
                {**fields, "reason": error.reason, "detail": error.detail}
            )
        return VerdictOpinion.model_validate({**fields, **opinion_fields(scores, order)})

    async def _repaired(self, turns: list[RewardTurn], failed: VerdictOpinion) -> VerdictOpinion:
        """The second chance; the first reply stays in the conversation."""
        first = shown_again(failed.raw)
        details = self.engine.prompt.repair(failed.detail or "")
        more = [*turns, RewardTurn("assistant", (first,)), RewardTurn("user", (details,))]
        seed = self.engine.options.seed + failed.sample
        (reply,), prompt_tokens = await self._ask.ask((more, 1, seed))
        again = self._opinion(reply, failed.order, failed.sample, prompt_tokens)
        return again.model_copy(update={"repaired": True})


def judge_in_process(argument: str, options: JudgeOptions) -> Judge:
    """The judge of a model in this process: by rewards where it has a head, else by replies.

    Raises:
        UserError: see :class:`RewardEngine`.
    """
    spec = f"reward:{argument}"
    engine = RewardEngine(
        spec, argument, options, "text" if options.structure == "auto" else options.structure
    )
    return RewardJudge(spec, engine) if engine.files.scores else ReplyJudge(spec, engine)
