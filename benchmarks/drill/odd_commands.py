"""Commands on odd rows, which are written on the way as tables and as runs."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.drill.odd_tables import Row, Rows
from tests.support.judged import write_folder
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Labels, Pair, Single
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.scores import Score

#: Few resamples: the figures do not matter here.
QUICK = ("--resamples", "20")

#: All that figures are written to.
WRITTEN = (
    "--json",
    "out.json",
    "--csv",
    "out",
    "--latex",
    "out.tex",
    "--plot",
    "out.svg",
)


def write_table(path: Path, rows: Rows, columns: Sequence[str]) -> Path:
    """Write some columns of the rows as CSV or JSON lines, by the name of the file."""
    in_rows = {"id"}.union(*rows)
    present = [name for name in columns if name in in_rows]
    cells = [_cells(row, present) for row in rows]
    if path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in cells))
        return path
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, present or list(columns))
        table.writeheader()
        table.writerows(cells)
    return path


def _cells(row: Row, columns: Sequence[str]) -> Row:
    """Return the cells of some columns; one that the row does not have is empty."""
    return {name: row.get(name) for name in columns}


def _labels(rows: Rows, name: str) -> Rows:
    """Return the human labels of rows as rows of their own."""
    return [{**row, name: row["human"]} for row in rows if row["human"] is not None]


def write_shards(folder: Path, rows: Rows) -> list[Path]:
    """Write the run of some rows as three shards, of which the second has none."""
    parts = (rows[::2], [], rows[1::2])
    shards = []
    for number, part in enumerate(parts):
        shard = {"index": number + 1, "of": 3, "pairs": len(rows), "digest": "d"}
        run = write_pairs_run(folder / f"shard{number + 1}", part, shard=shard)
        places = range(number // 2, len(rows), 2) if part else ()
        (run / "places.jsonl").write_text("".join(f"{place}\n" for place in places))
        shards.append(run)
    return shards


def write_pairs_run(folder: Path, rows: Rows, shard: Row | None = None) -> Path:
    """Write a run of pairs with these verdicts, whose recordings are missing."""
    pairs, judgements, overall = [], [], []
    for row in rows:
        human = row["human"]
        sides = {
            side: Answer(
                audio=Path(f"/audio/{row['id']}{side}.wav"),
                system=row[f"system_{side}"],
            )
            for side in "ab"
        }
        pair = Pair(
            id=row["id"],
            instruction=Instruction(text=f"Say {row['id']}."),
            instruction_id=row["instruction_id"],
            labels=Labels(preference=human) if human else None,
            **sides,
        )
        label = row["preference"]
        facts: Row = {"pair": pair.id, "judge": "j", "label_set": "plain"}
        if label is None:
            facts |= {
                "status": "unscored",
                "reason": "clip_failed",
                "detail": "no sound",
            }
        else:
            facts |= {"status": "scored"}
            facts["dimensions"] = {"overall": {"rating": label, "reasoning": "because"}}
            facts["opinions"] = [
                {"order": "ab", "ratings": {"overall": label}, "raw": label}
            ]
        pairs.append(pair)
        judgements.append(Judgement.model_validate(facts))
        fused = {"pair": pair.id, "policy": "asked", "rating": label, "why": "x"}
        overall.append(Overall.model_validate(fused))
    record: Row = {"judge": {"spec": "openai:m"}, "policy": "content_first"}
    if shard is not None:
        record["shard"] = shard
    return write_folder(
        folder, record, pairs=pairs, judgements=judgements, overall=overall
    )


def write_scores_run(folder: Path, rows: Rows) -> Path:
    """Write a run of single answers with these scores."""
    rubric = load_rubric("correctness")
    items, scores = [], []
    for row in rows:
        single: Row = {"id": row["id"], "instruction": {"text": f"Say {row['id']}."}}
        single |= {"answer": {"text": "It is."}, "system": row["system"]}
        single["question_id"] = row["instruction_id"]
        if row["human"] is not None:
            single["labels"] = {"scores": {"r": row["human"]}}
        items.append(Single.model_validate(single))
        facts: Row = {"item": row["id"], "rubric": rubric.name, "judge": "j"}
        facts |= {"rubric_sha256": rubric.sha256, "system": row["system"]}
        if row["score"] is None:
            facts |= {
                "status": "unscored",
                "reason": "unparseable",
                "detail": "no score",
            }
        else:
            facts |= {"status": "scored", "value": row["score"]}
            facts["opinions"] = [{"score": row["score"], "raw": str(row["score"])}]
        scores.append(Score.model_validate(facts))
    told = {**rubric.model_dump(mode="json"), "sha256": rubric.sha256}
    record = {"judge": {"spec": "openai:m"}, "rubrics": {rubric.name: told}}
    return write_folder(folder, record, items=items, scores=scores)


def commands_of_pairs(folder: Path, rows: Rows) -> Iterator[list[object]]:
    """Yield the commands on comparisons, as tables and as a run.

    Their files are written on the way.
    """
    sides = (
        "id",
        "instruction_id",
        "system_a",
        "system_b",
        "judge",
        "rater",
        "preference",
    )
    labels = write_table(folder / "labels.csv", _labels(rows, "preference"), sides)
    for suffix in ("csv", "jsonl"):
        table = write_table(folder / f"table.{suffix}", rows, sides)
        yield ["agree", table, "--labels", labels, "--missing", "drop", "--full"]
        yield ["rank", table, "--full", *QUICK]
    yield ["rank", labels, *QUICK]
    yield ["rank", table, "--labels", labels, "--missing", "drop", *WRITTEN]
    yield ["rank", table, "--labels", labels, "--missing", "drop", "--typed", *QUICK]
    yield ["agree", table, "--labels", labels, "--missing", "drop", *WRITTEN]
    yield ["agree", table, table, "--labels", labels, "--missing", "drop"]
    yield ["agree", table, "--labels", labels, "--learn-policy", "--missing", "drop"]
    yield ["screen", table, "--labels", labels, "--out", folder / "screen"]
    yield ["plan", table, "--labels", labels, "--out", folder / "plan.csv"]
    yield ["card", table, "--labels", labels, "--out", folder / "card"]
    yield ["fuse", table, "--calibrated", "--labels", labels, "--out", folder / "fused"]
    yield ["gate", f"{table}:preference", f"{table}:preference"]
    both = write_table(folder / "both.csv", rows, (*sides, "human"))
    yield ["agree", both, "--prediction", "preference", "--truth", "human"]
    run = write_pairs_run(folder / "run", [row for row in rows if _fits_a_run(row)])
    for words in (
        ("agree", run, "--missing", "drop"),
        ("agree", run, "--labels", labels, "--missing", "drop", "--cluster"),
        ("rank", run, "--full", *QUICK),
        ("rank", run, "--labels", labels, "--missing", "drop", "--cluster", *QUICK),
        ("report", run, "--out", folder / "page.html"),
        ("report", run, "--out", folder / "shared.html", "--redact", "--audio"),
        ("screen", run, "--labels", labels),
        ("plan", run, "--labels", labels),
        ("card", run, "--labels", labels),
        ("fuse", run, "--calibrated", "--labels", labels),
        ("fuse", run, "--policy", "majority_vote"),
        ("export", run, "--to", "csv", "--out", folder / "export.csv"),
        ("export", run, "--to", "label-studio", "--out", folder / "studio"),
        ("show", run),
        ("gate", run, run),
        ("compare", run, run),
        ("merge", run, "--out", folder / "merged"),
        ("rank", folder / "merged" / "results.csv", *QUICK),
        ("ablate", run, "--without", "pitch"),
    ):
        yield [*words]
    other = Path(shutil.copytree(run, folder / "other"))
    yield ["compare", run, other, "--labels", labels]
    yield ["compare", "--judge-change", run, other]
    yield ["gate", run, other]
    shards = write_shards(folder, [row for row in rows if _fits_a_run(row)])
    whole = folder / "whole"
    yield ["merge", *shards, "--out", whole]
    yield ["rank", whole, *QUICK]
    yield ["show", shards[1]]
    yield ["rank", shards[1], *QUICK]
    for name in ("pairs.jsonl", "places.jsonl", "judgements.jsonl"):
        (shards[0] / name).write_text("")  # as a kill leaves it before the first pair
    yield ["merge", *shards, "--out", folder / "lost"]
    yield ["merge", *shards, "--out", folder / "part", "--partial"]


def commands_of_scores(folder: Path, rows: Rows) -> Iterator[list[object]]:
    """Yield the commands on scores, as tables and as a run."""
    columns = ("id", "instruction_id", "system", "judge", "rater", "score")
    ratings = write_table(folder / "ratings.csv", _labels(rows, "score"), columns)
    for suffix in ("csv", "jsonl"):
        table = write_table(folder / f"table.{suffix}", rows, columns)
        yield ["agree", table, "--labels", ratings, "--missing", "drop", "--full"]
        yield ["rank", table, "--full", *QUICK]
    yield ["rank", ratings, *QUICK]
    yield ["rank", table, "--labels", ratings, "--missing", "drop", *WRITTEN]
    yield ["agree", table, "--labels", ratings, "--missing", "drop", *WRITTEN]
    yield ["agree", table, table, "--labels", ratings, "--missing", "drop"]
    yield ["plan", table, "--labels", ratings, "--out", folder / "plan.csv"]
    run = write_scores_run(folder / "run", [row for row in rows if _fits_a_run(row)])
    for words in (
        ("agree", run, "--missing", "drop"),
        ("agree", run, "--labels", ratings, "--missing", "drop", "--cluster"),
        ("rank", run, "--full", *QUICK),
        ("rank", run, "--labels", ratings, "--missing", "drop", *QUICK),
        ("rank", run / "results.csv", *QUICK),
        ("report", run, "--out", folder / "page.html"),
        ("card", run, "--labels", ratings),
        ("fuse", run, "--out", folder / "pairs.csv"),
        (
            "fuse",
            run,
            "--out",
            folder / "pairs",
            "--as",
            "content",
            "--acceptable",
            "3",
        ),
        ("export", run, "--to", "csv", "--out", folder / "export.csv"),
        ("show", run),
        ("gate", run, run),
        ("merge", run, "--out", folder / "merged"),
    ):
        yield [*words]
    other = Path(shutil.copytree(run, folder / "other"))
    yield ["compare", run, other, "--labels", ratings]
    yield ["gate", run, other]


#: Typed tie of a verdict, by the place of the row.
_TYPED = {
    "1": ("1", "1"),
    "2": ("2", "2"),
    "tie": ("both_good", "both_bad"),
    None: (None, None),
}

_DIMENSIONS = ("content", "voice_quality", "paralinguistics", "overall")


def commands_of_typed(folder: Path, rows: Rows) -> Iterator[list[object]]:
    """Yield the commands on typed ties of all dimensions, in tables."""
    judged, people = [], []
    for number, row in enumerate(rows):
        label, human = (
            _TYPED.get(row[name], (row[name],) * 2)[number % 2]
            for name in ("preference", "human")
        )
        judged.append({**row, **dict.fromkeys(_DIMENSIONS, label)})
        if human is not None:
            people.append({**row, **dict.fromkeys(_DIMENSIONS, human)})
    columns = (
        "id",
        "instruction_id",
        "system_a",
        "system_b",
        "judge",
        "rater",
        *_DIMENSIONS,
    )
    table = write_table(folder / "typed.csv", judged, columns)
    labels = write_table(folder / "people.csv", people, columns)
    drop = ("--labels", labels, "--missing", "drop")
    yield ["agree", table, *drop, "--full", *WRITTEN]
    yield ["agree", table, *drop, "--learn-policy"]
    yield ["rank", table, "--full", *QUICK]
    yield ["rank", table, *drop, *QUICK]
    yield [
        "screen",
        table,
        "--labels",
        labels,
        "--dimension",
        "content",
        "--out",
        folder / "s",
    ]
    yield [
        "plan",
        table,
        "--labels",
        labels,
        "--for",
        "accuracy",
        "--out",
        folder / "plan.csv",
    ]
    yield ["card", table, "--labels", labels, "--out", folder / "card"]
    yield ["fuse", table, "--calibrated", "--labels", labels, "--out", folder / "fused"]
    yield ["compare", "--judge-change", f"{table}:overall", f"{table}:content"]


def commands_of_sheets(folder: Path, rows: Rows) -> Iterator[list[object]]:
    """Yield the commands on sheets with a column a rater, and on other scales."""
    wide = [
        {**row, "ann": row["human"], "ben": row["preference"], "cem": row["human"]}
        for row in rows
    ]
    columns = ("id", "instruction_id", "system_a", "system_b", "ann", "ben", "cem")
    sheet = write_table(folder / "wide.csv", wide, columns)
    table = write_table(
        folder / "table.csv", rows, ("id", "system_a", "system_b", "preference")
    )
    yield ["agree", table, "--labels", sheet, "--missing", "drop"]
    yield ["rank", sheet, *QUICK]
    steps = {"1": -1, "2": 1, "tie": 0, None: None}
    for name, factor, shift in (("signed", 1, 0), ("seven", 3, 4), ("hundred", 50, 50)):
        scaled = []
        for row in rows:
            step = steps.get(row["human"])
            scaled.append(
                {**row, "label": None if step is None else factor * step + shift}
            )
        path = write_table(
            folder / f"{name}.csv", scaled, ("id", "system_a", "system_b", "label")
        )
        yield ["agree", table, "--labels", path, "--missing", "drop"]
        yield ["rank", path, *QUICK]


def commands_of_answers(folder: Path, rows: Rows) -> Iterator[list[object]]:
    """Yield the commands on single answers, rated by a judge without a model."""
    items = []
    for row in rows:
        single: Row = {"id": row["id"], "question": f"Question {row['id']}?"}
        single |= {
            "answer": {"text": str(row["human"] or "")},
            "reference": str(row["score"]),
        }
        items.append({**single, "system": row["system"]})
    path = folder / "items.jsonl"
    path.write_text("".join(f"{json.dumps(item)}\n" for item in items))
    run = folder / "rated"
    yield ["rate", path, "--judge", "lexical", "--rubric", "correctness", "--out", run]
    if run.is_dir():
        yield ["rank", run, *QUICK]
        yield ["report", run]
        yield ["show", run]
        yield ["gate", run, run]


def commands_of_calls(folder: Path, rows: Rows) -> Iterator[list[object]]:
    """Yield the commands on calls in tables."""
    columns = ("conversation", "speaker", "start_s", "end_s", "text")
    cells = [_cells(row, columns) for row in rows]
    for suffix in ("csv", "jsonl"):
        path = folder / f"calls.{suffix}"
        if suffix == "jsonl":
            path.write_text("".join(f"{json.dumps(row)}\n" for row in cells))
        else:
            write_table(path, cells, columns)
        yield ["turns", path]
    yield ["turns", path, "--against", path]
    yield ["turns", path, "--fail-over", "response_p95_s=1.5", "--audit"]


def _fits_a_run(row: Row) -> bool:
    """Return whether a row can stand in a run: names are not blank, labels are ours."""
    names = (row.get("system_a", "-"), row.get("system_b", "-"), row.get("system", "-"))
    human = row["human"]
    is_label = human in (None, "1", "2", "tie")
    is_rating = isinstance(human, int) and "score" in row
    return (is_label or is_rating) and all(
        name is None or str(name).strip() for name in names
    )
