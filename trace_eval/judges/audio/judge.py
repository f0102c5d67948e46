"""The judge that listens: recordings go to a model that hears (AudioJudge, arXiv 2507.12705).

It asks the parts of a task in one or both orders, one or more times each, and reconciles the
labels. No extractor runs for it; the recordings are decoded when a request's body is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from pydantic import JsonValue

from blueprints import Transcript, UserError
from extractors import Clip
from trace_eval.audio import (
    GAP_S,
    Noise,
    Sound,
    Unit,
    check_clip,
    load_signals,
    noisy_side,
    signals_sha256,
    sound_of,
)
from trace_eval.data import Judgement, Order, Outcome, Pair, Reason, Recording, VerdictOpinion
from trace_eval.judges import (
    Asked,
    LLMJudge,
    Question,
    check_heard,
    labelled_judgement,
    orders_of,
    swap_back,
)
from trace_eval.judges.audio.examples import Example, read_examples
from trace_eval.judges.audio.parse import LabelledReply, read_reply, schema_of
from trace_eval.judges.audio.prompt import PromptBuilder, PromptItem
from trace_eval.judges.audio.sending import Sending, check_budget
from trace_eval.judges.audio.solved import Examples
from trace_eval.judges.audio.tasks import load_task, texts_sha256
from trace_eval.judges.base import Case, Evidence
from trace_eval.judges.chat import ChatClient, Message, Price
from trace_eval.judges.options import (
    AudioOptions,
    ChatOptions,
    JudgeOptions,
    PairwiseOptions,
    names_of,
)
from trace_eval.rubrics import LabelQuestion


class AudioJudge(LLMJudge[LabelledReply]):
    """A judge of pairs by their recordings. One instance serves a whole run, concurrently.

    Raises:
        UserError: the task, the signals or the examples cannot be used; else as
            :class:`ChatJudge`.
    """

    asks_with = names_of(ChatOptions, PairwiseOptions, AudioOptions) | {"elicitation"}

    def __init__(
        self, spec: str, client: ChatClient, options: JudgeOptions, price: Price | None = None
    ) -> None:
        self.task = load_task(options.task)
        self.examples: Examples[Example] = Examples()
        if options.examples:
            self.examples = read_examples(options.examples, self.task, options.shots)
        elif options.shots:
            raise UserError(f"shots: {options.shots} examples, and no -J examples=FILE to use")
        signals = load_signals(options.signals)
        self._signals_sha256 = signals_sha256(signals)
        sending = Sending(
            options.concat, signals, options.audio_rate, options.level, options.audio_format
        )
        shown = [
            (example, self._shown_example(options, example)) for example in self.examples.shown
        ]
        self._builders = {
            part.name: PromptBuilder(part, options.elicitation, sending, self._for(part, shown))
            for part in self.task.parts
        }
        check_budget(options, price)
        super().__init__(spec, client, options, price)
        reads: set[Evidence] = {"audio"}
        if options.transcripts == "asr":
            reads.add("blueprint")
        self.rubric = self.task.rubric
        self.reads = frozenset(reads)  # type: ignore[misc] # what it reads follows its options

    @cached_property
    def prompt_sha256(self) -> str:
        """Identity of the task's texts."""
        return texts_sha256(self.task)

    @property
    def static_messages(self) -> Sequence[Message]:
        """System message and examples of the longest part."""
        built = self._builders.values()
        return max((builder.prefix for builder in built), key=lambda p: len(p[0].text))

    def parameters(self) -> dict[str, JsonValue]:
        """What decides the judgements; files by what is in them, never by their names."""
        return super().parameters() | {
            "task": f"{self.task.name} {self.task.version}",
            "label_set": self.rubric.scale.label_set,
            "gap_s": GAP_S,
            "signals": self._signals_sha256,
            "examples": self.examples.sha256,
            "shots": len(self.examples.shown),
        }

    def observed(self) -> dict[str, JsonValue]:
        """What turned out; with warnings about the examples."""
        return super().observed() | {"example_warnings": list(self.examples.warnings)}

    def read(self, text: str) -> LabelledReply:
        """A reply -> labels; all parts of a task share their key and labels."""
        check_heard(text)
        return read_reply(text, self.task.parts[0], self.options.elicitation)

    def repair(
        self, messages: tuple[Message, ...], reply: str | None, problem: str
    ) -> tuple[Message, ...]:
        """The messages of the second chance."""
        builder = next(iter(self._builders.values()))
        return builder.repair(messages, reply, problem)

    def needs_instruction(self, pair: Pair) -> bool:
        """Only where a task asks about it and it is to be heard."""
        return self.task.wants_instruction and self._hears_instruction(pair)

    def _hears_instruction(self, pair: Pair) -> bool:
        return pair.instruction.has_audio and self.options.instruction != "text"

    # --- what is asked -------------------------------------------------------------------

    def lacking(self, case: Case) -> str | None:
        """Why nothing is sent: no instruction for a task about one, or no transcript."""
        if (
            self.task.wants_instruction
            and not self._hears_instruction(case.pair)
            and not case.pair.instruction.text
        ):
            return f"task {self.task.name} needs the instruction, and the pair has none to show"
        return self._words(case)[1] if self.options.transcripts != "none" else None

    def prepare(self, case: Case) -> Unit:
        """The recordings of a case by their hashes; samples are dropped again.

        Raises:
            AudioError: one of them cannot be decoded, or a model would not hear it as it is.
        """
        pair = case.pair
        longest = self.options.max_clip_seconds
        asked = None
        if self.needs_instruction(pair):
            asked = sound_in(case, pair.instruction, "the instruction", longest)
        noise: list[Noise | None] = [None, None]
        if self.options.noise_db is not None:
            noise[noisy_side(pair.id)] = Noise(self.options.noise_db, self.options.seed)
        a = sound_in(case, pair.a, "answer A", longest, noise[0])
        b = sound_in(case, pair.b, "answer B", longest, noise[1])
        return Unit((a, b), asked)

    def not_asked(self, case: Case, prepared: Unit) -> Outcome | None:
        """Unscored where both answers are those of an example."""
        same = self.examples.holds([sound.sha256 for sound in prepared.answers])
        if same is None:
            return None
        told = f"both answers are those of example {same!r}, whose label the judge was shown"
        return self.unscored(case.item, Reason.IS_EXAMPLE, told)

    def questions(self, case: Case, prepared: Unit) -> Iterator[Question]:
        """One per order and part."""
        words, _ = self._words(case)
        for order in orders_of(self.options, case.pair.id):
            shown = self._shown(case, prepared, words, order)
            for part in self.task.parts:
                messages = self._builders[part.name].messages(_only(part, shown))
                schema = schema_of(part, self.options.elicitation)
                yield Question(messages, schema, order, part.name)

    def _shown(self, case: Case, unit: Unit, words: Mapping[str, str], order: Order) -> PromptItem:
        text = case.pair.instruction.text
        if self.options.instruction == "audio" and unit.instruction:
            text = None
        if order == "ab":
            return PromptItem(unit, text, words)
        turned = {"audio_1": "audio_2", "audio_2": "audio_1"}
        back = {turned.get(name, name): said for name, said in words.items()}
        return PromptItem(unit.swapped, text, dict(sorted(back.items())))

    def _words(self, case: Case) -> tuple[dict[str, str], str | None]:
        """(transcripts that stand beside the recordings, why one is missing)."""
        source = self.options.transcripts
        if source == "none":
            return {}, None
        pair = case.pair
        if self.task.wants_instruction:
            heard = case.instruction.transcript if case.instruction else None
            spoken = heard.text if isinstance(heard, Transcript) else None
            said = pair.instruction.text if source == "reference" else spoken
            wanted = {"instruction": said}
        elif source == "reference":
            wanted = {"audio_1": pair.a.reference, "audio_2": pair.b.reference}
        else:
            found = [side.transcript for side in (case.a, case.b)]
            texts = [t.text if isinstance(t, Transcript) else None for t in found]
            wanted = dict(zip(("audio_1", "audio_2"), texts, strict=True))
        missing = [name for name, said in wanted.items() if said is None]
        if missing:
            return {}, f"there is no {source} transcript of {', '.join(missing)}"
        return {name: said for name, said in wanted.items() if said is not None}, None

    def _shown_example(self, options: JudgeOptions, example: Example) -> PromptItem:
        unit = example.unit
        if options.instruction == "text":
            unit = Unit(unit.answers)
        hears = unit.instruction is not None
        text = None if options.instruction == "audio" and hears else example.text
        words: dict[str, str] = {}
        if options.transcripts != "none":
            words = example.words(self.task.wants_instruction)
        return PromptItem(unit, text, words)

    def _for(
        self, part: LabelQuestion, shown: Sequence[tuple[Example, PromptItem]]
    ) -> list[tuple[Example, PromptItem]]:
        return [(example, _only(part, each)) for example, each in shown]

    # --- judging -------------------------------------------------------------------------

    def outcome(
        self, case: Case, prepared: Unit, asked: Sequence[Asked[LabelledReply]]
    ) -> Judgement:
        """The judgement of the labels."""
        orders = orders_of(self.options, case.pair.id)
        opinions = [self._opinion(each) for each in asked]
        judgement = labelled_judgement(
            case.pair.id, self.spec, self.rubric.scale, self.task.asked, orders, opinions
        )
        judgement.caveats.extend(self._caveats(prepared))
        return judgement

    def _opinion(self, asked: Asked[LabelledReply]) -> VerdictOpinion:
        part = next(part for part in self.task.parts if part.name == asked.question.part)
        labels, reasoning = _said(part, asked.outcome.value)
        labels = {
            name: str(label)
            for name, label in swap_back(labels, asked.call.order, part.labels).items()
        }
        several = len(self.task.parts) > 1
        record = asked.pair_record | {"part": part.name if several else None}
        return VerdictOpinion.model_validate({**record, "ratings": labels, "reasoning": reasoning})

    def _caveats(self, unit: Unit) -> Iterator[str]:
        if len({sound.sha256 for sound in unit.answers}) == 1:
            yield "both answers are one recording: a self-comparison"
        if unit.instruction and (same := self.examples.shares_instruction(unit.instruction.sha256)):
            yield f"the instruction is that of example {same!r}"


def sound_in(
    case: Case, recording: Recording, name: str, max_seconds: float, noise: Noise | None = None
) -> Sound:
    """One of a case's recordings by its hash; its samples are made again when they are sent.

    Args:
        case, recording: which one.
        name: what it is, for messages.
        max_seconds: longest that is sent.
        noise: that is put on it.

    Raises:
        AudioError: it cannot be decoded, or a model would not hear it as it is.
    """

    def read() -> Clip:
        clip = case.decode(recording)
        return noise.on(clip) if noise else clip

    clip = read()
    check_clip(clip, max_seconds, name)
    return sound_of(clip, read)


def _only(part: LabelQuestion, shown: PromptItem) -> PromptItem:
    """A part that is not about the instruction does not get it."""
    if part.wants_instruction:
        return shown
    return replace(shown, unit=Unit(shown.unit.answers), text=None)


def _said(part: LabelQuestion, said: LabelledReply | None) -> tuple[dict[str, str], dict[str, str]]:
    if said is None:
        return {}, {}
    if part.is_typed:
        return dict(said.labels), dict(said.reasoning)
    (label,), (reasoning,) = said.labels.values(), said.reasoning.values()
    return {part.about: label}, {part.about: reasoning}
