"""AudioJudge (Woodygan/AudioJudge): votes on SpeakBench, and what its judges said.

Files are told apart by their columns: votes (``model1, model2, preference``), verdicts
on SpeakBench in both orders (``position1_result, position2_result``), win rates made of
them (``model_name, effective_win_rate``), and results on other pairs
(``audio1_path, audio2_path, ground_truth, prediction``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from trace_eval.data.answers import Recording
from trace_eval.data.items import Pair
from trace_eval.data.manifests import Problem
from trace_eval.data.tables import column_names
from trace_eval.datasets.base import Converted, Selection, Source
from trace_eval.datasets.figures import Figure, correlation_figure, share_figure
from trace_eval.datasets.rows import ColumnTypes, Row, Rows, alone

_VOTES: ColumnTypes = {"model1": str, "model2": str, "preference": str}
_DETAILED: ColumnTypes = {
    "model_name": str,
    "position1_result": str,
    "position2_result": str,
}
_SUMMARY: ColumnTypes = {"model_name": str, "effective_win_rate": str}
_RESULTS: ColumnTypes = {
    "audio1_path": str,
    "audio2_path": str,
    "ground_truth": str,
    "prediction": str,
}

#: What a system gets of a comparison.
_POINTS = {"win": 1.0, "tie": 0.5, "loss": 0.0}

_SIDES = {
    "1": "1",
    "2": "2",
    "tie": "tie",
    "a": "1",
    "b": "2",
    "true": "1",
    "false": "2",
}


def read_audio_judge(source: Source, chosen: Selection) -> Converted:
    """Read votes and verdicts, and correlate the win rates of both."""
    chosen.refuse("system", chosen.system)
    chosen.refuse("set", chosen.sets)
    rows = Rows(source)
    converted = Converted(problems=rows.problems)
    votes: list[Row] = []
    judged: dict[str, list[Row]] = {}
    summaries: dict[str, list[Row]] = {}
    others = []
    for path in source.files("*.jsonl") + source.files("*.csv"):
        columns = set(column_names(path))
        if not columns:
            problem = "is empty, or its first rows are no objects; fetch it again"
            converted.problems.append(Problem(source.name(path), problem))
        elif columns >= _VOTES.keys():
            votes += rows.read(path, _VOTES)
        elif columns >= _DETAILED.keys():
            judged[source.name(path)] = rows.read(path, _DETAILED)
        elif columns >= _SUMMARY.keys():
            summaries[source.name(path)] = rows.read(path, _SUMMARY, "model_name")
        elif columns >= _RESULTS.keys():
            _results(converted, source, path, rows.read(path, _RESULTS))
        else:
            others.append(path.name)
    if not (votes or judged or summaries or converted.pairs):
        raise source.lacks(
            f"files with columns {', '.join(_VOTES)}, or those of judges' results"
        )
    if others:
        converted.notes.append(
            f"{len(others)} files of other columns left out, e.g. {others[0]}"
        )
    human = _human(converted, rows, votes)
    for label, own in judged.items():
        _speakbench(converted, label, own, human)
    for label, own in summaries.items():
        _summary(converted, rows, label=label, own=own, human=human)
    return converted


def _human(result: Converted, rows: Rows, votes: Sequence[Row]) -> dict[str, float]:
    """Compute systems' win rates by human labels, over battles: win 1, tie .5."""
    points: dict[str, list[float]] = defaultdict(list)
    ties = read = 0
    for row in votes:
        share = {"model1": 1.0, "model2": 0.0, "tie": 0.5}.get(row["preference"])
        if share is None:
            rows.tell(
                row,
                f"preference {row['preference']!r:.40}; expected model1, model2 or tie",
            )
            continue
        read += 1
        ties += share == 0.5
        points[row["model1"]].append(share)
        points[row["model2"]].append(1 - share)
    if votes:
        result.notes.append(
            f"{read} votes on {len(points)} systems, {ties} of them ties"
        )
        label_rows: list[tuple[str, str, str, str]] = []
        for number, row in enumerate(votes):
            name = str(row.get("data_ID") or number)
            vote = (name, row["model1"], row["model2"], row["preference"])
            label_rows.append(vote)
        result.labels = (
            ("instruction_id", "model1", "model2", "preference"),
            label_rows,
        )
    rates = {name: fmean(values) for name, values in points.items()}
    for name, rate in sorted(rates.items(), key=lambda one: -one[1]):
        n = len(points[name])
        result.figures.append(
            Figure("win rate among people", name, ours=100 * rate, n=n)
        )
    return rates


