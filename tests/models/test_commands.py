"""The profile ``paper`` as a user types it, with tiny checkpoints."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from blueprints import Absent, Blueprint, render_paper
from extractors.audio import decode
from extractors.faster_whisper import FasterWhisperExtractor
from tests.support.audio import write
from tests.support.cli import ROOT, trace_eval
from tests.support.model_parts import SENTENCE
from tests.support.tiny_whisper import write_whisper
from trace_eval.api.one_pair import blueprint
from trace_eval.extracting.options import ExtractOptions

CLIPS = ROOT / "examples" / "clips"


@pytest.fixture
def models(whisper_file: Path, emotion_folder: Path, accent_folder: Path) -> list[str]:
    """Options that name the tiny checkpoints."""
    return [
        *("-x", f"transcript=whisper:{whisper_file}"),
        *("-x", f"emotion=emotion2vec:{emotion_folder}"),
        *("-x", f"accent=ecapa:{accent_folder}"),
    ]


def _extracted(folder: Path) -> list[Blueprint]:
    lines = (folder / "blueprints.jsonl").read_text().splitlines()
    return [Blueprint.model_validate_json(line) for line in lines]


def _leaves(value: object) -> list[object]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    return [value]


def test_profile_paper_fills_every_key_whichever_way_models_are_held(
    models: list[str], tmp_path: Path
) -> None:
    clips = [
        CLIPS / name for name in ("slow-a.ogg", "noise-a.ogg", "slow-instruction.ogg")
    ]
    options = ["--profile", "paper", "-X", "device=cpu", "--workers", 1]
    found = {}
    for name, more in (("kept", []), ("released", ["-X", "one_model_at_a_time=true"])):
        cache = ["--cache", tmp_path / f"{name}.cache", "--out", tmp_path / name]
        done = trace_eval("extract", *clips, *options, *models, *cache, *more)
        assert done.code == 0, done.err
        found[name] = _extracted(tmp_path / name)
    assert found["kept"] == found["released"]
    assert len(found["kept"]) == len(clips)
    for one in found["kept"]:
        assert None not in _leaves(render_paper(one))
        assert one.transcript.text.lower().strip(" .") == SENTENCE.lower().strip(" .")  # type: ignore[union-attr]


def test_error_rates_against_references_are_in_the_run(
    whisper_file: Path, tmp_path: Path
) -> None:
    record = {
        "id": "1",
        "instruction": {"text": "Say it."},
        "a": {"audio": str(CLIPS / "slow-a.ogg"), "reference": SENTENCE},
        "b": {"audio": str(CLIPS / "noise-a.ogg"), "reference": f"{SENTENCE} and more"},
    }
    manifest = tmp_path / "pairs.jsonl"
    manifest.write_text(json.dumps(record) + "\n")
    model = ["-x", f"transcript=whisper:{whisper_file}", "-X", "device=cpu"]
    place = ["--out", tmp_path / "run", "--cache", tmp_path / "cache"]
    done = trace_eval("judge", manifest, *model, *place)
    assert done.code == 0, done.err
    (row,) = csv.DictReader((tmp_path / "run" / "results.csv").open())
    words = len(SENTENCE.split())
    assert float(row["wer_a"]) == 0
    assert float(row["wer_b"]) == pytest.approx(
        2 / (words + 2), abs=1e-3
    )  # two deletions


@pytest.mark.slow
def test_half_an_hour(
    whisper_file: Path, emotion_folder: Path, accent_folder: Path, tmp_path: Path
) -> None:
    voice = decode(CLIPS / "slow-a.ogg").speech
    gap = np.zeros(16_000 * 55, np.float32)
    minute = np.concatenate([voice, gap])[: 16_000 * 60]
    path = write(tmp_path / "long.wav", np.tile(minute, 30)[: 16_000 * 1800 - 1])
    specs = {
        "transcript": f"whisper:{whisper_file}",
        "emotion": f"emotion2vec:{emotion_folder}",
        "accent": f"ecapa:{accent_folder}",
        **dict.fromkeys(("quality", "pitch", "loudness", "rate"), "none"),
    }
    options = ExtractOptions(
        "paper", specs, tmp_path / "cache", workers=0, device="cpu"
    )
    values = blueprint(path, options)
    for group in ("signal", "transcript", "emotion", "accent"):
        assert not isinstance(values.group(group), Absent), values.group(group)
    assert values.emotion.trajectory[-1].end_s > 1500  # type: ignore[union-attr]


def test_a_missing_model_is_refused_before_work_and_says_what_to_run(
    tmp_path: Path,
) -> None:
    clip = CLIPS / "slow-a.ogg"
    options = ["-x", "emotion=emotion2vec:iic/nowhere", "--cache", tmp_path / "cache"]
    done = trace_eval("show", clip, "--format", "json", *options)
    assert (done.code, done.out) == (2, "")
    assert "run: trace-eval models fetch emotion2vec:iic/nowhere" in done.err
    assert "or go without: -x emotion=none" in done.err


@pytest.mark.parametrize(
    ("asr", "told"),
    [
        ([], "language 'de'"),
        (["faster-whisper:tiny.en"], "language 'de', but tiny.en writes English only"),
        (["whisper:base.en"], "language 'de', but base.en writes English only"),
    ],
)
def test_a_language_needs_a_recogniser_that_takes_one(
    asr: list[str], told: str, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    options = [
        "--language",
        "de",
        *(f"-xtranscript={spec}" for spec in asr),
        "--cache",
        cache,
    ]
    done = trace_eval("show", CLIPS / "slow-a.ogg", *options)
    assert (done.code, done.out) == (2, "")
    told_in_one_line = " ".join(done.err.split())
    assert told in told_in_one_line
    other = "whisper:tiny" if "whisper:base.en" in asr else "faster-whisper:base"
    advice = f"run: trace-eval models fetch {other}, and name it: -x transcript={other}"
    assert advice in told_in_one_line
    assert "many languages:" in told_in_one_line
    assert not cache.exists(), "refused before anything is extracted"


def test_english_may_be_given_to_a_recogniser_of_english() -> None:
    assert FasterWhisperExtractor(model="tiny.en", language="en").language == "en"


def test_a_failure_names_its_extractor_once(tmp_path: Path) -> None:
    # No name tells that these weights write English only; loading them does.
    weights = write_whisper(tmp_path / "english.pt", SENTENCE, multilingual=False)
    options = ["-x", f"transcript=whisper:{weights}", "--language", "de"]
    options += ["--cache", tmp_path / "cache"]
    done = trace_eval("show", CLIPS / "slow-a.ogg", "--format", "json", *options)
    reason = json.loads(done.out)["transcript"]["reason"]
    assert reason.startswith("whisper: language 'de', but the model knows 1 (en)")


def test_listing_and_verifying(whisper_file: Path) -> None:
    assert "whisper:base" in trace_eval("models", "list").out
    good = trace_eval("models", "verify", f"whisper:{whisper_file}")
    assert good.code == 0, good.err
    cut = whisper_file.with_name("cut.pt")
    cut.write_bytes(whisper_file.read_bytes()[:100_000])
    bad = trace_eval("models", "verify", f"whisper:{cut}")
    assert bad.code == 1
    assert "cut.pt" in bad.err
