"""Scoring many overlapping windows with a network that was cut for it.

Shared cells are computed once per hop (second) and kept only while the windows at hand
need them, so memory does not grow with the clip. At a window's edges the network pads
with zeros, so those cells are computed again from a strip at either edge, as a batch
over windows, and laid over the shared ones. All others are the same sums of the same
numbers: the scores equal one run of the whole network per window but for the order of
single-precision sums (of the shared recordings no score differs by more than 2e-6).

A window or hop is named by its number: window ``k`` is hops ``k`` to ``k + 8``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from extractors.audio import SPEECH_RATE, Samples

Float32s = npt.NDArray[np.float32]

#: Runs one piece of a network: its input -> its outputs.
Piece = Callable[[Float32s], list[Float32s]]

#: Samples from one frame to the next, of both networks, at 16 kHz.
FRAME_SAMPLES = 160

#: Windows start this far apart, samples and frames.
HOP_SAMPLES = SPEECH_RATE
HOP_FRAMES = HOP_SAMPLES // FRAME_SAMPLES

#: Hops in a window.
WINDOW_HOPS = 9

#: Windows per run of edges and tails, at most: more take 5 MB each and are no faster.
WINDOWS_PER_RUN = 8

#: Rows of an image that a layer takes in, and hands on, at once.
ROWS = 8

#: Input channels come in multiples of this: so many are tested at once for being zero.
GROUP = 8

#: Cells of one hop: the front's input and each of its outputs, [shape=(channels, cells,
#: bins)].
Hop = tuple[Float32s, ...]

T = TypeVar("T")


@dataclass(frozen=True)
class SharedStage:
    """Consecutive layers, run again on a strip at each edge of each window."""

    #: Strip at the start of windows [shape=(n, channels, strip, bins)] -> its cells
    #: [shape=(n, channels', changed, bins')].
    before: Piece
    after: Piece  # the same for the end of windows
    strip: int  # input cells from the edge inwards that those cells depend on
    changed: int  # output cells from the edge inwards that differ from the shared ones


@dataclass(frozen=True)
class SplitNetwork:
    """The pieces of one network."""

    #: Features [shape=(1, 1, frames, bins)], and after how many frames those of the
    #: hops repeat themselves (0: never) -> cells after each stage.
    front: Callable[[Float32s, int], list[Float32s]]
    #: Cells at each end of the front's input and outputs that are context only.
    margins: tuple[int, ...]
    strides: tuple[int, ...]  # frames per cell of the front's input and outputs
    stages: tuple[SharedStage, ...]  # what the edges go through
    # cells of windows [shape=(n, channels, cells, bins)] -> raw scores [shape=(n, m)]
    tail: Piece


class HopStore(Generic[T]):
    """Results per hop, computed once, and forgotten when no window needs them."""

    def __init__(self) -> None:
        self._results: dict[int, T] = {}

    def of(
        self, windows: Iterable[int], compute: Callable[[int, int], Sequence[T]]
    ) -> Mapping[int, T]:
        """Return the results of all hops in ``windows``; ask in ascending order.

        Args:
            windows: numbers of windows.
            compute: hops ``first`` to ``stop - 1`` -> one result each. It is not kept:
                a method of the store's owner would close a circle, and 20 MB of results
                would wait for the garbage collector (600 MB more after 1,000 clips).
        """
        needed = sorted(set(chain.from_iterable(map(hops_of, windows))))
        missing = [hop for hop in needed if hop not in self._results]
        self._results = {
            hop: self._results[hop] for hop in needed if hop in self._results
        }
        cuts = np.flatnonzero(np.diff(missing) > 1) + 1
        for run in np.split(missing, cuts) if missing else ():
            first, stop = int(run[0]), int(run[-1]) + 1
            results = compute(first, stop)
            self._results.update(zip(range(first, stop), results, strict=True))
        return self._results


def hops_of(window: int) -> range:
    """Return the numbers of a window's hops."""
    return range(window, window + WINDOW_HOPS)


def stretch(audio: Samples, first: int, stop: int) -> Samples:
    """Return samples ``first`` to ``stop - 1``; zeros before the audio and after it."""
    inside = audio[max(0, first) : max(0, stop)]
    before = min(max(0, -first), stop - first)
    samples = np.zeros(stop - first, audio.dtype)
    samples[before : before + len(inside)] = inside
    return samples


