"""The judge that listens and scores both recordings: naturalness (SpeechJudge, arXiv 2511.07931).

Other questions with two scores come from task files. Each reply gives two scores; which is
higher is its vote. The votes decide, means are kept. The recordings are sent apart, as the
published judge was trained, and without examples, with which published models did worse.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from pydantic import JsonValue

from blueprints import UserError
from extractors.audio import AudioError
from fusion.rubric import preference_rubric
from trace_eval.audio.layout import Sound
from trace_eval.data.judgement import Judgement, VerdictOpinion
from trace_eval.data.outcome import Order, Reason
from trace_eval.data.pairs import Pair
from trace_eval.judges.audio.judge import reason_of, sound_in
from trace_eval.judges.audio.scored_tasks import scoring_of
from trace_eval.judges.audio.sending import Sending, audio_part, check_budget
from trace_eval.judges.base import Case, Evidence
from trace_eval.judges.chat.base import ChatClient
from trace_eval.judges.chat.calls import Call
from trace_eval.judges.chat.judge import ChatJudge
from trace_eval.judges.chat.message import Message, Part, Text, sent_record
from trace_eval.judges.chat.prices import Price
from trace_eval.judges.hearing import check_heard
from trace_eval.judges.naturalness.outcome import STYLE, opinion_fields, voted_judgement
from trace_eval.judges.naturalness.texts import Texts, texts_of
from trace_eval.judges.options import (
    ChatOptions,
    JudgeOptions,
    PairwiseOptions,
    SoundOptions,
    names_of,
)
from trace_eval.judges.orders import orders_of
from trace_eval.judges.text.repair import second_chance
from trace_eval.judges.two_scores import TwoScores, read_json, read_text, schema


class ScoresJudge(ChatJudge[TwoScores]):
    """A judge that scores both recordings. One instance serves a whole run, concurrently.

    Raises:
        UserError: the task or its template cannot be used, or recordings are to be joined; else as
            :class:`ChatJudge`.
    """

    asks_with = names_of(ChatOptions, PairwiseOptions, SoundOptions) | {
        *("task", "template", "concat", "transcripts"),
    }
    #: Its verdict is about the pair as a whole, so there is nothing to fuse.
    asks_once = True
    label_set = "plain"

    def __init__(
        self, spec: str, client: ChatClient, options: JudgeOptions, price: Price | None = None
    ) -> None:
        if options.concat not in ("all", "none"):  # all: nobody chose
            raise UserError(f"task {options.task}: recordings are sent apart; use -J concat=none")
        options = replace(options, concat="none")
        self._text = options.structure == "text"
        self.scoring = scoring_of(options)
        self.prompt = self.scoring.prompt
        self.rubric = preference_rubric(self.scoring.name)
        self._schema = schema(self.scoring.form)
        self._sending = Sending(
            options.concat, {}, options.audio_rate, options.level, options.audio_format
        )
        check_budget(options, price)
        super().__init__(spec, client, options, price)
        reads: set[Evidence] = {"audio"}
        if options.transcripts == "asr":
            reads.add("blueprint")
        self.reads = frozenset(reads)  # type: ignore[misc] # what it reads follows its options

    @cached_property
    def prompt_sha256(self) -> str:
        """Identity of the words."""
        return self.prompt.sha256

    @property
    def static_messages(self) -> Sequence[Message]:
        """The system message."""
        return [Message("system", self.prompt.system)] if self.prompt.system else []

    def parameters(self) -> dict[str, JsonValue]:
        """What decides the judgements."""
        return super().parameters() | {"task": self.scoring.identity, "label_set": self.label_set}

    def read(self, text: str) -> TwoScores:
        """A reply -> two scores by place."""
        check_heard(text)
        read = read_text if self._text else read_json
        return read(text, self.scoring.form)

    def repair(
        self, messages: tuple[Message, ...], reply: str | None, problem: str
    ) -> tuple[Message, ...]:
        """The second chance; the recordings stay in the conversation, and are paid again."""
        return second_chance(messages, reply, self.prompt.repair(problem))

    def needs_instruction(self, pair: Pair) -> bool:
        """Never: what should have been said is the answers' reference."""
        return False

    def lacking(self, case: Case) -> str | None:
        """Why nothing is sent: a side has no text, and the task shows it."""
        return self._texts(case).lacking

    def _texts(self, case: Case) -> Texts:
        if not self.scoring.wants_texts:
            return Texts()
        asr = self.options.transcripts == "asr"
        return texts_of((case.pair.a, case.a), (case.pair.b, case.b), asr)

    def calls(self, case: Case) -> list[Call]:
        """Every question that this case needs, in the order of its opinions."""
        texts = self._texts(case)
        longest = self.options.max_clip_seconds
        a = sound_in(case, case.pair.a, "answer A", longest)
        b = sound_in(case, case.pair.b, "answer B", longest)
        style = case.pair.meta.get(STYLE)
        made = []
        for order in orders_of(self.options, case.pair.id):
            sounds = (a, b) if order == "ab" else (b, a)
            words = (texts.a, texts.b) if order == "ab" else (texts.b, texts.a)
            messages = self._messages(words, sounds, style if isinstance(style, str) else None)
            made += [
                self.call(case.pair.id, order, sample, messages, self._schema)
                for sample in range(self.options.samples)
            ]
        return made

    def _messages(
        self, texts: tuple[str, str], sounds: tuple[Sound, Sound], style: str | None
    ) -> tuple[Message, ...]:
        shown = self.prompt.pair(texts, sounds, style)
        parts: tuple[Part, ...] = tuple(
            Text(part.strip())
            if isinstance(part, str)
            else audio_part(self._sending.waveform([part], sounds))
            for part in shown
        )
        return (*self.static_messages, Message("user", parts))

    async def judge(self, case: Case) -> Judgement:
        """Judge one case; what cannot be decoded or has no text is unscored."""
        name = case.pair.id
        texts = self._texts(case)
        if texts.lacking:
            return self._unscored(name, Reason.EVIDENCE_MISSING, texts.lacking)
        try:
            calls = await asyncio.to_thread(self.calls, case)
        except AudioError as error:
            return self._unscored(name, reason_of(error), str(error))
        outcomes = await self.answers(calls)
        opinions = [
            VerdictOpinion.model_validate(
                {
                    "order": call.order,
                    "sample": call.sample,
                    "seed": call.request.sent_seed,
                    "sent": sent_record(call.request.messages),
                    **outcome.record(),
                    **opinion_fields(outcome.value, call.order),
                }
            )
            for call, outcome in zip(calls, outcomes, strict=True)
        ]
        orders: tuple[Order, ...] = orders_of(self.options, name)
        scoring = self.scoring
        judgement = voted_judgement(name, self.spec, orders, opinions, scoring.name, scoring.form)
        judgement.caveats.extend(texts.caveats)
        return judgement

    def _unscored(self, pair: str, reason: Reason, detail: str) -> Judgement:
        made = Judgement.unscored(pair, self.spec, reason, detail)
        return made.model_copy(update={"label_set": self.label_set})
