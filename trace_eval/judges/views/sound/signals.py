"""Signals between recordings: spoken labels, tones, none, or a folder of one's own.

The spoken labels are the package's files ``spoken/NAME.flac`` (24 kHz, mono, at most
0.7 s), made by ``examples/make_signals.py`` with the synthesiser flite; see
``spoken/LICENSE``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np

from blueprints import UserError
from extractors import AudioError, Clip, decode
from trace_eval.judges.views.sound.encode import sound_of
from trace_eval.judges.views.sound.layout import Sound

#: Most examples that a label counts.
MAX_SHOTS = 8

#: What each label says, by name.
WORDS: dict[str, str] = {
    **{f"example_{k}": f"Example {k}" for k in range(1, MAX_SHOTS + 1)},
    "test": "Test",
    "instruction": "Instruction",
    "audio_1": "Audio 1",
    "audio_2": "Audio 2",
    "audio": "Audio",
}

#: Rate of our own signals, Hz.
SIGNAL_RATE = 24_000

SPOKEN = Path(__file__).with_name("spoken")

#: Endings that are looked for in a folder of one's own, in this order.
SUFFIXES = (".wav", ".flac", ".ogg", ".mp3")

_Beep = tuple[float, float]  # Hz, seconds

#: Tones: k short ones for example k, a long one for the test; clips are counted higher
#: up.
TONES: dict[str, tuple[_Beep, ...]] = {
    **{f"example_{k}": ((600.0, 0.05),) * k for k in range(1, MAX_SHOTS + 1)},
    "test": ((600.0, 0.5),),
    "instruction": ((400.0, 0.2),),
    "audio_1": ((900.0, 0.12),),
    "audio_2": ((900.0, 0.12),) * 2,
    "audio": ((900.0, 0.12),),
}

#: Between two beeps of one signal, seconds; their peak, and their rise and fall,
#: seconds.
_REST_S, _PEAK, _RAMP_S = 0.06, 0.25, 0.005


def load_signals(spec: str) -> Mapping[str, Sound]:
    """Load signals by name: ``spoken``, ``tones``, ``none`` (empty), or a folder.

    Raises:
        UserError: the folder, or one of its files, is missing or cannot be decoded.
    """
    if spec == "none":
        return {}
    if spec == "tones":
        return _sounds(_tone_clip)
    return _from_folder(SPOKEN if spec == "spoken" else Path(spec))


def signals_sha256(signals: Mapping[str, Sound]) -> str | None:
    """Return the identity of a set of signals; None: there are none."""
    if not signals:
        return None
    lines = [f"{name} {sound.sha256}" for name, sound in sorted(signals.items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def tone(beeps: tuple[_Beep, ...]) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Make sine beeps with short rests between them, float32 at :data:`SIGNAL_RATE`."""
    parts: list[np.ndarray[tuple[int], np.dtype[np.float64]]] = []
    rest = np.zeros(round(_REST_S * SIGNAL_RATE))
    for hertz, seconds in beeps:
        time = np.arange(round(seconds * SIGNAL_RATE)) / SIGNAL_RATE
        to_an_end = np.minimum(time, time[::-1])
        ramp = np.minimum(1.0, to_an_end / _RAMP_S)
        if parts:
            parts.append(rest)
        parts.append(_PEAK * ramp * np.sin(2 * np.pi * hertz * time))
    return np.concatenate(parts).astype(np.float32)


def _tone_clip(name: str) -> Clip:
    return Clip(tone(TONES[name])[:, None], SIGNAL_RATE, f"tone {name}")


def _sounds(clip_of: Callable[[str], Clip]) -> dict[str, Sound]:
    return {name: sound_of(clip_of(name), signal=name) for name in WORDS}


@lru_cache(maxsize=4)
def _from_folder(folder: Path) -> dict[str, Sound]:
    if not folder.is_dir():
        raise UserError(
            f"signals {str(folder)!r}: no such folder; use spoken, tones, none, or a"
            f" folder with {', '.join(WORDS)} as {' or '.join(SUFFIXES)}"
        )
    files = {name: _file(folder, name) for name in WORDS}
    try:
        return _sounds(lambda name: decode(files[name]))
    except AudioError as error:
        raise UserError(f"signals {folder}: {error}") from error


def _file(folder: Path, name: str) -> Path:
    """Find the file of a signal in a folder.

    Raises:
        UserError: there is none.
    """
    for suffix in SUFFIXES:
        path = folder / f"{name}{suffix}"
        if path.is_file():
            return path
    raise UserError(
        f"signals {folder}: {name}.wav is missing (it says {WORDS[name]!r}); add it,"
        f" or use another of {' or '.join(SUFFIXES)}"
    )
