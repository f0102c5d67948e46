"""Recordings that were replaced after judging: no old verdict stands for new sound."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import soundfile

from blueprints import UserError
from tests.support import calls
from tests.support.cli import ROOT, Done
from tests.support.cli import trace_eval as run_anywhere
from tests.support.web import serve
from trace_eval.data.answers import Answer, Recording, turn_recordings
from trace_eval.data.conversation import Conversation
from trace_eval.report.audio import AudioAssets
from trace_eval.report.lanes import lanes_of
from trace_eval.review.material import load_material
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.preferences import export_preferences
from trace_eval.runs.run import Run
from trace_eval.runs.unchanged import RecordingLook


def trace_eval(*arguments: object) -> Done:
    """Run a command in the working folder of the test."""
    return run_anywhere(*arguments, cwd=Path.cwd())


def write_voice(path: Path, hertz: float) -> None:
    """Write a second of a tone; files of one length differ only in what they hold."""
    t = np.arange(16_000) / 16_000
    path.parent.mkdir(exist_ok=True)
    soundfile.write(path, 0.3 * np.sin(2 * np.pi * hertz * t), 16_000)
    os.utime(path, (1e9, 1e9))  # as archives do: every file has one date


def exchange(one: Path, other: Path) -> None:
    """Exchange two files, and keep their dates."""
    kept = one.with_suffix(".kept")
    shutil.copy2(one, kept)
    shutil.copy2(other, one)
    shutil.copy2(kept, other)
    kept.unlink()


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with two recordings of each of two systems."""
    for number, (old, new) in enumerate(((200, 300), (400, 500))):
        write_voice(tmp_path / "old" / f"{number}.wav", old)
        write_voice(tmp_path / "new" / f"{number}.wav", new)
    monkeypatch.chdir(tmp_path)
    return tmp_path


#: One order, and one question about how natural two recordings are.
ASKED = ("-J", "swap=off", "-J", "task=naturalness")


SAID = {"reference": "Good morning."}


def judge(folder: Path, count: int = 2) -> tuple[str, ...]:
    """Return a command that compares both systems by ear, with ``count`` replies."""
    path = folder / "replies.jsonl"
    reply = {"score_1": 8, "score_2": 4}
    path.write_text(f"{json.dumps(reply)}\n" * count)
    pairs = [
        {
            "id": str(number),
            "instruction": {"text": "Say good morning."},
            "a": {"audio": f"old/{number}.wav", "system": "old", **SAID},
            "b": {"audio": f"new/{number}.wav", "system": "new", **SAID},
        }
        for number in range(2)
    ]
    manifest = folder / "pairs.jsonl"
    manifest.write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs))
    return (
        "judge",
        manifest,
        "--out",
        "run",
        "--judge",
        f"audio:scripted:{path}",
        *ASKED,
    )


def test_the_same_command_refuses_verdicts_about_other_sound(folders: Path) -> None:
    assert trace_eval(*judge(folders)).code == 0
    assert trace_eval(*judge(folders)).code == 0  # nothing was replaced
    exchange(folders / "old" / "0.wav", folders / "new" / "0.wav")
    again = trace_eval(*judge(folders))
    assert again.code == 2
    assert "recordings of 1 pair were replaced since they were judged" in again.err
    assert "--out run-2" in again.err


def test_measured_recordings_are_looked_at_too(folders: Path) -> None:
    for side, name in (("old", "noise-a"), ("new", "refusal-a")):
        (clip,) = (ROOT / "examples").rglob(f"{name}.ogg")
        shutil.copy(clip, folders / side / "0.wav")
        (folders / side / "1.wav").unlink()
    command = ("judge", "--a", "old", "--b", "new", "--out", "run", "--workers", "0")
    assert trace_eval(*command).code == 0
    assert trace_eval(*command).code == 0
    exchange(folders / "old" / "0.wav", folders / "new" / "0.wav")
    again = trace_eval(*command)
    assert again.code == 2
    assert "recordings of 1 pair were replaced since they were judged" in again.err


def test_files_that_were_only_copied_anew_are_the_same(folders: Path) -> None:
    assert trace_eval(*judge(folders)).code == 0
    for path in [*folders.glob("old/*.wav"), *folders.glob("new/*.wav")]:
        content = path.read_bytes()
        path.unlink()
        path.write_bytes(content)
    assert trace_eval(*judge(folders)).code == 0


def test_what_a_server_names_another_version_of_is_looked_at(folders: Path) -> None:
    command = judge(folders)
    manifest = folders / "pairs.jsonl"
    with serve(folders) as web:
        words = manifest.read_text().replace('"old/', f'"{web.url}/old/')
        manifest.write_text(words)
        assert trace_eval(*command).code == 0
        web.asked.clear()
        assert trace_eval(*command).code == 0
        assert not web.fetched()  # both have the version that was judged
        (folders / "old" / "0.wav").write_bytes((folders / "new/0.wav").read_bytes())
        again = trace_eval(*command)
        assert again.code == 2
        assert "recordings of 1 pair were replaced" in again.err
        assert web.fetched() == ["/old/0.wav"]
        web.dated = False
        assert trace_eval(*command).code == 0  # the server tells of no version
    assert trace_eval(*command).code == 0  # nobody can be asked


