"""Tables, runs and replies that are odd but valid: a command ends with a code of ours.

Nothing here is damaged. Names are empty, systems meet themselves, a class never occurs, a system
has no usable comparison, everything is a copy of everything: such files come from real studies.
Every command that takes them answers, or says in one line why it cannot. Commands run in this
process: their work takes a tenth of the time of a process of their own.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.drill.outcome import Outcome
from benchmarks.drill.remedies import followed, unchanged, unknown
from tests.support.cases import verdict
from tests.support.forked import Done
from tests.support.judged import write_folder
from trace_eval.commands.cli import main
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Labels, Pair, Single
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.scores import Score
from trace_eval.judges.ask.reply_json import ReplyError
from trace_eval.judges.read.labels import parse_reply

#: One comparison, or one score, by the names of columns; None: an empty cell.
Row = dict[str, Any]
Rows = list[Row]

#: Codes that a command may end with.
OURS = (0, 1, 2, 3)

#: Few resamples: the figures do not matter here.
QUICK = ("--resamples", "20")

#: All that figures are written to.
WRITTEN = ("--json", "out.json", "--csv", "out", "--latex", "out.tex", "--plot", "out.svg")


def plain_pairs(count: int = 12, systems: Sequence[str] = ("x", "y", "z")) -> Rows:
    """Return comparisons of several systems with verdicts and human labels that mostly agree."""
    draw = random.Random(count)
    rows = []
    for number in range(count):
        first = systems[number % len(systems)]
        second = systems[(number + 1) % len(systems)]
        label = draw.choice(("1", "2", "tie"))
        rows.append(
            {
                "id": f"p{number}",
                "instruction_id": f"i{number // 3}",
                "system_a": first,
                "system_b": second,
                "preference": label,
                "human": draw.choice((label, label, "1")),
            }
        )
    return rows


def _with(**values: Any) -> Callable[[Rows], Rows]:
    """Return a change that puts values into every row."""
    return lambda rows: [{**row, **values} for row in rows]


def _every_other(**values: Any) -> Callable[[Rows], Rows]:
    """Return a change that puts values into every second row."""
    return lambda rows: [{**row, **(values if n % 2 else {})} for n, row in enumerate(rows)]


def _renamed(names: Mapping[str, Any]) -> Callable[[Rows], Rows]:
    """Return a change of the names of systems."""

    def change(rows: Rows) -> Rows:
        sides = ("system_a", "system_b", "system")
        return [{k: names.get(v, v) if k in sides else v for k, v in row.items()} for row in rows]

    return change


def _of_system(name: str, **values: Any) -> Callable[[Rows], Rows]:
    """Return a change of the rows in which a system takes part."""

    def change(rows: Rows) -> Rows:
        results = []
        for row in rows:
            taking_part = name in (row.get("system_a"), row.get("system_b"), row.get("system"))
            results.append({**row, **values} if taking_part else row)
        return results

    return change


def _copies(times: int) -> Callable[[Rows], Rows]:
    """Return a change that repeats every row under ids of its own."""

    def change(rows: Rows) -> Rows:
        return [{**row, "id": f"{row['id']}-{n}"} for n in range(times) for row in rows]

    return change


#: Kind of oddness -> what it makes of plain rows, of comparisons and of scores alike.
SHARED: dict[str, Callable[[Rows], Rows]] = {
    "plain": list,
    "no rows": lambda rows: [],
    "one row": lambda rows: rows[:1],
    "two rows": lambda rows: rows[:2],
    "copies": _copies(30),
    "equal rows": lambda rows: [{**rows[0], "id": f"p{n}"} for n in range(20)],
    "one instruction": _with(instruction_id="i"),
    "no instructions": _with(instruction_id=None),
    "instructions of some": _every_other(instruction_id=None),
    "a judge of no name": _with(judge=""),
    "judges of some rows": lambda rows: [
        {**row, "judge": "j" if n % 2 else ""} for n, row in enumerate(rows)
    ],
    "blank names of judges": _with(judge="  "),
    "raters of some rows": lambda rows: [
        {**row, "rater": f"r{n % 2}" if n % 3 else None} for n, row in enumerate(rows)
    ],
    "one rater": _with(rater="r"),
    "empty names": _renamed({"x": ""}),
    "no names": _renamed(dict.fromkeys("xyz")),
    "names of blanks": _renamed({"x": " ", "y": "  "}),
    "names of numbers": _renamed({"x": "1", "y": "2", "z": "3"}),
    "names of sides": _renamed({"x": "A", "y": "B", "z": "tie"}),
    "names that look alike": _renamed({"x": "gpt", "y": "GPT", "z": "gpt "}),
    "names in two forms": _renamed({"x": "Gr\u00fc\u00df", "y": "Gru\u0308\u00df", "z": "z"}),
    "names of markup": _renamed({"x": "<b>", "y": "[red]y[/]", "z": "{{z}}"}),
    "names of formulas": _renamed({"x": "=1+1", "y": "-y", "z": "@z"}),
    "long names": _renamed({"x": "x" * 300, "y": "y/" * 150, "z": "z\\" * 99}),
    "names on lines": _renamed({"x": "x\ny", "y": "y\t", "z": "z\r\n"}),
    "names of NaN": _renamed({"x": "nan", "y": "None", "z": "null"}),
    "one system": _renamed({"y": "x", "z": "x"}),
}

#: The same for comparisons alone.
OF_PAIRS: dict[str, Callable[[Rows], Rows]] = {
    "one class": _with(preference="1", human="1"),
    "one verdict": _with(preference="2"),
    "one label": _with(human="1"),
    "ties alone": _with(preference="tie", human="tie"),
    "no ties": lambda rows: [row for row in rows if "tie" not in row.values()],
    "no verdicts": _with(preference=None),
    "no labels": _with(human=None),
    "nothing at all": _with(preference=None, human=None),
    "labels of some": _every_other(human=None),
    "one labelled": lambda rows: [
        {**row, "human": row["human"] if not n else None} for n, row in enumerate(rows)
    ],
    "verdicts of some": _every_other(preference=None),
    "labels where no verdict is": lambda rows: [
        {**row, **({"preference": None} if n % 2 else {"human": None})}
        for n, row in enumerate(rows)
    ],
    "an unusable system": _of_system("z", preference=None),
    "an unlabelled system": _of_system("z", human=None),
    "an unusable, unlabelled system": _of_system("z", preference=None, human=None),
    "systems that meet themselves": lambda rows: [
        {**row, "system_b": row["system_a"]} for row in rows
    ],
    "some meet themselves": lambda rows: [
        {**row, "system_b": row["system_a" if n % 2 else "system_b"]} for n, row in enumerate(rows)
    ],
    "two islands": lambda rows: [
        {**row, "system_a": "ac"[n % 2], "system_b": "bd"[n % 2]} for n, row in enumerate(rows)
    ],
    "a system of its own": lambda rows: [
        {**row, "system_a": f"s{n}"} for n, row in enumerate(rows)
    ],
    "one that always wins": _with(system_a="x", system_b="y", preference="1", human="1"),
    "always against the label": _with(preference="1", human="2"),
    "a name on one side": _with(system_b=None),
    "names of some": _every_other(system_a=None, system_b=None),
    "one pair a system": lambda rows: [
        {**row, "system_a": f"a{n}", "system_b": f"b{n}"} for n, row in enumerate(rows)
    ],
    "one win": lambda rows: [
        {**row, "preference": "tie" if n else "1", "human": "tie" if n else "2"}
        for n, row in enumerate(rows)
    ],
}

#: The same for scores alone.
OF_SCORES: dict[str, Callable[[Rows], Rows]] = {
    "one score": _with(score=4, human=4),
    "no scores": _with(score=None),
    "no ratings": _with(human=None),
    "ratings of some": _every_other(human=None),
    "scores of some": _every_other(score=None),
    "an unusable system": _of_system("z", score=None),
    "an unrated system": _of_system("z", human=None),
    "a score and ratings apart": lambda rows: [
        {**row, **({"score": None} if n % 2 else {"human": None})} for n, row in enumerate(rows)
    ],
    "opposite scores": lambda rows: [{**row, "human": 6 - row["score"]} for row in rows],
    "two values": lambda rows: [{**row, "score": 1 + 4 * (n % 2)} for n, row in enumerate(rows)],
    "one that differs": lambda rows: [
        {**row, "score": 5 if n else 1, "human": 5} for n, row in enumerate(rows)
    ],
}


def plain_scores(count: int = 12, systems: Sequence[str] = ("x", "y", "z")) -> Rows:
    """Return scores of several systems' answers, 1 to 5, with ratings near them."""
    draw = random.Random(count)
    rows = []
    for number in range(count):
        score = draw.randint(1, 5)
        rows.append(
            {
                "id": f"p{number}",
                "instruction_id": f"i{number // 3}",
                "system": systems[number % len(systems)],
                "score": score,
                "human": min(5, max(1, score + draw.choice((-1, 0, 0, 1)))),
            }
        )
    return rows


