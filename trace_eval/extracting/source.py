"""Where a recording is, and which part of it is meant."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from blueprints import UserError
from extractors import MAX_SECONDS, Clip, Part, Stamp, decode, stamp_of
from trace_eval.data import remote
from trace_eval.data.answers import Recording
from trace_eval.data.files import utf8_name
from trace_eval.data.urls import location, redacted


@dataclass(frozen=True, slots=True)
class ClipSource:
    """The place of a recording: a path, the bytes of its file, or a URL."""

    id: str
    path: Path | None = None
    data: bytes | None = field(default=None, repr=False)
    url: str | None = field(default=None, repr=False)
    language: str | None = None
    """ISO 639-1 code of the language that is spoken in it, where the manifest says so."""
    assumed: str | None = None
    """The language to be tried where the recogniser is unsure."""
    part: Part | None = None
    """A stretch of one channel; None: the whole recording."""

    @property
    def content(self) -> Path | bytes:
        """What the decoder is given; what is behind a URL is fetched here and now.

        Raises:
            UserError: there is nothing, or it cannot be fetched.
        """
        if self.url is not None:
            return remote.fetch(self.url)
        content = self.data if self.path is None else self.path
        if content is None:
            raise UserError(f"recording {self.id}: no path, bytes or URL")
        return content

    def stamp(self) -> Stamp | None:
        """Return what tells whether the recording has changed; None where nothing does.

        Raises:
            UserError: it is too large to be fetched.
        """
        result = None
        if self.path is not None:
            result = stamp_of(self.path)
        elif self.url is not None:
            version = remote.version_of(self.url)
            result = Stamp(self.id, *version) if version else None
        if result is None or self.part is None:
            return result
        return result._replace(place=f"{result.place}#{self.part!r}")

    def decode(self, max_seconds: float = MAX_SECONDS) -> Clip:
        """Return its samples, read now.

        Raises:
            AudioError: it cannot be decoded.
            UserError: it cannot be fetched.
        """
        return decode(self.content, self.id, max_seconds, self.part)


def source_of(
    recording: Recording, language: str | None = None, assumed: str | None = None
) -> ClipSource:
    """Make the engine's source of a recording, with the language spoken in it."""
    cut = recording.cut
    part = Part(cut.channel, cut.start_s, cut.end_s) if cut else None
    place = (recording.audio, recording.data, recording.url)
    return ClipSource(recording.source_id, *place, language, assumed, part)


def source_from(content: Path | str | bytes) -> ClipSource:
    """Make the engine's source from a recording's path or the bytes of its file."""
    if isinstance(content, bytes):
        return source_of(Recording(data=content))
    if "\0" in str(content):
        return source_of(Recording(audio=content))  # which says what is wrong
    # As a record does it, in a fifth of the time: a job names millions.
    place = location(utf8_name(content))
    if isinstance(place, Path):
        return ClipSource(str(place), path=place)
    return ClipSource(redacted(place), url=place)
