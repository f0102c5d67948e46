"""``rank``: systems in order, from pairwise outcomes or scores of answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from blueprints import UserError, counted
from trace_eval.data import jsonl, strict_json
from trace_eval.data.columns import Columns
from trace_eval.data.file_names import one_form
from trace_eval.data.files import Named, as_path, is_file, is_folder
from trace_eval.data.measures.voice import SystemVoice
from trace_eval.data.names import NAMES
from trace_eval.data.tables import records
from trace_eval.decide.ranked_table import table_to_rank, with_names
from trace_eval.estimate.resample import UNIT, Resampler
from trace_eval.opinions.codes import MISSING
from trace_eval.opinions.judge_files import has_positions, read_positions
from trace_eval.opinions.opinions import SIDE_NAMES, Opinions, unjudged_left_out
from trace_eval.opinions.scores import as_source, holds_scores
from trace_eval.opinions.units import index_of
from trace_eval.runs.answers import decoded_answers
from trace_eval.runs.opinions import read_with_labels
from trace_eval.runs.outcomes import ALPHA
from trace_eval.runs.run import Run
from trace_eval.runs.voices import voices_of
from trace_eval.stats.inference.labelled_run import labelled
from trace_eval.stats.inference.stopping import Stopping
from trace_eval.stats.inference.stopping_labels import of_annotators, of_judged
from trace_eval.stats.inference.system_rates import WinRates
from trace_eval.stats.inference.win_rates import win_rate_tables
from trace_eval.stats.options import LABELS, SCORES, RankOptions, check
from trace_eval.stats.rank_labels import rank_labels
from trace_eval.stats.rank_scores import rank_scores
from trace_eval.stats.ranking.prepare import (
    contradicted,
    human_table,
    judge_table,
    scored_none,
    with_unjudged,
)
from trace_eval.stats.ranking.report import HUMAN_RATES, Caveat, DefectRow, RankReport


def rank(
    source: Named | Opinions,
    labels: Named | Opinions | None = None,
    options: RankOptions | None = None,
    human: Named | Mapping[str, float] | None = None,
    columns: Columns | None = None,
) -> RankReport:
    """Rank the systems of one judge: all that ``trace-eval rank`` prints.

    What the source holds decides the methods. Labels of pairs: win rates,
    Bradley-Terry, Davidson, Rao-Kupper. Scores of single answers: the mean score.

    Args:
        source: a run, or a file of judgements or of scores, or what was read of one;
            a data frame or a list of dicts holds labels of pairs.
        labels: human labels or ratings, or the file of them; None: those that came with
            the source. Systems are ranked by them as well, by the same methods.
        human: system -> human score, more is better, or the file of it.
        columns: how a file of labels names its columns.

    Raises:
        UserError: a file cannot be read, the systems are unknown, nothing is left, or
            an option does not fit.
    """
    options = options or RankOptions()
    if options.baseline is not None:
        options = replace(options, baseline=one_form(options.baseline))
    judged = as_source(source, columns)
    defects: tuple[DefectRow, ...] = ()
    voices: tuple[SystemVoice, ...] = ()
    if isinstance(judged, Path):
        defects = defect_rows(judged, options)
        voices = voice_rows(judged, options)
    of_scores = holds_scores(judged, columns)
    check(options, SCORES if of_scores else LABELS)
    ranking: Path | Mapping[str, float] | None = as_path(human)
    if isinstance(ranking, Path):
        ranking = read_human_ranking(ranking)
    if ranking is not None:
        ranking = {one_form(system): score for system, score in ranking.items()}
    if isinstance(judged, Path) and has_positions(judged):
        judged = read_positions(judged, options.baseline)
    (read,), human_labels = read_with_labels(
        [judged],
        as_path(labels),
        columns,
        rows_are_items=labels is None,
        rubric=options.rubric,
        fused_again=options.policy is not None,
    )
    if of_scores:
        report = rank_scores(read, human_labels, options, ranking)
        return replace(report, defects=defects, voices=voices, human=read.human)
    caveats: list[Caveat] = []
    if human_labels is None:
        read, caveats = _without_other_labels(read, options.dimension)
        human_labels = read.labels
    report = _rank_judged(read, human_labels, options, ranking)
    caveats += report.caveats
    return replace(
        report,
        caveats=tuple(caveats),
        defects=defects,
        voices=voices,
        human=report.human or read.human,
    )


def _without_other_labels(
    judged: Opinions, dimension: str | None
) -> tuple[Opinions, list[Caveat]]:
    """Leave out human labels inside a source if none is of the dimension wanted."""
    labels = judged.labels
    if labels is None or dimension is None or dimension in labels.codes:
        return judged, []
    dimensions = ", ".join(labels.codes)
    why = f"none is of {dimension}, left out: they are of {dimensions}"
    return replace(judged, labels=None), [Caveat("human labels", why)]


def _rank_judged(
    source: Opinions,
    human_labels: Opinions | None,
    options: RankOptions,
    human: Mapping[str, float] | None,
) -> RankReport:
    """Rank the systems of a table; win rates are from few labels and many judgements.

    Rates by human labels keep the pairs that the judge contradicts itself on:
    annotators are asked about these, too, and its errors do not bias the estimate.
    """
    source, caveats = with_names(source, options)
    table = table_to_rank(source, options)
    # Labels are joined by the pair's id; what few of them say of all pairs takes one
    # row each.
    separate = options.orders == "separate"
    if human_labels is not None and not separate and options.missing == "drop":
        table = with_unjudged(table, human_labels)
    whole = judge_table(source, options.judge) if separate else table
    labels = human_table(human_labels, whole, options.missing) if human_labels else None
    if human_labels is not None:
        ids = human_labels.per_item.ids
        if unmatched := int((whole.find(ids) < 0).sum()):
            unjudged = Caveat("human labels", unjudged_left_out(unmatched))
            caveats += (unjudged,)
    warnings = source.warnings
    if human_labels is not None:
        warnings += human_labels.warnings
    if labels is not None and scored_none(table, options.dimension):
        report = _by_annotators(table, labels, options, human)
        return replace(
            report,
            warnings=warnings + report.warnings,
            caveats=caveats + report.caveats,
        )
    left_out = None
    if not separate and not options.keep_inconsistent:
        left_out = contradicted(source, table, table.column(options.dimension), ALPHA)
    report = rank_labels(
        table,
        replace(options, policy=table.policy),
        human=human,
        labels=labels,
        left_out=left_out,
    )
    all_caveats = list(caveats + report.caveats)
    win_rates = None
    if labels is not None and not separate:
        win_rates, why_not = _ppi_win_rates(table, labels, options)
        if why_not is not None:
            all_caveats.append(Caveat(HUMAN_RATES, f"left out: {why_not}"))
    return replace(
        report,
        warnings=warnings + report.warnings,
        caveats=tuple(all_caveats),
        powered=win_rates,
        enough=_enough(source, table, human_labels, options),
    )


def _by_annotators(
    table: Opinions,
    labels: Opinions,
    options: RankOptions,
    human: Mapping[str, float] | None,
) -> RankReport:
    """Rank the systems by annotators' labels alone: the judge scored no pair."""
    report = rank_labels(labels, replace(options, policy=None), human=human)
    scored = f"the judge scored none of {counted(len(table), 'pair')} of {table.source}"
    why = Caveat("all", f"{scored}: systems are ranked by annotators' labels")
    level = options.bootstrap.level
    return replace(
        report,
        caveats=(why,) + report.caveats,
        labelled=report.judged,
        enough=of_annotators(labels, options.dimension, level),
        human=True,
    )


