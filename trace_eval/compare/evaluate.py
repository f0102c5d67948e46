"""``compare``: runs over the same items, with annotators and with each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from blueprints import UserError, counted
from trace_eval.compare.costs import RunCost, run_cost
from trace_eval.compare.options import CompareOptions
from trace_eval.data.columns import Columns
from trace_eval.data.items import noisy_side
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.options import IntervalOptions, SeedOptions
from trace_eval.estimate.paired import holm
from trace_eval.opinions.cells import Texts, texts_of
from trace_eval.opinions.codes import (
    LABEL_COLUMNS,
    MISSING,
    SPLIT,
    TIE,
    Codes,
    label_text,
)
from trace_eval.opinions.opinions import Opinions
from trace_eval.runs.opinions import read_with_labels
from trace_eval.runs.run import Run
from trace_eval.show.table import column
from trace_eval.stats.agree_labels import agree_labels
from trace_eval.stats.agreement.bias import Robustness, robustness
from trace_eval.stats.agreement.checks import found_in_labels
from trace_eval.stats.agreement.drawn import ITEMS, drawn_units
from trace_eval.stats.agreement.judges import align, with_preference
from trace_eval.stats.agreement.metrics import Comparison, estimates_of
from trace_eval.stats.agreement.score import JudgeScore, most_accurate
from trace_eval.stats.inference.labelled_run import labelled
from trace_eval.stats.inference.over_all import uneven_draw
from trace_eval.stats.inference.ppi import PPIEstimate
from trace_eval.stats.inference.win_rates import RIGHT
from trace_eval.stats.options import AgreeOptions
from trace_eval.stats.report import AgreeReport


@dataclass(frozen=True)
class Mutual:
    """Two runs with each other on one dimension, over the items that both scored.

    Typed ties are collapsed where one side has plain ones; kappa is Cohen's.
    """

    first: str
    second: str
    dimension: str
    labels: tuple[str, ...]
    items: int = field(metadata=column("pairs"))
    same: IntervalEstimate = field(metadata=column("same label"))
    kappa: IntervalEstimate


@dataclass(frozen=True)
class AccuracyGap:
    """The difference of two runs' accuracies over all pairs.

    How the labels were drawn is corrected.

    Attributes:
        difference: second minus first, over the pairs that both scored.
        p_holm: that it is 0, corrected over all gaps; None: too few labels for a test.
    """

    first: str
    second: str
    dimension: str
    difference: PPIEstimate
    p_holm: float | None = None


@dataclass(frozen=True)
class NoiseEffect:
    """A run with noise on one answer, beside a run without and a repetition of that."""

    base: str
    repeat: str | None
    run: str
    snr_db: float = field(metadata=column("dB"))
    effect: Robustness


@dataclass(frozen=True)
class RunComparison:
    """All tables of ``trace-eval compare``; each list is one table.

    Attributes:
        names: of the runs, unique.
        shared: items that are in all runs; ``only`` counts what each run has beyond
            them.
        labels: file name, or run, that the human labels come from; None: there are
            none.
        people: each run against the human labels; empty: there are none.
        differences: second run minus first against the labels, paired, with McNemar's
            test.
        over_all: accuracy on all pairs of each run, where labels were not drawn alike;
            ``gaps`` the differences of these. Empty: they were.
        apart: pairs on which the runs say the most different things, furthest first.
        drawn: what intervals against the labels are over, in words.
    """

    names: tuple[str, ...]
    options: CompareOptions
    shared: int
    only: dict[str, int]
    labels: str | None
    costs: tuple[RunCost, ...]
    people: tuple[JudgeScore, ...]
    differences: tuple[Comparison, ...]
    mutual: tuple[Mutual, ...]
    apart: tuple[Disagreement, ...]
    over_all: dict[str, PPIEstimate] = field(default_factory=dict)
    gaps: tuple[AccuracyGap, ...] = ()
    noise: tuple[NoiseEffect, ...] = ()
    drawn: str = ITEMS
    notes: tuple[str, ...] = ()


def compare_runs(
    folders: Sequence[Path],
    labels: Path | Opinions | None = None,
    options: CompareOptions | None = None,
    columns: Columns | None = None,
) -> RunComparison:
    """Put two or more run folders side by side.

    Without human labels, or the file of them, those inside the first run that has some
    count.

    Args:
        columns: how the file of labels names its columns and labels.

    Raises:
        UserError: fewer than two runs, a folder that is no judged run, or no common
            item.
    """
    options = options or CompareOptions()
    names = names_of(folders)
    judged, labels = read_with_labels(folders, labels, columns)
    sources: dict[str, Opinions] = {}
    for name, opinions in zip(names, judged, strict=True):
        # under the run's own name: two runs may have one judge
        rater = texts_of([name] * len(opinions))
        sources[name] = replace(
            opinions, source=name, rater=rater, calls=None, warnings=()
        )
    shared = _shared(sources)
    shared_rows: dict[str, Opinions] = {}
    for name, source in sources.items():
        shared_rows[name] = source.take(source.find(shared))
    tables = _alike(shared_rows)
    if labels is None:
        labels = _labels_inside(sources)
    else:
        labels = replace(labels, source=Path(labels.source).name)
    notes = _notes(labels, shared)
    if labels is not None:
        is_shared = tables[names[0]].find(labels.ids) >= 0
        labels = labels.take(is_shared) if is_shared.any() else None
    runs = dict(zip(names, map(Run.open, folders), strict=True))
    comparison = RunComparison(
        names=tuple(names),
        options=options,
        shared=len(shared),
        only={name: len(source) - len(shared) for name, source in sources.items()},
        labels=None,
        costs=tuple(run_cost(name, run) for name, run in runs.items()),
        people=(),
        differences=(),
        mutual=tuple(_mutual(tables, options.bootstrap)),
        apart=tuple(disagreements(tables, labels)[: options.top]),
        noise=tuple(_noise(tables, runs)),
        notes=tuple(notes),
    )
    if labels is None:
        return comparison
    with_policies: list[Opinions] = []
    for name, opinions in tables.items():
        with_policies.append(opinions.beside(policy=sources[name].policy))
    level = SeedOptions(level=options.bootstrap.level)
    agree_options = AgreeOptions(level, options.cluster, "drop")
    report = agree_labels(with_policies, labels, agree_options)
    return replace(
        comparison,
        labels=labels.source,
        people=report.scores,
        differences=report.comparisons,
        over_all=_over_all(report),
        gaps=tuple(_gaps(tables, labels, report)),
        drawn=report.drawn,
    )


def _labels_inside(sources: Mapping[str, Opinions]) -> Opinions | None:
    """Return the human labels inside the first run that has some."""
    for name, source in sources.items():
        if source.labels:
            return replace(source.labels, source=name)
    return None


def _over_all(report: AgreeReport) -> dict[str, PPIEstimate]:
    """Return each run's accuracy on all pairs; empty where the labels alone tell it."""
    scores = most_accurate(report.scores)
    if not any(report.corrected(score) for score in scores):
        return {}
    shares = {}
    for row in report.shares:
        if row.what == RIGHT:
            shares[(row.judge, row.dimension)] = row.share
    accuracies: dict[str, PPIEstimate] = {}
    for score in scores:
        share = shares.get((score.judge, score.dimension))
        if share is not None:
            accuracies[score.judge] = share
    return accuracies


