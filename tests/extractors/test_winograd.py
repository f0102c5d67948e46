"""Winograd's convolutions against the plain sum that they stand for."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

from extractors import dnsmos
from extractors.dnsmos_graph import layers_of, loom, piece, read
from extractors.winograd import Chain, Convolution
from extractors.winograd_kernels import compiled

#: Sums of up to 9 x 12 products of about 1 in single precision, through two transforms.
TOLERANCE = 2e-5

Image = npt.NDArray[np.floating]


def plain(image: Image, weights: Image, bias: Image) -> Image:
    """The definition, in double precision: zeros beside the image, nothing above or below."""
    padded = np.pad(image.astype(np.float64), ((0, 0), (1, 1), (0, 0)))
    patches = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(0, 1))
    return np.maximum(0, np.einsum("rbiyx,oiyx->rbo", patches, weights) + bias)


def halved(image: Image) -> Image:
    rows, bins, channels = image.shape
    cells = image[: rows // 2 * 2, : bins // 2 * 2]
    return cells.reshape(rows // 2, 2, bins // 2, 2, channels).max(axis=(1, 3))


def random_layers(*channels: int) -> list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]:
    rng = np.random.default_rng(1)
    return [
        (
            rng.normal(0, 1 / (3 * inputs**0.5), (outputs, inputs, 3, 3)).astype(np.float32),
            rng.normal(0, 0.1, outputs).astype(np.float32),
        )
        for inputs, outputs in pairwise(channels)
    ]


@pytest.mark.parametrize(
    ("rows", "bins", "channels"),
    [
        (24, 16, (1, 5)),  # whole tiles, only the plain sum
        (24, 16, (3, 5)),  # whole tiles, only tiles
        (30, 17, (1, 12, 7, 3)),  # a part of a tile in each direction
        (30, 250, (2, 3)),  # more patches than are multiplied at once
        (8, 3, (1, 4, 4)),  # narrower than a tile
    ],
)
@pytest.mark.parametrize("pooled", [True, False])
def test_a_chain_is_the_plain_sums(
    rows: int, bins: int, channels: tuple[int, ...], pooled: bool
) -> None:
    image = np.random.default_rng(2).normal(0, 1, (rows, bins, channels[0])).astype(np.float32)
    layers = random_layers(*channels)
    got = Chain([Convolution.of(*layer) for layer in layers], pooled)(image)
    want: Image = image
    for weights, bias in layers:
        want = plain(want, weights, bias)
    want = halved(want) if pooled else want
    assert got.shape == want.shape
    assert np.abs(got - want).max() < TOLERANCE


def test_what_a_chain_did_before_does_not_matter() -> None:
    chain = Chain([Convolution.of(*layer) for layer in random_layers(1, 4, 4)], pooled=True)
    rng = np.random.default_rng(3)
    first, second = rng.normal(0, 1, (2, 12, 9, 1)).astype(np.float32)
    alone = chain(first)
    chain(100 * second)
    assert np.array_equal(chain(first), alone)


def test_the_quality_network_is_taken_over_whole() -> None:
    model = read(dnsmos.model_files()[0])
    layers = layers_of(model)
    source, target = layers[0].source, layers[5].source  # four convolutions and a pooling
    spectra = np.random.default_rng(4).uniform(-6, 1, (1, 1, 40, 161)).astype(np.float32)
    got = loom(model, source, target)(spectra)
    [want] = piece(model, source, [target], padding=(0, 0))(spectra)
    assert got.shape == want.shape == (1, 32, 16, 80)
    # Activations reach 10; their sums over 1152 products differ in the sixth digit.
    assert np.abs(got - want).max() < 1e-4


def test_other_layers_are_refused() -> None:
    model = read(dnsmos.model_files()[0])
    layers = layers_of(model)
    with pytest.raises(ValueError, match="not convolutions and a pooling at the end"):
        loom(model, layers[0].source, layers[2].source)


def test_functions_without_a_place_for_the_cache_are_compiled_all_the_same() -> None:
    names: dict[str, object] = {}
    exec("def double(values):\n    values *= 2", names)  # of no file, so with no cache beside it
    values = np.ones(3, np.float32)
    compiled(names["double"])(values)  # type: ignore[type-var, operator]
    assert values.tolist() == [2, 2, 2]
