"""Inputs as annotators have them: eight tables, two folders, data sets, labels in their words."""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import av
import numpy as np
import pyarrow as pa
import pytest
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem
from fsspec.registry import register_implementation

from blueprints import UserError
from extractors import opening
from extractors.audio import AudioError, Part, decode
from extractors.containers import Unreadable, decoded
from extractors.formats import FORMATS
from tests.support.audio import container, tone, write
from tests.support.cli import ROOT, code_and_words, output_of
from tests.support.docs import commands
from tests.support.their_files import PROMPTS, SAID, TABLES, recordings, tables
from trace_eval.data.columns import Columns
from trace_eval.data.file_names import without_own_parts
from trace_eval.data.manifests import Manifest, read_items, read_manifest
from trace_eval.data.recordings import check_audio, find_recordings
from trace_eval.data.sources import Table
from trace_eval.data.spelling import spelled
from trace_eval.data.system_folders import Systems
from trace_eval.data.tables import records
from trace_eval.decide.best.candidates import read_candidates
from trace_eval.opinions.codes import LABELS
from trace_eval.opinions.judge_files import read_judge_file
from trace_eval.opinions.label_files import read_columns
from trace_eval.opinions.labels import read_labels
from trace_eval.runs.job import open_job
from trace_eval.runs.options import RateOptions
from trace_eval.runs.run import Run