def front(network: SplitNetwork, features: Float32s, period: int = 0) -> list[Hop]:
    """Compute the shared cells of consecutive hops.

    Args:
        features: [shape=(margin + hops * 100 + margin, bins)] with
            ``network.margins[0]`` frames of context at both ends.
        period: frames after which the audio repeats itself; 0: never.
    """
    image = features[np.newaxis, np.newaxis]
    levels = _without_margins(network, image, period)
    count = levels[0].shape[1] // HOP_FRAMES
    by_level = [np.split(level, count, axis=1) for level in levels]
    return list(zip(*by_level, strict=True))


def _without_margins(
    network: SplitNetwork, image: Float32s, period: int
) -> list[Float32s]:
    """Compute the front's levels, its input first, without cells of context only."""
    levels: list[Float32s] = []
    images = [image, *network.front(image, period)]
    for level, margin in zip(images, network.margins, strict=True):
        levels.append(level[0, :, margin : level.shape[2] - margin])
    return levels


def raw_scores(
    network: SplitNetwork,
    hops: Mapping[int, Hop],
    windows: Sequence[int],
    first_frames: Float32s,
    last_frames: Float32s,
) -> Float32s:
    """Run the whole network on each window [shape=(n, outputs)].

    Args:
        hops: shared cells of all hops of the windows.
        windows: n window numbers.
        first_frames, last_frames: features that are the windows' own, at their start
            and end [shape=(n, frames, bins)]; there may be 0 frames.
    """
    results = []
    for first in range(0, len(windows), WINDOWS_PER_RUN):
        run = slice(first, first + WINDOWS_PER_RUN)
        some = windows[run]
        last_hops = [hops_of(window)[-1] for window in some]
        before = first_frames[run, np.newaxis]
        after = last_frames[run, np.newaxis]
        for level, stage in enumerate(network.stages):
            strips = np.stack([hops[hop][level][:, : stage.strip] for hop in some])
            strips[:, :, : before.shape[2]] = before
            [before] = stage.before(strips)
            strips = np.stack(
                [hops[hop][level][:, -stage.strip :] for hop in last_hops]
            )
            strips[:, :, stage.strip - after.shape[2] :] = after
            [after] = stage.after(strips)
        # The shared cells, and over them those that differ at the edges.
        cells = np.stack([_shared_cells(hops, window) for window in some])
        cells[:, :, : before.shape[2]] = before
        cells[:, :, -after.shape[2] :] = after
        results += network.tail(cells)
    return np.concatenate(results)


def _shared_cells(hops: Mapping[int, Hop], window: int) -> Float32s:
    """Return the cells of the last level of a window, hop behind hop."""
    cells = [hops[hop][-1] for hop in hops_of(window)]
    return np.concatenate(cells, axis=1)


def first_scores(
    network: SplitNetwork, features: Float32s, counts: Sequence[int]
) -> Float32s:
    """Run the whole network on the first frames of a recording [shape=(n, outputs)].

    What is measured of a short stretch is not repeated until it fills a window: the
    networks take the largest value of each feature, so a repetition adds its seams and
    nothing else.

    Args:
        features: of the recording [shape=(frames, bins)], with nothing before and after
            it.
        counts: n numbers of frames, each a multiple of the last stride, and at least a
            hop.
    """
    stride, margin = network.strides[-1], network.margins[0]
    most = max(counts)
    has_odd_count = any(count % stride for count in counts)
    if has_odd_count or min(counts) < HOP_FRAMES:
        raise ValueError(
            f"counts {list(counts)}: give multiples of {stride} from {HOP_FRAMES} on"
        )
    padded = np.pad(features[:most], ((margin, margin), (0, 0)))
    image = padded[np.newaxis, np.newaxis]
    levels = _without_margins(network, image, period=0)
    nothing = levels[0][np.newaxis, :, :0]
    before, after = nothing, np.repeat(nothing, len(counts), axis=0)
    for level, stage, step in zip(
        levels, network.stages, network.strides, strict=False
    ):
        strip = level[np.newaxis, :, : stage.strip].copy()
        strip[:, :, : before.shape[2]] = before
        [before] = stage.before(strip)
        ends = (count // step for count in counts)
        strips = np.stack([level[:, end - stage.strip : end] for end in ends])
        strips[:, :, stage.strip - after.shape[2] :] = after
        [after] = stage.after(strips)
    results = []
    cells_of_all = np.ascontiguousarray(levels[-1][np.newaxis])
    for count, edge in zip(counts, after, strict=True):
        cells = cells_of_all[:, :, : count // stride].copy()
        cells[:, :, : before.shape[2]] = before
        cells[0, :, -edge.shape[1] :] = edge
        results += network.tail(cells)
    return np.concatenate(results)
