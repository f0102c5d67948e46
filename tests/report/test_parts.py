"""The counts of the summary, the flags of the pairs, evidence, and embedding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fusion import DIMENSIONS, Rating
from tests.support.judged import judged_run, rated_run
from tests.support.report_pages import RECIPE
from trace_eval.compare.costs import run_cost
from trace_eval.data.items import Labels
from trace_eval.data.judgement import DimensionVerdict, Judgement, Overall
from trace_eval.decide.operation import operation
from trace_eval.report.evidence import EvidenceGrid, grids
from trace_eval.report.page import duration, embedded
from trace_eval.report.pairs import disagrees, pair_row
from trace_eval.report.run_sentences import pair_answer
from trace_eval.report.summary import Facts, summarise
from trace_eval.report.trackers import figures_of
from trace_eval.runs.run import Run
from trace_eval.runs.summary import Summary


def scored(*ratings: str, same: bool | None = None) -> Judgement:
    verdicts = {
        name: DimensionVerdict(rating=Rating(rating), reasoning="", consistent=same)
        for name, rating in zip(DIMENSIONS, ratings, strict=True)
    }
    return Judgement.scored("x", "rules", verdicts)


def fused(rating: str | None) -> Overall:
    return Overall(
        pair="x", policy="p", rating=Rating(rating) if rating else None, why=""
    )


def test_summary_counts(run: Path) -> None:
    summary = summarise(Facts.read(run))
    # 12 pairs, every fourth without a rating; 2 orders x 2 samples = 4 calls for each
    # of 9
    assert (summary["total"], summary["scored"], summary["unscored"]) == (
        12,
        9,
        {"clip_failed": 3},
    )
    assert summary["coverage"] == pytest.approx(0.75)
    assert (summary["clips"], summary["clip_errors"]) == (24, 3)
    assert summary["audio_s"] == pytest.approx(21.0)  # 24 - 3 recordings of 1 s
    assert summary["usage"].input_tokens == 9 * 4 * 900
    assert summary["usage"].cost_usd == pytest.approx(9 * 4 * 0.0004)
    assert (summary["priced"], summary["used"]) == (9, 9)
    assert summary["call_s"] == pytest.approx(9 * 4 * 1.2)
    assert summary["wall_s"] == pytest.approx(61.0)
    assert [sum(row.counts.values()) for row in summary["ratings"]] == [9, 9, 9, 9]
    judgements = Run.open(run).judgements().values()
    for row in summary["swap"][:3]:
        votes = [
            j.dimensions[row["dimension"]].consistent
            for j in judgements
            if j.dimensions
        ]
        assert (row["same"], row["judged"]) == (votes.count(True), 9)
    assert summary["swap"][3]["dimension"] == "all three"
    assert summary["swap"][3]["same"] <= min(row["same"] for row in summary["swap"][:3])


def test_lines_flag_what_the_filters_find(run: Path) -> None:
    facts = Facts.read(run)
    lines = [pair_row(n, pair, facts) for n, pair in enumerate(facts.pairs)]
    assert [line.number for line in lines if "failed" in line.flags] == [3, 7, 11]
    for line, pair in zip(lines, facts.pairs, strict=True):
        overall = facts.overall[pair.id]
        assert ("unsure" in line.flags) == ((overall.entropy_bits or 0) >= 1.0)
        differs = overall.rating is not None and overall.rating != pair.labels.overall
        assert ("disagree" in line.flags) == differs
    assert RECIPE.texts[0].split()[0].lower() in lines[0].text


@pytest.mark.parametrize(
    ("labels", "overall", "differs"),
    [
        (
            {"overall": "1", "content": "2"},
            "1",
            False,
        ),  # overall counts where it was labelled
        ({"overall": "2"}, "1", True),
        ({"content": "2"}, "1", True),
        ({"content": "1"}, "1", False),
        (
            {"preference": "tie"},
            "both_bad",
            False,
        ),  # a plain tie agrees with both typed ties
        ({"preference": "tie"}, "2", True),
        ({"preference": "2"}, "2", False),
        (None, "1", None),
    ],
)
def test_disagreement(
    labels: dict[str, str] | None, overall: str, differs: bool | None
) -> None:
    given = None if labels is None else Labels.model_validate(labels)
    assert disagrees(given, scored("1", "2", "both_good"), fused(overall)) is differs


def test_unknown_is_neither_agreement_nor_disagreement() -> None:
    assert disagrees(Labels(overall=Rating.A), None, fused(None)) is None
    assert scored("1", "1", "1").consistent is None
    assert scored("1", "1", "1", same=False).consistent is False


def test_evidence_stands_beside_each_other() -> None:
    tables = grids(
        {
            "a": {"words": 14, "overlap": 0.111},
            "b": {"words": 105, "suspect": []},
            "findings": [
                {"check": "pace", "a": {"met": None, "strength": 0.0, "why": "no rate"}}
            ],
            "share_a": 1.0,
            "thresholds": {"min_words": 1},
        }
    )
    assert list(tables) == [
        EvidenceGrid(
            "Measured",
            ("", "A", "B"),
            (
                ("words", "14", "105"),
                ("overlap", "0.111", "–"),
                ("suspect", "–", "none"),
            ),
        ),
        EvidenceGrid(
            "Findings", ("check", "A"), (("pace", "cannot be told: no rate"),)
        ),
        EvidenceGrid("Values", (), (("share a", "1"),)),
        EvidenceGrid("Thresholds", (), (("min words", "1"),), settings=True),
    ]


def test_embedded_json_survives_and_closes_nothing() -> None:
    data = ["</script><!--", "\u2028\u2029", "&lt;", 'quote " and é']
    text = str(embedded(data))
    assert json.loads(text) == data
    assert not set(text) & set("<>&\u2028\u2029")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (4.25, "4.2 s"),
        (59.9, "59.9 s"),
        (190, "3 min 10 s"),
        (7500, "2 h 05 min"),
    ],
)
def test_duration(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_a_pair_that_a_policy_could_fuse_is_scored_on_every_page(
    tmp_path: Path,
) -> None:
    folder = judged_run(tmp_path / "run", {"whole": "1", "part": "2", "none": None})
    lines = [
        json.loads(line)
        for line in (folder / "judgements.jsonl").read_text().splitlines()
    ]
    lines[1] |= {"status": "unscored", "reason": "orders_disagree"}
    (folder / "judgements.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines)
    )
    run, summary = Run.open(folder), Summary()
    summary.count(run)
    for counted in (summary, operation(folder), run_cost("run", run)):
        assert (counted.scored, dict(counted.unscored)) == (2, {"unparseable": 1})
    assert figures_of(folder).metrics["scored"] == 2
    assert figures_of(folder).metrics["coverage"] == 2 / 3
    assert "2 of 3 pairs judged" in pair_answer(run, None)[0]


def test_an_answer_is_scored_where_every_rubric_has_a_score(tmp_path: Path) -> None:
    folder = rated_run(tmp_path / "run", {"x": 4.0, "y": 2.0})
    record = json.loads((folder / "manifest.json").read_text())
    other = {**record["rubrics"]["correctness"], "name": "other"}
    record["rubrics"]["other"] = other
    (folder / "manifest.json").write_text(json.dumps(record))
    first = json.loads((folder / "scores.jsonl").read_text().splitlines()[0])
    with (folder / "scores.jsonl").open("a") as file:
        file.write(json.dumps({**first, "rubric": "other"}) + "\n")
    metrics = figures_of(folder).metrics
    assert (metrics["scored"], metrics["coverage"]) == (1, 0.5)