def _gaps(
    tables: Mapping[str, Opinions], labels: Opinions, report: AgreeReport
) -> Iterator[AccuracyGap]:
    """Yield the difference of each two runs whose labels were not drawn alike."""
    names = list(_over_all(report))
    if len(names) < 2:
        return
    dimension = most_accurate(report.scores)[0].dimension
    runs = {name: labelled(tables[name], labels, dimension) for name in names}
    level = report.options.bootstrap.level
    gaps: list[AccuracyGap] = []
    for first, second in combinations(names, 2):
        one = runs[first]
        other = runs[second]
        draw = uneven_draw(one.table, labels, one.truth, one.codes)
        if draw is not None:
            both = one.scored & other.scored
            difference = draw.gap(other.agrees, one.agrees, both, level)
            gaps.append(AccuracyGap(first, second, dimension, difference))
    tested = [gap.difference.p for gap in gaps if gap.difference.p is not None]
    corrected = iter(holm(tested))
    for gap in gaps:
        if gap.difference.p is None:
            yield gap
        else:
            yield replace(gap, p_holm=next(corrected))


def names_of(folders: Sequence[Path]) -> list[str]:
    """Return folder names, with as much of the path as tells them apart.

    Raises:
        UserError: there are fewer than two, or one is named twice.
    """
    if len(folders) < 2:
        raise UserError("compare: name two or more run folders")
    paths = [folder.resolve().parts for folder in folders]
    deepest = max(map(len, paths))
    for depth in range(1, deepest + 1):
        names = ["/".join(parts[-depth:]) for parts in paths]
        if len(set(names)) == len(names):
            return names
    raise UserError("compare: one run is named twice; name different runs")


