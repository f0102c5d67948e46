"""``compare --judge-change``: two judgings of the same items, of runs, tables or boards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path

from blueprints import UserError
from trace_eval.compare.board_report import BoardChange, board_tables
from trace_eval.compare.boards import compare_boards
from trace_eval.compare.change import compare_judgings
from trace_eval.compare.change_report import JudgeChange
from trace_eval.compare.change_tables import change_tables
from trace_eval.compare.options import ChangeOptions
from trace_eval.compare.read_judging import Source, is_board, read_board, read_judging
from trace_eval.compare.run_judgings import with_labels
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import read_ratings
from trace_eval.show.table import Table


def judge_change(
    sources: Sequence[Source],
    repeats: Sequence[Source] = (),
    options: ChangeOptions | None = None,
    labels: Path | Opinions | None = None,
) -> JudgeChange | BoardChange:
    """What a change of judges does to the verdicts on the same items.

    Args:
        sources: of the old and of the new judge: run folders, tables of verdicts
            (``FILE:COLUMN``, see :func:`trace_eval.compare.read_judging.read_judging`), or boards
            (``FILE:COLUMN`` with a row per system).
        repeats: the first source judged once more (A/A).
        options: default: :class:`ChangeOptions`.
        labels: human labels, of scores their ratings, or the file of them; None: those in the
            runs, or the column ``truth`` of the options.

    Raises:
        UserError: not two sources, or they cannot be read or have nothing in common.
    """
    options = options or ChangeOptions()
    if len(sources) != 2:
        raise UserError(f"judge change: {len(sources)} sources; name two, OLD NEW")
    tables = [source for source in sources if is_board(source)]
    if len(tables) == len(sources):
        _refuse(options, ChangeOptions(keys=options.keys, items=options.items), "of boards")
        if labels is not None or repeats:
            raise UserError(
                f"--{'aa' if repeats else 'labels'} means nothing of boards, whose rows are"
                " systems; leave it out"
            )
        one, other = (read_board(source, options.keys) for source in tables)
        return compare_boards(one, other, options.items)
    if tables:
        raise UserError("judge change: one table has a row per system, the other a row per item")
    _refuse(options, replace(options, keys=("system",), items=None), "but of boards")
    if labels is not None or not any(":" in str(source) for source in sources):
        where = "beside --labels" if labels is not None else "of runs, which hold their own labels"
        _refuse(options, replace(options, truth=None), where)
    read = [read_judging(source, options.truth) for source in sources]
    if isinstance(labels, Path):
        labels = read_ratings(labels) if read[0].scores else read_labels(labels, about=read)
    first, second = (with_labels(judging, labels) for judging in read)
    report = compare_judgings(first, second, [read_judging(each) for each in repeats], options)
    if labels is not None and not (report.people or report.rated):
        on = f" on {', '.join(labels.codes)}" if labels.codes else ""
        raise UserError(
            f"--labels: nothing in {labels.source}{on} is about what both judged"
            f" ({report.main}); leave it out, or name the column (overall, preference) and the ids"
            " as the judgements do"
        )
    return report


def _refuse(provided: ChangeOptions, used: ChangeOptions, where: str) -> None:
    """Refuse an option that has a value and no use."""
    for option in fields(provided):
        if getattr(provided, option.name) != getattr(used, option.name):
            shown = {"keys": "key", "bootstrap": "resamples, --level or --seed"}
            name = shown.get(option.name, option.name)
            raise UserError(f"--{name} means nothing {where}; leave it out")


def judge_change_tables(report: JudgeChange | BoardChange) -> Iterator[Table]:
    """The printed tables of either report."""
    result = change_tables(report) if isinstance(report, JudgeChange) else board_tables(report)
    return (shown for shown in result if shown.rows)
