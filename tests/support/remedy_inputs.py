"""Tables of judges and raters, each with something that a message has a remedy for."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from tests.support.sheets import write_sheet

#: Typed labels, in turn.
_TYPED = ("1", "2", "both_good", "both_bad")


def write_study_tables() -> None:
    """Write tables beside ``run`` and ``rated`` in the working folder."""
    _write_labels()
    _write_raters()
    _write_scores()
    _write_score_files()


def _write(name: str, header: str, rows: Iterable[str]) -> None:
    write_sheet(Path(f"{name}.csv"), header, rows)


def _write_labels() -> None:
    """Write labels of the twelve pairs of ``run``."""
    items = range(12)
    labels = "content,voice_quality,paralinguistics,overall"
    typed = [",".join((_TYPED[n % 4], _TYPED[n % 3], _TYPED[n % 2])) for n in items]
    judged = [f"q{n},j,{typed[n]},{_TYPED[n % 4]}" for n in items]
    _write("typed", f"id,judge,{labels}", judged)
    people = [f"{typed[n]},{_TYPED[n % 3]}" for n in items]
    _write("alone", f"id,{labels}", (f"q{n},{people[n]}" for n in items))
    groups = [f"q{n},k{n // 2},{people[n]}" for n in items]
    _write("grouped", f"id,instruction_id,{labels}", groups)
    _write(
        "one_group",
        f"id,instruction_id,{labels}",
        (f"q{n},k,{people[n]}" for n in items),
    )
    _write("content", "id,content", (f"q{n},{_TYPED[n % 4]}" for n in items))
    _write("gaps", "id,overall", (f"q{n},{1 + n % 2 if n else ''}" for n in items))
    _write("three", "id,overall", (f"q{n},{1 + n % 2}" for n in range(3)))
    ties = [f"q{n},new,old,{('1', '2', 'tie')[n % 3]}" for n in items]
    _write("ties", "id,system_a,system_b,overall", ties)
    both = [f"q{n},{1 + n % 2},{1 + n % 3 % 2}" for n in items]
    _write("verdicts", "id,prediction,truth", both)
    orders = [f"k{n},sys{n % 2},{1 + n % 2},{2 - n % 2}" for n in range(8)]
    columns = "instruction_id,model_name,position1_prediction,position2_prediction"
    _write("both_orders", columns, orders)
    places = [f"q{n}x,c{n},d{n},new,old,1\nq{n}y,d{n},c{n},old,new,1" for n in items]
    _write("first_wins", "id,clip_a,clip_b,system_a,system_b,overall", places)
    _write("ranked", "system,score", ("x,1", "y,2"))
    _write("ranked_here", "system,score", ("new,1", "old,2"))


def _write_raters() -> None:
    """Write labels with a column or rows for each rater."""
    items = range(12)
    worded = [f"q{n},{'AB'[n % 2]},{'AB'[n % 3 % 2]}" for n in items]
    _write("opinion", "id,annotator,said", (f"q{n},x,{'AB'[n % 2]}" for n in items))
    _write("wide", "id,ann,bob,cat", (f"{worded[n]},{1 + n % 2}" for n in items))
    sheet = [f"{worded[n]},{1 + n % 2}" for n in items]
    _write("blanks", "id,Rater 1,Rater 2,cat", sheet)
    unsure = [f"{worded[n]},{'A' if n else 'dunno'}" for n in items]
    _write("unsure", "id,rater1,rater2,rater3", unsure)
    rated = [(n, r) for n in range(8) for r in range(3)]
    status = [
        f"i{n},r{r},{'ab'[n % 2]},{1 + (n + r) % 5},"
        + ("Rejected,slow" if r == 2 else "Approved,")
        for n, r in rated
    ]
    columns = "id,rater,system,score,status,rejection_reason"
    _write("status", columns, status)
    survey = [f"{8 if n == 3 else 0},R_{n},i{n % 4},{1 + n % 5}" for n in range(8)]
    imports = ('"{""ImportId"":""status""}"', '"{""ImportId"":""_recordId""}"')
    questions = ('"{""ImportId"":""QID1""}"', '"{""ImportId"":""QID2""}"')
    titles = "Response Type,Response ID,id,score"
    survey = [titles, ",".join((*imports, *questions)), *survey]
    _write("survey", "Status,ResponseId,id,score", survey)


def _write_scores() -> None:
    """Write tables of scores."""
    _write(
        "unnamed_score", "id,system,how_good", (f"i{n},a,{1 + n % 5}" for n in range(8))
    )
    _write(
        "wild",
        "id,system,score",
        (f"i{n},{'ab'[n % 2]},{n * 1000 - 500}" for n in range(8)),
    )
    _write(
        "twice",
        "id,judge,system,score",
        (f"i{n % 4},j,a,{1 + n % 5}" for n in range(8)),
    )
    _write("judge", "id,judge,score", (f"i{n},j,{1 + n % 5}" for n in range(8)))
    _write("last", "id,score", (f"i{n},{1 + n % 5}" for n in range(4, 8)))
    _write("elsewhere", "id,score", ("z1,3", "z2,4"))
    _write("means", "id,mos", (f"i{n},{1 + n}" for n in range(8)))
    _write(
        "half", "id,rater,score", (f"i{n},r,{2.5 if n == 1 else 3}" for n in range(8))
    )
    named = [f"rec{n},{'ab'[n % 2]},{1 + n % 5}" for n in range(12)]
    _write(
        "recordings", "id,system,score", (f"i{n},rec{n},{1 + n % 5}" for n in range(12))
    )
    _write("recorded", "recording,system,score", named)


def _write_score_files() -> None:
    """Write records and runs of single answers."""
    score = {"judge": "j", "status": "scored"}
    records = [
        {"item": f"i{n}", "rubric": f"r{n % 2}", "value": 1 + n % 5, **score}
        for n in range(8)
    ]
    lines = [json.dumps(record) for record in records]
    Path("two_rubrics.jsonl").write_text("\n".join(lines) + "\n")
    Path("no_record.jsonl").write_text(f'{lines[0]}\n{{"item": "x"}}\n')
    shutil.copytree("rated", "split")
    path = Path("split", "items.jsonl")
    items = [json.loads(line) for line in path.read_text().splitlines()]
    for number, item in enumerate(items):
        item["split"] = "train" if number < 4 else "test"
    path.write_text("".join(f"{json.dumps(item)}\n" for item in items))
