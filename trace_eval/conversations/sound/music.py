"""Hold music that a detector takes for speech, told by FireRedVAD's event detector.

Only long stretches are listened to again, and those beside a sound that is no speech:
music plays on where people pause, the detector takes it for speech here and there, and
a call without any is decoded once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from extractors import SPEECH_RATE, channel_blocks
from extractors.packaged import FIREREDVAD, problem
from trace_eval.conversations.sound.lanes import Lane
from trace_eval.conversations.sound.other_sound import other_sounds
from trace_eval.conversations.spans import Spans, joined, overlaps, runs

#: Stretches of so many seconds without a pause of a second are listened to again.
_LONG_S, _PAUSE_S = 15.0, 1.0

#: Least probability of music, and most of speech; gaps in it, and the least that
#: counts, seconds.
_MUSIC, _SPEECH, _GAP_S, _LEAST_S = 0.5, 0.5, 0.5, 2.0

#: Frames of the event detector a second.
_FRAMES = 100


def music_of(lane: Lane, speech: Spans, others: Sequence[Spans] = ()) -> Spans:
    """Find where speech is music, in seconds; empty without the network.

    Args:
        lane: the channel.
        speech: that of one voice on it, sorted and apart.
        others: that of other voices, on this channel or another.
    """
    doubtful = _doubtful(lane, speech, others)
    if not doubtful or problem(FIREREDVAD):
        return []
    from extractors.networks import fireredvad

    spans: Spans = []
    for start, samples in _parts(lane, doubtful):
        events = fireredvad.events(samples)
        is_music = (events[:, 2] >= _MUSIC) & (events[:, 0] < _SPEECH)
        stretches = [(a / _FRAMES, b / _FRAMES) for a, b in runs(is_music)]
        for first_s, last_s in joined(stretches, _GAP_S):
            if last_s - first_s >= _LEAST_S:
                spans.append((start + first_s, start + last_s))
    return spans


def _doubtful(lane: Lane, speech: Spans, others: Sequence[Spans]) -> Spans:
    """Return stretches of speech that may be music.

    They are the long ones and those beside other sounds.
    """
    sounds = other_sounds(lane, [speech, *others])
    doubtful: Spans = []
    for start, end in joined(speech + sounds, _PAUSE_S):
        is_long = end - start >= _LONG_S
        if not overlaps(speech, [(start, end)]):
            continue
        if is_long or overlaps(sounds, [(start, end)]):
            doubtful.append((start, end))
    return doubtful


def _parts(lane: Lane, spans: Spans) -> Iterator[tuple[float, NDArray[np.float32]]]:
    """Yield starts and samples of stretches, decoded front to back.

    One is in memory at a time.
    """
    channel = lane.channel
    waiting = []
    for span in spans:
        start, end = span
        first = round(channel.file_time(start) * SPEECH_RATE)
        last = round(channel.file_time(end) * SPEECH_RATE)
        waiting.append((span, first, last))
    kept: list[NDArray[np.float32]] = []
    position = 0
    for (block,) in channel_blocks(channel.audio, [channel.channel]):
        while waiting and waiting[0][1] < position + len(block):
            span, first, last = waiting[0]
            kept.append(block[max(0, first - position) : last - position].copy())
            if last > position + len(block):
                break  # the rest is in the next block
            yield span[0], np.concatenate(kept)
            kept.clear()
            waiting.pop(0)
        position += len(block)
    if kept:
        yield waiting[0][0][0], np.concatenate(kept)