# --- files ------------------------------------------------------------------------------------


def write_table(path: Path, rows: Rows, columns: Sequence[str]) -> Path:
    """Write some columns of the rows as CSV or JSON lines, by the name of the file."""
    present = [name for name in columns if name == "id" or any(name in row for row in rows)]
    kept = [{name: row.get(name) for name in present} for row in rows]
    if path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in kept))
        return path
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, present or list(columns))
        table.writeheader()
        table.writerows(kept)
    return path


def _labels(rows: Rows, name: str) -> Rows:
    """Return the human labels of rows as rows of their own."""
    return [{**row, name: row["human"]} for row in rows if row["human"] is not None]


def write_pairs_run(folder: Path, rows: Rows) -> Path:
    """Write a run of pairs with these verdicts, whose recordings are missing."""
    pairs, judgements, overall = [], [], []
    for row in rows:
        human = row["human"]
        sides = {
            side: Answer(audio=Path(f"/audio/{row['id']}{side}.wav"), system=row[f"system_{side}"])
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
            facts |= {"status": "unscored", "reason": "clip_failed", "detail": "no sound"}
        else:
            facts |= {"status": "scored"}
            facts["dimensions"] = {"overall": {"rating": label, "reasoning": "because"}}
            facts["opinions"] = [{"order": "ab", "ratings": {"overall": label}, "raw": label}]
        pairs.append(pair)
        judgements.append(Judgement.model_validate(facts))
        fused = {"pair": pair.id, "policy": "asked", "rating": label, "why": "x"}
        overall.append(Overall.model_validate(fused))
    record = {"judge": {"spec": "openai:m"}, "policy": "asked"}
    return write_folder(folder, record, pairs=pairs, judgements=judgements, overall=overall)


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
            facts |= {"status": "unscored", "reason": "unparseable", "detail": "no score"}
        else:
            facts |= {"status": "scored", "value": row["score"]}
            facts["opinions"] = [{"score": row["score"], "raw": str(row["score"])}]
        scores.append(Score.model_validate(facts))
    told = {**rubric.model_dump(mode="json"), "sha256": rubric.sha256}
    record = {"judge": {"spec": "openai:m"}, "rubrics": {rubric.name: told}}
    return write_folder(folder, record, items=items, scores=scores)


# --- commands ---------------------------------------------------------------------------------


def commands_of_pairs(folder: Path, rows: Rows) -> Iterator[list[object]]:
    """Yield the commands on comparisons, as tables and as a run; files are written on the way."""
    sides = ("id", "instruction_id", "system_a", "system_b", "judge", "rater", "preference")
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
        ("rank", run / "results.csv", *QUICK),
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
        ("ablate", run, "--without", "pitch"),
    ):
        yield [*words]
    other = Path(shutil.copytree(run, folder / "other"))
    yield ["compare", run, other, "--labels", labels]
    yield ["compare", "--judge-change", run, other]
    yield ["gate", run, other]


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
        ("fuse", run, "--out", folder / "pairs", "--as", "content", "--acceptable", "3"),
        ("export", run, "--to", "csv", "--out", folder / "export.csv"),
        ("show", run),
        ("gate", run, run),
        ("merge", run, "--out", folder / "merged"),
    ):
        yield [*words]
    other = Path(shutil.copytree(run, folder / "other"))
    yield ["compare", run, other, "--labels", ratings]
    yield ["gate", run, other]