def _enough(
    source: Opinions,
    table: Opinions,
    human_labels: Opinions | None,
    options: RankOptions,
) -> tuple[Stopping, ...]:
    """Look at annotators' labels as if after each of them; return [] without any."""
    level = options.bootstrap.level
    if options.orders == "separate":
        return ()
    if human_labels is None:
        if not source.human or options.judge is not None or options.policy is not None:
            return ()
        return of_annotators(source, options.dimension, level)
    try:
        return of_judged(table, human_labels, options.dimension, level)
    except UserError:  # the caveats say why these labels cannot speak for the pairs
        return ()


def _ppi_win_rates(
    table: Opinions, labels: Opinions, options: RankOptions
) -> tuple[WinRates | None, str | None]:
    """Estimate win rates by human labels, or say why not; None: all are labelled."""
    codes = labels.codes[labels.column(options.dimension)]
    if int((codes != MISSING).sum()) >= len(table):
        return None, None
    try:
        run = labelled(table, labels, options.dimension)
    except UserError as error:  # probabilities of some labels only
        return None, str(error)
    if run.drawn.problem is not None:
        return None, run.drawn.problem
    result = win_rate_tables(run, options.bootstrap.level, options.typed)
    if run.drawn.caption is not None:
        result = replace(result, design=f"{result.design}; {run.drawn.caption}")
    return result, None


