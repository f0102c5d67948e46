"""Clips by opaque ids, decoded and served from memory.

A page never names a file: a clip's id is a keyed hash of its item and role. What is
served is the decoded sound as 16-bit WAV, so that neither a file name nor its tags give
a system away, and every format plays in a browser.
"""

from __future__ import annotations

import hmac
import io
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import soundfile
from numpy.typing import NDArray

from blueprints import UserError
from extractors import SPEECH_RATE, Clip, Samples
from extractors.loudness import integrated_lufs
from trace_eval.conversations.sound.peaks import outline
from trace_eval.data.answers import Cut, Recording
from trace_eval.data.conversation import ROLES, Channel, Conversation, Role
from trace_eval.data.items import Pair
from trace_eval.extracting.source import source_of
from trace_eval.review.loudness import ItemLoudness, Level, gains, low_passed, spread
from trace_eval.review.together import LowPassed, Page, PlayedSource, Reviewed

#: Decoded recordings that are kept, bytes: about a quarter of an hour at 24 kHz, mono.
CACHE_BYTES = 48_000_000

#: Columns of a drawn waveform.
COLUMNS = 300


class Clips:
    """The recordings of a review.

    Attributes:
        lanes: id of a whole call -> what it can be heard as: all, the user alone, the
            agent alone.
    """

    def __init__(
        self, items: Iterable[Reviewed], secret: bytes, matched: bool = False
    ) -> None:
        self._secret = secret
        self.matched = matched
        self._sources: dict[str, PlayedSource | tuple[Conversation, Role | None]] = {}
        # clip -> all that are compared with each other, itself among them
        self._rated: dict[str, tuple[str, ...]] = {}
        self._levels: dict[str, Level] = {}
        self.lanes: dict[str, tuple[str, ...]] = {}
        for item in items:
            for role, recording in item.recordings().items():
                self._sources[self.clip_id(item.id, role)] = recording
            rated = tuple(self.clip_id(item.id, role) for role in rated_roles(item))
            for clip in rated:
                self._rated[clip] = rated
            for side, answer in item.sides.items():
                if answer.conversation is not None and answer.conversation.channels:
                    self._add_call(item.id, side, answer.conversation)
        self._cache: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def _add_call(self, item: str, side: str, conversation: Conversation) -> None:
        """Add the whole call, and each of its voices alone."""
        whole = self.clip_id(item, side)
        self._sources[whole] = conversation, None
        lanes = [whole]
        for role in ROLES:
            alone = self.clip_id(item, f"{side}/{role}")
            self._sources[alone] = conversation, role
            lanes.append(alone)
        self.lanes[whole] = tuple(lanes)

    def clip_id(self, item: str, role: str) -> str:
        """Return the id of a recording, see :func:`keyed`; it tells nothing."""
        return keyed(self._secret, "clip", item, role)

    def __contains__(self, clip: str) -> bool:
        return clip in self._sources

    def wav(self, clip: str) -> bytes:
        """Return the recording as a 16-bit WAV file.

        Raises KeyError for an id of no recording, UserError for one that cannot be
        decoded now.
        """
        with self._lock:
            if clip in self._cache:
                self._cache.move_to_end(clip)
                return self._cache[clip]
        samples, rate = self._decoded(clip)
        if self.matched and clip in self._rated:
            levels = self.levels(self._rated[clip])
            samples = samples * np.float32(gains(levels)[clip])
        data = wav_file(samples, rate)
        with self._lock:
            self._cache[clip] = data
            cached_bytes = sum(map(len, self._cache.values()))
            while cached_bytes > CACHE_BYTES and len(self._cache) > 1:
                _, oldest = self._cache.popitem(last=False)
                cached_bytes -= len(oldest)
        return data

    def levels(self, clips: Iterable[str]) -> dict[str, Level]:
        """Return the loudness of recordings as they came; one not decoded has none.

        Each is decoded once.
        """
        unknown = Level(lufs=None, peak=0.0)
        levels = {}
        for clip in clips:
            if clip not in self._levels:
                try:
                    self._decoded(clip)
                except UserError:
                    self._levels[clip] = unknown
            levels[clip] = self._levels.get(clip, unknown)  # a call's is not measured
        return levels

    def loudness(self, item: Reviewed) -> ItemLoudness:
        """Return how loud the answers of an item are as they came."""
        roles = {self.clip_id(item.id, role): role for role in rated_roles(item)}
        levels = self.levels(clip for clip in roles if clip in self._sources)
        lufs = {roles[clip]: level.lufs for clip, level in levels.items()}
        return ItemLoudness(item.id, lufs, spread(levels.values()))

    def measured(self, items: Sequence[Reviewed]) -> list[ItemLoudness]:
        """Return the loudness of the items whose answers were all decoded already."""
        measured = []
        for item in items:
            clips = [self.clip_id(item.id, role) for role in rated_roles(item)]
            if clips and all(clip in self._levels for clip in clips):
                measured.append(self.loudness(item))
        return measured

    def _decoded(self, clip: str) -> tuple[Samples, int]:
        """Decode a recording; also notes how loud it is."""
        source = self._sources[clip]
        if isinstance(source, tuple):
            conversation, role = source
            return lanes(conversation, role)
        if isinstance(source, LowPassed):
            sound = source_of(source.recording).decode()
            samples = low_passed(sound.samples, sound.rate, source.hz)
            sound = replace(sound, samples=samples)
        else:
            sound = source_of(source).decode()
        if clip in self._rated and clip not in self._levels:
            peak = float(np.abs(sound.samples).max(initial=0.0))
            self._levels[clip] = Level(integrated_lufs(sound), peak)
        return sound.samples, sound.rate