# --- typed ties, wide sheets, single answers in words, and calls --------------------------------

#: Typed tie of a verdict, by the place of the row.
_TYPED = {"1": ("1", "1"), "2": ("2", "2"), "tie": ("both_good", "both_bad"), None: (None, None)}

_DIMENSIONS = ("content", "voice_quality", "paralinguistics", "overall")


def commands_of_typed(folder: Path, rows: Rows) -> Iterator[list[object]]:
    """Yield the commands on typed ties of all dimensions, in tables."""
    judged, people = [], []
    for number, row in enumerate(rows):
        label, human = (_TYPED[row[name]][number % 2] for name in ("preference", "human"))
        judged.append({**row, **dict.fromkeys(_DIMENSIONS, label)})
        if human is not None:
            people.append({**row, **dict.fromkeys(_DIMENSIONS, human)})
    columns = ("id", "instruction_id", "system_a", "system_b", "judge", "rater", *_DIMENSIONS)
    table = write_table(folder / "typed.csv", judged, columns)
    labels = write_table(folder / "people.csv", people, columns)
    drop = ("--labels", labels, "--missing", "drop")
    yield ["agree", table, *drop, "--full", *WRITTEN]
    yield ["agree", table, *drop, "--learn-policy"]
    yield ["rank", table, "--full", *QUICK]
    yield ["rank", table, *drop, *QUICK]
    yield ["screen", table, "--labels", labels, "--dimension", "content", "--out", folder / "s"]
    yield ["plan", table, "--labels", labels, "--for", "accuracy", "--out", folder / "plan.csv"]
    yield ["card", table, "--labels", labels, "--out", folder / "card"]
    yield ["fuse", table, "--calibrated", "--labels", labels, "--out", folder / "fused"]
    yield ["compare", "--judge-change", f"{table}:overall", f"{table}:content"]


