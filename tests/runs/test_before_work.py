"""What cannot work is refused before anything is spent on it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

from blueprints import UserError
from blueprints.distribution import install_line
from blueprints.errors import Advice
from extractors import packaged
from extractors.pitch import PraatPitchExtractor
from extractors.rate import RateExtractor
from tests.support.audio import tone, write
from tests.support.fakes import Counting
from tests.support.judged import extracted_run
from tests.support.louder_wins import NOTHING
from tests.support.servers import unused_url
from trace_eval.api.doctor import diagnose
from trace_eval.data.items import Pair
from trace_eval.data.manifests import Manifest
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.base import JudgeUnreachable
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.runs.ablate import AblateOptions, ablate
from trace_eval.runs.extraction import extract_to
from trace_eval.runs.job import judge_manifest
from trace_eval.runs.options import Options
from trace_eval.runs.run import Run


@dataclass(frozen=True)
class Lacking(Counting):
    """An extractor whose package nobody has."""

    name: ClassVar[str] = "lacking"
    group: ClassVar[str] = "scent"
    packages: ClassVar[dict[str, str]] = {"no_such_module": "no-such-package"}


@dataclass(frozen=True)
class Failing(Counting):
    """An extractor that raises on every clip."""

    def extract(self, clip: object, known: object) -> object:
        raise RuntimeError("out of order")


def _options(tmp_path: Path, **more: object) -> ExtractOptions:
    overrides = {**NOTHING, "peak": Counting(tmp_path / "log"), **more}
    return ExtractOptions(overrides=overrides, cache=tmp_path / "cache", workers=0)


def _pair(tmp_path: Path) -> Pair:
    for side in "ab":
        write(tmp_path / f"{side}.wav", tone(peak=0.5 if side == "a" else 0.6))
    answers = {side: {"audio": tmp_path / f"{side}.wav"} for side in "ab"}
    return Pair.model_validate({"id": "p", "instruction": {"text": "Hi."}, **answers})


def test_a_plan_that_cannot_run_is_refused_before_a_clip_is_read(
    tmp_path: Path,
) -> None:
    options = _options(tmp_path, scent=Lacking(tmp_path / "log"))
    manifest = Manifest(tmp_path / "pairs.jsonl", [_pair(tmp_path)])
    message = (
        "profile screen: 1 of 2 extractors cannot run here; nothing was extracted\n"
        "  scent: lacking needs no-such-package; run: pip install .\n"
        "or go without: -x scent=none"
    )
    for refused in (
        lambda: judge_manifest(manifest, tmp_path / "run", Options(options)),
        lambda: extract_to(tmp_path / "out", [tmp_path / "a.wav"], options),
    ):
        with pytest.raises(UserError) as shown:
            refused()
        assert str(shown.value) == message
    assert not (tmp_path / "run").exists()
    assert not (tmp_path / "log").exists()


def test_what_has_no_wheel_here_is_absent_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packaged, "_folder", lambda _: None)
    monkeypatch.setattr("extractors.faster_whisper.model_folder", lambda *_: None)
    for extractor in (PraatPitchExtractor, RateExtractor):
        (package,) = extractor.packages.values()
        monkeypatch.setattr(extractor, "packages", {"no_such_module": package})
    off = {"quality": "none", "loudness": "none"}
    options = ExtractOptions(overrides=off, cache=tmp_path / "cache", workers=0)
    write(tmp_path / "a.wav", tone())
    with pytest.warns(Advice, match="Nothing recognises the speech") as shown:
        done = extract_to(tmp_path / "out", [tmp_path / "a.wav"], options)
    assert not done.errors
    (advice,) = [each for each in shown if each.category is Advice]
    assert install_line("tiny-en") in str(advice.message)
    assert set(done.missing) == {"transcript", "pitch", "rate"}
    assert install_line("tiny-en") in done.missing["transcript"]
    assert done.missing["pitch"].endswith("run: pip install praat-parselmouth")
    (blueprint,) = map(json.loads, (tmp_path / "out" / "blueprints.jsonl").open())
    assert blueprint["transcript"]["status"] == "unavailable"
    (check,) = diagnose().sections["default recogniser"]
    assert not check.ok
    assert install_line("tiny-en") in check.detail
    # one that was named is refused as ever
    named = replace(
        options,
        overrides={**off, "transcript": "faster-whisper:tiny.en", "rate": "nuclei"},
    )
    with pytest.raises(UserError, match="2 of 4 extractors cannot run here"):
        extract_to(tmp_path / "named", [tmp_path / "a.wav"], named)


def test_a_group_that_no_clip_has_is_told(tmp_path: Path) -> None:
    _pair(tmp_path)
    options = _options(tmp_path, peak=Failing(tmp_path / "log"))
    short = extract_to(
        tmp_path / "out", [tmp_path / "a.wav", tmp_path / "b.wav"], options
    )
    assert not short.errors
    assert "out of order" in short.missing["peak"]
    fine = extract_to(tmp_path / "fine", [tmp_path / "a.wav"], _options(tmp_path))
    assert not fine.missing


@pytest.mark.parametrize("spec", ["openai:tiny", "ollama:tiny"])
def test_a_server_that_is_not_there_stops_the_session_at_once(
    tmp_path: Path, spec: str
) -> None:
    run = extracted_run(tmp_path / "run", count=12)
    judging = JudgeOptions(base_url=unused_url(), backoff_s=0.05, concurrency=2)
    started = time.monotonic()
    with pytest.raises(
        JudgeUnreachable, match=r"cannot be reached .*; repeat the same command"
    ):
        ablate(run.folder, AblateOptions(spec, judging))
    assert (
        time.monotonic() - started < 60
    )  # a busy machine is slow; giving up each pair is slower
    folders = list((run.folder / "ablations").iterdir())
    assert len(folders) == 1  # no further condition was begun
    assert not Run.open(folders[0]).judgements()  # and no pair was given up for it
