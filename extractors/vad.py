"""Voice activity: where in a clip somebody speaks.

The detector is Silero VAD 6.2 (:mod:`extractors.silero`). Thresholds and durations are
the defaults that Silero publishes for its own ``get_speech_timestamps``
(https://github.com/snakers4/silero-vad).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from blueprints import Span
from extractors.audio import SPEECH_RATE, Samples
from extractors.silero import Silero

#: Samples per decision at 16 kHz (32 ms); the network is built for exactly this many.
CHUNK = 512

#: Probability at which speech begins, and the lower one under which it may end.
ONSET, OFFSET = 0.5, 0.35

#: Shortest stretch that counts as speech, seconds.
MIN_SPEECH_S = 0.25

#: Shorter gaps do not end a stretch of speech, seconds.
MIN_SILENCE_S = 0.1

#: Added to both ends of a stretch, seconds: the network reacts late to soft beginnings.
PAD_S = 0.03


class SpeechProbability:
    """Probability of speech for each 32 ms of a recording that comes in blocks.

    But for rounding the result does not depend on where blocks are cut. Silences are
    processed like all else: the network remembers them for longer than 30 s, and
    without them later stretches begin and end otherwise.
    """

    def __init__(self) -> None:
        self._network = Silero()
        self._probabilities: list[npt.NDArray[np.float32]] = []
        self._rest = np.zeros(0, np.float32)

    def add(self, block: Samples) -> None:
        """Process the next samples, mono at 16 kHz, in [-1, 1] [shape=(n,)]."""
        samples = np.concatenate((self._rest, block)) if len(self._rest) else block
        whole = len(samples) // CHUNK * CHUNK
        chunks = samples[:whole].reshape(-1, CHUNK)
        self._probabilities.append(self._network.probabilities(chunks))
        self._rest = samples[whole:].copy()  # a view would hold on to the block

    def end(self) -> npt.NDArray[np.float64]:
        """Return all, 0 to 1 [shape=(ceil(n / 512),)]; call it once, at the end."""
        if len(self._rest):
            self.add(np.zeros(CHUNK - len(self._rest), np.float32))
        return np.concatenate([np.zeros(0), *self._probabilities])


def speech_probability(speech: Samples) -> npt.NDArray[np.float64]:
    """Return the probability of speech per 32 ms, float64 [shape=(ceil(n / 512),)].

    ``speech`` is mono at 16 kHz, float32 [shape=(n,)], in [-1, 1]; its last chunk is
    filled up with zeros.
    """
    result = SpeechProbability()
    result.add(speech)
    return result.end()


def find_spans(
    probability: npt.NDArray[np.float64], seconds: float, pad_s: float = PAD_S
) -> list[Span]:
    """Find stretches of speech, in order and apart, from :func:`speech_probability`.

    A stretch begins at ``ONSET`` and ends at the first chunk under ``OFFSET`` that is
    not followed by a new onset for ``MIN_SILENCE_S``, or with the clip of so many
    seconds. Stretches of ``MIN_SPEECH_S`` or less are dropped, the others are padded by
    ``pad_s`` seconds at both ends; two that would overlap share the gap.
    """
    step = CHUNK / SPEECH_RATE
    speech: list[tuple[float, float]] = []
    for first, last in _hysteresis(probability, MIN_SILENCE_S / step):
        start, end = first * step, min(last * step, seconds)
        if end - start > MIN_SPEECH_S:
            speech.append((start, end))
    spans: list[Span] = []
    for index, (start, end) in enumerate(speech):
        before, after = start, seconds - end
        if index > 0:
            _, end_before = speech[index - 1]
            before = (start - end_before) / 2
        if index + 1 < len(speech):
            start_after, _ = speech[index + 1]
            after = (start_after - end) / 2
        start_s = round(start - min(pad_s, before), 4)
        end_s = round(end + min(pad_s, after), 4)
        spans.append(Span(start_s=start_s, end_s=end_s))
    return spans


def _hysteresis(
    probability: npt.NDArray[np.float64], min_silence: float
) -> list[tuple[int, int]]:
    """Find half-open chunk ranges of speech; ``min_silence`` in chunks."""
    ranges = []
    start: int | None = None
    quiet: int | None = None  # first chunk of the silence that may end the stretch
    for index, value in enumerate(probability):
        if value >= ONSET:
            start = index if start is None else start
            quiet = None
        elif start is not None and value < OFFSET:
            quiet = index if quiet is None else quiet
            if index - quiet >= min_silence:
                ranges.append((start, quiet))
                start = quiet = None
    if start is not None:
        ranges.append((start, len(probability) if quiet is None else quiet))
    return ranges


def gaps(spans: list[Span], at_least_s: float) -> list[Span]:
    """Return the gaps of at least ``at_least_s`` between spans, in order."""
    between = (
        Span(start_s=left.end_s, end_s=right.start_s) for left, right in pairwise(spans)
    )
    return [gap for gap in between if gap.seconds >= at_least_s]