def commands_of_sheets(folder: Path, rows: Rows) -> Iterator[list[object]]:
    """Yield the commands on sheets with a column for each rater, and on other scales."""
    wide = [
        {**row, "ann": row["human"], "ben": row["preference"], "cem": row["human"]} for row in rows
    ]
    columns = ("id", "instruction_id", "system_a", "system_b", "ann", "ben", "cem")
    sheet = write_table(folder / "wide.csv", wide, columns)
    table = write_table(folder / "table.csv", rows, ("id", "system_a", "system_b", "preference"))
    yield ["agree", table, "--labels", sheet, "--missing", "drop"]
    yield ["rank", sheet, *QUICK]
    steps = {"1": -1, "2": 1, "tie": 0, None: None}
    for name, factor, shift in (("signed", 1, 0), ("seven", 3, 4), ("hundred", 50, 50)):
        scaled = []
        for row in rows:
            step = steps[row["human"]]
            scaled.append({**row, "label": None if step is None else factor * step + shift})
        path = write_table(folder / f"{name}.csv", scaled, ("id", "system_a", "system_b", "label"))
        yield ["agree", table, "--labels", path, "--missing", "drop"]
        yield ["rank", path, *QUICK]


def commands_of_answers(folder: Path, rows: Rows) -> Iterator[list[object]]:
    """Yield the commands on single answers in words, which a judge without a model rates."""
    items = []
    for row in rows:
        single: Row = {"id": row["id"], "question": f"Question {row['id']}?"}
        single |= {"answer": {"text": str(row["human"] or "")}, "reference": str(row["score"])}
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


def plain_calls(count: int = 6) -> Rows:
    """Return the turns of some calls, in which user and agent take turns."""
    rows = []
    for number in range(count):
        for turn in range(4):
            start = 2.0 * turn
            rows.append(
                {
                    "id": f"c{number}",
                    "conversation": f"c{number}",
                    "speaker": "agent" if turn % 2 else "user",
                    "start_s": start,
                    "end_s": start + 1.5,
                    "text": f"words of turn {turn}",
                }
            )
    return rows


def _shifted(seconds: float) -> Callable[[Rows], Rows]:
    """Return a change that moves every turn."""
    return lambda rows: [
        {**row, "start_s": row["start_s"] + seconds, "end_s": row["end_s"] + seconds}
        for row in rows
    ]


#: Kind of oddness -> what it makes of plain calls.
OF_CALLS: dict[str, Callable[[Rows], Rows]] = {
    "plain": list,
    "no rows": lambda rows: [],
    "one row": lambda rows: rows[:1],
    "one call": lambda rows: rows[:4],
    "the user alone": _with(speaker="user"),
    "the agent alone": _with(speaker="agent"),
    "nobody": _with(speaker=""),
    "unknown speakers": _with(speaker="narrator"),
    "turns of no length": lambda rows: [{**row, "end_s": row["start_s"]} for row in rows],
    "turns at one time": _with(start_s=0.0, end_s=1.0),
    "before the start": _shifted(-5.0),
    "years later": _shifted(1.7e9),
    "backwards": lambda rows: rows[::-1],
    "no words": _with(text=""),
    "no times": _with(start_s=None, end_s=None),
    "no ends": _with(end_s=None),
    "long silence": lambda rows: [
        {**row, "start_s": 1e3 * row["start_s"], "end_s": 1e3 * row["start_s"] + 1} for row in rows
    ],
    "no names": _with(conversation=""),
    "one name": _with(conversation="c"),
    "copies": lambda rows: rows * 5,
}


def commands_of_calls(folder: Path, rows: Rows) -> Iterator[list[object]]:
    """Yield the commands on calls in tables."""
    columns = ("conversation", "speaker", "start_s", "end_s", "text")
    for suffix in ("csv", "jsonl"):
        kept = [{name: row[name] for name in columns} for row in rows]
        path = folder / f"calls.{suffix}"
        if suffix == "jsonl":
            path.write_text("".join(f"{json.dumps(row)}\n" for row in kept))
        else:
            write_table(path, kept, columns)
        yield ["turns", path]
    yield ["turns", path, "--against", path]
    yield ["turns", path, "--fail-over", "response_p95_s=1.5", "--audit"]