def read_human_ranking(path: Path) -> dict[str, float]:
    """Read scores by system from columns ``system`` and ``score`` or ``rank``.

    More is better.

    Raises UserError for a missing column, score beside rank, no finite number, or a
    system twice.
    """
    rows: list[Mapping[str, Any]] = []
    for where, record in records(path):
        if isinstance(record, str):
            raise UserError(f"{where}: {record}")
        rows.append(record)
    filled: set[str] = set()
    for row in rows:
        filled.update(column for column in ("score", "rank") if row.get(column))
    provided = sorted(filled)
    if len(provided) > 1:
        raise UserError(
            f"{path}: has both score and rank, which run in opposite order; keep one"
        )
    scores: dict[str, float] = {}
    for number, row in enumerate(rows, start=1):
        name = next((row[n] for n in NAMES["system"] if row.get(n)), None)
        if not name or not provided or not row.get(provided[0]):
            raise UserError(
                f"{path}, record {number}: needs 'system' and 'score' or 'rank'"
            )
        if name in scores:
            raise UserError(
                f"{path}, record {number}: {name} was given before; delete one"
            )
        value = _number(row[provided[0]], f"{path}, record {number}: {provided[0]}")
        scores[name] = value if provided[0] == "score" else -value
    return scores


def _number(text: Any, what: str) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise UserError(f"{what} is {text!r}; give a finite number")
    return value


def defect_rows(source: Path, options: RankOptions) -> tuple[DefectRow, ...]:
    """Return each system's share of answers with a defect, by kind.

    Answers to one question vary together.

    There are no rows of a file, nor of a run without that group.
    """
    if not is_folder(source):
        return ()
    run = Run.open(source)
    kinds_by_clip = _kinds_by_clip(run)
    if not kinds_by_clip:
        return ()
    answers = list(_answers(run, kinds_by_clip, options.systems or SIDE_NAMES))
    system_of = np.array([answer.system for answer in answers], dtype=object)
    questions, _ = index_of([answer.question for answer in answers])
    kinds: set[str] = set()
    for answer in answers:
        kinds.update(answer.defects)
    has_kind = {"any": np.array([bool(answer.defects) for answer in answers], bool)}
    for kind in sorted(kinds):
        has_kind[kind] = np.array([kind in answer.defects for answer in answers], bool)
    resampler = Resampler(questions)
    systems = sorted(set(system_of.tolist()))
    for kind, has in has_kind.items():
        for system in systems:
            name = f"{kind} of {system}"
            resampler.mean(name, has, bounds=UNIT, where=system_of == system)
    shares = resampler.estimates(options.bootstrap)
    rows: list[DefectRow] = []
    for kind, has in has_kind.items():
        for system in systems:
            of_system = has[system_of == system]
            row = DefectRow(
                system=system,
                kind=kind,
                answers=len(of_system),
                affected=int(of_system.sum()),
                share=shares[f"{kind} of {system}"],
            )
            rows.append(row)
    return tuple(rows)


def voice_rows(source: Path, options: RankOptions) -> tuple[SystemVoice, ...]:
    """Tell whether each system keeps its voice; no rows where none was measured."""
    if not is_folder(source):
        return ()
    return voices_of(Run.open(source), options.systems or SIDE_NAMES)


def _kinds_by_clip(run: Run) -> dict[str, frozenset[str]]:
    """Return kinds of defects by clip, without clips that could not be looked at."""
    path = run.path("blueprints.jsonl")
    kinds_by_clip: dict[str, frozenset[str]] = {}
    if not is_file(path):
        return kinds_by_clip
    for line in jsonl.read(path):
        record = strict_json.record(line, path)
        group = (record.get("extensions") or {}).get("defects") or {}
        if "values" in group:
            counts = group["values"].get("counts") or {}
            kinds = frozenset(kind for kind, number in counts.items() if number)
            kinds_by_clip[record["clip"]] = kinds
    return kinds_by_clip


class _Inspected(NamedTuple):
    """An answer whose recording was looked at, and the kinds of its defects."""

    system: str
    question: str
    defects: frozenset[str]


def _answers(
    run: Run, kinds_by_clip: Mapping[str, frozenset[str]], names: tuple[str, str]
) -> Iterator[_Inspected]:
    """Yield each inspected answer, once."""
    seen: set[tuple[str, str, str]] = set()
    for answer in decoded_answers(run, names):
        key = (answer.system, answer.question, answer.clip)
        if answer.clip in kinds_by_clip and key not in seen:
            seen.add(key)
            yield _Inspected(answer.system, answer.question, kinds_by_clip[answer.clip])
