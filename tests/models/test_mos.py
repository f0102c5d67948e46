"""Predictors of listeners' scores give what their own packages give for a sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blueprints import Extension, Status, UserError
from extractors import registry
from extractors.audio import Clip, decode
from extractors.base import Extractor
from extractors.mos import DistillMosExtractor, UtmosExtractor, window_starts
from tests.support.model_parts import known, silence, unspoken, voice

AXES = ("CE", "CU", "PC", "PQ")


def values(extractor: Extractor, clip: Clip) -> dict[str, Any]:
    quality = extractor.extract(clip, known(clip))
    assert isinstance(quality, Extension)
    return quality.values


@pytest.fixture
def distillmos() -> DistillMosExtractor:
    pytest.importorskip("distillmos", reason="run: pip install 'trace-s2s[mos]'")
    return DistillMosExtractor(device="cpu")


@pytest.mark.parametrize("seconds", [0.5, 7.68, 11.0])
def test_distillmos_is_its_package(
    distillmos: DistillMosExtractor, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    from distillmos import ConvTransformerSQAModel

    monkeypatch.setattr("extractors.mos.WINDOWS_AT_ONCE", 2)  # 11 s have five windows
    clip = voice(seconds)
    with torch.no_grad():
        theirs = (
            ConvTransformerSQAModel().eval()(torch.from_numpy(clip.speech)[None]).item()
        )
    assert values(distillmos, clip)["mos"] == pytest.approx(theirs, abs=1e-3)


def test_distillmos_hears_real_speech_above_noise(
    distillmos: DistillMosExtractor, data: Path
) -> None:
    clip = decode(next((data / "prompts").rglob("*.wav")))
    noise = (
        np.random.default_rng(0).standard_normal(clip.samples.shape).astype(np.float32)
    )
    noisy = Clip(clip.samples + 0.05 * noise, clip.rate, "noisy")
    clean, worse = values(distillmos, clip)["mos"], values(distillmos, noisy)["mos"]
    assert 1 <= worse + 1 < clean <= 5


def test_windows_are_equally_spaced_to_the_end() -> None:
    assert window_starts(1000) == [0]
    assert window_starts(122_880) == [0]
    assert window_starts(122_880 + 16_001) == [0, 8000, 16_001]


def test_only_speech_is_scored(distillmos: DistillMosExtractor) -> None:
    quality = distillmos.extract(silence(), known(silence()))
    assert quality.status is Status.SILENT
    quality = distillmos.extract(voice(), unspoken(voice()))
    assert quality.status is Status.NO_SPEECH
    assert distillmos.revision() == DistillMosExtractor().revision() is not None


@pytest.fixture(scope="module")
def utmos_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random weights in the published format."""
    pytest.importorskip("utmos_pytorch", reason="run: pip install 'trace-s2s[mos]'")
    import torch
    from utmos_pytorch.utmos_torch import UTMOSModel

    folder = tmp_path_factory.mktemp("utmos")
    torch.manual_seed(0)
    torch.save(UTMOSModel().state_dict(), folder / "utmos_state_dict.pt")
    return folder


def test_utmos_is_its_package(utmos_folder: Path) -> None:
    import torch
    from utmos_pytorch import UTMOSScoreTorch

    clip = voice(2.0)
    theirs = UTMOSScoreTorch(str(utmos_folder / "utmos_state_dict.pt")).score(
        torch.from_numpy(clip.speech)
    )
    ours = registry.create(f"utmos:{utmos_folder}", device="cpu")
    assert values(ours, clip)["mos"] == pytest.approx(float(theirs), abs=1e-3)


def test_weights_that_are_not_all_there_are_an_error(tmp_path: Path) -> None:
    pytest.importorskip("utmos_pytorch")
    import torch

    torch.save({"nothing": torch.zeros(1)}, tmp_path / "utmos_state_dict.pt")
    with pytest.raises(UserError, match=r"has no .* and \d+ more"):
        UtmosExtractor(model=str(tmp_path), device="cpu").load()
    assert "models fetch utmos:" in str(UtmosExtractor().unavailable())


@pytest.mark.slow
def test_audiobox_is_its_package(tmp_path: Path) -> None:
    pytest.importorskip(
        "audiobox_aesthetics", reason="run: pip install 'trace-s2s[aesthetics]'"
    )
    import torch
    from audiobox_aesthetics.infer import AesPredictor
    from audiobox_aesthetics.model.aes import AesMultiOutput, Normalize

    transform = {axis: {"mean": 5.0 + n, "std": 1.0 + n} for n, axis in enumerate(AXES)}
    torch.manual_seed(0)
    model = AesMultiOutput(target_transform=transform)
    model.save_pretrained(str(tmp_path))
    assert "target_transform" in json.loads((tmp_path / "config.json").read_text())
    clip = voice(13.0)
    # The package's own inference, without its constructor, which chooses weights and
    # device.
    theirs = AesPredictor.__new__(AesPredictor)
    theirs.sample_rate, theirs.data_col, theirs.device = (
        16000,
        "path",
        torch.device("cpu"),
    )
    theirs.model = model.eval()
    theirs.target_transform = {axis: Normalize(**transform[axis]) for axis in AXES}
    wave = torch.from_numpy(clip.speech)[None]
    (expected,) = theirs.forward([{"path": wave, "sample_rate": 16000}])
    ours = values(registry.create(f"audiobox:{tmp_path}", device="cpu"), clip)
    assert ours == pytest.approx(expected, abs=1e-3)
