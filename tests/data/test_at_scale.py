"""Inputs of corpora: WebDataset tars, NeMo and Lhotse manifests, bare prefixes."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from tests.support.audio import tone, write
from trace_eval.data.access import UrlAccess, set_url_access
from trace_eval.data.archives import tar_records
from trace_eval.data.manifests import Manifest, read_items, read_manifest
from trace_eval.data.recordings import recordings_in
from trace_eval.data.records import spill_to
from trace_eval.data.strict_json import holds_lines


def _tar(path: Path, members: dict[str, bytes | None], mode: str = "w") -> Path:
    """Write files; None is a link."""
    with tarfile.open(path, mode) as tar:  # type: ignore[call-overload]
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            if content is None:
                info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            else:
                info.size = len(content)
            tar.addfile(info, io.BytesIO(content or b""))
    return path


@pytest.fixture
def sound(tmp_path: Path) -> bytes:
    return write(tmp_path / "tone.wav", tone()).read_bytes()


def _items(path: Path | str, folder: Path) -> Manifest:
    return read_items(path, spill=spill_to(folder / "kept"))


@pytest.mark.parametrize("ending", ["tar", "tar.gz", "tgz"])
def test_the_members_of_one_name_are_an_item(
    tmp_path: Path, sound: bytes, ending: str
) -> None:
    members: dict[str, bytes | None] = {
        "x/0001.json": b'{"system": "alto", "question": "Who?"}',
        "x/0001.wav": sound,
        "x/0002.wav": sound + b"\0",
        "x/0002.txt": b"a river\n",
        "x/0003.json": b'{"system": ',
        "x/0003.wav": sound,
        "x/0004.wav": None,
        "x/0005.cls": b"7",
        "x/0006.WAV": sound,
    }
    mode = "w" if ending == "tar" else "w:gz"
    manifest = _items(_tar(tmp_path / f"shard.{ending}", members, mode), tmp_path)
    assert [item.id for item in manifest.singles] == ["x/0001", "x/0002", "x/0006"]
    first, second, _ = manifest.singles
    assert (first.system, first.instruction.text) == ("alto", "Who?")
    assert first.answer.audio is not None
    assert first.answer.audio.read_bytes() == sound
    assert second.meta["text"] == "a river"
    wrong = {
        problem.where.rpartition(" ")[2]: problem.what for problem in manifest.problems
    }
    assert set(wrong) == {"x/0003", "x/0004", "x/0005"}
    assert wrong["x/0004"].startswith("x/0004.wav: is a link or a device")
    assert wrong["x/0003"].startswith("x/0003.json: ")


def test_a_pair_has_two_recordings_of_its_own_names(
    tmp_path: Path, sound: bytes
) -> None:
    members: dict[str, bytes | None] = {
        "7.a.wav": sound,
        "7.b.wav": sound + b"\0",
        "7.json": b'{"instruction": "Sing."}',
    }
    folder = tmp_path / "shards"
    folder.mkdir()
    _tar(folder / "000.tar", members)
    _tar(
        folder / "001.tar",
        {name.replace("7", "8"): data for name, data in members.items()},
    )
    manifest = read_manifest(folder, spill=spill_to(tmp_path / "kept"))
    assert [(pair.id, pair.instruction.text) for pair in manifest.pairs] == [
        ("7", "Sing."),
        ("8", "Sing."),
    ]
    recordings, problems = recordings_in(
        [folder / "000.tar"], spill=spill_to(tmp_path / "kept")
    )
    assert (len(recordings), problems) == (2, [])


def test_a_damaged_tar_costs_its_end(tmp_path: Path, sound: bytes) -> None:
    path = _tar(tmp_path / "a.tar", {f"{n}.wav": sound for n in range(4)})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 5 // 8])
    manifest = _items(path, tmp_path)
    assert [item.id for item in manifest.singles] == ["0", "1"]
    (problem,) = manifest.problems
    assert "the archive is damaged here" in problem.what


@pytest.mark.parametrize(
    ("number", "is_cut", "kept", "why"),
    [
        (1, False, ["0", "2", "3"], "bad checksum"),
        (0, False, ["1", "2", "3"], "bad checksum"),
        (3, True, ["0", "1", "2"], "empty header"),
    ],
)
def test_damage_in_a_tar_costs_what_lies_there_and_is_said(
    number: int, is_cut: bool, kept: list[str], why: str, tmp_path: Path, sound: bytes
) -> None:
    """A header is overwritten, or the tar ends before it."""
    path = _tar(tmp_path / "a.tar", {f"{n}.wav": sound for n in range(4)})
    whole = path.read_bytes()
    path.write_bytes(whole + b"\n")  # what stands behind its end mark is no damage
    assert (len(_items(path, tmp_path).singles), _items(path, tmp_path).problems) == (
        4,
        [],
    )
    start = number * (512 + -(-len(sound) // 512) * 512)
    damaged = b"" if is_cut else b"\xff" * 512 + whole[start + 512 :]
    path.write_bytes(whole[:start] + damaged)
    manifest = _items(path, tmp_path)
    assert [item.id for item in manifest.singles] == kept
    (problem,) = manifest.problems
    assert f"the archive is damaged here ({why}); copy it again" in problem.what


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ("1.wav", "1.wav: is there twice"),
        ("1.flac", "1.flac: 1.wav is there as well; leave one"),
    ],
)
def test_a_recording_that_is_there_twice_costs_its_item(
    other: str, words: str, tmp_path: Path, sound: bytes
) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as tar:
        for name in ("0.wav", "1.wav", other, "2.wav"):
            info = tarfile.TarInfo(name)
            info.size = len(sound)
            tar.addfile(info, io.BytesIO(sound))
    manifest = _items(path, tmp_path)
    assert [item.id for item in manifest.singles] == ["0", "2"]
    (problem,) = manifest.problems
    assert words in problem.what


@pytest.mark.parametrize("kind", [tarfile.LNKTYPE, tarfile.CHRTYPE])
def test_a_member_that_is_no_file_costs_itself_and_is_said(
    kind: bytes, tmp_path: Path, sound: bytes
) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as tar:
        for name in ("0.wav", "1.wav", "2.wav"):
            info = tarfile.TarInfo(name)
            if name == "1.wav":
                info.type, info.linkname = kind, "0.wav"
                tar.addfile(info)
            else:
                info.size = len(sound)
                tar.addfile(info, io.BytesIO(sound))
    manifest = _items(path, tmp_path)
    assert [item.id for item in manifest.singles] == ["0", "2"]
    (problem,) = manifest.problems
    assert "1.wav: is a link or a device" in problem.what


def test_a_tar_is_read_in_one_pass_and_never_held(sound: bytes) -> None:
    class Endless(io.RawIOBase):
        """A tar of many members that is made while it is read, and cannot be sought."""

        def __init__(self) -> None:
            self._parts, self._left = self._made(), b""

        def _made(self) -> Iterator[bytes]:
            for number in range(300):
                info = tarfile.TarInfo(f"{number}.wav")
                info.size = 100_000
                yield info.tobuf() + bytes(100_352)
            yield bytes(1024)

        def readable(self) -> bool:
            return True

        def seekable(self) -> bool:
            return False

        def read(self, size: int = -1) -> bytes:
            while len(self._left) < size and (part := next(self._parts, b"")):
                self._left += part
            taken, self._left = self._left[:size], self._left[size:]
            return taken

    tracemalloc.start()
    count = sum(isinstance(record, dict) for _, record in tar_records(Endless()))  # type: ignore[arg-type]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 300
    assert peak < 3_000_000  # of 30 MB


def _lines(path: Path, records: list[Any]) -> Path:
    text = "".join(json.dumps(record) + "\n" for record in records).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def test_a_manifest_of_nemo(tmp_path: Path) -> None:
    path = _lines(
        tmp_path / "train_manifest.json.jsonl",
        [
            {"audio_filepath": "a.wav", "duration": 2.5, "text": "hello"},
            {
                "audio_filepath": "long.wav",
                "offset": 10.0,
                "duration": 2.0,
                "text": "you",
            },
            {"audio_filepath": "long.wav", "offset": 12.0, "duration": "two"},
            {"audio_filepath": 7},
            {"audio_filepath": "long.wav", "offset": -1, "duration": 1.0},
        ],
    )
    manifest = read_items(path)
    whole, stretch = manifest.singles
    assert (whole.answer.audio, whole.transcription) == (tmp_path / "a.wav", "hello")
    assert whole.answer.cut is None
    cut = stretch.answer.cut
    assert cut is not None
    assert (cut.channel, cut.start_s, cut.end_s) == (0, 10.0, 12.0)
    assert (whole.id, stretch.id) == ("1", "2")
    assert len(manifest.problems) == 3
    wrong = [problem.what.partition(" (")[0] for problem in manifest.problems]
    seconds = "expected 0 or more seconds, as a stretch needs both"
    assert wrong[::2] == [f"duration: {seconds}", f"offset: {seconds}"]
    recordings, problems = recordings_in([path])
    assert recordings == [tmp_path / "a.wav"]
    assert "a stretch of a recording" in str(problems[-1])


def test_lines_are_read_under_the_name_that_nemo_gives_them(tmp_path: Path) -> None:
    records = [{"audio_filepath": f"{name}.wav", "duration": None} for name in "abc"]
    path = _lines(tmp_path / "train_manifest.json", records)
    path.write_text(path.read_text().replace('"b.wav"', "b.wav") + "\n \n")
    manifest = read_items(path)
    assert [item.id for item in manifest.singles] == ["1", "3"]
    (problem,) = manifest.problems
    assert problem.where.endswith("record 2")


@pytest.mark.parametrize(
    "text",
    [
        '[{"audio": "a.wav"}]',
        '[{"audio": "a.wav"},\n {"audio": "b.wav"}]\n',
        '{"items": [{"audio": "a.wav"}]}\n\n',
        '{"items":\n [{"audio": "a.wav"}]\n}',
        '{\n  "one": {"audio": "a.wav"}\n}\n',
        '\ufeff{"one": {"audio": "a.wav"},\n"two": {"audio": "b.wav"}}',
    ],
)
def test_one_value_of_several_lines_is_no_file_of_lines(
    text: str, tmp_path: Path
) -> None:
    path = tmp_path / "items.json"
    path.write_text(text, encoding="utf-8")
    assert not holds_lines(path)


def _cut(name: str, **changes: Any) -> dict[str, Any]:
    """Return a cut as ``CutSet.to_jsonl`` of Lhotse writes it."""
    recording = {
        "id": name,
        "sources": [{"type": "file", "channels": [0], "source": f"{name}.wav"}],
        "sampling_rate": 16000,
        "num_samples": 80000,
        "duration": 5.0,
        "channel_ids": [0],
    }
    supervision = {
        "id": f"{name}-1",
        "recording_id": name,
        "start": 0.0,
        "duration": 5.0,
    }
    cut = {"id": f"{name}-cut", "start": 0.0, "duration": 5.0, "channel": 0}
    said = [
        {**supervision, "channel": 0, "text": f"words of {name}", "language": "English"}
    ]
    return {
        **cut,
        "supervisions": said,
        "recording": recording,
        "type": "MonoCut",
        **changes,
    }


@pytest.mark.parametrize("name", ["cuts.jsonl", "cuts.jsonl.gz"])
def test_cuts_of_lhotse(tmp_path: Path, name: str) -> None:
    command = _cut("c")
    command["recording"]["sources"][0] |= {
        "type": "command",
        "source": "touch /tmp/owned",
    }
    records = [
        _cut("a"),
        _cut("b", start=1.5, duration=2.0),
        command,
        _cut("d")["recording"],
    ]
    manifest = read_items(_lines(tmp_path / name, records))
    whole, part, alone = manifest.singles
    assert (whole.id, whole.answer.audio) == ("a-cut", tmp_path / "a.wav")
    assert (whole.transcription, whole.answer.cut) == ("words of a", None)
    assert part.answer.cut is not None
    assert (part.answer.cut.start_s, part.answer.cut.end_s) == (1.5, 3.5)
    assert (alone.id, alone.answer.audio) == ("d", tmp_path / "d.wav")
    (problem,) = manifest.problems
    assert "of type file, url or memory (got 1: command)" in problem.what


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"channel": [0, 1]}, "channel: expected one"),
        ({"type": "MixedCut", "recording": None, "tracks": []}, "type: MixedCut is"),
        ({"recording": None}, "a cut of features alone has no sound"),
        (
            {"transforms": [{"name": "Speed", "kwargs": {"factor": 1.1}}]},
            "has transforms",
        ),
    ],
)
def test_a_cut_that_is_another_sound_than_its_file_costs_itself(
    changes: dict[str, Any], words: str, tmp_path: Path
) -> None:
    odd = _cut("b")
    part = odd["recording"] if "transforms" in changes else odd
    part |= changes
    manifest = read_items(_lines(tmp_path / "cuts.jsonl", [_cut("a"), odd, _cut("c")]))
    assert [item.id for item in manifest.singles] == ["a-cut", "c-cut"]
    (problem,) = manifest.problems
    assert words in problem.what


def test_a_packed_file_that_ends_early_says_so(tmp_path: Path) -> None:
    path = _lines(
        tmp_path / "cuts.jsonl.gz", [_cut(f"n{number}") for number in range(400)]
    )
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(Exception, match=r"cuts\.jsonl\.gz: cannot be read as gz"):
        read_items(path)


@pytest.fixture
def store() -> Iterator[Any]:
    import fsspec

    set_url_access(UrlAccess(protocols=["memory"]))
    files = fsspec.filesystem("memory")
    yield files
    files.store.clear()
    set_url_access(UrlAccess())


def test_a_prefix_without_a_manifest(tmp_path: Path, sound: bytes, store: Any) -> None:
    for name in (
        "alto/1.wav",
        "alto/2.wav",
        "basso/1.wav",
        "basso/2.wav",
        "basso/notes.md",
        "basso/._1.wav",
        ".trash/3.wav",
    ):
        store.pipe_file(f"/answers/{name}", sound)
    manifest = read_items("memory://answers")
    assert [(item.id, item.system) for item in manifest.singles] == [
        ("alto/1", "alto"),
        ("alto/2", "alto"),
        ("basso/1", "basso"),
        ("basso/2", "basso"),
    ]
    assert str(manifest.singles[0].answer.url) == "memory://answers/alto/1.wav"
    pairs = read_manifest("memory://answers").pairs
    assert [(pair.a.system, pair.b.system) for pair in pairs] == [("alto", "basso")] * 2
    with pytest.raises(UserError, match=r"alto/1\.wav: 0 files to read"):
        read_items("memory://answers/alto/1.wav")


def test_a_tar_behind_a_url_is_not_copied_first(
    tmp_path: Path, sound: bytes, store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _tar(tmp_path / "a.tar", {f"{n}.wav": sound for n in range(3)})
    store.pipe_file("/tars/a.tar", path.read_bytes())
    monkeypatch.setattr("trace_eval.data.remote.fetch", None)
    manifest = _items("memory://tars/a.tar", tmp_path)
    assert [item.id for item in manifest.singles] == ["0", "1", "2"]