#: What a user types beside the file, where it does not work without.
NAMED = {
    "own names": {"a": "system_a_audio", "b": "system_b_audio"},
    "wide": {"a": "new", "b": "old"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return recordings(tmp_path)


def _heard(manifest: Manifest, side: str) -> list[object]:
    """Which sound each answer is, whichever way it came."""
    answers = [getattr(pair, side) for pair in manifest.pairs]
    return [decode(answer.data or answer.audio).sha256 for answer in answers]


@pytest.mark.parametrize("layout", TABLES)
def test_each_table_gives_the_same_three_pairs(layout: str, folder: Path) -> None:
    path = TABLES[layout](folder)
    result = read_manifest(path, columns=NAMED.get(layout))
    assert (result.problems, result.warnings) == ([], [])
    ids = ["q", "r", "s"] if layout == "chosen and rejected" else ["1", "2", "3"]
    assert [pair.id for pair in result.pairs] == ids
    assert [pair.instruction.text for pair in result.pairs] == list(PROMPTS)
    sounds = {
        name: [decode(folder / name / f"q{n}.wav").sha256 for n in (1, 2, 3)]
        for name in ("new", "old")
    }
    stated = [p.labels and p.labels.preference for p in result.pairs]
    if layout == "chosen and rejected":
        sides = [{"1": "a", "2": "b"}[str(label)] for label in stated]
        chosen = [_heard(result, side)[row] for row, side in enumerate(sides)]
        assert chosen == sounds["new"]
        assert {*sides} == {"a", "b"}  # the place of an answer does not tell its label
        assert "the chosen answer is A in" in str(result.notes[-1])
    else:
        assert (_heard(result, "a"), _heard(result, "b")) == (sounds["new"], sounds["old"])
        assert stated == ([None] * 3 if layout == "wide" else list(SAID))
    if layout in ("tabs", "arena"):
        assert {pair.systems for pair in result.pairs} == {("new", "old")}
    if layout == "chat":
        assert all(pair.instruction.has_audio for pair in result.pairs)
    numbered = [note for note in result.notes if "row number" in str(note)]
    assert len(numbered) == (layout in ("own names", "wide", "arena", "hub"))  # said once


#: As docs/how-to/data.md prints them.
LINES = [
    c
    for c in commands(ROOT / "docs" / "how-to" / "data.md")
    if c.words[:2] == ["trace-eval", "judge"]
]


def test_each_command_of_the_page_judges_the_three_pairs_at_the_first_try(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tables(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TRACE_EVAL_CACHE", str(folder / "cache"))
    assert len(LINES) == len(made) + 1
    groups = ("transcript", "quality", "pitch", "loudness", "rate")
    fast = [*(f"--extractor={group}=none" for group in groups), "--workers=0"]
    for number, line in enumerate(LINES):
        told = output_of(*line.words[1:], "--out", f"run{number}", *fast)
        assert "3 of 3 pairs scored" in told, line.text
        recognised = {record.clip for record in Run.open(f"run{number}").clips().values()}
        sounds = {
            decode(folder / side / f"q{n}.wav").sha256 for side in ("new", "old") for n in (1, 2, 3)
        }
        assert sounds <= recognised, line.text


@pytest.mark.parametrize("layout", NAMED)
def test_a_refusal_is_the_command_that_works(layout: str, folder: Path) -> None:
    path = TABLES[layout](folder)
    with pytest.raises(UserError) as caught:
        read_manifest(path)
    told = str(caught.value)
    assert "\n" not in told
    assert (
        f"{path}: no column for a and b; this file has {path.read_text().split()[0]}"[:60] in told
    )
    assert "accepted are a: a, a_audio" in told
    meant = " ".join(f"--column {field}={name}" for field, name in NAMED[layout].items())
    assert told.endswith(f"perhaps {meant}")


def test_columns_that_are_not_there_are_refused_by_name(folder: Path) -> None:
    path = TABLES["own names"](folder)
    for columns, message in (
        ({"a": "system_a_audi", "b": "system_b_audio"}, "did you mean system_a_audio?; this file"),
        ({"a.sytem": "x"}, "--column a.sytem: no such field; did you mean a_system?"),
    ):
        with pytest.raises(UserError, match=message.replace("?", r"\?")):
            read_manifest(path, columns=columns)
    other = {"id": "1", "a": {"audio": "x.wav"}, "said": {"by": [{"wav": "y.wav"}]}, "b": "b.wav"}
    (pair,) = read_manifest(Table([other]), columns={"a": "said.by.0.wav"}).pairs
    assert pair.a.audio == Path.cwd() / "y.wav"
    assert pair.meta["a"] == {"audio": "x.wav"}  # what had the name is kept


def test_columns_are_named_for_candidates_and_single_answers_too(folder: Path) -> None:
    rows = "text_id;spoken;model\n1;new/q1.wav;new\n1;old/q1.wav;old\n"
    path = folder / "c.csv"
    path.write_text(rows)
    named = {"group": "text_id", "audio": "spoken", "system": "model"}
    assert [i.id for i in read_candidates(path, columns=named).items] == ["1/new", "1/old"]
    singles = read_items(path, columns={"question_id": "text_id", "audio": "spoken"}).singles
    assert [(s.id, s.question_id, s.system) for s in singles] == [
        ("1", "1", "new"),
        ("2", "1", "old"),
    ]
    with pytest.raises(UserError, match=r"no column for audio; .* perhaps --column audio=spoken"):
        read_items(path)


def test_two_folders_are_pairs_of_systems(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "new" / "extra.wav").write_bytes((folder / "new" / "q1.wav").read_bytes())
    (folder / "prompts.csv").write_text("ID,Prompt\nq1.wav,Say one.\nq2,Say two.\n")
    requested = {"instruction": {"text": "Say one.", "audio": "prompts/q1.wav"}}
    lines = [json.dumps({"id": f"q{n}", **requested}) for n in (1, 2, 3)]
    (folder / "pairs.jsonl").write_text("\n".join(lines))
    for name in ("prompts", "prompts.csv", "pairs.jsonl", None):
        prompts = name and folder / name
        result = read_manifest(Systems.parse(f"tuned={folder / 'new'}", folder / "old", prompts))
        assert [pair.id for pair in result.pairs] == ["q1", "q2", "q3"]
        assert {pair.systems for pair in result.pairs} == {("tuned", "old")}
        (alone,) = result.problems
        assert alone.what == "old has no recording 'extra', which tuned has"
        stated = result.pairs[0].instruction
        assert (stated.has_audio, stated.text) == {
            "prompts": (True, None),
            "prompts.csv": (False, "Say one."),
            "pairs.jsonl": (True, "Say one."),  # as our own manifests have it
            None: (False, None),
        }[name]
    (folder / "list.jsonl").write_text('{"id": "q1", "prompt": ["Say", "it."]}')
    with pytest.raises(
        UserError, match=r"list\.jsonl.*the prompt is \['Say', 'it\.'\]; give a text"
    ):
        read_manifest(Systems.parse(folder / "new", folder / "old", folder / "list.jsonl"))
    (folder / "others.csv").write_text("id,prompt\nx1,Say it.\n")
    with pytest.raises(UserError, match="has x1, and the recordings are called extra, q1, q2"):
        read_manifest(Systems.parse(folder / "new", folder / "old", folder / "others.csv"))
    monkeypatch.chdir(folder)
    for provided, message in (
        (("new", "nowhere"), "--b nowhere: no such folder"),
        (("new", "new"), "both are"),
        (("x=new", "x=old"), "write --a NAME=DIR"),
    ):
        with pytest.raises(UserError, match=message):
            Systems.parse(*provided)


def test_prompts_by_numbers_of_a_spreadsheet(tmp_path: Path) -> None:
    for system, name in product(("new", "old"), ("001", "002")):
        (tmp_path / system).mkdir(exist_ok=True)
        write(tmp_path / system / f"{name}.wav", tone(0.1))
    for text in (
        "id,prompt\n1,Say one.\n2,Say two.\n",
        "file,sentence\n1,Say one.\n2.wav,Say two.\n",
    ):
        prompts = tmp_path / "prompts.csv"
        prompts.write_text(text)
        pairs = read_manifest(Systems.parse(tmp_path / "new", tmp_path / "old", prompts)).pairs
        assert [(p.id, p.instruction.text) for p in pairs] == [
            ("001", "Say one."),
            ("002", "Say two."),
        ]


def test_a_folder_of_systems_is_all_their_pairs_and_all_their_answers(folder: Path) -> None:
    pairs = read_manifest(folder).pairs
    assert [(p.id, p.systems) for p in pairs] == [(f"q{n}", ("new", "old")) for n in (1, 2, 3)]
    assert all(pair.instruction.has_audio for pair in pairs)
    shutil.copytree(folder / "new", folder / "third")
    more = read_manifest(folder).pairs
    assert len(more) == 9
    assert {p.systems for p in more} == {("new", "old"), ("new", "third"), ("old", "third")}
    assert {p.instruction_id for p in more} == {"q1", "q2", "q3"}
    singles = read_items(folder).singles
    assert len(singles) == 9
    assert singles[0].instruction.has_audio
    assert [s.id for s in read_items(folder / "new").singles] == ["q1", "q2", "q3"]
    with pytest.raises(UserError, match="recordings of one system; a pair needs two"):
        read_manifest(folder / "new")


def test_data_sets_of_hugging_face_are_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = TABLES["hub"](folder)
    whole = [pair.model_dump() for pair in read_manifest(hub).pairs]
    table = pa.parquet.read_table(next(hub.rglob("*.parquet")))
    saved = folder / "saved" / "train"
    saved.mkdir(parents=True)
    with pa.ipc.new_stream(saved / "data-00000-of-00001.arrow", table.schema) as writer:
        writer.write_table(table)
    state = {"_data_files": [{"filename": "data-00000-of-00001.arrow"}]}
    (saved / "state.json").write_text(json.dumps(state))
    (saved.parent / "dataset_dict.json").write_text('{"splits": ["train"]}')
    assert [pair.model_dump() for pair in read_manifest(saved.parent).pairs] == whole

    class Hub(DirFileSystem):
        protocol = "hf"

        def __init__(self, **_: Any) -> None:
            super().__init__(str(folder), LocalFileSystem())

        @classmethod
        def _strip_protocol(cls, path: Any) -> Any:
            return str(path).removeprefix("hf://datasets/me/").strip("/")

    register_implementation("hf", Hub, clobber=True)
    result = read_manifest("hf://datasets/me/hub")
    assert [pair.model_dump() for pair in result.pairs] == whole
    assert result.pairs[0].meta["split"] == "train"


def test_real_data_sets_and_data_frames_are_tables(folder: Path) -> None:
    path = TABLES["semicolons"](folder)
    whole = [p.id for p in read_manifest(path).pairs]
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(path, sep=";")
    frame.loc[1, "overall"] = None
    result = read_manifest(Table.of(frame), audio_root=folder)
    assert [pair.id for pair in result.pairs] == whole
    assert result.pairs[1].labels is None
    datasets = pytest.importorskip("datasets")
    rows = [
        {"id": 1, "a": str(folder / "new/q1.wav"), "b": str(folder / "old/q1.wav"), "winner": 0}
    ]
    made = datasets.Dataset.from_list(rows)
    made = made.cast_column("a", datasets.Audio()).cast_column("b", datasets.Audio())
    made = made.cast_column("winner", datasets.ClassLabel(names=["B", "A"]))
    made.save_to_disk(folder / "mine")
    for source in (Table.of(made), folder / "mine"):
        (pair,) = read_manifest(source).pairs
        assert (pair.labels.preference, pair.id) == ("2", "1")
        assert pair.a.has_audio
    with pytest.raises(UserError, match="int is no table"):
        Table.of(5)


@pytest.mark.parametrize(
    ("value", "names", "label"),
    [
        ("Model A", (None, None, None), "1"),
        ("right", (None, None, None), "2"),
        ("gpt-new", ("gpt-new", "old", None), "1"),
        ("OLD", ("gpt-new", "old", None), "2"),
        ("b", ("b", "a", None), "it is a side and the name of the other side's system"),
        ("a", ("a", "b", None), "1"),
        ("Draw", (None, None, None), "tie"),
        ("both", (None, None, None), "tie"),
        ("both bad", (None, None, None), "both_bad"),
        ("A>>B", (None, None, None), "1"),
        ("B>>A", (None, None, None), "2"),
        ("win", ("new", "old", "old"), "2"),
        ("loss", ("new", "old", "old"), "1"),
        ("win", ("new", "old", None), "it does not say whose"),
        ("win", ("new", "old", "third"), "is neither of the two systems"),
        ("x", ("x", "x", None), "both answers are of that system"),
        ("better than before", (None, None, None), "it is no label"),
        ("0", (None, None, None), "it is no label"),
    ],
)
def test_labels_as_annotators_spell_them(value: str, names: Any, label: str) -> None:
    if label in LABELS:
        assert spelled(value, names) == label
        # a column without typed ties has them as ties
        assert spelled(value, names, False) == ("tie" if "both" in label else label)
    else:
        with pytest.raises(ValueError, match=label):
            spelled(value, names)


def test_a_column_is_read_whole_or_refused_with_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    head = "pair,system_a,system_b,system,winner\n"
    path.write_text(f"{head}1,new,old,new,win\n2,old,new,new,win\n3,new,old,,tie\n")
    assert read_labels(path).codes["preference"].tolist() == [0, 1, LABELS.index("tie")]
    path.write_text(f"{head}1,new,old,,new\n2,old,new,,meh, or so\n".replace("meh, or so", "meh"))
    with pytest.raises(
        UserError, match=r"record 2 \(id 2\): preference is 'meh'.* --map meh=LABEL"
    ):
        read_labels(path, mapping={})
    assert read_labels(path, mapping={"meh": "tie"}).codes["preference"].tolist()[0] == 0
    path.write_text("case,verdict\n1,A\n")
    with pytest.raises(UserError, match=r"no column 'id' .*it has case, verdict"):
        read_labels(path)
    for column, value, meant in (
        ("heard", "left", "preference=heard"),
        ("said", "both bad", "overall=said"),
        ("said", "old", "preference=said"),  # by the name of a system
        ("said", "perhaps", "overall=COLUMN"),
    ):
        other = tmp_path / "other.csv"
        other.write_text(f"id,system_a,system_b,note,{column}\n1,new,old,-,{value}\n2,new,old,,A\n")
        for read in (read_labels, lambda path: read_judge_file(path, Columns())):
            with pytest.raises(UserError, match=f"no column of labels.* --column {meant}"):
                read(other)
    named = {"id": "case", "preference": "verdict"}
    assert read_labels(path, columns=named).codes["preference"].tolist() == [0]
    path.write_text("id,a,b,a_system,b_system,system,outcome\n1,x.wav,y.wav,new,old,old,win\n")
    assert [pair.labels and pair.labels.preference for pair in read_manifest(path).pairs] == ["2"]
    path.write_text("id,a,b,overall\n1,x.wav,y.wav,A\n2,x.wav,y.wav,tie\n")
    told = [p.labels and (p.labels.overall, p.labels.preference) for p in read_manifest(path).pairs]
    assert told == [(None, "1"), (None, "tie")]  # a column with plain ties has no typed ones
    path.write_text("id,a,b,overall\n1,x.wav,y.wav,both_bad\n2,x.wav,y.wav,tie\n")
    mixed = read_manifest(path)
    assert not any(pair.labels for pair in mixed.pairs)
    assert "none is used" in str(mixed.warnings[0])


def _container(path: Path, form: str, codec: str) -> Path:
    path.write_bytes(container(codec, form, tone(1.0, hz=190).repeat(3), 48_000))
    return path


@pytest.mark.parametrize(
    ("name", "kind", "codec"),
    [("x.m4a", "ipod", "aac"), ("x.mp4", "mp4", "aac"), ("x.webm", "webm", "libopus")],
)
def test_containers_are_recordings(name: str, kind: str, codec: str, tmp_path: Path) -> None:
    path = _container(tmp_path / name, kind, codec)
    clip = decode(path)
    assert (clip.rate, clip.channels) == (48_000, 1)
    assert clip.seconds == pytest.approx(1, abs=0.05)  # an encoder pads its first and last block
    assert clip.sha256 == decode(path.read_bytes()).sha256
    assert find_recordings(tmp_path) == [path]
    item = {"id": "1", "a": str(path), "b": str(path)}
    assert not check_audio(read_manifest(Table([item])).pairs)
    with pytest.raises(AudioError, match=r"longer than 0\.5 s"):
        decode(path, max_seconds=0.5)


def test_a_container_is_decoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call of an hour has hundreds of turns, the last one far behind the longest clip."""
    path, calls = _container(tmp_path / "x.m4a", "ipod", "aac"), []
    real = opening.decoded
    monkeypatch.setattr(opening, "decoded", lambda *told: calls.append(told) or real(*told))
    whole = decode(path).samples
    for start in (0.7, 0.1, 0.3):
        result = decode(path, max_seconds=0.25, part=Part(0, start, start + 0.2)).samples
        first = round(start * 48_000)
        np.testing.assert_array_equal(result, whole[first : first + 9600])
    assert len(calls) == 2  # as a whole, and for all of its parts
    _container(path, "ipod", "aac")  # written anew
    os.utime(path, ns=(1, 1))
    decode(path, part=Part(0, 0.1, 0.2))
    assert len(calls) == 3


def test_a_container_without_sound_is_said_to_have_none(tmp_path: Path) -> None:
    path = tmp_path / "silent film.mp4"
    with av.open(str(path), "w") as file:
        stream = file.add_stream("mpeg4", rate=25)
        stream.width = stream.height = 16
        file.mux(stream.encode(av.VideoFrame(16, 16, "yuv420p")))
        file.mux(stream.encode(None))
    with pytest.raises(AudioError, match=r"cannot be decoded \(it has no audio stream\); convert"):
        decode(path)
    path.write_bytes(_container(tmp_path / "x.mp4", "mp4", "aac").read_bytes()[:600])
    with pytest.raises(AudioError, match=r"cannot be decoded \(FFmpeg: Invalid data found"):
        decode(path)


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ("new", ["q1", "q2", "q3"]),  # recordings alone
        (".", 6),  # of two systems
        ("described", ["1"]),  # beside a table, and on two channels, as calls are
        ("hub", 6),  # tables in parts
    ],
)
def test_rate_takes_each_folder_of_the_page(where: str, ids: list[str] | int, folder: Path) -> None:
    if where == "hub":
        tables(folder)
    if where == "described":
        path = write(folder / where / "x.wav", np.zeros((800, 2), np.float32))
        (path.parent / "metadata.csv").write_text("file_name,question\nx.wav,Say one.\n")
    result = open_job(folder / where, folder / "run", RateOptions()).manifest.singles
    assert all(item.answer.has_audio for item in result)
    assert ([item.id for item in result] if isinstance(ids, list) else len(result)) == ids


def test_a_container_opens_no_other_file_and_the_error_has_the_table(tmp_path: Path) -> None:
    sound = _container(tmp_path / "x.mp4", "mp4", "aac")
    lists = {
        "hls.m4a": f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:1,\nfile://{sound}\n#EXT-X-ENDLIST\n",
        "concat.mp4": f"ffconcat version 1.0\nfile {sound}\n",
    }
    for name, text in lists.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(AudioError, match=r"is no recording but (a playlist|text)"):
            decode(tmp_path / name)
        with pytest.raises(
            Unreadable, match=r"no audio stream|FFmpeg: |no format of"
        ):  # nor does FFmpeg
            decoded(str(tmp_path / name))
    (tmp_path / "damaged.mp4").write_bytes(sound.read_bytes()[:40])
    with pytest.raises(AudioError, match="cannot be decoded") as caught:
        decode(tmp_path / "damaged.mp4")
    assert all(each.name in str(caught.value) for each in FORMATS)


def test_from_own_files_to_a_ranking_by_the_commands_as_typed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    tables(folder)
    quick = [f"-x {name}=none" for name in ("transcript", "quality", "pitch", "rate")]
    fast = f" {' '.join(quick)} --workers 0 --cache {tmp_path / 'cache'}"

    def typed(line: str) -> tuple[int, str]:
        return code_and_words(*line.split())

    assert typed(f"judge --a new --b old --prompts prompts --out r1 {fast}")[0] == 0
    assert [p.systems for p in Run("r1").pairs()] == [("new", "old")] * 3
    assert typed(f"judge semi.csv --out r2 {fast}")[0] == 0
    code, told = typed("rank r2 --resamples 0")
    assert code == 0
    assert "A and B are the answers' places; name them by --systems new,old" in told
    code, told = typed("rank r2 --resamples 0 --systems new,old --full")
    assert (code, "new 3" in told, "places" in told) == (0, True, False)
    assert "name their systems" in typed("rank r1 --systems x,y")[1]
    code, told = typed("judge own.csv --out r3")
    assert (code, Path("r3").exists()) == (2, False)
    for line, stated in (
        ("judge", "two folders of recordings, --a DIR --b DIR"),
        ("judge x.csv --a new --b old", "name what is judged"),
        ("judge x.csv --prompts p", "belongs to folders of recordings"),
        ("judge --a new", "name the other, --b DIR"),
    ):
        code, told = typed(line)
        assert (code, stated in told) == (2, True), told
    code, told = typed("agree r2 --labels semi.csv --column preference=overall")
    assert code == 0, told


def test_capitals_spaces_and_marks_of_a_header_do_not_count(tmp_path: Path) -> None:
    clip = write(tmp_path / "1.wav", tone())
    manifest = tmp_path / "m.csv"
    for header in (
        "Pair ID,Instruction,Audio-A,Audio B,Model 1",
        "PairID,Prompt,audio_1,Audio 2,ModelA",
    ):
        manifest.write_text(f"{header}\n7,Say hi.,{clip},{clip},new\n")
        (pair,) = read_manifest(manifest).pairs
        assert (pair.id, pair.instruction.text, pair.a.system) == ("7", "Say hi.", "new")
    labels = tmp_path / "l.csv"
    labels.write_text("Pair ID;Winner;Rater\n7;2;ann\n")
    assert read_columns(labels) == {"id": ["7"], "preference": ["2"], "rater": ["ann"]}
    both = tmp_path / "both.csv"
    both.write_text("id,ID,Winner,winner\n7,8,1,2\n")
    assert read_columns(both) == {"id": ["7"], "preference": ["2"]}


def test_two_columns_of_one_name_must_not_differ(tmp_path: Path) -> None:
    table = tmp_path / "m.csv"
    table.write_text("id,a,a,note,note\n1,x.wav,x.wav,,\n2,x.wav,y.wav,,\n3,,y.wav,n,\n")
    good, bad, filled = (row for _, row in records(table))
    assert good == {"id": "1", "a": "x.wav", "note": ""}
    assert bad == "columns of one name, 'a', hold different values; rename one"
    assert filled == {"id": "3", "a": "y.wav", "note": "n"}


@pytest.mark.parametrize(
    ("names", "ids", "how"),
    [
        (["gpt_001 gpt_002", "ours_001 ours_002"], "001 002", "'gpt_' of a and 'ours_' of b"),
        (["apple_gpt apply_gpt", "apple apply"], "apple apply", "'_gpt' of a"),
        (["gpt_apple gpt_apply", "x_apple x_pear"], None, None),  # one alone may be an accident
        (["q1 q2", "Q1 Q2 Q3"], "q1 q2", "without regard to upper and lower case"),
        (["m0v1x m0v2x", "a-1 a-2"], "1 2", "'m0v...x' of a and 'a-' of b"),
        (["q1 q2", "q1 x2"], "q1", None),
        (["gpt_1", "ours_1"], None, None),
    ],
)
def test_names_that_carry_the_system_are_matched_without_it(
    names: list[str], ids: str | None, how: str | None, tmp_path: Path
) -> None:
    for folder, listed in zip("ab", names, strict=True):
        (tmp_path / folder).mkdir()
        for name in listed.split():
            write(tmp_path / folder / f"{name}.wav", tone(0.1))
    result = read_manifest(Systems.parse(tmp_path / "a", tmp_path / "b"))
    assert [pair.id for pair in result.items] == (ids or "").split()
    assert bool(result.notes) == bool(how)
    assert all(how in note.what for note in result.notes if how)


def test_one_folder_of_two_systems_is_taken_apart_by_patterns(tmp_path: Path) -> None:
    sound = tmp_path / "all [v1]"  # a folder's own name is no pattern
    sound.mkdir()
    for name in ("q1_gpt", "q2_gpt", "q1 – Ours-2", "q2 – Ours-2", ".q3_gpt"):
        write(sound / f"{name}.wav", tone(0.1))
    result = read_manifest(Systems.parse(sound / "*_gpt.wav", sound / "*Ours-2*"))
    assert [(pair.id, pair.systems) for pair in result.items] == [
        ("1", ("gpt", "Ours-2")),
        ("2", ("gpt", "Ours-2")),
    ]
    named = Systems.parse(f"new={sound}/*_gpt.wav", sound / "q?_gpt.wav")
    assert [*named.folders] == ["new", "q_gpt"]
    with pytest.raises(UserError, match=r"\*_x\.wav: no recordings below it"):
        read_manifest(Systems.parse(sound / "*_x.wav", sound / "*_gpt.wav"))
    with pytest.raises(UserError, match=r"--a 'DIR/\*_x\.wav' --b 'DIR/\*_y\.wav'"):
        read_manifest(sound)


@pytest.mark.parametrize("names", ["wav_a wav_b", "File 1,File 2", "Path-1 path_2"])
def test_other_names_of_recordings_count_where_they_hold_some(tmp_path: Path, names: str) -> None:
    one, two = names.split("," if "," in names else " ")
    table = tmp_path / "pairs.csv"
    table.write_text(f"id,{one},{two},path\nx,new/a.wav,old/a.wav,x.wav\n")
    (pair,) = read_manifest(table).pairs
    assert (pair.a.audio, pair.b.audio) == (tmp_path / "new/a.wav", tmp_path / "old/a.wav")
    table.write_text(f"id,{one},{two}\nx,yes,no\n")
    if one == "wav_a":  # as it is spelt, the column is known
        assert read_manifest(table).problems[0].what.startswith("a: is missing")
    else:
        with pytest.raises(UserError, match="no column for a and b"):
            read_manifest(table)
    table.write_text("id,File,text\nx,a.wav,hello\n")
    (single,) = read_items(table).singles
    assert single.answer.audio == tmp_path / "a.wav"
    table.write_text("id,file,audio\nx,list.txt,a.wav\n")
    (single,) = read_items(table).singles
    assert (single.answer.audio, single.meta) == (tmp_path / "a.wav", {"file": "list.txt"})


def test_a_row_for_each_answer_is_pairs_of_systems(tmp_path: Path) -> None:
    table = tmp_path / "answers.csv"
    rows = [f"{q},{who},{q}-{who}.wav" for q in ("x", "y") for who in ("new", "old")]
    table.write_text("\n".join(["prompt_id,model,audio", *rows, "x,old,again.wav"]) + "\n")
    result = read_manifest(table)
    assert [(pair.id, pair.systems, pair.a.audio) for pair in result.pairs] == [
        (q, ("new", "old"), tmp_path / f"{q}-new.wav") for q in ("x", "y")
    ]
    assert [problem.what for problem in result.problems] == [
        "old gave an answer to this question in item '2', too"
    ]
    assert result.notes[0].what == "every two answers to one question are a pair, of new, old"
    at_hand = read_manifest(Table.of([*csv.DictReader(table.open())]))
    assert [pair.systems for pair in at_hand.pairs] == [("new", "old")] * 2
    table.write_text("\n".join(["prompt,model,audio", *rows, "y,third,z.wav"]) + "\n")
    assert [(p.id, p.instruction.text) for p in read_manifest(table).pairs] == [
        ("1/new-old", "x"),
        *((f"2/{both}", "y") for both in ("new-old", "new-third", "old-third")),
    ]
    for text in ("prompt_id,audio\nx,a.wav\nx,b.wav\n", "model,audio\nnew,a.wav\nold,b.wav\n"):
        table.write_text(text)  # without systems, or without questions
        with pytest.raises(UserError, match="no column for a and b"):
            read_manifest(table)


def test_a_column_for_each_system_is_pairs_and_answers(tmp_path: Path) -> None:
    table = tmp_path / "answers.csv"
    table.write_text(
        "id,prompt,gpt-4o,moshi,mine\nx,Hi.,1.wav,2.wav,3.wav\ny,Yo.,4.wav,5.wav,6.wav\n"
    )
    assert [(p.id, p.instruction.text, p.a.audio) for p in read_manifest(table).pairs] == [
        ("x/gpt-4o-moshi", "Hi.", tmp_path / "1.wav"),
        ("x/gpt-4o-mine", "Hi.", tmp_path / "1.wav"),
        ("x/moshi-mine", "Hi.", tmp_path / "2.wav"),
        ("y/gpt-4o-moshi", "Yo.", tmp_path / "4.wav"),
        ("y/gpt-4o-mine", "Yo.", tmp_path / "4.wav"),
        ("y/moshi-mine", "Yo.", tmp_path / "5.wav"),
    ]
    assert [(one.id, one.system, one.question_id) for one in read_items(table).singles][2:4] == [
        ("x/mine", "mine", "x"),
        ("y/gpt-4o", "gpt-4o", "y"),
    ]
    for header in ("user_wav,bot,other", "question_sound,new,old", "noisy,clean,mine"):
        table.write_text(f"id,{header}\nx,1.wav,2.wav,3.wav\n")  # which may be no system's
        with pytest.raises(UserError, match="no column for a and b"):
            read_manifest(table)


def test_paths_of_windows_are_found(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    for name in ("new/a.wav", "new\\b.wav"):  # the second is a name with a backslash
        write(tmp_path / name, tone(0.1))
    table = tmp_path / "pairs.csv"
    table.write_text("id,audio_a,audio_b\nx,new\\a.wav,new\\b.wav\n")
    (pair,) = read_manifest(table).pairs
    assert (pair.a.audio, pair.b.audio) == (tmp_path / "new" / "a.wav", tmp_path / "new\\b.wav")


def test_names_that_cannot_be_read_match_nothing(tmp_path: Path) -> None:
    for folder, names in (("a", [b"x\xff.wav"]), ("b", [b"gpt_1.wav", b"gpt_2.wav"])):
        (tmp_path / folder).mkdir()
        for name in names:
            Path(os.fsdecode(os.fsencode(tmp_path / folder) + b"/" + name)).write_bytes(b"RIFF")
    result = read_manifest(Systems.parse(tmp_path / "a", tmp_path / "b"))
    assert not result.items
    assert len(result.problems) == 3


@pytest.mark.parametrize("seed", range(20))
def test_what_is_left_of_matched_names_is_equal_and_the_rest_was_shared(seed: int) -> None:
    draw = random.Random(seed)
    ids = [
        draw.choice(("q%d", "%03d", "Q-%d b", "sub/%d x")) % n for n in range(draw.randint(2, 40))
    ]
    affixes = {"a": ("gpt_", ""), "b": (draw.choice(("", "v2-")), "_new")}
    folders = {}
    for system, (begin, end) in affixes.items():
        shuffled = draw.sample(ids, len(ids))
        folders[system] = {f"{begin}{name}{end}": Path(name) for name in shuffled}
    short = without_own_parts(folders)
    for key in {*short["a"][1]} & {*short["b"][1]}:
        assert short["a"][1][key] == short["b"][1][key]
    assert len(short["a"][1]) == len(short["b"][1]) == len(ids)
