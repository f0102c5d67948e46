"""The three lists of a screening and the pairs of a plan, as files."""

from __future__ import annotations

from pathlib import Path

from trace_eval.data.csv_cells import write_table
from trace_eval.data.outputs import claimed
from trace_eval.decide.plan import LabelPlan
from trace_eval.decide.screen import Screening
from trace_eval.opinions.codes import label_text
from trace_eval.show.records import write_json
from trace_eval.stats.inference.labelled_run import LabelledRun

#: Columns of each list: the order of the rows is the order of work.
COLUMNS = ("id", "label", "certainty", "human", "system_a", "system_b", "instruction_id")


def write_lists(folder: Path, screening: Screening, run: LabelledRun) -> list[Path]:
    """Write ``decided.csv``, ``review.csv``, ``hopeless.csv`` and ``screen.json``.

    Raises:
        UserError: the folder cannot be written.
    """
    index = {str(key): row for row, key in enumerate(run.ids.tolist())}
    signal = (screening.chosen or screening.candidate or screening.parts[0]).signal
    certainty = run.signals.get(signal)
    facts = run.table.facts
    written = []

    def cells(key: str) -> tuple[object, ...]:
        row = index[key]
        return (
            key,
            label_text(int(run.codes[row])),
            None if certainty is None else f"{certainty[row]:.6g}",
            label_text(int(run.truth[row])),
            *(facts[fact][row] if fact in facts else None for fact in COLUMNS[4:]),
        )

    with claimed(folder):
        for name in ("decided", "review", "hopeless"):
            path = folder / f"{name}.csv"
            write_table(path, COLUMNS, map(cells, getattr(screening, name)))
            written.append(path)
        write_json(folder / "screen.json", screening)
    return [*written, folder / "screen.json"]


def write_plan(path: Path, plan: LabelPlan, run: LabelledRun) -> None:
    """Write the pairs to label, in order, with their systems and instruction.

    Where the labels at hand have inclusion probabilities, those of the planned pairs as well.

    Raises:
        UserError: the file cannot be written.
    """
    index = {str(key): row for row, key in enumerate(run.ids.tolist())}
    facts = run.table.facts
    rows = (
        (
            key,
            *(facts[name][index[key]] if name in facts else None for name in COLUMNS[4:]),
            *([f"{plan.inclusion[key]:.6g}"] if plan.inclusion else []),
        )
        for key in plan.pairs
    )
    more = ("inclusion",) if plan.inclusion else ()
    write_table(path, ("id", *COLUMNS[4:], *more), rows)
