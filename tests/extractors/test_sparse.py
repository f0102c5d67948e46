"""Convolutions that skip zeros against the plain sum that they stand for."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import reduce
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from extractors.dnsmos import extractor as dnsmos
from extractors.dnsmos.convolution import Chain, Convolution
from extractors.dnsmos.graph import edge, layers_of, loom, piece, read, split
from extractors.dnsmos.kernels import compiled

#: Sums of up to 9 x 64 products of about 1 / 24 in single precision, through three layers.
TOLERANCE = 2e-5

Image = npt.NDArray[np.floating]
Floats = npt.NDArray[np.float32]


def plain(image: Image, weights: Image, bias: Image) -> Image:
    """The definition, in double precision: zeros beside the image, nothing above or below."""
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
            rng.normal(0, 1 / (3 * inputs**0.5), (outputs, inputs, 3, 3)).astype(np.float32),
            rng.normal(0, 0.1, outputs).astype(np.float32),
        )
        for inputs, outputs in pairwise(channels)
    ]


def chain_of(layers: list[tuple[Floats, Floats]], pooled: bool) -> Chain:
    return Chain([Convolution.of(*layer) for layer in layers], pooled)


def random_image(channels: int, rows: int, bins: int) -> Floats:
    image = np.random.default_rng(2).normal(0, 1, (channels, rows, bins)).astype(np.float32)
    return image if channels == 1 else np.maximum(image, 0)


@pytest.mark.parametrize(
    ("rows", "bins", "channels"),
    [
        (24, 16, (1, 32)),  # one layer of one channel
        (24, 16, (64, 32)),  # one that skips zeros
        (30, 17, (1, 96, 64, 32)),  # odd sizes, and a part of a step
        (9, 3, (1, 32, 32)),  # one step and one row
        (8, 1, (32, 32)),  # no neighbours beside a pixel
        (12, 5, (256, 32)),  # as many channels as are numbered
    ],
)
@pytest.mark.parametrize("pooled", [True, False])
def test_a_chain_is_the_plain_sums(
    rows: int, bins: int, channels: tuple[int, ...], pooled: bool
) -> None:
    image, layers = random_image(channels[0], rows, bins), random_layers(*channels)
    got = chain_of(layers, pooled)(image)
    want: Image = reduce(lambda cells, layer: plain(cells, *layer), layers, image)
    want = halved(want) if pooled else want
    assert got.shape == want.shape
    assert np.abs(got - want).max(initial=0) < TOLERANCE


@pytest.mark.parametrize("fill", [0.0, 1.0])
def test_nothing_and_everything_to_skip(fill: float) -> None:
    image, layers = np.full((64, 20, 9), fill, np.float32), random_layers(64, 32)
    assert np.abs(chain_of(layers, False)(image) - plain(image, *layers[0])).max() < TOLERANCE


def test_rows_of_zeros_are_zeros_for_every_layer() -> None:
    image, layers = random_image(1, 26, 7), random_layers(1, 32, 64, 32)
    zeros = np.zeros(26, bool)
    zeros[[0, 1, 12, 13, 24, 25]] = True
    image[:, zeros] = 0
    got = chain_of(layers, pooled=True).among_zeros(image, zeros)
    want: Image = image
    for layer in layers:
        want = plain(np.pad(want, ((0, 0), (1, 1), (0, 0))), *layer)
        want[:, zeros] = 0
    assert got.shape == (32, 13, 3)
    assert np.abs(got - halved(want)).max() < TOLERANCE


def test_what_a_chain_did_before_does_not_matter() -> None:
    chain = chain_of(random_layers(1, 32, 32), pooled=True)
    rng = np.random.default_rng(3)
    first, second = rng.normal(0, 1, (2, 1, 12, 9)).astype(np.float32)
    alone = chain(first)
    chain(100 * second)
    assert np.array_equal(chain(first), alone)


@pytest.mark.parametrize(("inputs", "outputs"), [(1, 31), (2, 32), (32, 1), (288, 32)])
def test_other_numbers_of_channels_are_refused(inputs: int, outputs: int) -> None:
    [layer] = random_layers(inputs, outputs)
    with pytest.raises(ValueError, match=f"convolution of {inputs} to {outputs} channels"):
        Convolution.of(*layer)


#: Of each network: which layers the shared part consists of, and bins of its input.
PARTS = [(0, 0, 5, 161), (0, 5, 8, 80), (1, 0, 2, 120), (1, 2, 6, 60)]


@pytest.mark.parametrize(("network", "first", "stop", "bins"), PARTS)
def test_edges_are_what_the_networks_compute_there(
    network: int, first: int, stop: int, bins: int
) -> None:
    model = read(dnsmos.model_files()[network])
    layers = layers_of(model)
    source, target = layers[first].source, layers[stop].source
    channels = 1 if first == 0 else 32
    chains = loom(model, source, target)
    windows = np.random.default_rng(4).uniform(0, 1, (3, channels, 40, bins)).astype(np.float32)
    [want] = piece(model, source, [target])(windows)
    size = 12 if bins > 80 else 16
    for at_end in (False, True):
        strips = windows[:, :, -size:] if at_end else windows[:, :, :size]
        [got] = edge(chains, 3, at_end)(strips)
        cells = want[:, :, -3:] if at_end else want[:, :, :3]
        assert got.shape == cells.shape
        # Activations reach 10; their sums over 1152 products differ in the sixth digit.
        assert np.abs(got - cells).max() < 1e-5 * max(1, np.abs(cells).max())


@pytest.mark.parametrize(("network", "bins"), [(0, 161), (1, 120)])
def test_shared_cells_are_what_the_networks_compute_inside(network: int, bins: int) -> None:
    model = read(dnsmos.model_files()[network])
    layers, split_model = layers_of(model), split(model, 100, own_frames=network)
    margin = split_model.margins[0]
    lead = -margin % split_model.strides[-1]  # so that cells are those of the hop
    frames = lead + margin + 100 + margin
    image = np.random.default_rng(5).uniform(0, 1, (1, 1, frames, bins)).astype(np.float32)
    levels = split_model.front(image[:, :, lead:])
    targets = [layers[n].source for n in ((5, 8) if network == 0 else (2, 6))]
    wants = piece(model, layers[0].source, targets)(image)
    for got, want, edge_cells, stride in zip(
        levels, wants, split_model.margins[1:], split_model.strides[1:], strict=True
    ):
        cells, start = 100 // stride, (lead + margin) // stride
        inner = got[0, :, edge_cells : edge_cells + cells]
        expected = want[0, :, start : start + cells]
        assert inner.shape == expected.shape == (32, cells, got.shape[3])
        assert np.abs(inner - expected).max() < 1e-5 * expected.max()


def test_other_layers_are_refused() -> None:
    model = read(dnsmos.model_files()[0])
    with pytest.raises(ValueError, match=r"Transpose ReduceMax .* are not convolutions"):
        loom(model, layers_of(model)[0].source, model.graph.output[0].name)


def test_functions_without_a_place_for_the_cache_are_compiled_all_the_same() -> None:
    names: dict[str, object] = {}
    exec("def double(values):\n    values *= 2", names)  # of no file, so with no cache beside it
    values = np.ones(3, np.float32)
    compiled(names["double"])(values)  # type: ignore[type-var, operator]
    assert values.tolist() == [2, 2, 2]


NARROW = """
from llvmlite import binding
binding.get_host_cpu_features = type(binding.get_host_cpu_features())
from extractors.dnsmos import kernels as sparse_kernels
assert sparse_kernels.LANES == 8
from tests.extractors.test_sparse import test_a_chain_is_the_plain_sums as test
test(30, 17, (1, 96, 64, 32), True)
"""


def test_narrower_registers_give_the_same(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}  # code for this one only
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", NARROW], cwd=root, env=environment, check=True)
