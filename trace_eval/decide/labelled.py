"""Judgements and a few human labels, read for plans and screens, written as lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from blueprints import UserError
from fusion import PLAIN_POLICIES
from trace_eval.data.columns import Columns
from trace_eval.data.csv_cells import write_table
from trace_eval.data.outputs import claimed
from trace_eval.data.policies import WHOLE_PAIR
from trace_eval.opinions.codes import label_text
from trace_eval.opinions.opinions import Opinions
from trace_eval.runs.opinions import read_opinions, read_with_labels
from trace_eval.show.records import write_json
from trace_eval.stats.agreement.policies import has_dimensions
from trace_eval.stats.inference.calibrate import Calibration, calibrate, refuse_unfit
from trace_eval.stats.inference.labelled_run import LabelledRun, gather
from trace_eval.stats.options import LabelChoice

if TYPE_CHECKING:
    from trace_eval.decide.plan import LabelPlan
    from trace_eval.decide.screen import Screening

#: Columns of a pair's systems and instruction.
ITEM_COLUMNS = ("system_a", "system_b", "instruction_id")

#: Columns of each list: the order of the rows is the order of work.
COLUMNS = ("id", "label", "certainty", "human", *ITEM_COLUMNS)

#: Files, in the run's folder where a run was judged.
PROBABILITIES, REPORT = "calibrated.csv", "calibration.json"


def read_labelled_run(
    source: Path,
    labels: Path | Opinions | None = None,
    chosen: LabelChoice | None = None,
    others: Sequence[Path] = (),
    columns: Columns | None = None,
) -> LabelledRun:
    """Read judgements and labels and join them by :func:`gather`; may raise UserError.

    Args:
        labels: human labels, or the file of them; None: those that came with the
            judgements.
        chosen: which of its labels; default: the overall one of the only judge.
        others: runs or files of further judges of the same items.
    """
    is_fused_again = chosen is not None and chosen.policy is not None
    (judged,), human = read_with_labels(
        [source], labels, columns, fused_again=is_fused_again
    )
    return gather(judged, human, chosen, [read_opinions(path) for path in others])


def write_lists(folder: Path, screening: Screening, run: LabelledRun) -> list[Path]:
    """Write ``decided.csv``, ``review.csv``, ``hopeless.csv`` and ``screen.json``.

    Raises UserError where the folder cannot be written.
    """
    part = screening.chosen or screening.candidate or screening.parts[0]
    certainties = run.signals.get(part.signal)
    row_of = _rows_by_id(run)

    def cells(pair: str) -> list[object]:
        row = row_of[pair]
        label = label_text(int(run.codes[row]))
        certainty = None
        if certainties is not None:
            certainty = f"{certainties[row]:.6g}"
        human = label_text(int(run.truth[row]))
        return [pair, label, certainty, human] + _item_facts(run, row)

    lists = {
        "decided.csv": screening.decided,
        "review.csv": screening.review,
        "hopeless.csv": screening.hopeless,
    }
    report = folder / "screen.json"
    with claimed(folder):
        for name, pairs in lists.items():
            write_table(folder / name, COLUMNS, map(cells, pairs))
        write_json(report, screening)
    return [folder / name for name in lists] + [report]


def _rows_by_id(run: LabelledRun) -> dict[str, int]:
    return {str(id_): row for row, id_ in enumerate(run.table.ids.tolist())}


def _item_facts(run: LabelledRun, row: int) -> list[object]:
    """Return the systems and the instruction of a pair; None where unknown."""
    facts = run.table.facts
    cells: list[object] = []
    for name in ITEM_COLUMNS:
        cells.append(facts[name][row] if name in facts else None)
    return cells


def write_plan(path: Path, plan: LabelPlan, run: LabelledRun) -> None:
    """Write the pairs to label, in order, with their systems and instruction.

    Where the labels at hand have inclusion probabilities, those of the planned pairs as
    well. A file that cannot be written raises a UserError.
    """
    row_of = _rows_by_id(run)
    columns = ["id"] + list(ITEM_COLUMNS)
    if plan.inclusion:
        columns.append("inclusion")
    rows: list[list[object]] = []
    for name in plan.pairs:
        row: list[object] = [name]
        row += _item_facts(run, row_of[name])
        if plan.inclusion:
            row.append(f"{plan.inclusion[name]:.6g}")
        rows.append(row)
    write_table(path, columns, rows)


def check_labels(source: Opinions, labels: Opinions | None, policy: str) -> None:
    """Refuse labels from which no probabilities can be fitted, before a run is fused.

    Raises UserError where there are none, or too few.
    """
    has_parts = has_dimensions(source.codes) and source.policy != WHOLE_PAIR
    is_fused = has_parts and policy not in PLAIN_POLICIES
    refuse_unfit(_gathered(source, labels, policy if is_fused else None))


def _gathered(
    source: Opinions, labels: Opinions | None, policy: str | None
) -> LabelledRun:
    if labels is None and source.labels is None:
        name = source.source
        raise UserError(f"{name}: its pairs carry no labels; name a file with --labels")
    return gather(source, labels, LabelChoice(policy=policy))


def write_probabilities(
    source: Opinions, labels: Opinions | None, folder: Path, policy: str | None = None
) -> tuple[Calibration, list[Path]]:
    """Fit one judge's labelled pairs, and write probabilities of all scored pairs.

    There are two files.

    Raises UserError where there are too few labels, or the folder cannot be written.

    Args:
        labels: human labels; None: those that came with the judgements.
        policy: fuse the judge's overall label with it; None: the stored one.
    """
    run = _gathered(source, labels, policy)
    result = calibrate(run)
    usable = dict(zip(run.table.ids.tolist(), run.usable.tolist(), strict=True))
    rows: list[tuple[str, str, str]] = []
    for id_, p_a in result.probabilities.items():
        held_out = "yes" if usable[id_] else "no"
        rows.append((str(id_), f"{p_a:.6f}", held_out))
    path = folder / PROBABILITIES
    report = folder / REPORT
    with claimed(folder):
        write_table(path, ("id", "p_a", "held_out"), rows)
        write_json(report, replace(result, probabilities={}))
    return result, [path, report]
