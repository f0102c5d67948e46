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

The system message and the examples come first and are the same in every call, byte by
byte, so that servers can keep them in their caches.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trace_eval.data.rubrics.pairs import LabelQuestion
from trace_eval.judges.ask.message import Message, MessagePart, Text
from trace_eval.judges.options.groups import Elicitation
from trace_eval.judges.read.labels import schema_of
from trace_eval.judges.views.examples.solved import Solved, SolvedTurn, example_messages
from trace_eval.judges.views.sound.encode import JOINED_TEST, Sending
from trace_eval.judges.views.sound.layout import Unit, unit_items
from trace_eval.judges.views.text.fencing import fence, fence_tag, neutralise
from trace_eval.judges.views.text.tasks import common


@dataclass(frozen=True)
class PromptItem:
    """One comparison as it is put to the judge.

    Attributes:
        transcripts: the words of recordings, by the names of the recordings.
    """

    unit: Unit
    text: str | None = None  # the instruction, where it is to be read
    transcripts: Mapping[str, str] = field(default_factory=dict)
    about: str = ""  # what must be known before the recordings are heard


class PromptBuilder:
    """The messages of one part of a task, behind those of solved examples."""

    def __init__(
        self,
        part: LabelQuestion,
        elicitation: Elicitation,
        sending: Sending,
        examples: Sequence[tuple[Solved, PromptItem]] = (),
    ) -> None:
        self.part = part
        self._sending = sending
        # The reply's JSON, spelled out for servers that enforce no schema.
        keys = json.dumps(_sketch(schema_of(part, elicitation)), ensure_ascii=False)
        form = common().form.replace("{keys}", keys)
        texts = (part.instructions, common().evidence, form)
        self.system = Message("system", "\n\n".join(text.strip() for text in texts))
        turns = [self._turn(*each) for each in examples]
        self.prefix = (self.system, *example_messages(sending, turns, part.question))

    def messages(self, shown: PromptItem) -> tuple[Message, ...]:
        """Return the whole conversation of one call."""
        content: list[MessagePart] = []
        if shown.about:
            content.append(Text(shown.about))
        content += self._test(shown)
        content += [Text(words) for words in self._written(shown)]
        content.append(Text(self.part.question))
        return (*self.prefix, Message("user", tuple(content)))

    def _turn(self, example: Solved, shown: PromptItem) -> SolvedTurn:
        return SolvedTurn(
            joined=lambda head: unit_items(shown.unit, head, self._sending.signals),
            sounds=shown.unit.sounds,
            apart=lambda: self._recordings(shown, kept=True),
            written=tuple(self._written(shown)),
            solution=example.solutions[self.part.name],
        )

    def _test(self, shown: PromptItem) -> list[MessagePart]:
        if self._sending.options.concat not in JOINED_TEST:
            return self._recordings(shown)
        answers = ["the first recording", "the second recording"]
        order = answers[: len(shown.unit.answers)]
        if shown.unit.instruction:
            order = ["the instruction"] + order
        line = common().whole_test.replace("{order}", ", then ".join(order))
        items = unit_items(shown.unit, "test", self._sending.signals)
        waveform = self._sending.waveform(items, shown.unit.sounds)
        return [Text(line), waveform.part()]

    def _recordings(self, shown: PromptItem, kept: bool = False) -> list[MessagePart]:
        """Return each recording behind a line that names it, all at one rate."""
        content: list[MessagePart] = []
        for name, sound in shown.unit.named:
            waveform = self._sending.waveform([sound], shown.unit.sounds)
            content += [Text(common().names[name]), waveform.part(kept)]
        return content

    def _written(self, shown: PromptItem) -> list[str]:
        """Fence off the words that stand beside the sound, made harmless."""
        written = {}
        if shown.text:
            written[common().names["instruction_text"]] = shown.text
        for name, words in shown.transcripts.items():
            written[common().transcripts[name]] = words
        tag = fence_tag(written.values())
        lines = []
        for title, words in written.items():
            label = title.rstrip(":").lower()
            lines.append(f"{title}\n{fence(tag, label, neutralise(words))}")
        return lines


#: What the sketch of a reply has in the place of a value, by its type.
_SKETCHES = {"string": "...", "boolean": "true | false"}


def _sketch(schema: object) -> object:
    """Sketch a JSON schema of ours: its keys, with what may stand there."""
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "object":
        return {name: _sketch(inner) for name, inner in schema["properties"].items()}
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    return _SKETCHES.get(str(schema.get("type")), "...")
