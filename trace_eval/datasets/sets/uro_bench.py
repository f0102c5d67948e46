"""URO-Bench (arXiv 2502.17810): a run is a folder per track and set.

``TRACK/SET/{question_text, gt_text, pred_text, asr_text}.jsonl``, each line ``{"0000":
text}``; ``audio/0000.wav``; ``eval_with_asr/result_MODE.jsonl`` with one line per item
and a summary last; ``test.jsonl`` of the data where it lies beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from blueprints import InputError
from trace_eval.data.items import Single
from trace_eval.data.measures.text import whisper_en
from trace_eval.datasets.base import Converted, Selection, Source
from trace_eval.datasets.figures import URO_EN, URO_ZH, Figure, mean_figure
from trace_eval.datasets.replies import mean_of, open_marks
from trace_eval.datasets.rows import AuthorsRule, Row, Rows, alone, item_of
from trace_eval.estimate.share import quotient

#: Commit of the layout and the rules.
COMMIT = "9e74bc0"

#: Modes whose marks from 1 to 5 are printed times 20.
MARKED = (
    "open",
    "semi_open",
    "semi-open",
    "multi",
    "sa",
    "ue",
    "gs",
    "sf",
    "ml",
    "srt",
)

#: A repetition counts up to this word error rate.
MAX_WER = 0.5

_RUBRICS = ("uro-bench-open", "uro-bench-qa")

_TEXTS = ("question_text", "gt_text", "pred_text", "asr_text")
_RESULT = "result_"


def read_uro_bench(source: Source, chosen: Selection) -> Converted:
    """Read a run, and rerun the rule over its verdicts."""
    folders = sorted(
        {path.parent for path in source.files("pred_text.jsonl")}
        | {path.parent.parent for path in source.files(f"{_RESULT}*.jsonl")}
    )
    if not folders:
        raise source.lacks(
            "TRACK/SET/pred_text.jsonl or TRACK/SET/eval_with_asr/result_MODE.jsonl"
        )
    chosen.check_sets(folder.name for folder in folders)
    rows = Rows(source)
    converted = Converted(problems=rows.problems, by_set=True)
    for folder in folders:
        if chosen.wants(folder.name):
            converted.items += _items(rows, folder, chosen)
            for path in sorted(folder.glob(f"*/{_RESULT}*.jsonl")):
                _read_result(rows, path, folder=folder, result=converted, chosen=chosen)
    if not chosen.sets:
        converted.boards += [URO_EN, URO_ZH]
    return converted


def _items(rows: Rows, folder: Path, chosen: Selection) -> list[Single]:
    texts = {name: _by_number(rows, folder / f"{name}.jsonl") for name in _TEXTS}
    pred = texts["pred_text"]
    items = []
    for number in pred:
        heard_text = (
            texts["asr_text"].get(number) if chosen.answers == "heard" else None
        )
        audio = rows.source.recording(folder / "audio", f"{number}.wav")
        with alone(rows.problems, f"{rows.source.name(folder)}, number {number:.60}"):
            items.append(
                item_of(
                    f"{folder.name}-{number}",
                    texts["question_text"].get(number),
                    text=pred[number] if heard_text is None else heard_text,
                    audio=audio,
                    reference=texts["gt_text"].get(number),
                    system=chosen.system,
                    category=folder.name,
                    split=folder.parent.name or None,
                    meta={"written": pred[number]},
                )
            )
    return items


def _by_number(rows: Rows, path: Path) -> dict[str, str]:
    """Read lines of ``{"0000": text}`` into one mapping; items join by the numbers."""
    if not path.is_file():
        return {}
    texts = {}
    for row in rows.read(path, {}):
        ((number, text), *more) = row.record.items() or (("", None),)
        if more or not isinstance(text, str):
            rows.tell(row, f"expected {{NUMBER: text}}, got {row.record!r:.60}")
        elif number in texts:
            rows.tell(row, f"number {number!r:.20} is in an earlier line as well")
        else:
            texts[number] = text
    return texts


def _read_result(
    rows: Rows, path: Path, folder: Path, result: Converted, chosen: Selection
) -> None:
    mode = path.stem.removeprefix(_RESULT)
    read = rows.read(path, {})
    marked = [row for row in read if "score" in row.record or "WER" in row.record]
    summary = next((row for row in read[::-1] if row not in marked), None)
    label = rows.source.name(path)
    if not marked:
        raise InputError(
            f"{label}: no row has 'score' or 'WER'; expected a line per item"
        )
    if summary is None:
        result.notes.append(
            f"{label}: its last line is no summary; the run may have been stopped"
        )
    facts: dict[str, Any] = {
        "system": chosen.system or "",
        "published": _printed(summary),
        "where": label,
    }
    name = f"{folder.name}, {mode}"
    if "WER" in marked[0].record:
        figures, values = _repeat(name, marked, facts)
    elif mode == "qa":
        figures, values = _qa(name, marked, facts)
    else:
        figures, values = _marks(name, marked, facts, mode)
    result.figures += figures
    rubric = f"uro-bench-{mode}"
    if rubric in _RUBRICS:
        result.ask(folder.name, rubric)
    if not (folder / "pred_text.jsonl").is_file():
        for n, row in enumerate(marked):
            with alone(rows.problems, row.where):
                item = item_of(
                    f"{folder.name}-{n:04d}",
                    row.text("question"),
                    row.text("answer") or "",
                    reference=row.text("reference"),
                    system=chosen.system,
                    category=folder.name,
                    split=folder.parent.name or None,
                    meta={"candidate_is": "as it stands beside its verdict"},
                )
                result.items.append(item)
    words = f"URO-Bench, mode {mode}, as its own code averages replies"
    rule = AuthorsRule(rubric, words, f"authors/uro-bench/{mode}@{COMMIT}")
    for number, value in enumerate(values):
        name = f"{folder.name}-{number:04d}"
        score = rule.score(name, chosen.system, value, detail="a reply holds no mark")
        result.scores.append(score)


def _printed(summary: Row | None) -> float | None:
    """Return the figure of the last line, in per cent."""
    if summary is None:
        return None
    final = summary.get("final_score")
    if isinstance(final, int | float):
        return float(final)
    rate, wer = summary.get("ok_rate"), summary.get("final_WER_for_ok_case")
    if isinstance(rate, int | float) and isinstance(wer, int | float):
        return 100.0 * float(rate) * (1 - float(wer))
    return None


def _qa(
    name: str, marked: Sequence[Row], about: Mapping[str, Any]
) -> tuple[list[Figure], list[float | None]]:
    """Compute the share of ``Yes`` replies; failed calls and no answers are zeros."""
    values: list[float] = []
    shares: list[float | None] = []
    loose = 0
    for row in marked:
        replies = row["score"] if isinstance(row["score"], list) else [row["score"]]
        exact = [float(reply == "Yes") for reply in replies]
        values += exact
        shares.append(quotient(sum(exact), len(exact)))
        loose += sum(map(_is_yes_spelt_otherwise, replies))
    note = f"{len(marked)} items, {len(values)} replies; exactly 'Yes' counts"
    if loose:
        note += f", so {loose} of another spelling do not"
    figure = mean_figure(
        name, values, unscored=0, scale=(0, 1), factor=100, note=note, **about
    )
    return [figure], shares


def _is_yes_spelt_otherwise(reply: object) -> bool:
    if not isinstance(reply, str) or reply == "Yes":
        return False
    return reply.strip(" .!\n").lower() == "yes"


def _marks(
    name: str, marked: Sequence[Row], about: Mapping[str, Any], mode: str
) -> tuple[list[Figure], list[float | None]]:
    """Compute 20 times the mean mark; failed calls and empty answers count as zeros."""
    values: list[float] = []
    unread = 0
    means: list[float | None] = []
    for row in marked:
        replies = row["score"] if isinstance(row["score"], list) else [row["score"]]
        marks = [_mark(reply) for reply in replies]
        available, mean = mean_of(marks)
        values += available
        unread += len(marks) - len(available)
        means.append(mean)
    note = (
        "" if mode in MARKED else f"mode {mode} is not one that is known; read as marks"
    )
    return [
        mean_figure(
            name, values, unscored=unread, scale=(0, 5), factor=20, note=note, **about
        )
    ], means


def _mark(reply: object) -> float | None:
    if type(reply) in (int, float):
        return float(reply) if 0 <= reply <= 5 else None  # type: ignore[arg-type, operator]
    (mark,) = open_marks([reply])
    return mark


def repeat_wer(answer: str, reference: str) -> float:
    """Compute the authors' word error rate of a repetition, the answer as reference.

    So its words are the denominator, and words said too much cost little.
    """
    import jiwer

    heard, wanted = (whisper_en()(text.strip().lower()) for text in (answer, reference))
    return float(jiwer.wer(heard, wanted))


def repeat_score(wers: Sequence[float]) -> float:
    """Multiply the share of repetitions up to :data:`MAX_WER` by their mean accuracy.

    The accuracy is one minus the rate; the product is in per cent.
    """
    good = [wer for wer in wers if wer <= MAX_WER]
    if not good:
        return 0.0
    percent_good = 100 * len(good) / len(wers)
    mean_accuracy = 1 - sum(good) / len(good)
    return percent_good * mean_accuracy


def _repeat(
    name: str, marked: Sequence[Row], about: Mapping[str, Any]
) -> tuple[list[Figure], list[float | None]]:
    texts = [(row.text("answer"), row.text("reference")) for row in marked]
    if "-zh" in name or any(
        answer is None or wanted is None for answer, wanted in texts
    ):
        stored = [row["WER"] for row in marked]
        if not all(type(wer) in (int, float) for wer in stored):
            raise InputError(
                f"{about['where']}: a row has neither texts nor a WER; run it again"
            )
        note = "from the stored rates; those of Chinese are not computed again"
        figure = Figure(
            name, ours=repeat_score(stored), n=len(stored), note=note, **about
        )
        return [figure], [float(wer) for wer in stored]
    wers = [repeat_wer(answer or "", reference or "") for answer, reference in texts]
    right = [repeat_wer(reference or "", answer or "") for answer, reference in texts]
    near = sum(
        abs(wer - row["WER"]) < 1e-9 for wer, row in zip(wers, marked, strict=True)
    )
    return [
        Figure(
            name,
            ours=repeat_score(wers),
            n=len(wers),
            note=f"{near} of {len(wers)} rates equal the stored ones",
            **about,
        ),
        Figure(
            f"{name}, the right way round",
            str(about["system"]),
            ours=repeat_score(right),
            n=len(right),
            note="the reference is the denominator",
        ),
    ], list(wers)
