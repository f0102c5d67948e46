from __future__ import annotations

import json
from pathlib import Path

from tests.support.judged import judged_run, rated_run
from trace_eval.compare.costs import run_cost
from trace_eval.decide.operation import operation
from trace_eval.report.answer import pair_answer
from trace_eval.report.trackers import figures_of
from trace_eval.runs.run import Run
from trace_eval.runs.summary import Summary


def test_a_pair_that_a_policy_could_fuse_is_scored_on_every_page(tmp_path: Path) -> None:
    folder = judged_run(tmp_path / "run", {"whole": "1", "part": "2", "none": None})
    lines = [json.loads(line) for line in (folder / "judgements.jsonl").read_text().splitlines()]
    lines[1] |= {"status": "unscored", "reason": "orders_disagree"}
    (folder / "judgements.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
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
