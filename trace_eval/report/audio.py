"""The recordings that the players of a report point to."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import soundfile

from blueprints import UserError
from extractors import SPEECH_RATE, channel_blocks, decode
from trace_eval.data.answers import Answer, Recording
from trace_eval.data.files import is_file, make_folder, replacing
from trace_eval.data.remote import fetch
from trace_eval.data.urls import name_of, redacted
from trace_eval.report.moved import MovedFiles
from trace_eval.report.redact import mute, redact_text
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.unchanged import RecordingLook

#: Suffixes that are kept on copies; anything else is not part of a file name that we
#: make.
_SUFFIX = re.compile(r"\.[a-z0-9]{1,5}")

#: Why a recording is not played beside a verdict about another one.
_REPLACED = (
    "was replaced since it was judged, so it is not played; judge again into a new"
    " --out"
)

#: What is said of an answer that was judged by its text.
_UNHEARD = (
    "judged by the text that was given, so nothing tells whether this recording was"
    " replaced since"
)

#: Format of copies that are made anew.
_WAV: Any = {"samplerate": SPEECH_RATE, "subtype": "PCM_16", "format": "WAV"}


@dataclass(frozen=True)
class PlayedSound:
    """A recording in the report: where it plays, or one sentence on why it does not."""

    href: str | None
    note: str | None = None


class AudioAssets:
    """Links to recordings, relative to the report's folder.

    Args:
        report: the HTML file to be written.
        copy: put copies into ``<report's stem>_audio/``, named by clip hash, so that
            the report can be moved together with that folder.
        moved: finds recordings that are not where they were judged; None: they are.
        muted: clip hash -> stretches that copies are silent in, None where nothing says
            which; such a recording is not copied, and none is linked to. Default: no
            redaction.
    """

    def __init__(
        self,
        report: Path,
        copy: bool = False,
        muted: Mapping[str, Sequence[tuple[float, float]] | None] | None = None,
        moved: MovedFiles | None = None,
    ) -> None:
        self._muted = muted
        self._moved = moved
        #: Recordings that a player was asked for, and those that have one.
        self.requested: set[str] = set()
        self.playable: set[str] = set()
        #: Recordings that are not played because they were replaced: paths and URLs.
        self.replaced: set[str] = set()
        # Browsers resolve ".." in a URL by its letters, so symlinks are not followed
        # here.
        self._home = Path(os.path.abspath(report.parent))  # noqa: PTH100
        # A folder of its own: copies of an earlier page that are not muted are not sent
        # along.
        kind = "audio" if muted is None else "redacted_audio"
        self.folder = self._home / f"{report.stem}_{kind}" if copy else None
        self._copied: dict[str, str] = {}
        self._look = RecordingLook()
        self._failed: dict[str, str] = {}

    def sound(
        self, recording: Recording, record: ClipRecord | None, *, judged: bool = True
    ) -> PlayedSound:
        """Return the player of a recording; a URL is fetched only to be copied.

        ``judged``: the record says what was judged; else it only names the copy, as of
        a whole channel.
        """
        # Elsewhere is only looked where it can be told that this is what was judged.
        is_known = judged and record is not None and record.clip is not None
        if self._moved is not None and recording.audio is not None and is_known:
            place = self._moved.find(Path(os.path.abspath(recording.audio)))  # noqa: PTH100
            recording = recording.model_copy(update={"audio": place})
        played = self._played(recording, record, judged)
        is_unheard = judged and record is None and isinstance(recording, Answer)
        if is_unheard and played.href is not None and played.note is None:
            played = PlayedSound(played.href, _UNHEARD)
        # A muted page plays little on purpose, and one without copies nothing that is
        # far away.
        is_wanted = recording.audio is not None or (
            recording.has_audio and self.folder is not None
        )
        if self._muted is None and is_wanted:
            self.requested.add(recording.source_id)
            if played.href is not None:
                self.playable.add(recording.source_id)
        return played

    def _played(
        self, recording: Recording, record: ClipRecord | None, judged: bool
    ) -> PlayedSound:
        if self._muted is not None:
            return self._redacted(recording, record, self._muted)
        if recording.url is not None:
            return self._distant(recording.url, record)
        if recording.audio is None:
            return PlayedSound(None, "no recording")
        path = Path(os.path.abspath(recording.audio))  # noqa: PTH100
        if record and record.error:
            href = None
            if self.folder is None and is_file(path):
                href = self._link(path)
            return PlayedSound(href, record.error)
        if not is_file(path):
            return PlayedSound(None, f"{path}: no such file any more")
        if judged and self.is_replaced(recording, record):
            return self.refused(path)
        if self.folder is None:
            return PlayedSound(self._link(path))
        clip = record.clip if record else None
        if not clip:
            # What no judge heard, as a question that came in words, too, has no hash.
            try:
                clip = decode(path).sha256
            except UserError as error:
                return PlayedSound(None, str(error))
        if clip not in self._copied:
            write: Callable[[Path], object]
            if recording.cut:
                name = f"{clip}.wav"
                write = partial(_one_channel, path, recording.cut.channel)
            else:
                name = clip + _suffix(path.name)
                write = partial(shutil.copyfile, path)
            self._place(self.folder, name, clip, write)
        return PlayedSound(self._href(clip))

    def _redacted(
        self,
        recording: Recording,
        record: ClipRecord | None,
        muted: Mapping[str, Sequence[tuple[float, float]] | None],
    ) -> PlayedSound:
        """Return the player of a muted copy, or why none was made."""
        if recording.audio is None and recording.url is None:
            return PlayedSound(None, "no recording")
        if self.folder is None:
            return _not_played("redacted: report --redact --audio copies it, muted")
        clip = record.clip if record else None
        stretches = muted.get(clip) if clip else None
        if recording.audio is None or recording.cut or not clip or stretches is None:
            return _not_played("redacted: not copied, because its words have no times")
        if clip not in self._copied:
            try:
                sound = decode(Path(recording.audio))
            except UserError as error:
                return _not_played(redact_text(str(error)))
            if sound.sha256 != clip:
                self.replaced.add(str(recording.audio))
                return _not_played("redacted: not copied, because it has changed since")
            samples = mute(sound.speech, SPEECH_RATE, stretches)
            write = partial(soundfile.write, data=samples, **_WAV)
            self._place(self.folder, f"{clip}.redacted.wav", clip, write)
        return PlayedSound(self._href(clip))

    def is_replaced(self, recording: Recording, record: ClipRecord | None) -> bool:
        """Return whether a file holds something else than what was judged."""
        return self._look.has_changed(recording, record.clip if record else None)

    def refused(self, path: Path) -> PlayedSound:
        """Note that a recording was replaced, in place of its player."""
        self.replaced.add(str(path))
        return PlayedSound(None, f"{path}: {_REPLACED}")

    def fetched(self, url: str, clip: str) -> Path | None:
        """Fetch a copy of a recording behind a URL; None where no copies are made.

        Raises UserError where it cannot be fetched, now or when it was tried before.
        """
        if self.folder is None:
            return None
        if clip in self._failed:
            raise UserError(self._failed[clip])
        if clip not in self._copied:
            try:
                content = fetch(url)
                if decode(content, url).sha256 != clip:
                    self.replaced.add(redacted(url))
                    raise UserError(f"{redacted(url)}: {_REPLACED}")
            except UserError as error:
                self._failed[clip] = str(error)
                raise
            name = clip + _suffix(name_of(url))
            self._place(self.folder, name, clip, lambda part: part.write_bytes(content))
        return self.folder / self._copied[clip]

    def _distant(self, url: str, record: ClipRecord | None) -> PlayedSound:
        if record and record.error:
            return PlayedSound(None, record.error)
        if self.folder is None:
            message = f"{redacted(url)}: not on this machine; report --audio copies it"
            return PlayedSound(None, message)
        clip = record.clip if record else None
        try:
            if not clip:
                clip = decode(fetch(url), url).sha256
            self.fetched(url, clip)
        except UserError as error:
            return PlayedSound(None, str(error))
        return PlayedSound(self._href(clip))

    def _link(self, path: Path) -> str:
        return _url(os.path.relpath(path, self._home))

    def _href(self, clip: str) -> str:
        assert self.folder is not None
        return _url(f"{self.folder.name}/{self._copied[clip]}")

    def _place(
        self, folder: Path, name: str, clip: str, write: Callable[[Path], object]
    ) -> None:
        target = folder / name
        make_folder(folder)
        with replacing(target) as part:
            write(part)
        self._copied[clip] = name


def _not_played(why: str) -> PlayedSound:
    return PlayedSound(None, why)


def _one_channel(path: Path, channel: int, copy: Path) -> None:
    """Write one channel at 16 kHz, in bounded memory.

    Copies the whole file where it cannot be read.
    """
    try:
        with soundfile.SoundFile(copy, "w", channels=1, **_WAV) as file:
            for (block,) in channel_blocks(path, [channel]):
                file.write(block)
    except UserError:
        shutil.copyfile(path, copy)


def _suffix(name: str) -> str:
    suffix = Path(name).suffix.lower()
    return suffix if _SUFFIX.fullmatch(suffix) else ""


def _url(relative: str) -> str:
    """Return a relative URL; ``./`` keeps a colon from making its start a scheme."""
    quoted = quote(relative.replace(os.sep, "/"), errors="surrogateescape")
    return quoted if quoted.startswith("../") else f"./{quoted}"