def _summary(
    result: Converted,
    rows: Rows,
    label: str,
    own: Sequence[Row],
    human: Mapping[str, float],
) -> None:
    """Add the correlation of win rates that the authors computed themselves."""
    rates = {}
    for row in own:
        try:
            rates[row["model_name"]] = float(row["effective_win_rate"])
        except ValueError:
            rows.tell(row, f"effective_win_rate is {row['effective_win_rate']!r:.40}")
    name = "Spearman with people, win rates as summarised"
    note = f"{label}; n counts systems"
    result.figures.append(
        correlation_figure(name, rates, human, where=label, note=note)
    )


def _speakbench(
    result: Converted, label: str, rows: Sequence[Row], human: Mapping[str, float]
) -> None:
    points: dict[str, list[float]] = defaultdict(list)
    unread = 0
    for row in rows:
        for order in ("position1_result", "position2_result"):
            value = _POINTS.get(row[order].strip().lower())
            unread += value is None
            if value is not None:
                points[row["model_name"]].append(value)
    judge = {name: fmean(values) for name, values in points.items()}
    #: The system that all others met: against itself it can only tie.
    reference = [n for n, values in points.items() if set(values) == {0.5}]
    without = {name: rate for name, rate in judge.items() if name not in reference}
    note = f"{label}; n counts systems; {len(rows)} comparisons in both orders"
    figures = {"": judge} | (
        {", without the reference system": without} if reference else {}
    )
    for what, rates in figures.items():
        name = f"Spearman with people{what}"
        more: dict[str, Any] = {"where": label, "note": note, "unscored": unread}
        result.figures.append(correlation_figure(name, rates, human, **more))


def _results(
    result: Converted, source: Source, path: Path, rows: Sequence[Row]
) -> None:
    label = source.name(path)
    right = unread = 0
    for number, row in enumerate(rows):
        truth = _SIDES.get(row["ground_truth"].strip().lower())
        verdict = _SIDES.get(row["prediction"].strip().lower())
        unread += verdict is None
        right += verdict is not None and verdict == truth
        with alone(result.problems, row.where):
            a, b = (
                {
                    **_place(source, path, row[f"audio{n}_path"]),
                    "system": row.text(f"model_{side}"),
                }
                for n, side in ((1, "a"), (2, "b"))
            )
            pair = {
                "id": f"{path.stem}-{number}",
                "a": a,
                "b": b,
                "labels": {"preference": truth} if truth else None,
                "instruction_id": row.text("instruction_id") or None,
                "category": row.text("dataset_name") or None,
                "meta": row.rest(*_RESULTS, "reasoning"),
            }
            result.pairs.append(Pair.model_validate(pair))
    note = f"{right} of {len(rows)} predictions are the ground truth of the file"
    if path.stem.endswith("_BA") or "swapped" in path.stem:
        note += "; this copy is swapped: check which columns were exchanged"
    result.figures.append(
        share_figure(
            f"accuracy, {label}", right, len(rows), unread, note=note, where=label
        )
    )


def _place(source: Source, path: Path, name: str) -> dict[str, object]:
    recording = source.recording(path.parent, name)
    return Recording.model_validate(
        {"audio": recording or path.parent / name}
    ).model_dump(include={"audio", "url"}, exclude_none=True)
