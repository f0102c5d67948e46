"""``compare --judge-change``: two judgings of the same items, or two boards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path

import numpy as np

from blueprints import UserError, counted
from trace_eval.compare.boards import BoardChange, board_tables, compare_boards
from trace_eval.compare.change_report import (
    Direction,
    JudgeChange,
    MetricFlips,
    coverage,
    direction,
    groups,
    largest,
    metric_flips,
)
from trace_eval.compare.change_tables import change_tables
from trace_eval.compare.comparable import OF_THE_JUDGE, Held, held_fixed, others_changed
from trace_eval.compare.flips import SAME, identical, severe_items
from trace_eval.compare.human_labels import against_labels, against_ratings
from trace_eval.compare.judgings import Joined, Judging, aligned, join
from trace_eval.compare.mapping import Mapping, mapping
from trace_eval.compare.options import ChangeOptions
from trace_eval.compare.read_judging import (
    JudgingSource,
    is_board,
    read_board,
    read_judging,
)
from trace_eval.compare.run_judgings import with_labels
from trace_eval.compare.systems import SystemChange, system_change
from trace_eval.data.columns import OUR_NAMES, Columns
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.rating_files import read_ratings
from trace_eval.show.table import Table


def judge_change(
    sources: Sequence[JudgingSource],
    repeats: Sequence[JudgingSource] = (),
    options: ChangeOptions | None = None,
    labels: Path | Opinions | None = None,
    columns: Columns | None = None,
) -> JudgeChange | BoardChange:
    """Report how a change of judges moves the verdicts on the same items.

    Args:
        sources: of the old and of the new judge: run folders, tables of verdicts
            (``FILE:COLUMN``, see :func:`trace_eval.compare.read_judging.read_judging`),
            or boards (``FILE:COLUMN`` with a row per system).
        repeats: the first source judged once more (A/A).
        labels: human labels, of scores their ratings, or the file of them; None: those
            in the runs, or the column ``truth`` of the options.
        columns: how the file of labels names its columns and labels.

    Raises:
        UserError: not two sources, or they cannot be read or have nothing in common.
    """
    options = options or ChangeOptions()
    if labels is None and columns not in (None, OUR_NAMES):
        raise UserError(
            "--id, --map, --where, --scale, --column describe --labels; name that, too"
        )
    if isinstance(sources, str):
        sources = [sources]
    if isinstance(repeats, str):
        repeats = [repeats]
    if len(sources) != 2:
        raise UserError(
            f"judge change: {counted(len(sources), 'source')}; name two, OLD NEW"
        )
    boards = [source for source in sources if is_board(source)]
    if len(boards) == len(sources):
        of_boards = ChangeOptions(keys=options.keys, items=options.items)
        _refuse(options, of_boards, "for boards")
        if labels is not None or repeats:
            name = "aa" if repeats else "labels"
            raise UserError(
                f"--{name} means nothing for boards, whose rows are systems; leave it"
                " out"
            )
        one, other = [read_board(source, options.keys) for source in boards]
        return compare_boards(one, other, options.items)
    if boards:
        raise UserError(
            "judge change: one table has a row per system, the other a row per item"
        )
    _refuse(options, replace(options, keys=("system",), items=None), "but for boards")
    without_truth = replace(options, truth=None)
    if labels is not None:
        _refuse(options, without_truth, "beside --labels")
    elif not any(":" in str(source) for source in sources):
        _refuse(options, without_truth, "of runs, which hold their own labels")
    judgings = [read_judging(source, options.truth) for source in sources]
    if isinstance(labels, Path):
        labels = _labels_of_file(labels, columns or OUR_NAMES, judgings)
    first, second = [with_labels(judging, labels) for judging in judgings]
    again = [read_judging(repeat) for repeat in repeats]
    report = compare_judgings(first, second, again, options)
    if labels is not None and not (report.people or report.rated):
        on = f" on {', '.join(labels.codes)}" if labels.codes else ""
        raise UserError(
            f"--labels: nothing in {labels.source}{on} is about what both judged"
            f" ({report.main}); leave it out, or name the column (overall, preference)"
            " and the ids as the judgements do"
        )
    return report


def _labels_of_file(
    path: Path, columns: Columns, judgings: Sequence[Judging]
) -> Opinions:
    """Read human labels of what was judged, of scores their ratings."""
    if judgings[0].scores:
        return read_ratings(path, columns=columns)
    return read_labels(
        path,
        columns=columns.fields,
        mapping=columns.mapping,
        about=judgings,
        where=columns.where,
        scale=columns.scale,
    )


def _refuse(provided: ChangeOptions, used: ChangeOptions, where: str) -> None:
    """Refuse an option that has a value and no use."""
    for option in fields(provided):
        if getattr(provided, option.name) != getattr(used, option.name):
            shown = {"keys": "key", "bootstrap": "level"}
            name = shown.get(option.name, option.name)
            raise UserError(f"--{name} means nothing {where}; leave it out")


def judge_change_tables(report: JudgeChange | BoardChange) -> Iterator[Table]:
    """Yield the printed tables of either report."""
    if isinstance(report, JudgeChange):
        tables = change_tables(report)
    else:
        tables = board_tables(report)
    return (table for table in tables if table.rows)


def compare_judgings(
    first: Judging,
    second: Judging,
    repeats: Sequence[Judging] = (),
    options: ChangeOptions | None = None,
) -> JudgeChange:
    """Compare judgings by the old and the new judge, and by the first once more (A/A).

    Raises as :func:`join`.
    """
    options = options or ChangeOptions()
    joined = join(first, second)
    repeats = [aligned(joined.first, repeat) for repeat in repeats]
    held = held_fixed(joined)
    names = joined.metrics
    wholes = [
        name for name in names if name.rpartition(".")[2] in ("overall", "preference")
    ]
    main = (wholes or names)[0]
    all_flips = {name: metric_flips(joined, name, repeats, options) for name in names}
    directions = {name: direction(joined, name, options) for name in names}
    again = next((repeat for repeat in repeats if main in repeat.metrics), None)
    systems = system_change(joined, main, again, options.bootstrap)
    labelled = [against_labels(joined, name, options.bootstrap) for name in names]
    rated = [against_ratings(joined, name, options.bootstrap) for name in names]
    notes: dict[str, None] = {}
    for row in all_flips.values():
        notes.update(dict.fromkeys(row.noise.notes))
    sentence = _sentence(
        directions[main],
        all_flips[main],
        systems=systems,
        same=identical(joined.first, joined.second),
        options=options,
    )
    return JudgeChange(
        title=_title(held, all_flips[main]),
        sentence=sentence,
        first=first.source,
        second=second.source,
        only_first=joined.only_first,
        only_second=joined.only_second,
        notes=tuple(notes),
        held=held,
        main=main,
        options=options,
        coverage=tuple(coverage(joined, name) for name in names),
        flips=tuple(all_flips.values()),
        direction=tuple(directions.values()),
        systems=systems,
        people=tuple(result for result in labelled if result is not None),
        rated=tuple(result for result in rated if result is not None),
        mapping=_mapping(joined, main, systems),
        severe=tuple(severe_items(joined, main)),
        groups=tuple(groups(joined, main, options.top)),
        items=tuple(largest(joined, main, options.top)),
    )


def _mapping(joined: Joined, main: str, systems: SystemChange | None) -> Mapping | None:
    """Fit the mapping from old to new: of item scores, or of win rates for labels."""
    if main not in joined.first.codes:
        one, other = joined.points(main)
        has_both = ~np.isnan(one) & ~np.isnan(other)
        return mapping(one[has_both], other[has_both])
    if systems is None:
        return None
    old: list[float] = []
    new: list[float] = []
    for row in systems.rows:
        if row.first.value is not None and row.second.value is not None:
            old.append(row.first.value)
            new.append(row.second.value)
    if not old:
        return None
    return mapping(np.array(old), np.array(new))


def _title(held: tuple[Held, ...], main: MetricFlips) -> str:
    changed = others_changed(held)
    rows_of_judge = [row for row in held if row.name in OF_THE_JUDGE]
    judge_changed = any(row.same is False for row in rows_of_judge)
    same = {row.name for row in held if row.same}
    if not judge_changed and not changed and "judge" in same:
        return "nothing that is recorded changed"
    if judge_changed or not changed:
        changed.insert(0, "judge")
    title = f"{' and '.join(changed)} changed"
    if all(row.same is None for row in held):
        title += " (other changes are not recorded)"
    return f"{title}: within the judge's noise" if main.within_noise else title


def _sentence(
    main: Direction,
    flips: MetricFlips,
    systems: SystemChange | None,
    same: bool,
    options: ChangeOptions,
) -> str:
    if not main.items:
        return "not enough data: no item was scored by both"
    if same:
        return SAME
    value = main.shift.value or 0.0
    margin = options.margin
    shift = f"shift {value:+.3f}"
    if main.shift.interval:
        low, high = main.shift.interval
        level = f"{100 * options.bootstrap.level:g} %"
        shift += f" ({level} {low:+.3f} to {high:+.3f})"
    items = counted(flips.flips.share.of, "item")
    flipped = f"{flips.flips.share.count} of {items} flip"
    if main.interchangeable(margin):
        return f"interchangeable within {margin:g}: {shift}, p {main.p:.3g}; {flipped}"
    if main.shifted:
        return f"shifted by {value:+.3f}: {shift}, p {main.p:.3g}; {flipped}"
    if systems is not None and systems.beyond_noise:
        changed = counted(
            sum(family.changed for family in systems.conclusions),
            "conclusion about systems changes",
            "conclusions about systems change",
        )
        return f"ranks differ: {changed}; {shift}, {flipped}"
    needed = ""
    if main.needed:
        needed = f"; {counted(main.needed, 'item')} would show it"
    return (
        "no change seen, and not enough data to call them interchangeable within"
        f" {margin:g}: {shift}, p {main.p:.3g}; {flipped}{needed}"
    )
