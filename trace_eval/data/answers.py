"""Answers: a recording, words, turns of a dialogue, or a whole conversation."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    model_validator,
)
from pydantic_core import CoreSchema, core_schema

from blueprints import Strict
from trace_eval.data.conversation import Conversation
from trace_eval.data.file_names import one_form
from trace_eval.data.files import utf8_name
from trace_eval.data.urls import is_url, location, redacted

Model = TypeVar("Model", bound=Strict)

#: A system's name in one Unicode form, or it would be two systems.
SystemName = Annotated[str, AfterValidator(one_form)]


class Cut(Strict):
    """A stretch of one channel of a file, as a turn of a conversation is."""

    channel: int = Field(ge=0, description="which channel of the file, from 0")
    start_s: float = Field(ge=0, description="in the file's own time, seconds")
    end_s: float = Field(ge=0, description="end of the half-open stretch")


def is_none(value: object) -> bool:
    """Leave a field out where it is None: records without it keep their bytes."""
    return value is None


class Recording(Strict):
    """A clip by path, by URL, or by its file's bytes (Hugging Face audio columns)."""

    audio: Path | None = Field(
        None, description="path of the recording; a URL given here becomes 'url'"
    )
    url: str | None = Field(
        None,
        description="where it is, if not on this machine: s3://, gs://, hf://, https://, ...",
    )
    data: bytes | None = Field(
        None,
        exclude=True,
        repr=False,
        description="bytes of the file, where there is no path",
    )

    cut: Cut | None = Field(
        None,
        exclude_if=is_none,
        description="the part of it that is meant; null: all of it",
    )

    @model_validator(mode="before")
    @classmethod
    def _sort_places(cls, values: Any) -> Any:
        """Put URLs and paths in their own fields, whichever one they came in."""
        if not isinstance(values, Mapping):
            return values
        audio, url = values.get("audio"), values.get("url")
        if audio is not None and url is not None:
            raise ValueError(
                f"has both audio {str(audio)!r:.80} and a url; give one of them"
            )
        if url is not None and not is_url(url):
            raise ValueError(
                f"url {url!r:.80} has no protocol://; give a path as 'audio'"
            )
        if audio is not None and "\0" in str(audio):
            raise ValueError("the path holds a NUL character; write it without")
        if isinstance(audio, str | Path):
            utf8_name(audio)
        result = audio if url is None else url
        if result is None or (url is None and not is_url(result)):
            return values
        where = location(result)
        rest = {
            key: value for key, value in values.items() if key not in ("audio", "url")
        }
        return rest | {"audio" if isinstance(where, Path) else "url": where}

    @property
    def has_audio(self) -> bool:
        """True when there is something to decode."""
        return self.audio is not None or self.url is not None or self.data is not None

    @property
    def source_id(self) -> str:
        """Equal for equal sources: the path or URL as given, or a hash of the bytes.

        A URL is told without passwords and signatures, see
        :func:`trace_eval.data.urls.redacted`.
        """
        if self.data is not None:
            whole = "bytes:" + hashlib.sha256(self.data).hexdigest()
        else:
            whole = str(self.audio) if self.url is None else redacted(self.url)
        if cut := self.cut:
            whole += f"#channel={cut.channel}&t={cut.start_s:.6f},{cut.end_s:.6f}"
        return whole


class Instruction(Recording):
    """The user's request: spoken, written or both."""

    text: str | None = Field(None, description="the words of the instruction")


class RecordedTurn(Recording):
    """The recording of one turn of a dialogue or conversation."""

    speaker: str | None = Field(None, description="who speaks, e.g. the role's name")

    @model_validator(mode="after")
    def _needs_audio(self) -> RecordedTurn:
        if not self.has_audio:
            raise ValueError("a turn needs 'audio': the path or URL of its recording")
        return self


class Answer(Recording):
    """What one system answered: a recording, words, turns, or a conversation.

    A pair writes who answered beside each answer; a single one has that on its item.
    """

    system: SystemName | None = Field(
        None, description="name of the system that answered"
    )
    reference: str | None = Field(
        None, description="what should have been said, for WER"
    )
    text: str | None = Field(
        None, description="the answer's words; may be empty, then it is too"
    )
    turns: tuple[RecordedTurn, ...] = Field(
        (), description="a dialogue's recordings in order"
    )
    conversation: Conversation | None = Field(
        None, exclude_if=is_none, description="turns and events on one clock"
    )

    @model_validator(mode="after")
    def _one_form(self) -> Answer:
        recognised, call = self.has_audio, self.conversation is not None
        if not (recognised or call or self.turns or self.text is not None):
            raise ValueError(
                "an answer needs 'audio', 'turns' or 'text', or a 'conversation'; in a"
                " pair 'audio', the path or URL of its recording, or a 'conversation'"
            )
        if recognised and call:
            raise ValueError("an answer has 'audio' or 'conversation', not both")
        if recognised and self.turns:
            raise ValueError("an answer has 'audio' or 'turns', not both")
        if call and (self.turns or self.text is not None):
            raise ValueError(
                "an answer that is a conversation has no other form; keep one"
            )
        return self

    def recordings(self, role: str) -> dict[str, Recording]:
        """Return what to decode by role: the answer as ``role``, or its turns."""
        return {role: self} if self.has_audio else {**self._turns(role)}

    def _turns(self, role: str) -> dict[str, RecordedTurn]:
        dialogue = {f"turn-{n}": turn for n, turn in enumerate(self.turns, start=1)}
        return dialogue | turn_recordings(role, self.conversation)

    @property
    def is_spoken(self) -> bool:
        """True where there is something to hear."""
        return self.has_audio or bool(self.spoken_turns)

    @property
    def spoken_turns(self) -> dict[str, RecordedTurn]:
        """What is heard of it by role, turn by turn: a dialogue or a conversation."""
        return self._turns("answer")

    @property
    def agent_turns(self) -> list[int]:
        """Numbers of a conversation's turns of its agent that have words or sound."""
        turns = self.conversation.turns_of("agent") if self.conversation else ()
        recognised = self.spoken_turns
        numbers: list[int] = []
        for number, turn in turns:
            if turn.text or turn.heard or turn_role("answer", number) in recognised:
                numbers.append(number)
        return numbers