def rated_roles(item: Reviewed) -> tuple[str, ...]:
    """Return the roles of an item's recordings that are compared with each other."""
    if isinstance(item, Page):
        return tuple(role for role in item.recordings() if role != "instruction")
    if isinstance(item, Pair) and item.recordings().keys() >= {"a", "b"}:
        return ("a", "b")
    return ()


def wav_file(samples: Samples, rate: int) -> bytes:
    """Write a 16-bit WAV file; what is louder than it can hold is clipped."""
    file = io.BytesIO()
    clipped = np.clip(samples, -1.0, 1.0)
    soundfile.write(file, clipped, rate, format="WAV", subtype="PCM_16")
    return file.getvalue()


def wave(wav: bytes) -> bytes:
    """Draw the outline of a recording as a picture (SVG) that any theme can show."""
    samples, _ = soundfile.read(io.BytesIO(wav), dtype="float32", always_2d=True)
    peaks = outline(np.abs(samples).max(axis=1, initial=0.0), COLUMNS)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS} 2"'
        f' preserveAspectRatio="none"><path d="{upright(peaks)}"'
        ' stroke="#7f7f88" stroke-width=".8"/></svg>'
    ).encode()


def upright(peaks: NDArray[np.floating[Any]]) -> str:
    """Draw upright lines, one per column, around the middle of a box that is 2 high."""
    lines: list[str] = []
    for column, peak in enumerate(peaks.tolist()):
        if peak > 0.004:
            lines.append(f"M{column} {1 - peak:.2f}V{1 + peak:.2f}")
    return "".join(lines)


def lanes(conversation: Conversation, only: Role | None = None) -> tuple[Samples, int]:
    """Decode a call, from its first turn to its end, with the user on the left.

    Returns the samples and their rate.

    All are heard, or ``only`` the channel of one role. Channels of different rates are
    heard at 16 kHz. Raises AudioError where one is not decoded.
    """
    start_s = sound_start(conversation)
    user = conversation.channel_of("user")
    channels = sorted(conversation.channels, key=lambda one: one != user)
    clips = [_part_of(channel, start_s, conversation.end_s) for channel in channels]
    rate, voices = _at_one_rate(clips)
    starts: list[int] = []
    ends: list[int] = []
    for channel, samples in zip(channels, voices, strict=True):
        late_s = max(0.0, -channel.file_time(start_s))  # it was recorded from later on
        start = round(late_s * rate)
        starts.append(start)
        ends.append(start + len(samples))
    role_of = {speaker.channel: speaker.role for speaker in conversation.speakers}
    sound = np.zeros((max(ends), len(voices)), np.float32)
    for index, channel in enumerate(channels):
        if only is None or role_of.get(channel.name) == only:
            sound[starts[index] : ends[index], index] = voices[index]
    return sound, rate


def _part_of(channel: Channel, start_s: float, end_s: float) -> Clip:
    """Decode what a channel holds between two times of the conversation."""
    first = max(0.0, channel.file_time(start_s))
    last = max(0.0, channel.file_time(end_s))
    cut = Cut(channel=channel.channel, start_s=first, end_s=last)
    return source_of(Recording(audio=channel.audio, cut=cut)).decode()


def _at_one_rate(clips: Sequence[Clip]) -> tuple[int, list[Samples]]:
    """Return the rate that clips share, else 16 kHz, and their samples at that rate."""
    if len({clip.rate for clip in clips}) == 1:
        return clips[0].rate, [clip.samples[:, 0] for clip in clips]
    return SPEECH_RATE, [clip.speech for clip in clips]


def sound_start(conversation: Conversation) -> float:
    """Return when a call's first turn starts, in seconds of the conversation."""
    starts = [turn.start_s for turn in conversation.turns if turn.start_s is not None]
    return min(starts, default=0.0)


def keyed(secret: bytes, *parts: str) -> str:
    """Hash some texts with a key into 32 hexadecimal digits."""
    return hmac.new(secret, "\0".join(parts).encode(), "sha256").hexdigest()[:32]


def byte_range(header: str | None, size: int) -> tuple[int, int] | None:
    """Parse the first and last byte of a ``Range`` header (RFC 9110, section 14).

    None where the whole is to be sent: no header, another unit, several ranges,
    nonsense. A range behind the end (status 416) raises a ValueError.
    """
    unit, _, spec = (header or "").partition("=")
    first, dash, last = spec.strip().partition("-")
    if unit.strip().lower() != "bytes" or not dash:
        return None
    if not _is_number(first + last):
        return None
    start, end = 0, size - 1
    if not first:
        start = size - min(size, int(last))
    elif not last:
        start = int(first)
    else:
        start, end = int(first), min(int(last), end)
        if int(last) < start:
            return None
    if start >= size:  # of the last 0 bytes, too
        raise ValueError(f"byte {start} of {size}")
    return start, end


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()
