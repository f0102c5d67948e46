"""``rank`` counts the defects of a run's answers, where its blueprints hold them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from blueprints import Blueprint, Extension
from tests.support import golden_runs as runs
from tests.support.cli import trace_eval
from tests.support.datasets_made import write_lines
from trace_eval.decide.rank import defect_rows, rank
from trace_eval.runs.run import Run
from trace_eval.stats.options import RankOptions


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Write a run in which every third answer of ``x`` loops, and one also clicks."""
    folder = runs.pair_run(tmp_path / "run", "reader", 0.8)
    clips: list[dict[str, str]] = []
    blueprints: list[dict[str, Any]] = []
    number = 0
    for pair in Run.open(folder).pairs():
        for answer in (pair.a, pair.b):
            clip = f"clip{len(clips)}"
            counts = {"loop": 0, "click": 0}
            if answer.system == "x":
                counts = {"loop": int(number % 3 == 0), "click": int(number == 0)}
                number += 1
            group = Extension(values={"count": sum(counts.values()), "counts": counts})
            blueprint = Blueprint(clip=clip).model_copy(
                update={"extensions": {"defects": group}}
            )
            clips.append({"source": answer.source_id, "clip": clip})
            blueprints.append(blueprint.model_dump(mode="json"))
    write_lines(folder / "clips.jsonl", clips)
    write_lines(folder / "blueprints.jsonl", blueprints)
    return folder


def test_shares_of_answers_with_each_defect(run: Path) -> None:
    rows = {
        (row.system, row.kind): row for row in rank(run, options=RankOptions()).defects
    }
    answers = rows["x", "any"].answers
    affected = -(-answers // 3)
    found = [rows["x", kind].affected for kind in ("any", "loop", "click")]
    assert found == [affected, affected, 1]
    share = rows["x", "any"].share
    assert share.value == pytest.approx(affected / answers)
    assert share.interval[0] < affected / answers < share.interval[1]
    others = [row for (system, _), row in rows.items() if system != "x"]
    assert others
    assert all(row.affected == 0 and row.answers for row in others)


def test_the_figure_in_table_json_and_csv(run: Path, tmp_path: Path) -> None:
    out = trace_eval(
        "rank", run, "--full", "--json", tmp_path / "r.json", "--csv", tmp_path / "c"
    )
    assert "Answers with a defect" in out.out
    rows = json.loads((tmp_path / "r.json").read_text())["defects"]
    assert {"system", "kind", "answers", "affected", "share"} == set(rows[0])
    [file] = [p for p in (tmp_path / "c").iterdir() if "defect" in p.name]
    assert {row["kind"] for row in csv.DictReader(file.open())} == {
        "any",
        "loop",
        "click",
    }


def test_a_run_without_the_group_and_a_file_have_none(tmp_path: Path) -> None:
    plain = runs.pair_run(tmp_path / "plain", "reader", 0.8)
    assert rank(plain).defects == ()
    (tmp_path / "labels.csv").write_text("id,overall\n")
    assert defect_rows(tmp_path / "labels.csv", RankOptions()) == ()
