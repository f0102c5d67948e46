"""Tables as annotators save them: one reader, one idea of a bad row, one name table."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from blueprints import UserError
from tests.support import golden_runs
from tests.support.cli import code_and_words
from tests.support.their_files import recordings
from trace_eval.data.manifests import read_items, read_manifest
from trace_eval.data.names import LABELS, NAMES, PROMPT, SCORES, SINGLE, fields_of
from trace_eval.data.system_folders import Systems
from trace_eval.data.tables import records
from trace_eval.decide.ablation import compare
from trace_eval.opinions.label_files import read_columns
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.rating_files import read_ratings
from trace_eval.runs.options import AblateOptions
from trace_eval.runs.run import Run

TEXT = 'id;winner;note\r\nq1;1;"x;y"\r\nq2;tie;\r\nq3;2\r\n'

ROWS = [
    {"id": "q1", "winner": "1", "note": "x;y"},
    {"id": "q2", "winner": "tie", "note": ""},
    {"id": "q3", "winner": "2", "note": None},  # the last cell is lacking
]


@pytest.mark.parametrize("lead", ["", "sep=;\r\n", '"sep=;"\r\n'])
@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"],
)
@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
def test_any_spreadsheet_is_read(
    lead: str, encoding: str, delimiter: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.csv"
    text = (lead + TEXT).replace(";", delimiter)
    path.write_bytes(text.encode(encoding))
    rows = [
        {**row, "note": (row["note"] or "").replace(";", delimiter)} for row in ROWS
    ]
    result = [row for _, row in records(path)]
    assert [
        {**row, "note": row["note"] or ""} for row in result if isinstance(row, dict)
    ] == rows
    columns = read_columns(path)
    assert columns == {"id": ["q1", "q2", "q3"], "preference": ["1", "tie", "2"]}


def test_a_header_with_bars_in_a_name_is_separated_by_commas(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,better [A|B|tie|none]\nq1,A\n")
    assert [row for _, row in records(path)] == [
        {"id": "q1", "better [A|B|tie|none]": "A"}
    ]


def test_decimal_commas_are_points_where_semicolons_separate(tmp_path: Path) -> None:
    cells = [
        "3,5",
        "-0,125",
        "1234,5",
        "4,125",
        "1,000",
        "a,5",
        "3,5,5",
    ]  # from the 4th on: as is
    path = tmp_path / "x.csv"
    path.write_text(
        "id;score\n" + "".join(f"q{n};{cell}\n" for n, cell in enumerate(cells))
    )
    points = ["3.5", "-0.125", "1234.5", *cells[3:]]
    assert read_columns(path, {"score": "score"})["score"] == points
    path.write_text(f'id,score\nq1,"{cells[0]}"\n')
    assert read_columns(path, {"score": "score"})["score"] == cells[:1]


def test_fast_columns_are_those_of_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('id,winner\n\'=1,1\n\n"a\nb",\nc,2\n')
    whole = read_columns(path)
    assert whole == {"id": ["=1", "a\nb", "c"], "preference": ["1", None, "2"]}
    path.write_text(
        path.read_text().replace("c,2", "c,2\nd")
    )  # a short row takes the slow way
    slow = {"id": [*whole["id"], "d"], "preference": [*whole["preference"], None]}
    assert read_columns(path) == slow


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("x.csv", b"", "the file is empty"),
        ("x.csv", b"id,winner\n", "it has a header but no rows; add the items"),
        ("x.jsonl", b"\n", "the file is empty; add the items"),
        ("x.json", b" ", "the file is empty; add the items"),
        ("x.json", b"[]", "it holds no record; add the items"),
        ("x.parquet", b"text", "not a Parquet file"),
        ("x.csv", b"\xff\xfd", "cannot be read as csv"),
        ("x.xlsx", b"PK", "is a workbook; save its sheet as CSV"),
        (
            "x",
            b"id\n1\n",
            r"nothing that says what it holds, .* one of \.jsonl, .*\.csv, .*rename",
        ),
        (
            "x.csv",
            b"id,winner\na,1\nb,2,3\n",
            "row 2: more cells than the header has columns",
        ),
        (
            "x.csv",
            "id,winner\na,1\né,2\n".encode("latin-1"),
            "row 2: not UTF-8; save the file",
        ),
    ],
)
def test_readers_refuse_what_is_no_table(
    name: str, data: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UserError, match=said):
        read_labels(path)
    if "row 2" in said:  # of a manifest it costs itself
        (problem,) = [row for _, row in records(path) if isinstance(row, str)]
        assert problem in said + problem
        return
    for read in (read_manifest, read_items, read_ratings):
        with pytest.raises(UserError, match=said):
            read(path)


def test_a_column_means_the_same_in_every_table() -> None:
    kinds = {"labels": LABELS, "scores": SCORES, "prompts": PROMPT, "singles": SINGLE}
    for name, kind in kinds.items():
        assert set(NAMES["id"]) <= set(kind["id"]), name
    requested = set(NAMES["instruction_id"])
    assert set(LABELS["instruction_id"]) == set(SINGLE["question_id"]) == requested
    # a name that other files use for other things counts only where the usual one is
    # missing
    assert fields_of(LABELS, {"id", "item_id"}).get("item_id") is None
    assert fields_of(LABELS, {"item_id"})["item_id"] == "id"


def test_classes_of_hugging_face_are_labels_by_their_names(tmp_path: Path) -> None:
    features = {"winner": {"_type": "ClassLabel", "names": ["B", "A"]}}
    head = {b"huggingface": json.dumps({"info": {"features": features}}).encode()}
    table = pa.table({"item_id": ["x", "y"], "winner": [0, 1]}).replace_schema_metadata(
        head
    )
    pa.parquet.write_table(table, tmp_path / "x.parquet")
    result = read_labels(tmp_path / "x.parquet")
    assert result.ids.tolist() == ["x", "y"]
    assert result.codes["preference"].tolist() == [1, 0]


def test_columns_are_named_for_prompts_too(tmp_path: Path) -> None:
    folder = recordings(tmp_path)
    requested = folder / "fragen.csv"
    requested.write_text("fall;frage\nq1;Say one.\nq2;Say two.\nq3;Say three.\n")
    systems = Systems.parse(folder / "new", folder / "old", requested)
    offered = (
        r"this file has fall, frage; .*--column id=fall --column instruction_text=frage"
    )
    with pytest.raises(UserError, match=offered):
        read_manifest(systems)
    named = {"id": "fall", "instruction_text": "frage"}
    pairs = read_manifest(systems, columns=named).pairs
    assert [p.instruction.text for p in pairs] == ["Say one.", "Say two.", "Say three."]
    singles = read_items(systems, columns=named).singles
    assert [s.instruction.text for s in singles[:2]] == ["Say one.", "Say two."]
    with pytest.raises(
        UserError, match="--column id=fal: no such column; did you mean fall"
    ):
        read_manifest(systems, columns={**named, "id": "fal"})


JUDGED = "id,system_a,system_b,overall\nq1,new,old,1\nq2,old,new,2\nq3,new,old,2\n"


def _typed(line: str) -> tuple[int, str]:
    return code_and_words(
        *line.split(),
    )


@pytest.mark.usefixtures("here")
def test_labels_name_the_systems_of_the_items_that_they_are_about() -> None:
    Path("judged.csv").write_text(JUDGED)
    judged = read_labels("judged.csv")
    Path("labels.csv").write_text(
        "case,winner\nq1,New\nq2,new wins\nq3,No difference\n"
    )
    about = read_labels("labels.csv", columns={"id": "case"}, about=[judged])
    assert about.codes["preference"].tolist() == [0, 1, 4]  # new is A, then B; a tie
    for command in ("agree", "rank"):
        code, shown = _typed(
            f"{command} judged.csv --labels labels.csv --column id=case"
        )
        assert code == 0, shown
    Path("labels.csv").write_text(
        "id,winner\nq1.wav,New\nq2.WAV,new\nq3.mp3,no difference\n"
    )
    assert read_labels("labels.csv", about=[judged]).ids.tolist() == ["q1", "q2", "q3"]
    Path("labels.csv").write_text(
        "Filename,Preferred system\nq1.wav,new\nq2,new\nq9.wav,tie\n"
    )
    about = read_labels("labels.csv", about=[judged])
    assert about.ids.tolist() == [
        "q1",
        "q2",
        "q9.wav",
    ]  # q9 is not judged: it stays as it is
    assert about.codes["preference"].tolist() == [0, 1, 4]
    for header in (
        "id,file",
        "stem,file",
    ):  # of several such columns the first one counts
        Path("labels.csv").write_text(f"{header},winner\nq1,x.wav,new\nq2,x.wav,new\n")
        assert read_labels("labels.csv", about=[judged]).ids.tolist() == ["q1", "q2"]
    Path("labels.csv").write_text(
        "clip,Which is better?\nq1.wav,new\nq2.wav,about the same\n"
    )
    with pytest.raises(
        UserError, match=r"perhaps --column 'preference=Which is better\?'"
    ):
        read_labels("labels.csv", about=[judged])
    Path("labels.csv").write_text("id,winner\nx1.wav,new\n")
    with pytest.raises(UserError, match=r"none of its 3 ids .*'q1' and 'x1\.wav'"):
        read_labels("labels.csv", about=[judged])
    Path("labels.csv").write_text(
        "id,winner,content\nq1,newer,1\nq2,old,meh\nq3,newer,2\n"
    )
    for command in ("agree", "rank"):
        code, shown = _typed(f"{command} judged.csv --labels labels.csv")
        assert code == 2
        assert "labels.csv, record 2 (id q2): content is 'meh' in 1 row" in shown
        assert "neither old nor new" in shown
        assert "also 'newer' in 2 rows of preference (record 1 (id q1))" in shown
        assert "--map meh=LABEL --map newer=LABEL" in shown
        code, shown = _typed(
            f"{command} judged.csv --labels labels.csv --map newer=1 --map meh=2"
        )
        assert code == 0, shown


@pytest.mark.usefixtures("here")
def test_ratings_name_the_recordings_of_the_items_that_they_are_about() -> None:
    Path("judged.csv").write_text("id,system,score\nq1,x,1\nq2,x,3\nq3,y,4\nq4,y,5\n")
    Path("mos.csv").write_text(
        "File,Listener,Score\nq1.wav,l,1\nq2.wav,l,2\nq3,l,4\nq4.wav,l,5\n"
    )
    for command in ("agree", "rank"):
        code, shown = _typed(f"{command} judged.csv --labels mos.csv")
        assert code == 0, shown
    Path("mos.csv").write_text("File,Score\nq1.wav,1\nq2.wav,2\nq5.wav,4\n")
    code, shown = _typed("agree judged.csv --labels mos.csv")
    assert code == 2
    assert "1 rated item is not in judged.csv, first 'q5.wav'" in shown


@pytest.mark.usefixtures("here")
def test_recordings_are_no_ids_of_a_table_that_is_joined_to_nothing() -> None:
    Path("one.csv").write_text(
        "file,judge_says,winner\na.wav,1,1\na.wav,2,1\nb.wav,tie,tie\n"
    )
    code, shown = _typed("agree one.csv --prediction judge_says --truth winner")
    assert code == 0, shown
    assert "of 3 pairs" in shown
    Path("judged.csv").write_text("id,score\nq1,1\nq2,3\nq3,4\n")
    Path("mos.csv").write_text("id,file,score\nq1,x.wav,1\nq2,x.wav,2\nq3,y.wav,4\n")
    code, shown = _typed("agree judged.csv --labels mos.csv")
    assert code == 0, shown


@pytest.mark.usefixtures("here")
def test_every_command_knows_the_systems_of_its_runs_in_labels() -> None:
    for name, right in (("reader", 0.8), ("again", 0.6)):
        golden_runs.pair_run(Path(name), "reader", right)
    pairs = Run.open(Path("reader")).pairs()
    rows = [f"{pair.id},{pair.a.system}" for pair in pairs]  # A always wins
    Path("labels.csv").write_text("\n".join(["id,winner", *rows]))
    for command in (
        "compare reader again",
        "compare reader again --judge-change",
        "card reader",
    ):
        code, shown = _typed(f"{command} --labels labels.csv --json out.json")
        assert code == 0, shown
        written = json.loads(Path("out.json").read_text())
        annotators = (
            written[0]["agreement"]["scores"]
            if "card" in command
            else written["people"]
        )
        scores = annotators[0].get("scores", annotators)
        assert {one["scored"] for one in scores} == {57}
    folders = {"full": [Path("reader")], "no_emotion": [Path("again")]}
    ablated = compare(
        Path("reader"), folders, AblateOptions(), Path("labels.csv")
    ).groups
    assert {row.items for row in ablated.rows} == {57}


@pytest.mark.usefixtures("here")
def test_every_command_reads_a_foreign_sheet_of_labels_by_the_same_options() -> None:
    for name, right in (("reader", 0.8), ("again", 0.6)):
        golden_runs.pair_run(Path(name), "reader", right)
    rows = ["Pair,Winner,Status"]
    for number, pair in enumerate(Run.open(Path("reader")).pairs()):
        rows += [f"{pair.id},{'AB'[number % 2]},ok", f"{pair.id},B,rejected"]
    Path("sheet.csv").write_text("\n".join(rows))
    named = (
        "--labels sheet.csv --id Pair --column preference=Winner --map A=1 --map B=2"
    )
    for command in (
        "report reader --out page.html",
        "compare reader again",
        "compare reader again --judge-change",
        "plan reader --out plan.csv",
        "screen reader --out lists",
        "fuse reader --calibrated",
        "card reader --out card",
    ):
        code, shown = _typed(f"{command} {named} --where Status=ok --json out.json")
        assert code == 0, f"{command}\n{shown}"
        assert "rejected" not in shown
    assert "split" not in Path("page.html").read_text().partition("annotators")[2][:500]
    code, shown = _typed("fuse reader --id Pair")
    assert (code, "--id means nothing without --calibrated" in shown) == (2, True), (
        shown
    )


@pytest.mark.usefixtures("here")
def test_columns_of_scores_are_named_as_those_of_labels() -> None:
    Path("s.csv").write_text("Nr;Urteil;sys\n1;4;new\n2;3;old\n3;5;new\n4;2;old\n")
    Path("r.csv").write_text("Nr;Urteil;Wer\n1;4;x\n2;3;x\n3;4;x\n4;1;x\n")
    named = "--id Nr --column score=Urteil"
    for line, ends, told in (
        (f"rank s.csv {named} --column system=sys", 0, ("new scores 4.5", "old 2.5")),
        (
            f"agree s.csv --labels r.csv {named} --column rater=Wer",
            0,
            ("over 4 answers",),
        ),
        (
            f"rank s.csv {named} --flip-b",
            2,
            ("--truth and --flip-b mean nothing for scores",),
        ),
    ):
        code, shown = _typed(line)
        assert (code, [text for text in told if text not in shown]) == (ends, []), shown


@pytest.mark.parametrize(
    ("who", "by"), [("judge", "this judge"), ("rater", "annotators")]
)
def test_who_gave_verdicts_is_the_same_in_every_form_of_a_file(
    who: str, by: str, tmp_path: Path
) -> None:
    rows = [
        {
            "id": str(n),
            "system_a": "new",
            "system_b": "old",
            "overall": str(n % 2 + 1),
            who: "x",
        }
        for n in range(12)
    ]
    (tmp_path / "v.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (tmp_path / "v.json").write_text(json.dumps(rows))
    (tmp_path / "v.csv").write_text(
        "\n".join([",".join(rows[0]), *(",".join(row.values()) for row in rows)])
    )
    pa.parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "v.parquet")
    for form in ("jsonl", "json", "csv", "parquet"):
        code, told = code_and_words("rank", tmp_path / f"v.{form}")
        assert code == 0
        assert f"of 12 pairs by {by}" in told, form
