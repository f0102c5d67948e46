"""Convolutions that skip zeros against the plain sum that they stand for."""

from __future__ import annotations

import runpy
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import pytest

from extractors.dnsmos import extractor as dnsmos
from extractors.dnsmos.convolution import Convolution, ConvStack
from extractors.dnsmos.cutting import OnnxSection, cut, layer_weights, layers_of
from extractors.dnsmos.parts import opened, stacks_of
from extractors.dnsmos.sections import Section
from tests.support.processes import python

#: Sums of up to 9 x 64 products of about 1 / 24 in single precision, through three
#: layers.
TOLERANCE = 2e-5

Image = npt.NDArray[np.floating]
Floats = npt.NDArray[np.float32]


def plain(image: Image, weights: Image, bias: Image) -> Image:
    """Convolve by definition, in double precision: zeros beside the image alone."""
    padded = np.pad(image.astype(np.float64), ((0, 0), (0, 0), (1, 1)))
    patches = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    sums = np.einsum("irbyx,oiyx->orb", patches, weights, optimize=True)
    return np.maximum(0, sums + bias[:, np.newaxis, np.newaxis])


def halved(image: Image) -> Image:
    channels, rows, bins = image.shape
    cells = image[:, : rows // 2 * 2, : bins // 2 * 2]
    return cells.reshape(channels, rows // 2, 2, bins // 2, 2).max(axis=(2, 4))


def random_layers(*channels: int) -> list[tuple[Floats, Floats]]:
    rng = np.random.default_rng(1)
    return [
        (
            rng.normal(0, 1 / (3 * inputs**0.5), (outputs, inputs, 3, 3)).astype(
                np.float32
            ),
            rng.normal(0, 0.1, outputs).astype(np.float32),
        )
        for inputs, outputs in pairwise(channels)
    ]


def stack_of(layers: list[tuple[Floats, Floats]], pooled: bool) -> ConvStack:
    return ConvStack([Convolution.of(*layer) for layer in layers], pooled)


def random_image(channels: int, rows: int, bins: int) -> Floats:
    image = (
        np.random.default_rng(2).normal(0, 1, (channels, rows, bins)).astype(np.float32)
    )
    return image if channels == 1 else np.maximum(image, 0)


@pytest.mark.parametrize(
    ("rows", "bins", "channels"),
    [
        (24, 16, (1, 32)),  # one layer of one channel
        (24, 16, (8, 3)),  # few channels
        (24, 16, (16, 40)),  # a block of sums, and a part of one
        (24, 16, (64, 32)),  # one that skips zeros
        (30, 17, (1, 96, 64, 32)),  # odd sizes, and a part of a step
        (9, 3, (1, 32, 32)),  # one step and one row
        (8, 1, (32, 32)),  # no neighbours beside a pixel
        (12, 5, (256, 32)),  # as many channels as are numbered
    ],
)
@pytest.mark.parametrize("pooled", [True, False])
def test_a_stack_is_the_plain_sums(
    rows: int, bins: int, channels: tuple[int, ...], pooled: bool
) -> None:
    image, layers = random_image(channels[0], rows, bins), random_layers(*channels)
    got = stack_of(layers, pooled)(image)
    want: Image = reduce(lambda cells, layer: plain(cells, *layer), layers, image)
    want = halved(want) if pooled else want
    assert got.shape == want.shape
    assert np.abs(got - want).max(initial=0) < TOLERANCE


def test_every_channel_may_be_positive() -> None:
    image = np.ones((256, 8, 4), np.float32)
    [layer] = random_layers(256, 32)
    got = stack_of([layer], pooled=False)(image)
    assert np.abs(got - plain(image, *layer)).max() < TOLERANCE


def test_rows_of_zeros_are_zeros_for_every_layer() -> None:
    image, layers = random_image(1, 26, 7), random_layers(1, 32, 64, 32)
    zeros = np.zeros(26, bool)
    zeros[[0, 1, 12, 13, 24, 25]] = True
    image[:, zeros] = 0
    got = stack_of(layers, pooled=True).among_zeros(image, zeros)
    want: Image = image
    for layer in layers:
        want = plain(np.pad(want, ((0, 0), (1, 1), (0, 0))), *layer)
        want[:, zeros] = 0
    assert got.shape == (32, 13, 3)
    assert np.abs(got - halved(want)).max() < TOLERANCE


def test_what_a_stack_did_before_does_not_matter() -> None:
    stack = stack_of(random_layers(1, 32, 32), pooled=True)
    rng = np.random.default_rng(3)
    first, second = rng.normal(0, 1, (2, 1, 12, 9)).astype(np.float32)
    alone = stack(first)
    stack(100 * second)
    assert np.array_equal(stack(first), alone)


@pytest.mark.parametrize("inputs", [2, 36, 264])
def test_other_numbers_of_channels_are_refused(inputs: int) -> None:
    [layer] = random_layers(inputs, 32)
    with pytest.raises(ValueError, match=f"convolution of {inputs} channels"):
        Convolution.of(*layer)


#: Of each network: which layers the shared part consists of, and bins of its input.
PARTS = [(0, 0, 5, 161), (0, 5, 8, 80), (1, 0, 2, 120), (1, 2, 6, 60)]


def sections_of(model: Any, source: str, target: str) -> list[Section]:
    """Both ways to compute the same layers."""
    compiled = stacks_of(layer_weights(model, source, target))
    return [compiled, OnnxSection(model, source, target, "cpu")]


@pytest.mark.parametrize(("network", "first", "stop", "bins"), PARTS)
def test_edges_are_what_the_networks_compute_there(
    network: int, first: int, stop: int, bins: int
) -> None:
    model = onnx.load(dnsmos.model_files()[network])
    layers = layers_of(model)
    source, target = layers[first].source, layers[stop].source
    channels = 1 if first == 0 else 32
    windows = (
        np.random.default_rng(4)
        .uniform(0, 1, (3, channels, 40, bins))
        .astype(np.float32)
    )
    [want] = opened(cut(model, source, [target]))(windows)
    # Input cells that three at the edge depend on, e.g. (3 + 2) * 2 + 1 for conv, pool,
    # conv, conv.
    size = 6 + stop - first - 1 if bins > 80 else {3: 9, 4: 11}[stop - first]
    for section in sections_of(model, source, target):
        for at_end in (False, True):
            strips = windows[:, :, -size:] if at_end else windows[:, :, :size]
            [got] = section.edge(3, at_end)(strips)
            cells = want[:, :, -3:] if at_end else want[:, :, :3]
            assert got.shape == cells.shape
            # Activations reach 10; their sums over 1152 products differ in the sixth
            # digit.
            assert np.abs(got - cells).max() < 1e-5 * max(1, np.abs(cells).max())


def test_other_layers_are_refused() -> None:
    model = onnx.load(dnsmos.model_files()[0])
    with pytest.raises(
        ValueError, match=r"Transpose ReduceMax .* are not convolutions"
    ):
        layer_weights(model, layers_of(model)[0].source, model.graph.output[0].name)


SCORE = """
import sys
if sys.argv[1] == "no numba":
    sys.modules["numba"] = None
import numpy as np
from extractors.dnsmos import extractor as dnsmos
from extractors.dnsmos.sections import kernels_problem
audio = np.random.default_rng(6).normal(0, 0.1, 11 * 16_000).astype(np.float32)
print(kernels_problem())
print(*dnsmos.score(audio, [0, 1]).ravel())
"""


def scored(how: str, **environment: str) -> tuple[str, list[float]]:
    """Why another process does not use the kernels, and what it scores."""
    problem, scores = python(SCORE, how, **environment).splitlines()
    return problem, [float(score) for score in scores.split()]


def test_without_numba_or_a_place_for_its_cache_onnxruntime_gives_the_same(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    blocked = str(tmp_path / "file" / "numba")
    usual, want = scored("as it is")
    empty = str(tmp_path / "empty")
    no_numba, without = scored("no numba", NUMBA_CACHE_DIR=empty)
    no_cache, uncached = scored("as it is", NUMBA_CACHE_DIR=blocked)
    assert usual == "None"
    assert "numba" in no_numba
    assert f"numba's cache {blocked} cannot be used" in no_cache
    assert without == uncached == pytest.approx(want, abs=2e-6)


def test_machine_code_lies_in_our_cache_folder_and_is_used_without_numba(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    load = """
import sys
import numpy as np
from extractors.dnsmos.machine_code import pool
image = np.arange(256, dtype=np.float32).reshape(8, 4, 8)
to = np.zeros((8, 1, 8), np.float32)
pool(image, to)(1)
print("numba" in sys.modules, *to[3:5].ravel())
"""
    first = python(load, TRACE_EVAL_CACHE=str(tmp_path)).split()
    [code] = (tmp_path / "numba").glob("kernels-*.o")
    again = python(load, TRACE_EVAL_CACHE=str(tmp_path)).split()
    assert (first[0], again[0]) == ("True", "False")
    assert (
        first[1:] == again[1:] == [*["0.0"] * 8, *(f"{48 + c:.1f}" for c in range(8))]
    )
    cut = code.read_bytes()[:-100]  # as a full disk leaves it: never loaded
    code.write_bytes(cut)
    assert python(load, TRACE_EVAL_CACHE=str(tmp_path)).split() == first
    [code] = (tmp_path / "numba").glob("kernels-*.o")
    assert code.stat().st_size > len(cut)


def test_the_kernels_need_nothing_that_the_oldest_numpy_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    kernels = runpy.run_path(str(Path(dnsmos.__file__).with_name("kernels.py")))
    counts = [bits.bit_count() for bits in range(256)]
    assert kernels["_COUNTS"].tolist() == counts
