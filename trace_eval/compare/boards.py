"""Two boards of one benchmark: the same systems' scores under two judges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from blueprints import UserError, counted
from trace_eval.compare.change_report import ChangeReport
from trace_eval.compare.conclusions import (
    ConclusionChange,
    change,
    conclusions_table,
    z_conclusions,
    z_p,
)
from trace_eval.compare.mapping import Mapping, mapping, mapping_table
from trace_eval.estimate.arrays import Array
from trace_eval.estimate.paired import holm
from trace_eval.opinions.opinions import Opinions
from trace_eval.show.table import Table, column, p_text, table
from trace_eval.stats.ranking.correlation import correlate
from trace_eval.stats.ranking.outcomes import ranks

#: Systems that the table lists.
_ROWS = 40


@dataclass(frozen=True)
class BoardShift:
    """One system under both judges, in the units of the board; rank 1 is best.

    ``p_holm`` is of its shift by binomial errors, over all systems: conservative,
    because the same items were judged twice; None: the number of items is not known.
    ``mapped`` is the old score on the new scale; None: no mapping.
    """

    system: str
    first: float = field(metadata=column(shown="g"))
    second: float = field(metadata=column(shown="g"))
    shift: float = field(metadata=column(shown="+.2f"))
    ranks: tuple[int, int] = field(
        metadata=column("rank", lambda ranks, _: f"{ranks[0]} to {ranks[1]}")
    )
    p_holm: float | None = field(metadata=column("p (Holm)", p_text))
    mapped: float | None = field(metadata=column("first, mapped", ".2f"))
    mapped_range: tuple[float, float] | None = field(
        metadata=column(
            "95 %", lambda ends, _: ends and f"{ends[0]:.1f} to {ends[1]:.1f}"
        )
    )


@dataclass(frozen=True)
class BoardFigures:
    """Two boards of one set of systems in numbers; shifts are in the board's units."""

    rows: str = field(metadata=column("systems"))  # which ones
    systems: int = field(metadata=column("n"))
    spearman: float | None = field(metadata=column("Spearman"))
    kendall: float | None = field(metadata=column("Kendall"))
    mean_absolute: float = field(metadata=column("mean |shift|", ".3f"))
    mean: float = field(metadata=column("mean shift", "+.3f"))
    largest: float = field(metadata=column(shown="+.2f"))
    of: str  # the system that has it
    rank_move: int = field(metadata=column("largest rank move"))
    moved: int = field(metadata=column("move"))
    reordered: int = field(
        metadata=column("pairs in another order", lambda n, row: f"{n} of {row.pairs}")
    )
    pairs: int


@dataclass(frozen=True, kw_only=True)
class BoardChange(ChangeReport):
    """A judge change as two boards show it.

    Attributes:
        items: behind each score; None: unknown, then there are no tests.
        conclusions: against the baseline, and of every two systems.
    """

    items: int | None
    figures: tuple[BoardFigures, ...]
    shifts: tuple[BoardShift, ...]
    conclusions: tuple[ConclusionChange, ...]
    mapping: Mapping


def board_sentence(
    all_: BoardFigures,
    families: Sequence[ConclusionChange],
    rows: Sequence[BoardShift],
    items: int | None,
) -> str:
    """State the result in one sentence."""
    message = (
        f"scores shift by {all_.mean:+.2f} on average ({all_.mean_absolute:.2f} either"
        f" way, at most {abs(all_.largest):.2f}), Spearman {all_.spearman or 0:.3f},"
        f" {all_.reordered} of {counted(all_.pairs, 'pair')} in another order"
    )
    if items is None:
        return (
            f"not enough data: {message}; without the number of items no shift can be"
            " tested"
        )
    surviving = sum(row.p_holm is not None and row.p_holm <= 0.05 for row in rows)
    changed = sum(family.changed for family in families)
    if not changed and not surviving:
        return (
            f"not enough data to tell the judges apart: {message}; no shift survives"
            " Holm"
        )
    size = sum(family.size for family in families)
    shifts = counted(surviving, "shift survives", "shifts survive")
    conclusions = counted(size, "conclusion changes", "conclusions change")
    head = "ranks differ" if changed else f"shifted by {all_.mean:+.2f}"
    return f"{head}: {message}; {shifts} Holm, and {changed} of {conclusions}"


def board_tables(report: BoardChange) -> Iterator[Table]:
    """Make the tables of two boards: shifts, conclusions, mapping."""
    yield table(
        f"{report.first} -> {report.second}",
        report.figures,
        "rows systems spearman kendall mean_absolute mean largest of rank_move moved"
        " reordered",
    )
    yield conclusions_table(report.conclusions)
    yield mapping_table(report.mapping)
    yield table(
        "Largest shifts",
        report.shifts[:_ROWS],
        "system first second shift ranks p_holm mapped mapped_range",
    )


_UNTESTED = "items per system are not known (--items): no errors, no conclusions tested"
_BINOMIAL = (
    "errors are binomial and take the two judgings as independent: conservative, where"
    " the same items were judged twice"
)

#: What a win rate of a system is compared with: as good as the baseline.
EVEN = 0.5


