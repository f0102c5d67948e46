"""The pair: an instruction, two spoken answers, and what people said of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field, model_validator

from blueprints import FiniteJson, Strict, language_code
from fusion import Rating
from trace_eval.data.conversation import Conversation
from trace_eval.data.files import utf8_name
from trace_eval.data.urls import is_url, location, redacted

#: Labels of a plain preference, where people were not asked for typed ties.
Preference = Literal["1", "2", "tie"]


Model = TypeVar("Model", bound=Strict)

#: Longest id, characters: every message and table shows it.
MAX_ID = 1000


#: An ISO 639-1 code, made from what a file says.
SpokenLanguage = Annotated[str, AfterValidator(language_code)]


class Cut(Strict):
    """A stretch of one channel of a file, as a turn of a conversation is."""

    channel: int = Field(ge=0, description="which channel of the file, from 0")
    start_s: float = Field(ge=0, description="in the file's own time, seconds")
    end_s: float = Field(ge=0, description="end of the half-open stretch")


def is_none(value: object) -> bool:
    """For fields that only some records have: the others leave them out and keep their bytes."""
    return value is None


class Recording(Strict):
    """A clip by path, by URL, or by the bytes of its file (Hugging Face audio columns)."""

    audio: Path | None = Field(
        None, description="path of the recording; a URL given here becomes 'url'"
    )
    url: str | None = Field(
        None, description="where it is, if not on this machine: s3://, gs://, hf://, https://, ..."
    )
    data: bytes | None = Field(
        None, exclude=True, repr=False, description="bytes of the file, where there is no path"
    )

    cut: Cut | None = Field(
        None, exclude_if=is_none, description="the part of it that is meant; null: all of it"
    )

    @model_validator(mode="before")
    @classmethod
    def _sort_places(cls, given: Any) -> Any:
        """Put URLs and paths in their own fields, whichever one they came in."""
        if not isinstance(given, Mapping):
            return given
        audio, url = given.get("audio"), given.get("url")
        if audio is not None and url is not None:
            raise ValueError(f"has both audio {str(audio)!r:.80} and a url; give one of them")
        if url is not None and not is_url(url):
            raise ValueError(f"url {url!r:.80} has no protocol://; give a path as 'audio'")
        if audio is not None and "\0" in str(audio):
            raise ValueError("the path holds a NUL character; write it without")
        if isinstance(audio, str | Path):
            utf8_name(Path(audio))
        found = audio if url is None else url
        if found is None or not is_url(found):
            return given
        where = location(found)
        rest = {key: value for key, value in given.items() if key not in ("audio", "url")}
        return rest | {"audio" if isinstance(where, Path) else "url": where}

    @property
    def has_audio(self) -> bool:
        """True when there is something to decode."""
        return self.audio is not None or self.url is not None or self.data is not None

    @property
    def source_id(self) -> str:
        """Equal for equal sources: the path or URL as given, or a hash of the bytes.

        A URL is told without passwords and signatures, see :func:`trace_eval.data.urls.redacted`.
        """
        if self.data is not None:
            whole = "bytes:" + hashlib.sha256(self.data).hexdigest()
        else:
            whole = str(self.audio) if self.url is None else redacted(self.url)
        if self.cut is None:
            return whole
        cut = self.cut
        return f"{whole}#channel={cut.channel}&t={cut.start_s:.6f},{cut.end_s:.6f}"


class Instruction(Recording):
    """What the user asked: spoken, written or both."""

    text: str | None = Field(None, description="the words of the instruction")


class Answer(Recording):
    """What one system answered: a recording, or a whole conversation."""

    system: str | None = Field(None, description="name of the system that answered")
    reference: str | None = Field(None, description="what should have been said, for WER")

    conversation: Conversation | None = Field(
        None, exclude_if=is_none, description="the call that it is, instead of a recording"
    )

    @model_validator(mode="after")
    def _needs_audio(self) -> Answer:
        if not self.has_audio and self.conversation is None:
            raise ValueError("an answer needs 'audio': the path or URL of its recording")
        if self.has_audio and self.conversation is not None:
            raise ValueError("an answer has 'audio' or 'conversation', not both")
        return self


class Labels(Strict):
    """Human ratings of a pair; null where people were not asked."""

    content: Rating | None = None
    voice_quality: Rating | None = None
    paralinguistics: Rating | None = None
    overall: Rating | None = None
    preference: Preference | None = Field(None, description="overall, where ties were not typed")
    match: bool | None = Field(None, description="same word, or same speaker, in both answers")


class Pair(Strict):
    """One comparison to judge."""

    id: str = Field(min_length=1, max_length=MAX_ID, description="unique in its file")
    instruction: Instruction = Instruction()
    a: Answer
    b: Answer
    labels: Labels | None = Field(None, description="human ratings, never shown to a judge")
    category: str | None = None
    language: SpokenLanguage | None = Field(
        None,
        exclude_if=lambda value: value is None,  # records without one stay as they were
        description="ISO 639-1 code or English name of what is spoken; then none is detected",
    )
    instruction_id: str | None = Field(None, description="equal where the instruction is the same")
    turn: int | None = Field(
        None,
        ge=0,
        exclude_if=is_none,
        description="of two conversations: the user turn of A whose answers are compared",
    )
    voice: Recording | None = Field(
        None,
        exclude_if=is_none,
        description="the voice that both answers should speak in (prompt of a TTS system)",
    )
    meta: dict[str, FiniteJson] = Field(default_factory=dict, description="anything else")

    @property
    def answers(self) -> tuple[Answer, Answer]:
        """A and B."""
        return self.a, self.b

    @property
    def systems(self) -> tuple[str | None, ...]:
        """Who gave each of :attr:`answers`."""
        return self.a.system, self.b.system

    @property
    def question_id(self) -> str | None:
        """Equal where the instruction is the same."""
        return self.instruction_id

    def recordings(self) -> dict[str, Recording]:
        """Role -> what there is to decode: ``instruction`` and ``voice`` (if any), ``a``, ``b``."""
        voice = self.voice or Recording()
        by_role = recordings_of(instruction=self.instruction, a=self.a, b=self.b, voice=voice)
        for side, answer in (("a", self.a), ("b", self.b)):
            by_role |= turn_recordings(side, answer.conversation)
        return by_role

    @property
    def answer_roles(self) -> list[str]:
        """The roles of :meth:`recordings` that belong to the answers."""
        return [
            role
            for side, answer in (("a", self.a), ("b", self.b))
            for role in turn_recordings(side, answer.conversation) or [side]
            if answer.has_audio or role != side
        ]

    @property
    def has_conversations(self) -> bool:
        """Whether an answer is a conversation."""
        return any(answer.conversation is not None for answer in self.answers)

    def same_as(self, other: object) -> bool:
        """Equal, though the URLs of its recordings may have been signed anew."""
        return isinstance(other, Pair) and same_but_signatures(self, other)


def recordings_of(**roles: Recording) -> dict[str, Recording]:
    """The roles that have something to decode."""
    return {role: recording for role, recording in roles.items() if recording.has_audio}


def turn_role(side: str, number: int) -> str:
    """What the recording of a conversation's turn is called, e.g. ``answer/turn-3``."""
    return f"{side}/turn-{number}"


