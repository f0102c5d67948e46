"""The messages of a judge that listens: five ways to join recordings into audio parts.

==========  ============================  =====================  ==============  ===========
strategy    examples                      test                   parts, 2 clips  + question
==========  ============================  =====================  ==============  ===========
none        each clip its own part        each clip its own      2n + 2          3n + 3
pairs       one waveform per example      each clip its own      n + 2           n + 3
examples    all in one waveform           each clip its own      1 + 2           1 + 3
test        each clip its own part        one waveform           2n + 1          3n + 1
all         all in one waveform           one waveform           2               2
==========  ============================  =====================  ==============  ===========

The system message and the examples come first and are the same in every call, byte by byte,
so that servers can keep them in their caches.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from extractors.audio import AudioError
from trace_eval.audio.encode import Format, Waveform
from trace_eval.audio.layout import Item, Layout, Signals, Sound, Unit, common_rate, unit_items
from trace_eval.data.judgement import Reason
from trace_eval.judges.audio.examples import Example
from trace_eval.judges.audio.parse import schema_of
from trace_eval.judges.audio.tasks import Part, common
from trace_eval.judges.chat.base import CallFailed
from trace_eval.judges.chat.bounds import shortened
from trace_eval.judges.chat.message import AudioPart, Message, Text
from trace_eval.judges.chat.message import Part as Content
from trace_eval.judges.options import Concat, Elicitation
from trace_eval.judges.text.fencing import fence, fence_tag, neutralise

#: Strategies whose examples are one waveform, one per example; whose test is one.
JOINED_EXAMPLES: frozenset[Concat] = frozenset({"examples", "all"})
JOINED_PAIRS: frozenset[Concat] = frozenset({"pairs"})
JOINED_TEST: frozenset[Concat] = frozenset({"test", "all"})


@dataclass(frozen=True)
class Sending:
    """How sound is sent.

    Attributes:
        concat: the strategy.
        signals: labels by name; empty: none are heard.
        rate: Hz; None: the commonest of each waveform.
        level: LUFS of every recording; None: as it is.
        format: of the audio parts.
    """

    concat: Concat = "all"
    signals: Signals = field(default_factory=dict)
    rate: int | None = None
    level: float | None = None
    format: Format = "wav"

    def waveform(self, items: Iterable[Item], sounds: Iterable[Sound]) -> Waveform:
        """Items as one waveform at the common rate of some recordings."""
        rate = common_rate(sounds, self.rate)
        return Waveform(Layout(tuple(items), rate, self.level), self.format)


@dataclass(frozen=True)
class Shown:
    """One comparison as it is put to the judge.

    Attributes:
        unit: the recordings, in the order in which they are heard.
        text: the instruction in writing, where it is to be read.
        transcripts: words by recording: ``instruction``, ``audio_1``, ``audio_2``.
    """

    unit: Unit
    text: str | None = None
    transcripts: Mapping[str, str] = field(default_factory=dict)


class PromptBuilder:
    """The messages of one part of a task.

    Args:
        part: what is asked.
        elicitation: how typed ties are asked for.
        sending: how sound is sent.
        examples: solved comparisons in their order, with what is shown of each.
    """

    def __init__(
        self,
        part: Part,
        elicitation: Elicitation,
        sending: Sending,
        examples: Sequence[tuple[Example, Shown]] = (),
    ) -> None:
        self.part = part
        self._sending = sending
        form = common().form.replace("{keys}", _keys(part, elicitation))
        texts = (part.system, common().evidence, form)
        self.system = Message("system", "\n\n".join(text.strip() for text in texts))
        self.prefix = (self.system, *self._examples(examples))

    def messages(self, shown: Shown) -> tuple[Message, ...]:
        """The whole conversation of one call."""
        return (*self.prefix, self._test(shown))

    def repair(
        self, messages: tuple[Message, ...], reply: str | None, problem: str
    ) -> tuple[Message, ...]:
        """The second chance; the recordings stay in the conversation, and are paid again."""
        said = neutralise(shortened(reply or ""))
        told = common().repair.replace("{problem}", neutralise(problem).rstrip("."))
        return (*messages, Message("assistant", said or "(no reply)"), Message("user", told))

    # --- examples ------------------------------------------------------------------------

    def _examples(self, examples: Sequence[tuple[Example, Shown]]) -> list[Message]:
        if not examples:
            return []
        if self._sending.concat in JOINED_EXAMPLES:
            return self._aggregated(examples)
        made = []
        for number, (example, shown) in enumerate(examples, start=1):
            line = Text(common().example_turn)
            if self._sending.concat in JOINED_PAIRS:
                content = [line, *self._joined(shown, f"example_{number}", keep=True)]
            else:
                content = [line, *self._separate(shown, keep=True)]
            made.append(Message("user", (*content, Text(self.part.question))))
            made.append(Message("assistant", example.reply(self.part)))
        return made

    def _aggregated(self, examples: Sequence[tuple[Example, Shown]]) -> list[Message]:
        words = common()
        items: list[Item] = []
        sounds: list[Sound] = []
        listed = [words.examples_solved]
        texts: list[Content] = []
        for number, (example, shown) in enumerate(examples, start=1):
            items += unit_items(shown.unit, f"example_{number}", self._sending.signals)
            sounds += shown.unit.sounds
            listed.append(f"example {number}: {example.solution(self.part)}")
            texts += self._written(shown, shown.unit, f"Example {number}. ")
        intro = Text(words.examples_intro.replace("{count}", str(len(examples))))
        audio = self._part(self._sending.waveform(items, sounds), keep=True)
        content = (intro, audio, *texts, Text("\n".join(listed)))
        return [Message("user", content), Message("assistant", words.examples_taken)]

    # --- the test ------------------------------------------------------------------------

    def _test(self, shown: Shown) -> Message:
        if self._sending.concat in JOINED_TEST:
            order = ["the instruction"] if shown.unit.instruction else []
            order += ["the first recording", "the second recording"][: len(shown.unit.answers)]
            line = Text(common().whole_test.replace("{order}", ", then ".join(order)))
            content: list[Content] = [line, *self._joined(shown, "test")]
        else:
            content = self._separate(shown)
        return Message("user", (*content, Text(self.part.question)))

    def _joined(self, shown: Shown, head: str, keep: bool = False) -> list[Content]:
        items = unit_items(shown.unit, head, self._sending.signals)
        waveform = self._sending.waveform(items, shown.unit.sounds)
        return [self._part(waveform, keep), *self._written(shown, shown.unit)]

    def _separate(self, shown: Shown, keep: bool = False) -> list[Content]:
        """Each recording behind a line that names it, all of them at one rate."""
        content: list[Content] = []
        for name, sound in _named(shown.unit):
            waveform = self._sending.waveform([sound], shown.unit.sounds)
            content += [Text(common().names[name]), self._part(waveform, keep)]
        return [*content, *self._written(shown, shown.unit)]

    def _written(self, shown: Shown, unit: Unit, lead: str = "") -> list[Content]:
        """Words that stand beside the sound: made harmless, and fenced off."""
        written = {}
        if shown.text:
            written[common().names["instruction_text"]] = shown.text
        for name, words in shown.transcripts.items():
            written[common().transcripts[name]] = words
        tag = fence_tag(written.values())
        return [
            Text(f"{lead}{title}\n{fence(tag, title.rstrip(':').lower(), neutralise(words))}")
            for title, words in written.items()
        ]

    def _part(self, waveform: Waveform, keep: bool = False) -> AudioPart:
        # The examples are the same in every call: their few bytes are made once.
        return audio_part(waveform, lru_cache(maxsize=1)(waveform.render) if keep else None)


def audio_part(waveform: Waveform, render: Callable[[], bytes] | None = None) -> AudioPart:
    """A waveform as a part of a message; ``render`` may keep its bytes."""
    made = _guarded(render or waveform.render)
    return AudioPart(waveform.recipe, made, waveform.format, waveform.seconds, waveform.size)


def _guarded(render: Callable[[], bytes]) -> Callable[[], bytes]:
    """A recording that has gone costs its calls, not the run."""

    def made() -> bytes:
        try:
            return render()
        except AudioError as error:
            raise CallFailed(Reason.CLIP_FAILED, str(error)) from None

    return made


def _named(unit: Unit) -> list[tuple[str, Sound]]:
    names = ["audio_1", "audio_2"] if len(unit.answers) == 2 else ["audio"]
    pairs = list(zip(names, unit.answers, strict=True))
    return [("instruction", unit.instruction), *pairs] if unit.instruction else pairs


def _keys(part: Part, elicitation: Elicitation) -> str:
    """The reply's JSON, spelled out for servers that enforce no schema."""
    return json.dumps(_sketch(schema_of(part, elicitation)), ensure_ascii=False)


def _sketch(schema: object) -> object:
    """A JSON schema of ours as an object of the same keys with what may stand there."""
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "object":
        return {name: _sketch(inner) for name, inner in schema["properties"].items()}
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    return {"string": "...", "boolean": "true | false"}.get(str(schema.get("type")), "...")