def compare_boards(
    one: Opinions, other: Opinions, items: int | None = None
) -> BoardChange:
    """Compare the boards of the old and the new judge, as ``read_board`` gives them.

    Items are those behind each win rate, for binomial errors; None: no tests.

    Raises:
        UserError: fewer than two systems in common, or scores that are no win rates.
    """
    rows = other.find(one.ids)
    first = one.take(rows >= 0)
    second = other.take(rows[rows >= 0])
    names = first.ids.tolist()
    if len(names) < 2:
        raise UserError(
            f"{one.source} and {other.source} have {len(names)} systems in common;"
            " need 2"
        )
    old = first.score
    new = second.score
    is_baseline = first.facts["baseline"]
    rest = ~is_baseline
    has_baseline = bool(is_baseline.any())
    figures = [_figures("all", names, old, new)]
    names_of_rest = first.ids[rest].tolist()
    if has_baseline:
        (name,) = first.ids[is_baseline]
        title = f"without the baseline {name}"
        figures.append(_figures(title, names_of_rest, old[rest], new[rest]))
    families: list[ConclusionChange] = []
    p_holm: dict[str, float] = {}
    if items is not None:
        rates = _rates(one.source, old, new)[:, rest]
        errors = [rate * (1 - rate) / items for rate in rates]
        families += _families(names_of_rest, rates, errors, has_baseline)
        p = z_p(rates[1] - rates[0], errors[0] + errors[1]).tolist()
        p_holm = dict(zip(names_of_rest, holm(p), strict=True))
    fitted = mapping(old[rest], new[rest])
    old_ranks = ranks(old.tolist())
    new_ranks = ranks(new.tolist())
    shifts: list[BoardShift] = []
    for row, name in enumerate(names):
        mapped, mapped_range = fitted.at(float(old[row])) or (None, None)
        shift = BoardShift(
            system=name,
            first=float(old[row]),
            second=float(new[row]),
            shift=float(new[row] - old[row]),
            ranks=(old_ranks[row] or 0, new_ranks[row] or 0),
            p_holm=p_holm.get(name),
            mapped=mapped,
            mapped_range=mapped_range,
        )
        shifts.append(shift)
    return BoardChange(
        title="judge changed (other changes are not recorded)",
        sentence=board_sentence(figures[0], families, shifts, items),
        first=one.source,
        second=other.source,
        only_first=len(one) - len(names),
        only_second=len(other) - len(names),
        notes=(_UNTESTED if items is None else _BINOMIAL,),
        items=items,
        figures=tuple(figures),
        shifts=tuple(sorted(shifts, key=lambda row: (-abs(row.shift), row.system))),
        conclusions=tuple(families),
        mapping=fitted,
    )


def _rates(source: str, old: Array, new: Array) -> Array:
    """Return both boards as shares [shape=(2, systems)].

    Raises UserError where they are no win rates.
    """
    both = np.stack([old, new])
    low = float(both.min())
    high = float(both.max())
    unit = 100.0 if high > 1 else 1.0
    if low < 0 or high > unit:
        raise UserError(
            f"{source}: {low:g} to {high:g} are not win rates; leave out --items"
        )
    return np.asarray(both / unit)


def _figures(rows: str, names: Sequence[str], old: Array, new: Array) -> BoardFigures:
    shift = new - old
    first = dict(zip(names, old.tolist(), strict=True))
    second = dict(zip(names, new.tolist(), strict=True))
    both = correlate("second", second, "first", first)
    old_ranks = np.array(ranks(old.tolist()))
    new_ranks = np.array(ranks(new.tolist()))
    moves = old_ranks - new_ranks
    i, j = np.triu_indices(len(names), 1)
    reordered = (old[i] - old[j]) * (new[i] - new[j]) < 0
    most = int(np.argmax(np.abs(shift)))
    return BoardFigures(
        rows=rows,
        systems=len(names),
        spearman=both.spearman,
        kendall=both.kendall,
        mean_absolute=float(np.abs(shift).mean()),
        mean=float(shift.mean()),
        largest=float(shift[most]),
        of=names[most],
        rank_move=int(np.abs(moves).max()),
        moved=int((moves != 0).sum()),
        reordered=int(reordered.sum()),
        pairs=len(i),
    )


def _families(
    names: Sequence[str], rates: Array, errors: Sequence[Array], against: bool
) -> Iterator[ConclusionChange]:
    """Pair every system with the baseline ``against``, if any, and every two."""
    old, new = rates
    old_error, new_error = errors
    if against:
        first = z_conclusions(old - EVEN, old_error)
        second = z_conclusions(new - EVEN, new_error)
        words = {1: "better", 0: "undecided", -1: "worse"}
        lines: list[str] = []
        signs = zip(names, first.signs.tolist(), second.signs.tolist(), strict=True)
        for name, old_sign, new_sign in signs:
            lines.append(f"{name} {words[old_sign]} to {words[new_sign]}")
        yield change("every system against the baseline", lines, first, second)
    i, j = np.triu_indices(len(names), 1)
    first = z_conclusions(old[i] - old[j], old_error[i] + old_error[j])
    second = z_conclusions(new[i] - new[j], new_error[i] + new_error[j])
    pairs = [f"{one} and {other}" for one, other in combinations(names, 2)]
    yield change("every two systems", pairs, first, second)
