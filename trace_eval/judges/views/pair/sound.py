"""The request to a listening judge of pairs (AudioJudge, arXiv 2507.12705).

No extractor runs for it; the recordings are decoded when a request's body is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
from pydantic import JsonValue

from blueprints import Blueprint, Transcript, UserError
from extractors import Clip
from trace_eval.data.answers import Answer, Recording
from trace_eval.data.items import Item, Pair, noisy_side
from trace_eval.data.outcome import Order
from trace_eval.data.rubrics.pairs import LabelQuestion, PairRubric
from trace_eval.judges.ask.message import Message
from trace_eval.judges.ask.view import Question, View
from trace_eval.judges.base import Case, listening
from trace_eval.judges.options.groups import AudioOptions, PairwiseOptions, names_of
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.views.examples.pairs import read_examples
from trace_eval.judges.views.examples.solved import Examples, Solved
from trace_eval.judges.views.pair.calls import about_calls, call_clip, words_of_call
from trace_eval.judges.views.pair.sound_prompt import PromptBuilder, PromptItem
from trace_eval.judges.views.sound.encode import Sending, sound_of
from trace_eval.judges.views.sound.layout import GAP_S, Sound, Unit, check_clip
from trace_eval.judges.views.sound.signals import load_signals, signals_sha256
from trace_eval.judges.views.text.fencing import neutralise, second_chance
from trace_eval.judges.views.text.tasks import common, texts_sha256

#: Where a place stands when the answers change theirs.
_SWAPPED = {"audio_1": "audio_2", "audio_2": "audio_1"}


class PairSoundView(View):
    """Two recordings, with solved examples before them where a file has some.

    Raises:
        UserError: the signals or the examples cannot be used.
    """

    uses = names_of(PairwiseOptions, AudioOptions) | {"elicitation"}
    takes_conversations = True

    def __init__(self, task: PairRubric, options: JudgeOptions) -> None:
        self.task = task
        self.options = options
        self.reads = listening(options.transcripts)
        self.examples = Examples()
        if options.examples:
            self.examples = read_examples(options.examples, task, options.shots)
        elif options.shots:
            raise UserError(
                f"shots: {options.shots} examples are to be shown, and no file has them;"
                " name it with -J examples=FILE"
            )
        sending = Sending(options, load_signals(options.signals))
        self._signals_sha256 = signals_sha256(sending.signals)
        shown = [
            (example, self._shown_example(example)) for example in self.examples.shown
        ]
        self._builders: dict[str, PromptBuilder] = {}
        for part in task.parts:
            examples = [(example, _only(part, each)) for example, each in shown]
            self._builders[part.name] = PromptBuilder(
                part, options.elicitation, sending, examples
            )
        prefixes = [builder.prefix for builder in self._builders.values()]
        self.static_messages: Sequence[Message] = max(prefixes, key=_system_length)

    @cached_property
    def sha256(self) -> str:  # type: ignore[override] # made when it is asked for
        """Identity of the task's texts."""
        return texts_sha256(self.task)

    def parameters(self) -> dict[str, JsonValue]:
        """Return what decides the judgements; files by content, never by name."""
        return {
            "task": f"{self.task.name} {self.task.version}",
            "label_set": self.task.labels.label_set,
            "gap_s": GAP_S,
            "signals": self._signals_sha256,
            "examples": self.examples.sha256,
            "shots": len(self.examples.shown),
        }

    def observed(self) -> dict[str, JsonValue]:
        return {"example_warnings": list(self.examples.warnings)}

    def repair(
        self, messages: tuple[Message, ...], reply: str | None, problem: str
    ) -> tuple[Message, ...]:
        again = common().repair.replace("{problem}", neutralise(problem).rstrip("."))
        return second_chance(messages, reply, again)

    def roles(self, item: Item) -> list[str]:
        """Return both answers, and the instruction where the judge hears it."""
        if self._hears_instruction(item):
            return [*item.answer_roles, "instruction"]
        return item.answer_roles

    def _hears_instruction(self, item: Item) -> bool:
        spoken = item.instruction.has_audio and self.options.instruction != "text"
        return self.task.wants_instruction and spoken

    def missing_evidence(self, case: Case) -> str | None:
        """Say why nothing is sent: no sound, no transcript, or no instruction."""
        pair = case.pair
        for side, answer in zip("AB", pair.answers, strict=True):
            if not answer.is_spoken:
                return f"answer {side} is a call of which no turn can be heard"
        if self.task.wants_instruction and not self._shows_instruction(pair):
            return (
                f"task {self.task.name} needs the instruction, and the pair has none to"
                " show"
            )
        return self._words(case)[1]

    def _shows_instruction(self, pair: Pair) -> bool:
        # In a call the user asks himself.
        if pair.has_conversations or self._hears_instruction(pair):
            return True
        return bool(pair.instruction.text)

    def prepare(self, case: Case) -> Unit:
        """Prepare a case's recordings by their hashes; samples are dropped again."""
        pair = case.pair
        find = partial(sound_in, case, max_seconds=self.options.max_clip_seconds)
        spoken = None
        if self._hears_instruction(pair):
            spoken = find(pair.instruction, name="the instruction")
        noise: list[Callable[[Clip], Clip] | None] = [None, None]
        if self.options.noise_db is not None:
            noise[noisy_side(pair.id)] = partial(
                with_noise, snr_db=self.options.noise_db, seed=self.options.seed
            )
        a = find(pair.a, name="answer A", noise=noise[0])
        b = find(pair.b, name="answer B", noise=noise[1])
        return Unit((a, b), spoken)

    def example_of(self, case: Case, prepared: Unit) -> str | None:
        """Return the example that both answers come from; None if there is none."""
        same = self.examples.holds([sound.sha256 for sound in prepared.answers])
        if same is None:
            return None
        return (
            f"both answers are those of example {same!r}, whose label the judge was"
            " shown"
        )

    def questions(
        self, case: Case, prepared: Unit, orders: Sequence[Order]
    ) -> Iterator[Question]:
        words, _ = self._words(case)
        for order in orders:
            shown = self._shown(case, prepared, words, order)
            for part in self.task.parts:
                messages = self._builders[part.name].messages(_only(part, shown))
                yield Question(messages, order, part.name)

    def _shown(
        self, case: Case, unit: Unit, words: Mapping[str, str], order: Order
    ) -> PromptItem:
        text = case.pair.instruction.text
        if self.options.instruction == "audio" and unit.instruction:
            text = None
        answers = case.pair.answers
        if order == "ab":
            return PromptItem(unit, text, words, about_calls(answers))
        swapped = {_SWAPPED.get(name, name): said for name, said in words.items()}
        note = about_calls(answers[::-1])
        return PromptItem(unit.swapped, text, dict(sorted(swapped.items())), note)

    def _words(self, case: Case) -> tuple[dict[str, str], str | None]:
        """Return the transcripts beside the recordings, and why one is missing."""
        source = self.options.transcripts
        if source == "none":
            return {}, None
        wanted = (
            self._written(case) if source == "reference" else self._recognised(case)
        )
        words = {name: text for name, text in wanted.items() if text is not None}
        if missing := wanted.keys() - words:
            names = ", ".join(sorted(missing))
            return {}, f"there is no {source} transcript of {names}"
        return words, None

    def _written(self, case: Case) -> dict[str, str | None]:
        """Return the words that the item's source has of each recording."""
        pair = case.pair
        if pair.has_conversations:
            return _words_of_calls(pair, None)
        if self.task.wants_instruction:
            return {"instruction": pair.instruction.text}
        return {"audio_1": pair.a.reference, "audio_2": pair.b.reference}

    def _recognised(self, case: Case) -> dict[str, str | None]:
        """Return the words that the recogniser heard in each recording."""
        if case.pair.has_conversations:
            return _words_of_calls(case.pair, case.blueprints)
        if self.task.wants_instruction:
            return {"instruction": _transcript(case.instruction)}
        return {
            "audio_1": _transcript(case.blueprints.get("a")),
            "audio_2": _transcript(case.blueprints.get("b")),
        }

    def _shown_example(self, example: Solved) -> PromptItem:
        unit, options = example.unit, self.options
        if options.instruction == "text":
            unit = Unit(unit.answers)
        text = example.text
        if options.instruction == "audio" and unit.instruction:
            text = None
        if options.transcripts == "none":
            return PromptItem(unit, text)
        words = {"instruction": example.text}
        if not self.task.wants_instruction:
            a, b = example.item.answers
            words = {"audio_1": a.reference, "audio_2": b.reference}
        if None in words.values():
            raise UserError(
                f"examples, {example.item.id!r}: -J transcripts needs its words; add"
                " the text of the instruction, or a_reference and b_reference"
            )
        return PromptItem(unit, text, {name: one for name, one in words.items() if one})

    def caveats(self, case: Case, prepared: Unit) -> list[str]:
        notes = []
        if len({sound.sha256 for sound in prepared.answers}) == 1:
            notes.append("both answers are one recording: a self-comparison")
        instruction = prepared.instruction
        if instruction and (same := self.examples.shares(instruction)):
            notes.append(f"the instruction is that of example {same!r}")
        return notes