def test_an_interrupted_run_does_not_mix_old_and_new(folders: Path) -> None:
    # One reply for two pairs: the run ends after the first one.
    assert trace_eval(*judge(folders, 1)).code != 0
    assert len(Run.open(folders / "run").scored()) == 1
    exchange(folders / "old" / "0.wav", folders / "new" / "0.wav")
    exchange(folders / "old" / "1.wav", folders / "new" / "1.wav")
    again = trace_eval(*judge(folders, 1))
    assert again.code == 2
    assert "1 pair" in again.err


def test_a_pair_that_is_not_judged_yet_is_judged_as_it_is_now(folders: Path) -> None:
    assert trace_eval(*judge(folders, 1)).code != 0
    (scored,) = Run.open(folders / "run").scored()
    other = {"0": "1", "1": "0"}[scored]
    exchange(folders / "old" / f"{other}.wav", folders / "new" / f"{other}.wav")
    assert trace_eval(*judge(folders, 1)).code == 0
    clips = Run.open(folders / "run").clips()
    assert len({record.clip for record in clips.values()}) == 4
    assert trace_eval(*judge(folders, 1)).code == 0  # the run knows what it judged


def test_a_report_does_not_play_other_sound_and_a_review_refuses(folders: Path) -> None:
    assert trace_eval(*judge(folders)).code == 0
    exchange(folders / "old" / "0.wav", folders / "new" / "0.wav")
    run = Run.open(folders / "run")
    clips = run.clips()
    for copy in (False, True):
        assets = AudioAssets(folders / "page.html", copy)
        for pair in run.pairs():
            for answer in (pair.a, pair.b):
                sound = assets.sound(answer, clips[answer.source_id])
                if pair.id == "0":
                    assert sound.href is None
                    assert "was replaced since it was judged" in str(sound.note)
                else:
                    assert sound.href
        in_words = assets.sound(
            Answer(audio=folders / "old" / "1.wav", text="No."), None
        )
        assert in_words.href
        assert "nothing tells whether this recording was replaced" in str(in_words.note)
    done = trace_eval("report", "run", "--out", "page.html", "--audio")
    assert done.code == 0
    assert "2 recordings were replaced since they were judged" in done.err
    assert len(list(folders.glob("page_audio/*.wav"))) == 2
    exchange(folders / "old" / "1.wav", folders / "new" / "1.wav")
    done = trace_eval("report", "run", "--out", "none.html", "--audio")
    assert done.code == 1
    assert "4 recordings were replaced" in done.err
    assert not list(folders.glob("none_audio/*.wav"))
    with pytest.raises(UserError, match="recordings of 2 pairs were replaced"):
        load_material(folders / "run")
    with pytest.raises(UserError, match=r"were replaced .* and export that"):
        export_preferences(folders / "run")  # a trainer would learn from other sound


def test_scores_of_replaced_recordings_are_refused(folders: Path) -> None:
    items = [{"id": str(n), "audio": f"old/{n}.wav", "question": "?"} for n in range(2)]
    (folders / "items.jsonl").write_text("\n".join(map(json.dumps, items)))
    reply = json.dumps({"reasoning": "It is clear.", "score": 4})
    (folders / "scores.jsonl").write_text(f"{reply}\n" * 2)
    command = ("rate", "items.jsonl", "--rubric", "quality", "--out", "rated")
    command = (*command, "--judge", f"audio:scripted:{folders / 'scores.jsonl'}")
    first = trace_eval(*command)
    assert first.code == 0, first.err
    assert trace_eval(*command).code == 0
    write_voice(folders / "old" / "1.wav", 700)
    again = trace_eval(*command)
    assert again.code == 2
    assert "recordings of 1 item were replaced" in again.err


def test_a_call_whose_recording_was_replaced_is_not_played(tmp_path: Path) -> None:
    """Its turns were judged; the lanes play whole channels of the same file."""
    path = calls.sound(tmp_path)
    call = Conversation.model_validate(calls.conversation(str(path)))
    look = RecordingLook()
    clips = {
        sound.source_id: ClipRecord(source=sound.source_id, clip=look.clip_of(sound))
        for sound in turn_recordings("answer", call).values()
    }
    page = tmp_path / "page.html"
    lanes = lanes_of(call, {}, AudioAssets(page), clips)["lanes"]
    assert all(lane["sound"].href and lane["peaks"] for lane in lanes)
    samples, rate = soundfile.read(path)
    soundfile.write(path, samples[::-1], rate)
    assets = AudioAssets(page)
    for lane in lanes_of(call, {}, assets, clips)["lanes"]:
        assert lane["sound"].href is None
        assert "was replaced since it was judged" in lane["sound"].note
        assert not lane["peaks"]
    assert assets.replaced == {str(path)}


def _distant(number: int) -> Recording:
    return Recording(url=f"https://sounds.invalid/{number}.wav")


@pytest.mark.parametrize(("names_versions", "most"), [(True, 2_000), (False, 16)])
def test_servers_are_asked_for_so_many_versions_at_most(
    names_versions: bool, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of a million recordings goes on at once, with or without the network."""
    asked: list[str] = []

    def version_of(url: str) -> tuple[int, str] | None:
        asked.append(url)
        return (1, "v1") if names_versions else None

    monkeypatch.setattr("trace_eval.data.remote.version_of", version_of)
    look = RecordingLook(tmp_path)
    look.ask_servers(map(_distant, range(5_000)))
    look.close()
    assert most - 400 < len(asked) <= most
    assert _distant(0).url in asked
