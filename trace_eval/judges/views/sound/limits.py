"""Limits on recordings: one that a model would not hear whole, or not at all, is not sent."""

from __future__ import annotations

import numpy as np

from extractors import SILENCE_DBFS, AudioError, Clip, Samples, decibels

#: Shorter recordings are refused, seconds: audio encoders make no token of 10 ms.
MIN_CLIP_S = 0.1


class ClipRefused(AudioError):
    """A recording that is silent, too short or too long; ``silent`` says which."""

    def __init__(self, message: str, silent: bool = False) -> None:
        super().__init__(message)
        self.silent = silent


def is_silent(samples: Samples) -> bool:
    """True where no sample passes the level under which the extractors find silence."""
    peak = decibels(float(np.abs(samples).max(initial=0.0)))
    return peak is None or peak < SILENCE_DBFS


def check_length(seconds: float, max_seconds: float, name: str = "the clip") -> None:
    """Refuse a recording that is too long to be heard whole, or too short to be heard at all.

    Raises:
        ClipRefused: it is empty, too long or too short.
    """
    if not seconds:
        raise ClipRefused(f"{name}: there are no samples; write the recording again")
    if seconds > max_seconds:
        raise ClipRefused(
            f"{name} has {seconds:.2f} s, the limit is {max_seconds:g} s; it is never cut"
            " (-J max_clip_seconds)"
        )
    if seconds < MIN_CLIP_S:
        raise ClipRefused(f"{name} has {seconds:.3f} s, at least {MIN_CLIP_S:g} s are needed")


def check_clip(clip: Clip, max_seconds: float, name: str = "the clip") -> None:
    """Refuse a recording that a judge would not hear whole, or hear nothing in.

    Args:
        clip: decoded; the mix of its channels is what is sent.
        max_seconds: longest that is heard.
        name: of the recording, for the message.

    Raises:
        ClipRefused: it is empty, too long, too short or silent.
    """
    check_length(clip.seconds, max_seconds, name)
    if is_silent(clip.mono):
        message = f"{name} is silent: no sample is over {SILENCE_DBFS:g} dBFS"
        raise ClipRefused(message, silent=True)
