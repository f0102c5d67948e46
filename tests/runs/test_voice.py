"""The voice that both answers should speak in: read, embedded, compared, agreed."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import JsonValue

from blueprints import Blueprint, Extension
from extractors.audio import Clip
from extractors.base import Extractor
from tests.support import calls
from tests.support.audio import tone, write
from tests.support.cli import trace_eval
from tests.support.fakes import Counting
from tests.support.louder_wins import NOTHING, LouderWins
from trace_eval.data.items import Pair
from trace_eval.data.manifests import read_manifest
from trace_eval.data.recordings import check_audio
from trace_eval.extracting.options import ExtractOptions
from trace_eval.runs.job import judge_manifest
from trace_eval.runs.options import Options
from trace_eval.runs.run import Run


@dataclass(frozen=True)
class Angle(Extractor):
    """An embedding of two numbers: the peak as an angle in radians."""

    name: ClassVar[str] = "angle"
    group: ClassVar[str] = "speaker"
    version: ClassVar[str] = "1"

    def parameters(self) -> dict[str, JsonValue]:
        return {}

    def extract(self, clip: Clip, known: Blueprint) -> Extension:
        peak = float(abs(clip.samples).max())
        return Extension(values={"embedding": [math.cos(peak), math.sin(peak)]})


def _pairs(folder: Path, *voices: Any) -> Path:
    for peak in (0.3, 0.5, 0.9):
        write(folder / f"{peak}.wav", tone(peak=peak))
    pair = {"a": {"audio": "0.5.wav"}, "b": {"audio": "0.9.wav"}, "preference": "1"}
    given = [{"voice": voice} if voice else {} for voice in voices]
    records = [
        {"id": f"p{number}", **pair, **voice} for number, voice in enumerate(given)
    ]
    return calls.manifest(folder, records, "pairs.jsonl")


def _options(folder: Path, *, speaker: bool = True) -> Options:
    result: dict[str, Any] = {**NOTHING, "peak": Counting(folder / "log")}
    if speaker:
        result["speaker"] = Angle()
    extract = ExtractOptions(overrides=result, cache=folder / "cache", workers=0)
    return Options(extract, LouderWins())


def test_answers_are_compared_with_the_voice_and_the_rule_with_annotators(
    tmp_path: Path,
) -> None:
    path = _pairs(tmp_path, {"audio": "0.3.wav"}, {"audio": "none.wav"}, None)
    manifest = read_manifest(path)
    assert [p.pair for p in check_audio(manifest.items)] == ["p1"]
    out = tmp_path / "run"
    summary = judge_manifest(manifest, out, _options(tmp_path))
    assert summary.scored == 3  # a voice that cannot be decoded costs its measure alone
    run = Run.open(out)
    measures = {pair: result.measures for pair, result in run.measures().items()}
    values = [measures["p0"][f"speaker_similarity_voice_{side}"].value for side in "ab"]
    assert values == pytest.approx([math.cos(0.2), math.cos(0.6)], abs=1e-3)
    lacking = measures["p1"]["speaker_similarity_voice_a"]
    assert (lacking.value, lacking.reason) == (None, "the voice could not be decoded")
    assert set(measures["p2"]) == {"speaker_similarity_ab"}
    stored = map(json.loads, run.path("pairs.jsonl").open())
    assert [pair.get("voice") is None for pair in stored] == [False, False, True]

    rule = "speaker_similarity_voice:higher"
    agreed = trace_eval("agree", out, "--beat", rule, "--full", ends=0)
    assert "higher speaker_similarity_voice" in agreed.out


def test_without_an_extractor_of_speakers_no_voice_is_decoded(tmp_path: Path) -> None:
    path = _pairs(tmp_path, {"audio": "0.3.wav"})
    judge_manifest(
        read_manifest(path), tmp_path / "run", _options(tmp_path, speaker=False)
    )
    run = Run.open(tmp_path / "run")
    assert {Path(source).name for source in run.clips()} == {"0.5.wav", "0.9.wav"}
    assert not run.measures()


def test_what_a_voice_is_called_stays_beside_the_pair(tmp_path: Path) -> None:
    path = _pairs(tmp_path, "alloy", {"name": "alloy"}, {"audio": None})
    named, described, empty = read_manifest(path).pairs
    assert (named.voice, named.meta["voice"]) == (None, "alloy")
    assert (described.voice, described.meta["voice"]) == (None, {"name": "alloy"})
    assert empty.voice is None
    flat = tmp_path / "flat.csv"
    flat.write_text("id,a,b,voice_audio\n1,x.wav,y.wav,v.wav\n")
    (pair,) = read_manifest(flat).pairs
    assert pair.voice.audio == tmp_path / "v.wav"
    assert "voice" not in json.loads(Pair(id="1", a=pair.a, b=pair.b).model_dump_json())
