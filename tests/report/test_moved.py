"""A report of a run that was moved, with its recordings or away from them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.synthetic_run import Recipe, make_run
from blueprints import UserError
from tests.support.audio import tone, write
from tests.support.cli import refused, trace_eval
from tests.support.report_pages import fragment
from trace_eval.data.answers import Recording
from trace_eval.report.audio import AudioAssets
from trace_eval.report.moved import MovedFiles
from trace_eval.report.write import write_report
from trace_eval.runs.outcomes import ClipRecord


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project whose run and recordings stand side by side."""
    folder = tmp_path / "project"
    run = make_run(folder / "run", Recipe(2, seconds=1.0))
    (run / "audio").rename(folder / "audio")
    for path in run.glob("*.json*"):
        path.write_text(
            path.read_text().replace(str(run / "audio"), str(folder / "audio"))
        )
    return folder


def test_a_run_finds_the_recordings_that_were_moved_with_it(
    project: Path, tmp_path: Path
) -> None:
    before = write_report(project / "run", tmp_path / "before.html")
    assert before.playable == before.recordings > 0
    moved = project.rename(tmp_path / "a year later")
    page = write_report(moved / "run", audio=True)
    assert (page.recordings, page.playable) == (before.recordings, before.playable)
    assert "there is no file to draw the waveform from" not in fragment(
        page.read_text(), "c0"
    )


def test_a_folder_of_recordings_is_named_where_the_run_went_alone(
    project: Path, tmp_path: Path
) -> None:
    alone = shutil.copytree(project / "run", tmp_path / "elsewhere" / "run")
    recordings = (project / "audio").rename(tmp_path / "archive")
    done = trace_eval("report", alone, "--audio", ends=1)
    assert (
        "recordings are there to play; name their folder with --audio-root" in done.err
    )
    trace_eval("report", alone, ends=0)
    trace_eval("report", alone, "--audio", "--audio-root", recordings, ends=0)
    assert list((alone / "report_audio").iterdir())
    with pytest.raises(UserError, match=r"--audio-root .*: no such folder"):
        write_report(alone, audio_root=tmp_path / "nowhere")


def test_another_recording_of_the_same_name_is_not_played(
    project: Path, tmp_path: Path
) -> None:
    names = [
        path.relative_to(project / "audio") for path in (project / "audio").rglob("*.*")
    ]
    shutil.rmtree(project / "audio")
    for name in names:
        write(tmp_path / "others" / name, tone(0.5, hz=300))
    page = write_report(project / "run", audio_root=tmp_path / "others")
    assert page.playable == 0
    assert "was replaced since it was judged" in fragment(page.read_text("utf-8"), "p0")


def test_the_longest_end_of_a_path_is_looked_for_first(tmp_path: Path) -> None:
    for place in ("a/1.wav", "b/1.wav", "1.wav"):
        write(tmp_path / "new" / place, tone(0.1))
    files = MovedFiles(tmp_path / "run", tmp_path / "new")
    assert files.find(Path("/gone/b/1.wav")) == tmp_path / "new" / "b" / "1.wav"
    assert files.find(Path("/gone/c/1.wav")) == tmp_path / "new" / "1.wav"
    assert files.find(Path("/gone/b/2.wav")) == Path("/gone/b/2.wav")


def test_options_of_labels_need_labels(project: Path) -> None:
    refused(
        "describe --labels; name that, too", "report", project / "run", "--id", "Pair"
    )


def test_a_page_that_mutes_or_copies_nothing_from_afar_misses_no_recording(
    tmp_path: Path,
) -> None:
    run = make_run(tmp_path / "run", Recipe(2, seconds=1.0))
    muted = write_report(run, audio=True, redact=True)
    assert (muted.recordings, muted.playable) == (0, 0)
    assets = AudioAssets(tmp_path / "page.html")
    assert assets.sound(Recording(url="https://host/a.wav"), None).href is None
    assert not assets.requested


def test_what_no_judge_heard_is_not_taken_from_elsewhere(tmp_path: Path) -> None:
    """Nothing says what it held, so a file of its name may be another recording."""
    write(tmp_path / "1.wav", tone(0.1))
    moved = MovedFiles(tmp_path / "run", tmp_path)
    assets = AudioAssets(tmp_path / "page.html", moved=moved)
    recording = Recording(audio=Path("/gone/1.wav"))
    for record, judged in (
        (None, True),
        (ClipRecord(source="x", clip="0" * 64), False),
    ):
        assert assets.sound(recording, record, judged=judged).href is None
