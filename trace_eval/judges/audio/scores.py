"""The judge that listens and scores both recordings: naturalness (SpeechJudge, arXiv 2511.07931).

Other questions with two scores come from task files. Each reply gives two scores; which is
higher is its vote. The votes decide, means are kept. The recordings are sent apart, as the
published judge was trained, and without examples, with which published models did worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from pydantic import JsonValue

from blueprints import UserError
from fusion import preference_rubric
from trace_eval.audio import Sound
from trace_eval.data import Judgement, Pair, VerdictOpinion
from trace_eval.judges import (
    Asked,
    LLMJudge,
    Question,
    TwoScores,
    check_heard,
    orders_of,
    read_json,
    read_text,
)
from trace_eval.judges.audio.judge import sound_in
from trace_eval.judges.audio.scored_tasks import scoring_of
from trace_eval.judges.audio.sending import Sending, audio_part, check_budget
from trace_eval.judges.base import Case, Evidence
from trace_eval.judges.chat import ChatClient, Message, Part, Price, Text
from trace_eval.judges.naturalness import STYLE, Texts, opinion_fields, texts_of, voted_judgement
from trace_eval.judges.options import (
    ChatOptions,
    JudgeOptions,
    PairwiseOptions,
    SoundOptions,
    names_of,
)
from trace_eval.judges.text import second_chance
from trace_eval.judges.two_scores import schema


class ScoresJudge(LLMJudge[TwoScores]):
    """A judge that scores both recordings. One instance serves a whole run, concurrently.

    Raises:
        UserError: the task or its template cannot be used, or recordings are to be joined; else as
            :class:`ChatJudge`.
    """

    asks_with = names_of(ChatOptions, PairwiseOptions, SoundOptions) | {
        *("task", "template", "concat", "transcripts"),
    }

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
        return super().parameters() | {
            "task": self.scoring.identity,
            "label_set": self.rubric.scale.label_set,
        }

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

    def prepare(self, case: Case) -> tuple[Sound, Sound]:
        """Both recordings by their hashes; samples are dropped again.

        Raises:
            AudioError: one of them cannot be decoded, or a model would not hear it as it is.
        """
        longest = self.options.max_clip_seconds
        a = sound_in(case, case.pair.a, "answer A", longest)
        return a, sound_in(case, case.pair.b, "answer B", longest)

    def questions(self, case: Case, prepared: tuple[Sound, Sound]) -> Iterator[Question]:
        """One per order."""
        texts = self._texts(case)
        style = case.pair.meta.get(STYLE)
        for order in orders_of(self.options, case.pair.id):
            turn = 1 if order == "ab" else -1
            a, b = prepared[::turn]
            first, second = (texts.a, texts.b)[::turn]
            shown = style if isinstance(style, str) else None
            messages = self._messages((first, second), (a, b), shown)
            yield Question(messages, self._schema, order)

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

    def outcome(
        self, case: Case, prepared: tuple[Sound, Sound], asked: Sequence[Asked[TwoScores]]
    ) -> Judgement:
        """The judgement of the votes, with the scores beside it."""
        opinions = [
            VerdictOpinion.model_validate(
                {**each.pair_record, **opinion_fields(each.outcome.value, each.call.order)}
            )
            for each in asked
        ]
        name, scoring = case.pair.id, self.scoring
        orders = orders_of(self.options, name)
        judgement = voted_judgement(name, self.spec, orders, opinions, scoring.name, scoring.form)
        judgement.caveats.extend(self._texts(case).caveats)
        return judgement
