"""EmergentTTS-Eval (arXiv 2505.23009): texts read aloud, against a baseline's reading.

A run is ``PREFIX_evaluation-predictions.jsonl``; baseline recordings are
``data/baseline_audios/ID.wav``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trace_eval.data import strict_json
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair
from trace_eval.data.measures.text import whisper_en
from trace_eval.datasets.base import Converted, Selection, Source
from trace_eval.datasets.figures import Figure, mean_figure
from trace_eval.datasets.rows import AuthorsRule, ColumnTypes, Row, Rows, alone, item_of

#: Commit of the layout and the rules.
COMMIT = "5764ace"

_SUFFIX = "_evaluation-predictions"
_OUTPUT = "judger_output_win_rate_based"

_COLUMNS: ColumnTypes = {
    "unique_id_eval": (int, str),
    "category": str,
    "text_to_synthesize": str,
    "predicted_speech_index": int,
    _OUTPUT: (dict, str, type(None)),
}


def read_emergent_tts(source: Source, chosen: Selection) -> Converted:
    """Read systems' runs against the baseline, with verdicts of the authors' judge."""
    files = source.files(f"*{_SUFFIX}.jsonl")
    if not files:
        raise source.lacks(f"PREFIX{_SUFFIX}.jsonl, what a run writes")
    systems = [path.stem.removesuffix(_SUFFIX) for path in files]
    chosen.check_system(systems)
    rows = Rows(source)
    converted = Converted(problems=rows.problems, rubrics=["emergent-tts"])
    for path, system in zip(files, systems, strict=True):
        if chosen.system in (None, system):
            read = rows.read(path, _COLUMNS, "unique_id_eval")
            chosen.check_sets({row["category"] for row in read})
            wanted = [row for row in read if chosen.wants(row["category"])]
            _add(converted, source, path=path, system=system, rows=wanted)
    converted.make_ids_unique()
    return converted


def outcome(row: Row) -> float | None:
    """Return 1 for a win of the system, .5 for a tie, 0 for a loss; None: it failed.

    What failed is the judge.
    """
    winner = _output(row).get("winner")
    if type(winner) is not int or winner not in (0, 1, 2):
        return None
    return 0.5 if winner == 0 else float(winner == row["predicted_speech_index"])


def _output(row: Row) -> Mapping[str, Any]:
    value = row[_OUTPUT]
    if isinstance(value, str):
        try:
            value = strict_json.loads(value)
        except strict_json.BadJson:
            return {}
    return value if isinstance(value, dict) else {}


def _add(
    result: Converted, source: Source, path: Path, system: str, rows: Sequence[Row]
) -> None:
    baselines = source.folder / "data" / "baseline_audios"
    words = "win 1, tie .5, loss 0 against the baseline; failed calls left out"
    rule = AuthorsRule("emergent-tts", words, f"authors/emergent-tts/winner@{COMMIT}")
    recordings = 0
    for row in rows:
        name = str(row["unique_id_eval"])
        spoken = row.text("audio_out_path")
        audio = source.recording(path.parent, spoken) if spoken else None
        other = source.recording(baselines, f"{name}.wav")
        recordings += audio is not None
        with alone(result.problems, row.where):
            item = item_of(
                name,
                row["text_to_synthesize"],
                text=row.text("model_prediction"),
                audio=audio,
                reference=row["text_to_synthesize"],
                system=system,
                category=row["category"],
                meta=row.rest(*_COLUMNS, "audio_out_path", "model_prediction"),
            )
            if audio is not None and other is not None:
                result.pairs.append(
                    _pair(name, system, row=row, audio=audio, other=other)
                )
            result.items.append(item)
            score = rule.score(name, system, outcome(row), "the judge named no winner")
            result.scores.append(score)
    for category in ("", *sorted({row["category"] for row in rows})):
        of_category = [row for row in rows if category in ("", row["category"])]
        outcomes = [outcome(row) for row in of_category]
        known = [value for value in outcomes if value is not None]
        name = f"win rate, {category}" if category else "win rate"
        lost = len(outcomes) - len(known)
        result.figures.append(
            mean_figure(
                name, known, unscored=lost, scale=(0, 1), factor=100, system=system
            )
        )
    result.figures += _word_errors(system, rows)
    odd = 0  # the winner has the lower of the judge's own scores
    for verdict in map(_output, rows):
        one, two, winner = (
            verdict.get(name) for name in ("score_1", "score_2", "winner")
        )
        if isinstance(one, int | float) and isinstance(two, int | float):
            odd += bool((winner == 1 and one < two) or (winner == 2 and two < one))
    result.notes.append(
        f"{system}: of {odd} of {len(rows)} verdicts the winner has the lower score of"
        f" the two; {recordings} recordings are here; the order of the two is one per"
        " item, so position bias is not seen"
    )


def _word_errors(system: str, rows: Sequence[Row]) -> list[Figure]:
    """Compute the mean rate over items, as authors print it, and the rate over words.

    Both texts go through Whisper's English normaliser. A rate passes 1 where much is
    spoken that is not in the text.
    """
    import jiwer

    rates, words = [], []
    for row in rows:
        prediction = row.text("model_prediction")
        wanted = whisper_en()(row["text_to_synthesize"].lower())
        if prediction is not None and wanted.strip():
            spoken = whisper_en()(prediction.lower()).strip()
            rates.append(float(jiwer.wer(wanted.strip(), spoken)))
            words.append(len(wanted.split()))
    if not rates:
        return []
    whole = sum(rate * count for rate, count in zip(rates, words, strict=True)) / sum(
        words
    )
    facts: dict[str, Any] = {"system": system, "n": len(rates)}
    note = "mean of the rates of items, so it may pass 100"
    return [
        Figure("wer", ours=100 * sum(rates) / len(rates), note=note, **facts),
        Figure("wer, errors over all words", ours=100 * whole, **facts),
    ]


def _pair(
    name: str, system: str, row: Row, audio: Path | str, other: Path | str
) -> Pair:
    """Pair the two recordings in the order in which the judge heard them."""
    text = row["text_to_synthesize"]
    sides = [
        Answer.model_validate({"audio": place, "system": who, "reference": text})
        for place, who in ((audio, system), (other, "baseline"))
    ]
    first, second = sides if row["predicted_speech_index"] == 1 else sides[::-1]
    return Pair(
        id=f"{system}/{name}",
        instruction=Instruction(text=text),
        instruction_id=name,
        a=first,
        b=second,
        category=row["category"],
    )
