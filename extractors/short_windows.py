"""Whisper through windows as long as their speech, and signs that one was too short.

Whisper's encoder takes 30 s at a time, and what is shorter is padded: a prompt of 8 s
costs as much as one of 30. Here the padding is cut to a margin behind the speech, which
the model needs to find the end.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from blueprints import Span
from extractors.audio import Samples
from extractors.stretches import WINDOW_S
from extractors.suspect import longest_repetition, tokens

#: A window is at least this long, and reaches so far beyond its speech, seconds.
MIN_WINDOW_S, MARGIN_S = 10.0, 5.0

#: The library states the start of a window in frames, and encodes two in a position.
FRAMES_PER_S, POSITIONS_PER_S = 100, 50

#: Tokens in a second of speech at most, in a short window: an echo costs what it
#: writes. In 2,000 s of answers, shouted and whispered ones too, they were up to 6; an
#: echo writes until it is stopped, which the library does at 224.
TOKENS_PER_S = 12

#: The same as parameters of a transcript.
SHORT_WINDOWS: dict[str, JsonValue] = {
    "min_s": MIN_WINDOW_S,
    "margin_s": MARGIN_S,
    "padding": "silence",
    "tokens_per_s": TOKENS_PER_S,
}

#: So many words that are repeated at once may be an echo of the model's.
ECHO_WORDS = 3

#: Words end this long before the speech does, or later than it, only where something
#: went wrong, seconds.
EARLY_S, LATE_S = 1.5, 0.5

#: Mean log probability under which a window is not believed: half of the words are
#: unsure.
UNSURE = -0.7


def shortened(model: Any, min_s: float = MIN_WINDOW_S) -> Any:
    """Return the same loaded ``WhisperModel`` with windows that are :func:`cut`."""
    short = copy.copy(model)
    short.encode = lambda features: model.encode(
        cut(features, model.frames_per_second, min_s)
    )
    short.model = _Bounded(model.model)
    return short


class _Bounded:
    """CTranslate2's model, which ends a text once it has more than speech can hold."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def generate(
        self, encoded: Any, prompts: list[list[int]], **options: Any
    ) -> list[Any]:
        window_s = encoded.shape[1] / POSITIONS_PER_S
        # The library takes this for a prompt and a text of equal lengths.
        length = min(options["max_length"], 2 * most_tokens(window_s - MARGIN_S))
        bounded = {**options, "max_length": length}
        return list(self._model.generate(encoded, prompts, **bounded))


def most_tokens(speech_s: float) -> int:
    """Return how many tokens so many seconds of speech may have in a short window."""
    return int(TOKENS_PER_S * max(MIN_WINDOW_S - MARGIN_S, speech_s))


def encoded(
    whisper: Any, sound: Samples, min_s: float, margin_s: float = MARGIN_S
) -> Any:
    """Encode a sound by itself in a window that is :func:`cut`, at most 30 s."""
    length = whisper.feature_extractor.nb_max_frames
    features = whisper.feature_extractor(sound)[:, :length]
    window = np.pad(features, ((0, 0), (0, length - features.shape[-1])))
    return whisper.encode(cut(window, whisper.frames_per_second, min_s, margin_s))


def as_array(window: Any) -> npt.NDArray[np.floating[Any]]:
    """Return an encoded window [shape=(1, positions, width)], wherever it lies."""
    if window.device != "cpu":  # numpy reads nothing on a GPU
        from ctranslate2 import Device

        window = window.to_device(Device.cpu)
    return np.asarray(window)


def cut(
    features: npt.NDArray[np.float32],
    frames_per_s: int,
    min_s: float = MIN_WINDOW_S,
    margin_s: float = MARGIN_S,
) -> npt.NDArray[np.float32]:
    """Cut most of a window's padding, to whole seconds; what is left is silent.

    ``features`` are log-mel energies [shape=(bands, frames)], exactly 0 in all bands of
    the library's padding. To the model that is a loud hiss; OpenAI's own code pads with
    silence, the lowest energy that a clip can have. In a whole window it makes no
    difference, in a short one words get lost beside it.
    """
    sounding = np.flatnonzero(features.any(axis=0))
    end = int(sounding[-1]) + 1 if len(sounding) else 0
    needed_s = np.ceil(end / frames_per_s + margin_s)
    window_s = int(max(min_s, needed_s))
    short = np.ascontiguousarray(features[:, : window_s * frames_per_s])
    if end:
        short[:, end:] = features[:, :end].min()
    return short


def by_part(
    segments: Iterable[Mapping[str, Any]], parts: Sequence[Span]
) -> list[list[Mapping[str, Any]]]:
    """Sort segments to the stretches that were decoded, by where they begin."""
    segments_by_part: list[list[Mapping[str, Any]]] = [[] for _ in parts]
    for segment in segments:
        start = float(segment["start"])
        number = sum(part.start_s <= start for part in parts[1:])
        segments_by_part[number].append(segment)
    return segments_by_part


def last_whole(segments: Sequence[Mapping[str, Any]], part: Span) -> int | None:
    """Find the frame at which the last whole window with words began, or None.

    Up to its end nothing was short: decoded again, the same would be written.
    """
    last: int | None = None
    for segment in segments:
        seek = int(segment["seek"])
        is_whole = seek / FRAMES_PER_S + WINDOW_S <= part.end_s
        if is_whole and (last is None or seek > last):
            last = seek
    return last


def broken(segments: Sequence[Mapping[str, Any]], part: Span) -> str | None:
    """Say why a short window may have spoiled a text; None: no sign of that.

    Of the stretch that was decoded the last windows alone may have been short.
    """
    words: list[Any] = []
    for segment in segments:
        words.extend(segment.get("words") or ())
    if not words:
        return "no words"
    if _repeats_itself(segments, last_whole(segments, part) or 0):
        return "it repeats itself"
    if _was_stopped(segments, part):
        return "it has more words than speech can hold"
    for segment in segments:
        in_last_window = float(segment["start"]) >= part.end_s - WINDOW_S
        if in_last_window and float(segment["avg_logprob"]) < UNSURE:
            return "it is unsure of its words"
    end_s = float(words[-1]["end"])
    if end_s < part.end_s - EARLY_S:
        return "it ends before the speech"
    if end_s > part.end_s + LATE_S:
        return "it ends after the speech"
    return None


def _was_stopped(segments: Sequence[Mapping[str, Any]], part: Span) -> bool:
    """Tell whether a short window holds as many tokens as it may."""
    counts: Counter[int] = Counter()
    for segment in segments:
        counts[int(segment["seek"])] += len(segment["tokens"])
    for seek, count in counts.items():
        left_s = part.end_s - seek / FRAMES_PER_S
        if left_s < WINDOW_S and count >= most_tokens(left_s):
            return True
    return False


def _repeats_itself(segments: Sequence[Mapping[str, Any]], first: int) -> bool:
    """Tell whether the windows from a frame on repeat words as an echo does."""
    texts: list[str] = []
    for segment in segments:
        if int(segment["seek"]) >= first:
            texts.append(str(segment["text"]))
    loop = longest_repetition(tokens(" ".join(texts)))
    if not loop:
        return False
    return len(loop.phrase) >= ECHO_WORDS or loop.times >= ECHO_WORDS