def _system_length(prefix: Sequence[Message]) -> int:
    return len(prefix[0].text)


def _words_of_calls(
    pair: Pair, blueprints: Mapping[str, Blueprint] | None
) -> dict[str, str | None]:
    words = {}
    for number, (side, answer) in enumerate(pair.sides.items(), start=1):
        words[f"audio_{number}"] = words_of_call(side, answer, blueprints)
    return words


def _transcript(blueprint: Blueprint | None) -> str | None:
    transcript = blueprint.transcript if blueprint else None
    return transcript.text if isinstance(transcript, Transcript) else None


def sound_in(
    case: Case,
    recording: Recording,
    name: str,
    max_seconds: float,
    noise: Callable[[Clip], Clip] | None = None,
) -> Sound:
    """Find a recording of a case by its hash; its samples are made again when sent.

    An answer that is a call is joined from its turns; ``name`` is for messages, and
    ``noise`` puts noise on the clip.

    Raises:
        AudioError: it cannot be decoded, or a model would not hear it as it is.
    """

    def read() -> Clip:
        if isinstance(recording, Answer) and recording.conversation is not None:
            clip = call_clip(case, recording, name, max_seconds)
        else:
            clip = case.decode(recording)
        return noise(clip) if noise else clip

    clip = read()
    check_clip(clip, max_seconds, name)
    return sound_of(clip, read)


def _only(part: LabelQuestion, shown: PromptItem) -> PromptItem:
    """Hide the instruction from a part that is not about it."""
    if part.wants_instruction:
        return shown
    return replace(shown, unit=Unit(shown.unit.answers), text=None)


def with_noise(clip: Clip, snr_db: float, seed: int = 0) -> Clip:
    """Add Gaussian noise to a clip, independent for each channel.

    Seed and clip decide the noise.

    ``snr_db`` is the ratio of the mean power of the whole clip to that of the noise,
    dB. A silent clip stays as it is. Where the sum would pass full scale it is scaled
    down.
    """
    samples = clip.samples.astype(np.float64)
    power = float(np.mean(np.square(samples)))
    if power == 0:
        return clip
    draw = np.random.default_rng([seed, int(clip.sha256[:16], 16)])
    sigma = np.sqrt(power * 10 ** (-snr_db / 10))
    mixed = samples + sigma * draw.standard_normal(samples.shape)
    peak = float(np.abs(mixed).max())
    if peak > 1:
        mixed /= peak
    return Clip(mixed.astype(np.float32), clip.rate, clip.name)