def _fits_a_run(row: Row) -> bool:
    """Return whether a row can stand in a run, whose names are not blank."""
    names = (row.get("system_a", "-"), row.get("system_b", "-"), row.get("system", "-"))
    return all(name is None or str(name).strip() for name in names)


#: What is judged -> plain rows, kinds of oddness, and commands.
WORLDS = {
    "pairs": (plain_pairs, {**SHARED, **OF_PAIRS}, commands_of_pairs),
    "scores": (plain_scores, {**SHARED, **OF_SCORES}, commands_of_scores),
    "typed ties": (plain_pairs, {**SHARED, **OF_PAIRS}, commands_of_typed),
    "sheets": (plain_pairs, {**SHARED, **OF_PAIRS}, commands_of_sheets),
    "answers": (plain_scores, {**SHARED, **OF_SCORES}, commands_of_answers),
    "calls": (plain_calls, OF_CALLS, commands_of_calls),
}


def drill(share: float, seed: int, only: str | None = None) -> Outcome:
    """Run so large a share of all commands on all odd tables and runs.

    Args:
        only: of one kind of oddness.
    """
    outcome = Outcome("odd but valid tables, runs and replies")
    for kind in REPLIES if only is None else ():
        outcome.lost += replies(kind).lost
        outcome.cases += 1
    draw = random.Random(seed)
    for what, (plain, kinds, commands) in WORLDS.items():
        for kind, change in kinds.items():
            if only not in (None, kind):
                continue
            outcome.note(f"kinds of {what}", 1)
            with tempfile.TemporaryDirectory() as name:
                for command in commands(Path(name), change(plain())):
                    if draw.random() < share:
                        _try(outcome, f"{what}, {kind}", command, Path(name))
    return outcome


#: What a reply may hold around a whole verdict without giving one.
REPLIES: dict[str, str] = {
    "a draft without an end": "<think>{}",
    "a draft of another name": "<reasoning>{}</reasoning> So be it.",
    "a draft in brackets": "[THINK]{}",
    "a draft in a channel": "<|channel|>analysis<|message|>{}<|end|>",
    "a draft without its marks": "analysisWe compare. {}",
    "an end that is another one": "<think>{}</reasoning>",
    "half a verdict behind a draft": '<think>{}</think>{{"content": {{"reasoning": "A is',
}


def replies(kind: str) -> Outcome:
    """Read replies that hold a verdict in a draft alone, by a kind of :data:`REPLIES`."""
    outcome = Outcome("replies with drafts", 1)
    text = REPLIES[kind].format(json.dumps(verdict()))
    try:
        read = parse_reply(text, "label")
    except ReplyError:
        return outcome
    outcome.check(False, f"{kind}: read as {read.ratings}")
    return outcome


def trace_eval(*arguments: object, cwd: Path) -> Done:
    """Run a command in this process, and return what it came to."""
    out, err = io.StringIO(), io.StringIO()
    before, place, code = sys.argv, Path.cwd(), 0
    on_ctrl_c = signal.getsignal(signal.SIGINT)
    sys.argv = ["trace-eval", *map(str, arguments)]
    os.chdir(cwd)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.argv = before
        os.chdir(place)
        signal.signal(signal.SIGINT, on_ctrl_c)  # a command that ends ignores Ctrl-C
    return Done(code, out.getvalue(), err.getvalue())


def _try(outcome: Outcome, about: str, command: list[object], folder: Path) -> None:
    """Run one command and look at its end."""
    done = trace_eval(*command, cwd=folder)
    _look(outcome, about, command=command, done=done)
    if done.code != 2:
        return
    again = followed(command, done, lambda words: trace_eval(*words, cwd=folder))
    for remedy, after in again.items():
        outcome.note("remedies followed", 1)
        _look(outcome, f"{about}, {remedy}", command=command, done=after)
        useless = unchanged(done, after) or unknown(after)
        outcome.check(not useless, f"{about}: {command[0]}: {remedy} changes nothing")


def _look(outcome: Outcome, about: str, command: list[object], done: Done) -> None:
    """Count how a command ended, and keep what no command may do."""
    outcome.cases += 1
    outcome.note(f"code {done.code}", 1)
    line = " ".join(Path(str(word)).name if "/" in str(word) else str(word) for word in command)
    fine = done.code in OURS and "Traceback" not in done.out + done.err
    last = done.err.strip().splitlines()[-1:] or [""]
    outcome.check(fine, f"{about}: {line}: code {done.code}: {last[0][-250:]}")