def _alike(tables: Mapping[str, Opinions]) -> dict[str, Opinions]:
    """Give the tables one column for the pair as a whole, and drop empty ones.

    Where a run has plain preferences, those of the others are made from their typed
    ties.
    """
    filled = {name: _filled(table.codes) for name, table in tables.items()}
    have_preferences = any("preference" in codes for codes in filled.values())
    alike: dict[str, Opinions] = {}
    for name, table in tables.items():
        codes = filled[name]
        if have_preferences:
            codes = with_preference(codes)
            codes.pop("overall", None)
        alike[name] = replace(table, codes=codes)
    return alike


def _filled(codes: Mapping[str, Codes]) -> dict[str, Codes]:
    """Return the columns of codes that have a label in some row."""
    filled: dict[str, Codes] = {}
    for name, labels in codes.items():
        if (labels != MISSING).any():
            filled[name] = labels
    return filled


def _shared(sources: Mapping[str, Opinions]) -> Texts:
    """Return the ids that all runs have, ordered as in the first; raise if none."""
    ids = next(iter(sources.values())).ids
    is_shared = np.ones(len(ids), bool)
    for source in sources.values():
        is_shared &= source.find(ids) >= 0
    common = ids[is_shared]
    if not len(common):
        raise UserError(
            f"compare: {' and '.join(sources)} have no pair in common; judge the"
            " same manifest"
        )
    return common


def _notes(labels: Opinions | None, shared: Texts) -> list[str]:
    """Say what was found in the labels' file, and how many pairs have no label."""
    if labels is None:
        return ["no human labels: the runs are compared with each other only"]
    notes = found_in_labels(labels)
    unlabelled = int((labels.find(shared) < 0).sum())
    shared_pairs = counted(len(shared), "shared pair")
    if unlabelled == len(shared):
        notes.append(f"{labels.source} labels none of the {shared_pairs}")
    elif unlabelled:
        number = counted(
            unlabelled, f"of {shared_pairs} has", f"of {shared_pairs} have"
        )
        notes.append(f"{number} no human label")
    return notes


def _noise(
    tables: Mapping[str, Opinions], runs: Mapping[str, Run]
) -> Iterator[NoiseEffect]:
    """Compare runs judged with noise with the first without; the next one repeats."""
    levels: dict[str, object] = {}
    for name, run in runs.items():
        levels[name] = run.record().judge.parameters.get("noise_db")
    quiet = [name for name, level in levels.items() if level is None]
    if not quiet or len(quiet) == len(levels):
        return
    base = quiet[0]
    quiet_table = tables[base]
    side = np.array([noisy_side(str(name)) for name in quiet_table.ids.tolist()])
    whole = "preference" if "preference" in quiet_table.codes else "overall"
    labels = quiet_table.codes.get(whole)
    if labels is None:
        return
    repeat = None
    again = None
    if len(quiet) > 1:
        repeat = quiet[1]
        again = tables[repeat].codes.get(whole)
    for name, level in levels.items():
        noisy = tables[name].codes.get(whole)
        if not isinstance(level, int | float) or noisy is None:
            continue
        for effect in robustness(labels, again, noisy, side):
            yield NoiseEffect(
                base=base, repeat=repeat, run=name, snr_db=float(level), effect=effect
            )


