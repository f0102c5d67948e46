"""The table of results: CSV, Parquet, data frame, HTML; and the table of clips."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from blueprints import Blueprint, UserError
from blueprints.blueprint import flat
from fusion import DIMENSIONS, POLICIES, Dimension, Rating
from tests.support.judged import rated_run
from tests.support.reviewed import pairs, scored, unscored, verdicts, write_run
from tests.support.samples import spoken
from trace_eval.api.one_pair import Result
from trace_eval.commands.tables import print_summary
from trace_eval.data.items import Labels
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.data.policies import any_policy
from trace_eval.decide.agree import agree
from trace_eval.decide.rank import rank
from trace_eval.report.summary import Facts, summarise
from trace_eval.runs.exports import EVENT, clip_table, export_otel, export_table
from trace_eval.runs.fuse import fuse, fuse_again
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.run import Run
from trace_eval.runs.summary import Summary
from trace_eval.stats.options import AgreeOptions, RankOptions


@pytest.fixture
def run(tmp_path: Path) -> Run:
    items = pairs(tmp_path, 3)
    items[1] = items[1].model_copy(
        update={"labels": Labels(content=Rating.B), "category": "c"}
    )
    votes = {Rating.A: 0.5, Rating.BOTH_GOOD: 0.5}
    judgements = {
        "p0": scored("p0", Rating.A, distribution={Rating.A: 1.0}, consistent=True),
        "p1": scored("p1", Rating.BOTH_GOOD, distribution=votes, consistent=False),
        "p2": unscored("p2"),
    }
    folder = write_run(tmp_path / "run", items, judgements)
    fuse_again(folder, "content_first")
    return Run.open(folder)


def test_the_csv_says_what_is_certain_and_why(run: Run) -> None:
    rows = {row["pair"]: row for row in csv.DictReader(run.path("results.csv").open())}
    assert (rows["p0"]["consistent"], rows["p0"]["inconsistent"]) == ("true", "")
    assert (rows["p1"]["consistent"], rows["p1"]["inconsistent"]) == (
        "false",
        " ".join(DIMENSIONS),
    )
    assert (rows["p2"]["consistent"], rows["p2"]["reason"]) == ("", "unreachable")
    assert rows["p0"]["confidence"] == "1"
    assert 0 < float(rows["p1"]["confidence"]) < 1
    assert rows["p1"]["reasoning_content"] == "because of content"
    assert (rows["p1"]["label_content"], rows["p0"]["label_content"]) == ("2", "")
    assert "label_overall" not in rows["p0"]
    assert rows["p1"]["category"] == "c"


def test_results_are_kept_per_policy(run: Run) -> None:
    first = run.path("results.csv").read_bytes()
    fuse_again(run.folder, "majority_vote")
    assert {o.policy for o in run.overall().values()} == {"majority_vote"}
    assert (
        run.path("policies") / "content_first" / "results.csv"
    ).read_bytes() == first
    assert {o.policy for o in run.overall("content_first").values()} == {
        "content_first"
    }
    assert run.record().policies == ("majority_vote", "content_first")
    with run:
        run.add(scored("p2", Rating.B))
    fuse_again(run.folder, "acceptability_cap")
    assert run.overall("content_first")["p2"].rating is Rating.B
    assert set(run.record().policies) == {
        "acceptability_cap",
        "majority_vote",
        "content_first",
    }


def test_parquet_data_frame_and_csv_hold_the_same(run: Run) -> None:
    pytest.importorskip("pandas")
    path = export_table(run.folder, "parquet")
    frame = run.to_pandas()
    stored = pq.read_table(path).to_pandas()
    assert stored.equals(frame)
    assert list(frame["pair"]) == ["p0", "p1", "p2"]
    assert frame["consistent"].tolist() == [True, False, None]
    assert frame["confidence"].dtype == "float64"
    lines = export_table(run.folder, "csv").read_bytes()
    assert lines == run.path("results.csv").read_bytes()
    with pytest.raises(
        UserError, match="was not fused with 'majority_vote'; run: trace-eval fuse"
    ):
        export_table(run.folder, "csv", policy="majority_vote")


def test_notebooks_show_results_and_escape_them(run: Run) -> None:
    html = run._repr_html_()
    assert "<td>p1</td><td>both_good</td>" in html
    assert "rules" in html
    judgement = Judgement.model_validate_json(
        scored("p<", Rating.A, consistent=False).model_dump_json()
    )
    pair = next(run.pairs())
    shown = Result(
        pair, judgement, fuse(judgement, POLICIES["content_first"])
    )._repr_html_()
    assert "INCONSISTENT" in shown
    assert "because of content" in shown


def test_events_are_logs_of_opentelemetry(run: Run, tmp_path: Path) -> None:
    logs = pytest.importorskip("opentelemetry.proto.logs.v1.logs_pb2")
    json_format = pytest.importorskip("google.protobuf.json_format")
    rated = rated_run(tmp_path / "rated", {"s0": 4.0, "s1": None})

    def records(folder: Path) -> list[tuple[str, dict[str, Any]]]:
        result = []
        for line in export_otel(folder).read_text().splitlines():
            (resource,) = json_format.Parse(line, logs.LogsData()).resource_logs
            for one in resource.scope_logs[0].log_records:
                stated = {a.key.rpartition(".")[2]: a.value for a in one.attributes}
                result.append((one.event_name, stated))
        return result

    every = records(run.folder)
    assert {name for name, _ in every} == {EVENT}
    label = {
        (s["id"].string_value, s["name"].string_value): s["label"] for _, s in every
    }
    assert label["p0", "overall"].string_value == "1"
    assert label["p1", "content"].string_value == "both_good"
    assert label["p2", "overall"].string_value == "unscored"
    (_, good), (_, bad) = records(rated)
    assert good["value"].double_value == 4.0
    assert (bad["type"].string_value, "value" in bad) == ("unparseable", False)


def test_every_single_value_of_a_clip_is_a_column(tmp_path: Path) -> None:
    blueprint = spoken()
    row = flat(blueprint)
    assert row["signal.status"] == "ok"
    assert row["pitch.mean_hz"] == blueprint.pitch.mean_hz
    assert not any(isinstance(value, list | dict) for value in row.values())
    with Run(tmp_path) as run:
        run.add_blueprint(blueprint)
        run.add_blueprint(Blueprint(clip="empty"))
        run.add_clip(ClipRecord(source="a.wav", clip=blueprint.clip))
        run.add_clip(ClipRecord(source="b.wav", clip="empty"))
        run.add_clip(ClipRecord(source="c.wav", error="no such file"))
    rows = list(csv.DictReader(clip_table(tmp_path).csv_lines()))
    assert [row["source"] for row in rows] == ["a.wav", "b.wav", "c.wav"]
    assert [row["pitch.status"] for row in rows] == ["ok", "not_requested", ""]
    assert (
        rows[0]["signal.rate_hz"] == "16000"
    )  # not 1.6e+04: whole numbers keep their digits
    assert rows[1]["pitch.mean_hz"] == ""
    assert rows[2]["error"] == "no such file"


def test_what_is_known_of_a_pair_is_kept_where_a_dimension_is_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = pairs(tmp_path, 4)
    labels = Labels(voice_quality=Rating.A, overall=Rating.A)
    items = [item.model_copy(update={"labels": labels}) for item in items]

    def without(pair: str, rating: Rating, *unknown: Dimension) -> Judgement:
        earlier = {n: v for n, v in verdicts(rating).items() if n not in unknown}
        result = Judgement.unscored(
            pair, "rules", Reason.EVIDENCE_MISSING, f"no {unknown[0]}"
        )
        return result.model_copy(update={"dimensions": earlier})

    judgements = {
        "p0": scored("p0", Rating.A),
        "p1": without("p1", Rating.A, "content"),  # content might prefer B
        "p2": without(
            "p2", Rating.A, "paralinguistics"
        ),  # content decides whatever P is
        "p3": without(
            "p3", Rating.BOTH_BAD, "content", "paralinguistics", "voice_quality"
        ),
    }
    folder = write_run(tmp_path / "run", items, judgements)
    fuse_again(folder, "content_first")
    run = Run.open(folder)
    rows = {row["pair"]: row for row in csv.DictReader(run.path("results.csv").open())}
    whole = {n: (r["status"], r["overall"], r["reason"]) for n, r in rows.items()}
    assert whole == {
        "p0": ("scored", "1", ""),
        "p1": ("unscored", "", "evidence_missing"),
        "p2": ("scored", "1", ""),
        "p3": ("unscored", "", "evidence_missing"),
    }
    assert [rows[n]["voice_quality"] for n in rows] == ["1", "1", "1", ""]
    assert rows["p1"]["why"] == (
        "unscored, evidence_missing: no content; without content content_first"
        " could give 1, 2"
    )
    assert (
        rows["p2"]["why"] == "content_first gives 1 whatever paralinguistics would be"
    )

    # Coverage is counted per dimension, and one dimension can be ranked and agreed on
    # by itself.
    summary = Summary()
    summary.total = 4
    summary.count(run)
    assert (summary.scored, summary.unscored) == (2, {"evidence_missing": 2})
    assert summary.dimensions == {
        "content": 2,
        "voice_quality": 3,
        "paralinguistics": 2,
    }
    print_summary(summary, folder)
    printed = " ".join(capsys.readouterr().err.split())
    assert "2 of 4 pairs scored (50.0%)" in printed
    assert (
        "known on their own: content of 2, voice_quality of 3, paralinguistics of 2"
        in printed
    )
    shown = summarise(Facts.read(folder))
    assert {row.dimension: row.scored for row in shown["ratings"]} == {
        **summary.dimensions,
        "overall": 2,
    }
    assert (shown["scored"], shown["unscored"]) == (2, {"evidence_missing": 2})
    scores = agree([folder], options=AgreeOptions()).scores
    assert {s.dimension: (s.scored, s.labelled) for s in scores} == {
        "voice_quality": (3, 4),
        "overall": (2, 4),
    }
    ranked = rank(folder, options=RankOptions(dimension="voice_quality"))
    assert ranked.unscored == 1
    assert {row.system: row.wins for row in ranked.systems} == {
        "secret-one": 3,
        "secret-two": 0,
    }
    by_content = rank(folder, options=RankOptions(dimension="content"))
    assert "none is of content, left out: they are of voice_quality, overall" in {
        caveat.text for caveat in by_content.caveats
    }
    # Another policy, here and over the tables of agree: two of three equal votes are
    # enough.
    assert fuse(judgements["p1"], POLICIES["majority_vote"]).rating is Rating.A
    voted = agree([folder], options=AgreeOptions(policy="majority_vote")).scores
    assert {s.dimension: s.scored for s in voted}["overall"] == 3
    assert fuse(judgements["p1"], any_policy("majority_plain")).rating == "1"
    assert fuse(judgements["p3"], POLICIES["acceptability_cap"]).rating is None
