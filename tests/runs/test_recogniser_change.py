"""A run keeps the recogniser that it was begun with."""

from __future__ import annotations

from pathlib import Path

import pytest

from blueprints import UserError
from extractors import packaged
from trace_eval.data.manifests import read_manifest
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.start import extractors_of
from trace_eval.runs.options import Options
from trace_eval.runs.session import Session

PAIRS = Path(__file__).resolve().parents[2] / "examples" / "pairs.jsonl"


def begin(out: Path, **options: str) -> None:
    with Session(read_manifest(str(PAIRS)), out, Options(ExtractOptions(overrides=options))):
        pass


def test_a_run_is_not_continued_with_another_recogniser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if problem := packaged.problem(packaged.ENGLISH):
        pytest.skip(problem)
    begin(tmp_path / "run")
    begin(tmp_path / "run")  # the same one continues
    with pytest.raises(UserError, match=r"made with another extractors .*use --out"):
        begin(tmp_path / "run", transcript="none", rate="none")
    # Nor when the weights have gone meanwhile and the default would be another one.
    monkeypatch.setattr(packaged, "_folder", lambda _: None)
    monkeypatch.setattr("extractors.faster_whisper.model_folder", lambda *_: None)
    with (
        pytest.warns(UserWarning, match="Nothing recognises the speech"),
        pytest.raises(UserError, match="made with another extractors"),
    ):
        begin(tmp_path / "run")


def test_options_that_no_recogniser_takes_are_refused() -> None:
    options = ExtractOptions(overrides={"transcript": "none", "rate": "none"}, beam_size=5)
    with pytest.raises(UserError, match="beam_size 5: no extractor of this plan takes"):
        extractors_of(options)
