"""The profile ``paper`` with tiny checkpoints, by the library as a user calls it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from pydantic import JsonValue

from blueprints import Absent, Blueprint, Status, UserError, render_paper
from extractors.audio import decode
from tests.support.audio import write
from tests.support.tiny_whisper import write_whisper
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.start import extract

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "clips"


def options(whisper: Path, emotion: Path, accent: Path, cache: Path) -> ExtractOptions:
    overrides = {
        "transcript": f"whisper:{whisper}",
        "emotion": f"emotion2vec:{emotion}",
        "accent": f"ecapa:{accent}",
    }
    return ExtractOptions("paper", dict(overrides), cache=cache, workers=0)


def blueprint_of(path: Path, chosen: ExtractOptions) -> Blueprint:
    (found,) = extract([path], chosen)
    assert found.error is None
    assert found.blueprint is not None
    return found.blueprint


def empty(value: JsonValue, key: str = "") -> list[str]:
    """Keys without a value; a contour may have gaps."""
    if isinstance(value, dict):
        return [name for k, v in value.items() for name in empty(v, f"{key}/{k}")]
    return [key] if value is None else []


def test_every_key_of_the_papers_json_is_filled(
    whisper_file: Path, emotion_folder: Path, accent_folder: Path, tmp_path: Path
) -> None:
    chosen = options(whisper_file, emotion_folder, accent_folder, tmp_path)
    values = blueprint_of(EXAMPLES / "slow-b.ogg", chosen)
    rendered = render_paper(values)
    assert empty(rendered) == []
    assert rendered["agent_response"] == "Hello there, how are you doing today?"
    assert {"agent_emotion", "agent_accent", "agent_audio_quality"} <= rendered.keys()
    assert values.provenance["emotion"].revision
    assert str(tmp_path) not in values.model_dump_json()
    # Everything comes from the cache the second time, under another path and device.
    copies = [
        Path(shutil.copy(whisper_file, tmp_path / "copy.pt")),
        Path(shutil.copytree(emotion_folder, tmp_path / "emotion")),
        Path(shutil.copytree(accent_folder, tmp_path / "accent")),
    ]
    (again,) = extract([EXAMPLES / "slow-b.ogg"], options(*copies, tmp_path))
    assert again.work == {}
    assert again.blueprint == values


def test_a_bad_checkpoint_costs_one_group(
    whisper_file: Path, emotion_folder: Path, accent_folder: Path, tmp_path: Path
) -> None:
    broken = Path(shutil.copytree(emotion_folder, tmp_path / "broken"))
    (broken / "model.pt").write_bytes(b"not a checkpoint")
    values = blueprint_of(
        EXAMPLES / "slow-b.ogg", options(whisper_file, broken, accent_folder, tmp_path)
    )
    assert values.emotion.status is Status.UNAVAILABLE
    assert str(broken / "model.pt") in values.emotion.reason
    for group in (
        "signal",
        "transcript",
        "quality",
        "pitch",
        "loudness",
        "rate",
        "accent",
    ):
        assert not isinstance(values.group(group), Absent), group


def test_models_that_are_not_here_are_refused_before_work(tmp_path: Path) -> None:
    options = ExtractOptions("paper", cache=tmp_path, workers=0)
    with pytest.raises(UserError, match="3 of 8 extractors cannot run here") as refused:
        extract([EXAMPLES / "slow-b.ogg"], options)
    for group in ("transcript", "emotion", "accent"):
        assert f"{group}: " in str(refused.value)
    assert str(refused.value).count("run: trace-eval models fetch") == 3


def test_another_language_has_no_english_accent(
    emotion_folder: Path, accent_folder: Path, tmp_path: Path
) -> None:
    french = write_whisper(tmp_path / "fr.pt", "Bonjour à tous.", language="fr")
    values = blueprint_of(
        EXAMPLES / "slow-b.ogg",
        options(french, emotion_folder, accent_folder, tmp_path),
    )
    assert isinstance(values.accent, Absent)
    assert "the speech is in 'fr'" in values.accent.reason


@pytest.mark.parametrize("kind", ["stereo", "telephone", "short", "silent"])
def test_odd_recordings(
    kind: str,
    whisper_file: Path,
    emotion_folder: Path,
    accent_folder: Path,
    tmp_path: Path,
) -> None:
    clip = decode(EXAMPLES / "slow-b.ogg")
    mono, rate = clip.mono, clip.rate
    samples, rate = {
        "stereo": (np.stack([mono, 0.5 * mono], axis=1), rate),
        "telephone": (mono[::2], rate // 2),
        "short": (mono[rate : rate + rate // 10], rate),
        "silent": (np.zeros(rate, np.float32), rate),
    }[kind]
    path = write(tmp_path / f"{kind}.wav", samples, rate)
    values = blueprint_of(
        path, options(whisper_file, emotion_folder, accent_folder, tmp_path)
    )
    for group in ("transcript", "emotion", "accent"):
        value = values.group(group)
        if kind in ("stereo", "telephone"):
            assert not isinstance(value, Absent), value
        else:
            assert isinstance(value, Absent)
            expected = Status.TOO_SHORT if kind == "short" else Status.SILENT
            assert value.status is expected