def turn_recordings(side: str, conversation: Conversation | None) -> dict[str, Recording]:
    """Role -> recording of every turn that can be heard: a cut of its channel, or its own file."""
    if conversation is None:
        return {}
    channels = {channel.name: channel for channel in conversation.channels}
    of_speaker = {one.name: channels.get(one.channel or "") for one in conversation.speakers}
    recordings: dict[str, Recording] = {}
    for number, turn in enumerate(conversation.turns):
        channel = of_speaker[turn.speaker]
        if turn.audio is not None:
            recording = Recording(audio=turn.audio)
        elif channel is None or turn.start_s is None or turn.end_s is None:
            continue
        else:
            start_s, end_s = (max(0.0, channel.file_time(at)) for at in (turn.start_s, turn.end_s))
            if end_s <= start_s:
                continue
            cut = Cut(channel=channel.channel, start_s=start_s, end_s=end_s)
            recording = Recording(audio=channel.audio, cut=cut)
        recordings[turn_role(side, number)] = recording
    return recordings


def map_recordings(record: Model, change: Callable[[Recording], Recording]) -> Model:
    """A copy of a record with each of its recordings replaced by what ``change`` makes of it."""
    found: Any = change(record) if isinstance(record, Recording) else record
    changed: dict[str, Any] = {}
    for name, value in found:
        if isinstance(value, Strict):
            changed[name] = map_recordings(value, change)
        elif isinstance(value, tuple) and any(isinstance(item, Recording) for item in value):
            changed[name] = tuple(map_recordings(item, change) for item in value)
    moved = {name: value for name, value in changed.items() if value is not getattr(found, name)}
    copy: Model = found.model_copy(update=moved)
    return copy if moved or found is not record else record


def same_but_signatures(one: Strict, other: Strict) -> bool:
    """Equal records, though their URLs may have been signed anew."""
    return one == other or _unsigned(one.model_dump()) == _unsigned(other.model_dump())


def _unsigned(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: redacted(item) if key == "url" and isinstance(item, str) else _unsigned(item)
            for key, item in value.items()
        }
    return [_unsigned(item) for item in value] if isinstance(value, list | tuple) else value