@dataclass(frozen=True)
class Without:
    """Annotation of an answer in an item: some fields are refused, never written."""

    fields: frozenset[str]
    why: str  # the end of the message that refuses one, which begins with its name

    def kept(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return the other fields."""
        return {
            name: value for name, value in record.items() if name not in self.fields
        }

    def __get_pydantic_core_schema__(
        self, kind: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        written = core_schema.wrap_serializer_function_ser_schema(self._written)
        return core_schema.no_info_after_validator_function(
            self._check, handler(kind), serialization=written
        )

    def __get_pydantic_json_schema__(
        self, schema: Any, handler: GetJsonSchemaHandler
    ) -> Any:
        whole = handler.resolve_ref_schema(handler(schema))
        return {**whole, "properties": self.kept(whole["properties"])}

    def _check(self, answer: Answer) -> Answer:
        if refused := self.fields & answer.model_fields_set:
            raise ValueError(f"{min(refused)!r} {self.why}")
        return answer

    def _written(self, answer: Answer, handler: Callable[[Any], Any]) -> dict[str, Any]:
        return self.kept(handler(answer))


#: A pair compares what is heard; words alone, and dialogues in pieces, are judged
#: singly.
IN_PAIR = Without(
    frozenset({"text", "turns"}),
    "is none of a pair's: its answers are recordings ('audio') or conversations",
)

#: References of a single answer are several right answers, not the words that were to
#: be said.
ALONE = Without(
    frozenset({"system", "reference"}),
    "of a single answer stands beside 'answer', on its item",
)


class Answered(Strict):
    """Fields that a pair and a single answer share: their answers."""

    @property
    @abstractmethod
    def sides(self) -> dict[str, Answer]:
        """Role -> answer: ``a`` and ``b``, or ``answer``."""

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The answers: two, or one."""
        return tuple(self.sides.values())

    @property
    def has_conversations(self) -> bool:
        """Whether an answer is a conversation."""
        return any(answer.conversation is not None for answer in self.answers)

    @property
    def answer_roles(self) -> list[str]:
        """The roles of ``recordings()`` that belong to the answers."""
        return list(self.answer_recordings)

    @property
    def answer_recordings(self) -> dict[str, Recording]:
        """Role -> what there is to decode of the answers."""
        recordings: dict[str, Recording] = {}
        for side, answer in self.sides.items():
            for role, recording in answer.recordings(side).items():
                recordings[role] = recording
        return recordings

    def same_as(self, other: object) -> bool:
        """Say whether both are equal, even if their URLs were signed anew."""
        if not isinstance(other, type(self)):
            return False
        return self == other or _unsigned(self.model_dump()) == _unsigned(
            other.model_dump()
        )


def turn_role(side: str, number: int) -> str:
    """Name the recording of a conversation's turn, e.g. ``answer/turn-3``."""
    return f"{side}/turn-{number}"


def turn_recordings(
    side: str, conversation: Conversation | None
) -> dict[str, RecordedTurn]:
    """Return the turns' recordings by role: cuts of channels, or files."""
    if conversation is None:
        return {}
    channels = {channel.name: channel for channel in conversation.channels}
    of_speaker = {
        one.name: channels.get(one.channel or "") for one in conversation.speakers
    }
    recordings: dict[str, RecordedTurn] = {}
    for number, turn in enumerate(conversation.turns):
        role, channel = turn_role(side, number), of_speaker[turn.speaker]
        if turn.audio is not None:
            recordings[role] = RecordedTurn(audio=turn.audio, speaker=turn.speaker)
        elif (
            channel is not None and turn.start_s is not None and turn.end_s is not None
        ):
            start_s, end_s = (
                max(0.0, channel.file_time(at)) for at in (turn.start_s, turn.end_s)
            )
            if start_s < end_s:
                cut = Cut(channel=channel.channel, start_s=start_s, end_s=end_s)
                recordings[role] = RecordedTurn(
                    audio=channel.audio, cut=cut, speaker=turn.speaker
                )
    return recordings


def map_recordings(record: Model, change: Callable[[Recording], Recording]) -> Model:
    """Copy a record with each of its recordings replaced by what ``change`` makes."""
    result: Any = change(record) if isinstance(record, Recording) else record
    changed: dict[str, Any] = {}
    for name, value in result:
        if isinstance(value, Strict):
            changed[name] = map_recordings(value, change)
        elif isinstance(value, tuple) and any(
            isinstance(item, Recording) for item in value
        ):
            changed[name] = tuple(map_recordings(item, change) for item in value)
    moved: dict[str, Any] = {}
    for name, value in changed.items():
        if value is not getattr(result, name):
            moved[name] = value
    copy: Model = result.model_copy(update=moved)
    return copy if moved or result is not record else record


def _unsigned(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return list(map(_unsigned, value))
    if not isinstance(value, dict):
        return value
    unsigned: dict[str, Any] = {}
    for key, item in value.items():
        is_url = key == "url" and isinstance(item, str)
        unsigned[key] = redacted(item) if is_url else _unsigned(item)
    return unsigned
