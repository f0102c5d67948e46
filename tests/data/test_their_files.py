"""Inputs as annotators have them: eight tables, two folders, data sets, their words."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from extractors.audio import decode
from tests.support.audio import tone, write
from tests.support.cli import ROOT, output_of
from tests.support.docs import commands
from tests.support.their_files import PROMPTS, SAID, TABLES, recordings, tables
from trace_eval.data.columns import Columns
from trace_eval.data.manifests import Manifest, read_items, read_manifest
from trace_eval.data.sources import RecordTable
from trace_eval.data.spelling import spelled
from trace_eval.data.tables import records
from trace_eval.decide.best.candidates import read_candidates
from trace_eval.opinions.codes import LABELS
from trace_eval.opinions.judge_files import read_judge_file
from trace_eval.opinions.label_files import read_columns
from trace_eval.opinions.labels import read_labels
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
    sounds = {}
    for name in ("new", "old"):
        clips = [folder / name / f"q{number}.wav" for number in (1, 2, 3)]
        sounds[name] = [decode(clip).sha256 for clip in clips]
    stated = [p.labels and p.labels.preference for p in result.pairs]
    if layout == "chosen and rejected":
        sides = [{"1": "a", "2": "b"}[str(label)] for label in stated]
        chosen = [_heard(result, side)[row] for row, side in enumerate(sides)]
        assert chosen == sounds["new"]
        assert set(sides) == {
            "a",
            "b",
        }  # the place of an answer does not tell its label
        assert "the chosen answer is A in" in str(result.notes[-1])
    else:
        assert (_heard(result, "a"), _heard(result, "b")) == (
            sounds["new"],
            sounds["old"],
        )
        assert stated == ([None] * 3 if layout == "wide" else list(SAID))
    if layout in ("tabs", "arena"):
        assert {pair.systems for pair in result.pairs} == {("new", "old")}
    if layout == "chat":
        assert all(pair.instruction.has_audio for pair in result.pairs)
    numbered = [note for note in result.notes if "row number" in str(note)]
    assert len(numbered) == (
        layout in ("own names", "wide", "arena", "hub")
    )  # said once


#: As docs/how-to/data.md prints them.
LINES = [
    c
    for c in commands(ROOT / "docs" / "how-to" / "data.md")
    if c.words[:2] == ["trace-eval", "judge"]
]


def test_each_command_of_the_page_judges_the_three_pairs_at_the_first_try(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = tables(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TRACE_EVAL_CACHE", str(folder / "cache"))
    assert len(LINES) == len(files) + 1
    groups = ("transcript", "quality", "pitch", "loudness", "rate")
    fast = [*(f"--extractor={group}=none" for group in groups), "--workers=0"]
    for number, line in enumerate(LINES):
        told = output_of(*line.words[1:], "--out", f"run{number}", *fast)
        assert "3 of 3 pairs scored" in told, line.text
        recognised = {
            record.clip for record in Run.open(f"run{number}").clips().values()
        }
        sounds = {
            decode(folder / side / f"q{n}.wav").sha256
            for side in ("new", "old")
            for n in (1, 2, 3)
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
        f"{path}: no column for a and b; this file has {path.read_text().split()[0]}"[
            :60
        ]
        in told
    )
    assert "accepted are a: a, a_audio" in told
    meant = " ".join(
        f"--column {field}={name}" for field, name in NAMED[layout].items()
    )
    assert told.endswith(f"perhaps {meant}")


@pytest.mark.parametrize(
    ("column", "meant"),
    [
        ("instrution", "instruction"),
        ("Langauge", "language"),
        ("catagory", "category"),
        *((column, None) for column in ("topic", "languages", "reference", "contest")),
        *((column, None) for column in ("rational", "question_type", "transcript_id")),
        *((column, None) for column in ("Instruction", "categories", "instructor")),
    ],
)
def test_a_column_that_is_almost_a_field_is_named(
    column: str, meant: str | None
) -> None:
    record = {"id": "1", "a": "a.wav", "b": "b.wav", column: "en"}
    notes = [note.what for note in read_manifest(RecordTable([record])).notes]
    assert notes == (
        [f"column {column!r} is not read, only kept as meta; did you mean {meant}?"]
        if meant
        else []
    )
    both = {**record, meant or "category": "en"}
    assert not read_manifest(RecordTable([both])).notes


def test_columns_that_are_not_there_are_refused_by_name(folder: Path) -> None:
    path = TABLES["own names"](folder)
    for columns, message in (
        (
            {"a": "system_a_audi", "b": "system_b_audio"},
            "did you mean system_a_audio?; this file",
        ),
        ({"a.sytem": "x"}, "--column a.sytem: no such field; did you mean a_system?"),
    ):
        with pytest.raises(UserError, match=message.replace("?", r"\?")):
            read_manifest(path, columns=columns)
    other = {
        "id": "1",
        "a": {"audio": "x.wav"},
        "said": {"by": [{"wav": "y.wav"}]},
        "b": "b.wav",
    }
    (pair,) = read_manifest(RecordTable([other]), columns={"a": "said.by.0.wav"}).pairs
    assert pair.a.audio == Path.cwd() / "y.wav"
    assert pair.meta["a"] == {"audio": "x.wav"}  # what had the name is kept


def test_columns_are_named_for_candidates_and_single_answers_too(folder: Path) -> None:
    rows = "text_id;spoken;model\n1;new/q1.wav;new\n1;old/q1.wav;old\n"
    path = folder / "c.csv"
    path.write_text(rows)
    named = {"group": "text_id", "audio": "spoken", "system": "model"}
    assert [i.id for i in read_candidates(path, columns=named).items] == [
        "1/new",
        "1/old",
    ]
    singles = read_items(
        path, columns={"question_id": "text_id", "audio": "spoken"}
    ).singles
    assert [(s.id, s.question_id, s.system) for s in singles] == [
        ("1", "1", "new"),
        ("2", "1", "old"),
    ]
    with pytest.raises(
        UserError, match=r"no column for audio; .* perhaps --column audio=spoken"
    ):
        read_items(path)


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
    path.write_text(
        f"{head}1,new,old,,new\n2,old,new,,meh, or so\n".replace("meh, or so", "meh")
    )
    with pytest.raises(
        UserError, match=r"record 2 \(id 2\): preference is 'meh'.* --map meh=LABEL"
    ):
        read_labels(path, mapping={})
    assert (
        read_labels(path, mapping={"meh": "tie"}).codes["preference"].tolist()[0] == 0
    )
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
        other.write_text(
            f"id,system_a,system_b,note,{column}\n1,new,old,-,{value}\n2,new,old,,A\n"
        )
        for read in (read_labels, lambda path: read_judge_file(path, Columns())):
            with pytest.raises(
                UserError, match=f"no column of labels.* --column {meant}"
            ):
                read(other)
    named = {"id": "case", "preference": "verdict"}
    assert read_labels(path, columns=named).codes["preference"].tolist() == [0]
    path.write_text(
        "id,a,b,a_system,b_system,system,outcome\n1,x.wav,y.wav,new,old,old,win\n"
    )
    assert [
        pair.labels and pair.labels.preference for pair in read_manifest(path).pairs
    ] == ["2"]
    path.write_text("id,a,b,overall\n1,x.wav,y.wav,A\n2,x.wav,y.wav,tie\n")
    told = [
        p.labels and (p.labels.overall, p.labels.preference)
        for p in read_manifest(path).pairs
    ]
    assert told == [
        (None, "1"),
        (None, "tie"),
    ]  # a column with plain ties has no typed ones
    path.write_text("id,a,b,overall\n1,x.wav,y.wav,both_bad\n2,x.wav,y.wav,tie\n")
    mixed = read_manifest(path)
    assert not any(pair.labels for pair in mixed.pairs)
    assert "none is used" in str(mixed.warnings[0])


def test_capitals_spaces_and_marks_of_a_header_do_not_count(tmp_path: Path) -> None:
    clip = write(tmp_path / "1.wav", tone())
    manifest = tmp_path / "m.csv"
    for header in (
        "Pair ID,Instruction,Audio-A,Audio B,Model 1",
        "PairID,Prompt,audio_1,Audio 2,ModelA",
    ):
        manifest.write_text(f"{header}\n7,Say hi.,{clip},{clip},new\n")
        (pair,) = read_manifest(manifest).pairs
        assert (pair.id, pair.instruction.text, pair.a.system) == (
            "7",
            "Say hi.",
            "new",
        )
    labels = tmp_path / "l.csv"
    labels.write_text("Pair ID;Winner;Rater\n7;2;ann\n")
    assert read_columns(labels) == {"id": ["7"], "preference": ["2"], "rater": ["ann"]}
    both = tmp_path / "both.csv"
    both.write_text("id,ID,Winner,winner\n7,8,1,2\n")
    assert read_columns(both) == {"id": ["7"], "preference": ["2"]}


def test_two_columns_of_one_name_must_not_differ(tmp_path: Path) -> None:
    table = tmp_path / "m.csv"
    table.write_text(
        "id,a,a,note,note\n1,x.wav,x.wav,,\n2,x.wav,y.wav,,\n3,,y.wav,n,\n"
    )
    good, bad, filled = (row for _, row in records(table))
    assert good == {"id": "1", "a": "x.wav", "note": ""}
    assert bad == "columns of one name, 'a', hold different values; rename one"
    assert filled == {"id": "3", "a": "y.wav", "note": "n"}


@pytest.mark.parametrize("names", ["wav_a wav_b", "File 1,File 2", "Path-1 path_2"])
def test_other_names_of_recordings_count_where_they_hold_some(
    tmp_path: Path, names: str
) -> None:
    one, two = names.split("," if "," in names else " ")
    table = tmp_path / "pairs.csv"
    table.write_text(f"id,{one},{two},path\nx,new/a.wav,old/a.wav,x.wav\n")
    (pair,) = read_manifest(table).pairs
    assert (pair.a.audio, pair.b.audio) == (
        tmp_path / "new/a.wav",
        tmp_path / "old/a.wav",
    )
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
    assert (single.answer.audio, single.meta) == (
        tmp_path / "a.wav",
        {"file": "list.txt"},
    )


def test_a_row_for_each_answer_is_pairs_of_systems(tmp_path: Path) -> None:
    table = tmp_path / "answers.csv"
    rows = [f"{q},{who},{q}-{who}.wav" for q in ("x", "y") for who in ("new", "old")]
    table.write_text(
        "\n".join(["prompt_id,model,audio", *rows, "x,old,again.wav"]) + "\n"
    )
    result = read_manifest(table)
    assert [(pair.id, pair.systems, pair.a.audio) for pair in result.pairs] == [
        (q, ("new", "old"), tmp_path / f"{q}-new.wav") for q in ("x", "y")
    ]
    assert [problem.what for problem in result.problems] == [
        "old gave an answer to this question in item '2', too"
    ]
    assert (
        result.notes[0].what
        == "every two answers to one question are a pair, of new, old"
    )
    at_hand = read_manifest(RecordTable.of(list(csv.DictReader(table.open()))))
    assert [pair.systems for pair in at_hand.pairs] == [("new", "old")] * 2
    table.write_text("\n".join(["prompt,model,audio", *rows, "y,third,z.wav"]) + "\n")
    assert [(p.id, p.instruction.text) for p in read_manifest(table).pairs] == [
        ("1/new-old", "x"),
        *((f"2/{both}", "y") for both in ("new-old", "new-third", "old-third")),
    ]
    for text in (
        "prompt_id,audio\nx,a.wav\nx,b.wav\n",
        "model,audio\nnew,a.wav\nold,b.wav\n",
    ):
        table.write_text(text)  # without systems, or without questions
        with pytest.raises(UserError, match="no column for a and b"):
            read_manifest(table)


def test_a_column_for_each_system_is_pairs_and_answers(tmp_path: Path) -> None:
    table = tmp_path / "answers.csv"
    table.write_text(
        "id,prompt,gpt-4o,moshi,mine\nx,Hi.,1.wav,2.wav,3.wav\ny,Yo.,4.wav,5.wav,6.wav\n"
    )
    assert [
        (p.id, p.instruction.text, p.a.audio) for p in read_manifest(table).pairs
    ] == [
        ("x/gpt-4o-moshi", "Hi.", tmp_path / "1.wav"),
        ("x/gpt-4o-mine", "Hi.", tmp_path / "1.wav"),
        ("x/moshi-mine", "Hi.", tmp_path / "2.wav"),
        ("y/gpt-4o-moshi", "Yo.", tmp_path / "4.wav"),
        ("y/gpt-4o-mine", "Yo.", tmp_path / "4.wav"),
        ("y/moshi-mine", "Yo.", tmp_path / "5.wav"),
    ]
    assert [(one.id, one.system, one.question_id) for one in read_items(table).singles][
        2:4
    ] == [
        ("x/mine", "mine", "x"),
        ("y/gpt-4o", "gpt-4o", "y"),
    ]
    for header in ("user_wav,bot,other", "question_sound,new,old", "noisy,clean,mine"):
        table.write_text(
            f"id,{header}\nx,1.wav,2.wav,3.wav\n"
        )  # which may be no system's
        with pytest.raises(UserError, match="no column for a and b"):
            read_manifest(table)


def test_paths_of_windows_are_found(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    for name in ("new/a.wav", "new\\b.wav"):  # the second is a name with a backslash
        write(tmp_path / name, tone(0.1))
    table = tmp_path / "pairs.csv"
    table.write_text("id,audio_a,audio_b\nx,new\\a.wav,new\\b.wav\n")
    (pair,) = read_manifest(table).pairs
    assert (pair.a.audio, pair.b.audio) == (
        tmp_path / "new" / "a.wav",
        tmp_path / "new\\b.wav",
    )