def _mutual(
    tables: Mapping[str, Opinions], options: IntervalOptions
) -> Iterator[Mutual]:
    for (first, one), (second, other) in combinations(tables.items(), 2):
        unit, _ = drawn_units(one)
        for dimension in LABEL_COLUMNS:
            if dimension not in one.codes or dimension not in other.codes:
                continue
            pair = align(
                second, dimension, one.codes[dimension], other.codes[dimension]
            )
            if not pair.scored:
                continue
            figures = estimates_of(pair, unit, options)
            yield Mutual(
                first=first,
                second=second,
                dimension=dimension,
                labels=pair.labels,
                items=pair.scored,
                same=figures.get("accuracy_4way") or figures["accuracy_3way"],
                kappa=figures["kappa"],
            )


#: Label -> its position between A (0) and B (1); all others are in the middle.
_POSITION = {"1": 0.0, "2": 1.0, "true": 0.0, "false": 1.0}

#: What the labels of a match are called.
_MATCH_WORDS = {"1": "true", "2": "false"}

#: Weights of columns against those of one dimension.
_WEIGHT = {"overall": 3.0, "preference": 3.0, "match": 3.0}


@dataclass(frozen=True)
class Disagreement:
    """A pair with the verdict of each run.

    Attributes:
        distance: opposite winners of the pair as a whole count 3, of one dimension 1, a
            winner and a tie half of that; the largest over any two runs.
        verdicts: run -> dimension -> label, where there is one.
        people: dimension -> human label.
    """

    pair: str
    distance: float
    verdicts: dict[str, dict[str, str]]
    people: dict[str, str]


def disagreements(
    tables: Mapping[str, Opinions], labels: Opinions | None
) -> list[Disagreement]:
    """List the pairs with a difference, the furthest first, then in input order."""
    human: dict[str, dict[str, str]] = {}
    if labels is not None:
        codes = with_preference(labels.per_item.codes)
        for row, pair in enumerate(labels.per_item.ids.tolist()):
            human[pair] = _labels(codes, row)
    disagreements: list[Disagreement] = []
    for row, pair in enumerate(next(iter(tables.values())).ids.tolist()):
        verdicts = {name: _labels(table.codes, row) for name, table in tables.items()}
        distance = 0.0
        for one, other in combinations(verdicts.values(), 2):
            distance = max(distance, _distance(one, other))
        if distance:
            disagreement = Disagreement(
                pair=str(pair),
                distance=distance,
                verdicts=verdicts,
                people=human.get(pair, {}),
            )
            disagreements.append(disagreement)
    return sorted(disagreements, key=lambda item: -item.distance)


def _labels(columns: Mapping[str, Codes], row: int) -> dict[str, str]:
    """Return the labels of one row by column; matches have their own words."""
    texts: dict[str, str] = {}
    for name, codes in columns.items():
        code = int(codes[row])
        text = label_text(code)
        if text is None:
            continue
        if name == "preference" and TIE <= code < SPLIT:
            text = "tie"
        if name == "match":
            text = _MATCH_WORDS.get(text, text)
        texts[name] = text
    return texts


def _distance(one: Mapping[str, str], other: Mapping[str, str]) -> float:
    """Return how far the labels of two runs on a pair are apart, over all columns."""
    distance = 0.0
    for name in one.keys() & other.keys():
        before = _POSITION.get(one[name], 0.5)
        after = _POSITION.get(other[name], 0.5)
        distance += _WEIGHT.get(name, 1.0) * abs(before - after)
    return distance
