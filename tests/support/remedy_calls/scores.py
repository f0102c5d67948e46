"""Remedies of scores and of statistics of labels, which files alone do not reach."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tests.support.audio import tone, write
from tests.support.cases import verdict
from tests.support.datasets_made import write_lines, write_rows
from tests.support.judged import rated_run
from tests.support.remedy_calls.typed import (
    ends,
    judged,
    lines_of,
    message_of,
    recorded,
    script,
    taken,
)
from trace_eval.opinions.scores import read_scores


def _spoken_scores(folder: str) -> None:
    """Write a run of two answers to one question, each with its recording."""
    rated_run(Path(folder), {"i0": 4.0, "i1": 2.0})
    path = Path(folder, "items.jsonl")
    items = [json.loads(line) for line in path.read_text().splitlines()]
    for number, item in enumerate(items):
        sound = write(Path(f"{folder}{number}.wav"), tone(0.3, hz=300))
        item["answer"] = {"audio": str(sound.resolve())}
        item |= {"instruction": {"text": "Hi."}, "system": f"s{number}"}
    write_lines(path, items)
    path = Path(folder, "scores.jsonl")
    scores = [json.loads(line) for line in path.read_text().splitlines()]
    for score in scores:
        score["estimate"] = {"mean": (score["value"] - 1) / 4, "variance": 0.01}
    write_lines(path, scores)


def scores_as_pairs() -> str:
    """Write a table of text, name a rubric, and put scores onto another run."""
    ends(0, "rate answers.jsonl --judge lexical --rubric correctness --out in_text")
    text = ends(2, "fuse in_text --out in_pairs")
    table = taken("write a table instead: (--out FILE.csv)", text)
    ends(0, f"fuse in_text {table}")
    assert "preference" in Path("FILE.csv").read_text()
    _spoken_scores("spoken_scores")
    path = Path("spoken_scores/manifest.json")
    one_rubric = path.read_text()
    record = json.loads(one_rubric)
    record["rubrics"]["other"] = record["rubrics"]["correctness"] | {"name": "other"}
    path.write_text(json.dumps(record))
    asked = "fuse spoken_scores --as content --acceptable 3"
    two = ends(2, f"{asked} --out as_content")
    rubric = taken(r"holds scores by (\w+), other", two)
    option = taken("name one of them with (--rubric)", two)
    ends(0, f"{asked} --out as_content {option} {rubric}")
    path.write_text(one_rubric)
    alone = str(lines_of("as_content/judgements.jsonl")[0]["detail"])
    onto = taken("see (--onto)", alone)
    by = f"--judge audio:{script('b.jsonl', [verdict('2')] * 4)} -J swap=off"
    judged("as_content/pairs.jsonl", "below", by)
    ends(0, f"{asked} --out replaced_content {onto} below")
    (replaced,) = lines_of("replaced_content/overall.jsonl")
    assert replaced["rating"] == "1"
    return f"{text} {two} {alone}"


def a_run_of_pairs_for_scores() -> str:
    """Name a run of rate where one of judge was named."""
    said = message_of(lambda: read_scores(Path("run")))
    taken("name a folder that `trace-eval rate` wrote", said)
    assert len(read_scores(Path("rated"))) == 8
    return said


def a_share_of_a_label_off_the_scale() -> str:
    """Name the rubric whose scale has the label of a distribution."""
    score = {"judge": "j", "status": "scored", "rubric": "", "value": 3}
    shares = [{"item": f"i{n}", **score, "distribution": {"50": 1}} for n in range(8)]
    write_lines(Path("shares.jsonl"), shares)
    asked = "agree shares.jsonl --labels judge.csv"
    said = ends(2, asked)
    rubric = taken("name the rubric with (--rubric)", said)
    ends(0, f"{asked} {rubric} mushra")
    return said


def a_policy_of_typed_ties() -> str:
    """Fuse plain labels of each dimension by a policy that takes them."""
    manifest = recorded("plainly")
    tie = {"reasoning": "alike", "label": "tie"}
    by = f"--judge audio:{script('p.jsonl', [tie] * 24)} -J task=aspects"
    said = judged(manifest, "plain", by, "--policy content_first")
    policy = taken(r"use (--policy \w+)", said)
    assert "2 of 2 pairs scored" in judged(manifest, "plain", by, policy)
    ranked = ends(2, "rank plain --orders separate --policy content_first")
    policy = taken(r"use (--policy \w+)", ranked)
    assert "50 %" in ends(0, f"rank plain --orders separate {policy}")
    return f"{said} {ranked}"


def a_rater_to_look_at() -> str:
    """Leave out a rater who agrees far less than the others."""
    rng = np.random.default_rng(1)
    truth = rng.integers(1, 3, 40)
    rows = []
    for rater in range(6):
        slips = rng.random(40) < (0.5 if rater == 5 else 0.1)
        labels = np.where(slips, 3 - truth, truth).tolist()
        rows += [(f"p{n}", f"L {rater}", label) for n, label in enumerate(labels)]
    write_rows(Path("votes.csv"), ["id", "rater", "preference"], rows)
    verdicts = list(enumerate(truth.tolist()))
    write_rows(
        Path("truth.csv"), ["id", "preference"], [(f"p{n}", one) for n, one in verdicts]
    )
    asked = "agree truth.csv --labels votes.csv"
    said = ends(0, asked)
    out = taken(r"(--leave-out '[^']+') leaves one out", said)
    left = ends(0, f"{asked} {out}")
    assert "look at" not in left
    assert "5 raters agree" in left
    return said


def a_fusion_that_is_not_worth_it() -> str:
    """Write a fused judge all the same."""
    ratings = [(f"i{n}", "r", 1 + n % 5, f"q{n // 2}") for n in range(36)]
    columns = ["id", "rater", "score", "question_id"]
    write_rows(Path("people_of.csv"), columns, ratings)
    write_rows(Path("right.csv"), ["id", "score"], [(i, s) for i, _, s, _ in ratings])
    write_rows(Path("flat.csv"), ["id", "score"], [(i, 3) for i, *_ in ratings])
    asked = "train fusion people_of.csv --out blended --runs right.csv flat.csv"
    said = ends(1, asked)
    assert not Path("blended").exists()
    ends(0, f"{asked} {taken('(--force) writes it all the same', said)}")
    assert Path("blended").exists()
    return said


def orders_that_were_not_asked() -> str:
    """Judge both orders, and fuse plain ties by a policy of theirs."""
    manifest = recorded("in_orders", 1)
    judge = script("o.jsonl", [verdict()] * 4)
    judged(manifest, "one_order", f"--judge audio:{judge} -J swap=off")
    said = ends(2, "rank one_order --orders separate")
    swap = taken("judge with (-J swap=both) and name the run folder", said)
    judged(manifest, "both_orders", f"--judge audio:{judge} {swap}")
    ends(0, "rank both_orders --orders separate")
    return said


#: What follows the remedies of these rooms.
CALLS = (
    scores_as_pairs,
    a_run_of_pairs_for_scores,
    a_share_of_a_label_off_the_scale,
    a_policy_of_typed_ties,
    a_rater_to_look_at,
    a_fusion_that_is_not_worth_it,
    orders_that_were_not_asked,
)
