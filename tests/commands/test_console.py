"""What annotators are told: one line per cause, and the file that holds the rest."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from blueprints import UserError
from tests.support.audio import tone, write
from tests.support.cli import refused, trace_eval
from trace_eval.commands.console import MAX_ROWS, SAME_CAUSE, print_rows, warn_all
from trace_eval.commands.render import by_judge, fitting, print_tables
from trace_eval.runs.run import Run
from trace_eval.show.table import Table


def test_problems_of_one_cause_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        f"pairs.csv, row {n}: a.audio: no such file (got 'x{n}.wav')" for n in range(40)
    ]
    warn_all([*rows, "pairs.csv, row 99: not JSON"])
    told = capsys.readouterr().err.splitlines()
    assert told == [
        f"warning: {rows[0]}",
        "warning: ... and 39 more like that",
        "warning: pairs.csv, row 99: not JSON",
    ]
    warn_all(rows[:SAME_CAUSE])
    assert len(capsys.readouterr().err.splitlines()) == SAME_CAUSE


def test_a_missing_run_is_called_one(tmp_path: Path) -> None:
    for command in (
        ["agree"],
        ["rank"],
        ["ablate"],
        ["fuse"],
        ["report"],
        ["export", "--to=csv"],
    ):
        name, *options = command
        done = trace_eval(name, tmp_path / "nowhere", *options, ends=2)
        assert done.err.startswith(f"error: {tmp_path / 'nowhere'}: no such run"), (
            done.err
        )


def test_a_file_where_a_run_is_wanted_is_called_a_file(tmp_path: Path) -> None:
    table = tmp_path / "judge.csv"
    table.write_text("id,preference\n1,1\n")
    with pytest.raises(
        UserError, match=r"judge\.csv: is a file, and a run is a folder"
    ):
        Run.open(table)


def test_broken_records_are_found_in_their_file(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"id": "1", "a": "a.wav", "b": null}\n' * 9)
    done = trace_eval(
        "judge", pairs, "--out", tmp_path / "run", "--cache", tmp_path / "cache"
    )
    assert done.code == 2
    assert f"{pairs}, line 1: b: is missing" in done.err
    assert "... and 8 more like that" in done.err
    assert "none of its 9 records can be read" in done.err
    assert not (tmp_path / "run").exists()


def test_a_file_of_one_broken_record_has_its_only_one_named(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"id": "1", "a": "a.wav", "b": null}\n')
    refused(
        f"{pairs}: its only record cannot be read; mend it: {pairs}, line 1: b",
        "judge",
        pairs,
        "--out",
        tmp_path / "run",
    )


def test_unreadable_pairs_stand_in_the_table_and_quiet_prints_results(
    tmp_path: Path,
) -> None:
    clip = write(tmp_path / "a.wav", tone(0.2))
    lines = [{"id": "x", "a": clip.name, "b": clip.name}, {"id": "y", "a": clip.name}]
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(line) + "\n" for line in lines) + "oops\n")
    # By its name in its folder: a long path would leave the last column little room.
    typed = ("judge", pairs.name, "--out", "run", "--workers", 0)
    done = trace_eval(*typed, cwd=tmp_path)
    shown = " ".join(done.out.split())
    assert "y - - - - unreadable: b: is missing; name its" in shown, done.out
    assert "pairs.jsonl, line 3 - - - - unreadable: not JSON" in shown
    assert done.err
    quiet = trace_eval(*typed, "--quiet", cwd=tmp_path)
    without_notes = re.sub(r"\nnote.*?\n\n", "\n", done.out, flags=re.S)
    assert (quiet.out, quiet.err, quiet.code) == (without_notes, "", done.code)
    assert len(quiet.out) < len(done.out)
    wrong = trace_eval("judge", tmp_path / "no.jsonl", "--quiet")
    assert wrong.err.startswith("error: "), wrong


@pytest.mark.parametrize(
    ("typed", "remedy"),
    [
        (
            ("--a", "new"),
            "--a new: is one system; name the other, --b DIR, or score this one",
        ),
        (("new", "old"), "two folders of recordings are --a new --b old"),
        (("new", *["1.wav"] * 60), "there is one input; two folders of recordings"),
        (
            ("new", "--judge", "opnai:m"),
            "did you mean openai:m? Else use one of rules, ",
        ),
        (("new", "--judge", "OpenAI:m"), "did you mean openai:m? Else use"),
        (("new", "--judge", "claude"), "did you mean openai:claude or ollama:claude?"),
        (("new", "--judge", "?"), "judge '?' is unknown; use one of rules, "),
    ],
)
def test_near_misses_get_a_remedy(
    typed: tuple[str, ...], remedy: str, tmp_path: Path
) -> None:
    for name in ("new", "old"):
        write(tmp_path / name / "1.wav", tone(0.2))
    refused(remedy, "judge", *typed, cwd=tmp_path)


def test_types_in_the_help_are_words() -> None:
    for name in ("judge", "compare", "train scorer", "show"):
        page = trace_eval(*name.split(), "--help").out
        assert not re.search(r"<list|range>|<str>|<path>", page), page
    assert re.search(r"--judge +TEXT", trace_eval("judge", "--help").out)


def test_wide_tables_are_split_and_no_number_is_broken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    columns = ("judge", *(f"metric {n}" for n in range(9)))
    cells = tuple(f"0.{n}123 [0.1, 0.9]" for n in range(9))
    table = Table(
        "Agreement", columns, (("openai:a-model-with-a-name", *cells),), "a note"
    )
    parts = fitting(table, 80)
    assert [column for part in parts for column in part[1:]] == list(range(1, 10))
    assert all(part[0] == 0 for part in parts)
    print_tables([table], width=80)
    printed = capsys.readouterr().out
    for cell in cells:
        assert cell in printed
    assert max(map(len, printed.splitlines())) <= 80
    assert printed.count("Agreement") == printed.count("a note") == 1
    assert fitting(table, 400) == [list(range(10))]


def test_rows_keep_their_names_when_a_table_is_split() -> None:
    columns = ("judge", "dimension", *(f"metric {n}" for n in range(6)))
    cells = [f"0.{n}123 [0.1, 0.9]" for n in range(6)]
    rows = tuple(
        (judge, name, *cells)
        for judge in ("openai:first", "openai:second")
        for name in ("content", "voice_quality")
    )
    table = Table("Agreement", columns, rows, "a note")
    assert by_judge(table, 400) == [table]
    first, second = by_judge(table, 80)
    assert (first.title, first.note) == ("Agreement: openai:first", "")
    assert (second.title, second.note) == ("Agreement: openai:second", "a note")
    assert second.columns[0] == "dimension"
    assert [row[1:] for row in rows[2:]] == list(second.rows)
    assert all(part[0] == 0 for part in fitting(second, 80))
    # Without a judge, too: both columns that name a row stand in every part.
    other = Table("t", ("who", *columns[1:]), rows)
    assert by_judge(other, 80) == [other]
    assert all(part[:2] == [0, 1] for part in fitting(other, 80))


def test_no_number_of_agree_and_no_model_is_broken_at_80_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels, judged = tmp_path / "labels.csv", tmp_path / "a-judge-with-a-long-name.csv"
    head = "id,instruction_id,content,voice_quality,paralinguistics,overall,system_a,system_b"
    values = ("1", "2", "both_good", "both_bad")

    def table(shift: int) -> str:
        lines = [head]
        for n in range(24):
            labels = [values[(n + shift * (n % 5 == k)) % 4] for k in range(4)]
            lines.append(",".join([f"p{n}", f"q{n}", *labels, "x", "y"]))
        return "\n".join(lines) + "\n"

    labels.write_text(table(0))
    judged.write_text(table(1))
    command = ["agree", judged, "--labels", labels, "--policy", "all", "--full"]
    numbers = {}
    for columns in ("80", "400"):
        monkeypatch.setenv("COLUMNS", columns)
        done = trace_eval(*command, ends=0)
        tables = [
            line for line in done.out.splitlines() if not line.startswith(str(judged))
        ]
        numbers[columns] = Counter(re.findall(r"-?\d+\.\d+", "\n".join(tables)))
        if columns == "80":
            drawn = [line for line in tables if line.startswith(" ")]
            assert max(map(len, drawn)) <= 80
            assert "…" not in done.out
    assert numbers["80"] == numbers["400"]
    assert sum(numbers["80"].values()) > 50
    monkeypatch.setenv("COLUMNS", "80")
    listed = trace_eval("models", "list").out
    for spec, weights in (("ecapa:Jzuluaga/accent-id-commonaccent_ecapa", "21 M"),):
        assert re.search(rf"{spec} +accent +{weights} +English", listed)


def test_long_tables_are_cut_at_a_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long = Table(
        "t", ("name", "value"), tuple((f"row{n}", str(n)) for n in range(MAX_ROWS + 5))
    )
    short = Table("t", ("name", "value"), long.rows[:MAX_ROWS])
    for tables, where, told in (
        ([long], None, "... 5 more rows; --json FILE writes all"),
        ([long], tmp_path, f"... 5 more rows; all: {tmp_path}"),
        ([short], None, ""),
    ):
        print_tables(tables, where)
        printed = capsys.readouterr().out
        assert printed.count("row") - printed.count("rows") == MAX_ROWS
        assert (told or "t") in printed
        assert ("more" in printed) is bool(told)
    print_rows(("name", "value"), long.rows, tmp_path / "all.csv")
    assert f"... 5 more rows; all: {tmp_path / 'all.csv'}" in capsys.readouterr().out
    for command in (["doctor"], ["convert", "--list"], ["models", "list"]):
        assert "more row" not in trace_eval(*command).out, command


def test_paragraphs_of_a_help_are_broken_by_its_width_alone() -> None:
    lines = trace_eval("help", "gate").out.splitlines()
    start = next(n for n, line in enumerate(lines) if "Each run judges" in line)
    paragraph = lines[start : lines.index(" " * 80, start)]
    assert len(paragraph) > 1
    assert all(len(line.rstrip()) > 60 for line in paragraph[:-1]), paragraph
