"""The rules of VocalBench: containment of the reference, marks of its judge, clarity.

Each takes the answers of one system to one set and adds scores and figures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from trace_eval.data.measures.text import WHISPER_EN, whisper_en
from trace_eval.datasets.base import Converted, Selection
from trace_eval.datasets.figures import (
    VOCALBENCH,
    Figure,
    mean_figure,
    share_figure,
    wer_step,
)
from trace_eval.datasets.rows import AuthorsRule, Row

#: Commit of the layout and the rules.
COMMIT = "5e9cce0"

#: Set -> (names of the file of answers, question file for a judge, scale of its
#: verdicts); the set without a question file is decided by a rule.
SETS: Mapping[str, tuple[tuple[str, ...], str | None, tuple[float, float]]] = {
    "knowledge": (("knowledge",), None, (0, 1)),
    "reasoning": (("reasoning",), "vocalbench-reasoning", (1, 5)),
    "creativity": (("creativity",), "vocalbench-creativity", (1, 5)),
    "emotion": (("emotion",), "vocalbench-emotion", (1, 5)),
    "instruction_following": (
        ("instruction_following", "instruction"),
        "vocalbench-instruction",
        (0, 1),
    ),
    "safety": (("safety",), "vocalbench-safety", (0, 1)),
    "single_round": (("single_round",), "vocalbench-single_round", (1, 5)),
    "multi_round": (("multi_round",), "vocalbench-multi_round", (1, 5)),
    "robust": (("robust",), None, (0, 1)),
}

#: What the board calls the figure of a set.
_COLUMNS = {"instruction_following": "instruction"}

#: Columns that only the whole run of the authors gives: recordings and further models.
_OTHER_COLUMNS = ("utmos", "wer", "robustness")

_KNOWLEDGE = AuthorsRule(
    "vocalbench-knowledge",
    "right if the reference, as a string, stands in the answer, after special tokens,"
    f" blanks and hyphens are cleaned and {WHISPER_EN} has normalised both",
    f"authors/vocalbench/contains-reference@{COMMIT}",
)

_SPECIAL = re.compile(r"<\|.*?\|>")

_BLANKS = re.compile(r"\s+")

_BEFORE_MARK = re.compile(r" ?([!,.?;:])")


@lru_cache(maxsize=1 << 15)
def cleaned(text: str) -> str:
    """Write a text as the rule compares it."""
    text = _BLANKS.sub(" ", _SPECIAL.sub(" ", text))
    text = _BEFORE_MARK.sub(r"\1", text).replace("-", " ").lstrip(" ")
    return whisper_en()(text).lower()


def is_right(reference: str, answer: str) -> bool:
    """Apply the authors' rule for knowledge: the answer contains the reference."""
    return cleaned(reference) in cleaned(answer)


class VocalAnswer:
    """One answer with its question."""

    def __init__(self, question: Row, answer: Row) -> None:
        self.question, self.answer = question, answer
        self.id: str = question["Qid"]
        self.written: str = answer["prediction"]
        self.recognised: str | None = None
        self.verdict: Row | None = None
        self.audio: Path | str | None = None
        answer_text = answer.text("answer")
        self.question_reference = question.text("Answer")
        #: The reference that came with the answer.
        self.reference = (
            answer_text if answer_text is not None else self.question_reference
        )


def score_knowledge(
    result: Converted, system: str, answers: Sequence[VocalAnswer]
) -> None:
    """Score the answers to knowledge by both references, beside the authors' flags."""
    counts: Counter[str] = Counter()
    drifted: list[str] = []
    sources: dict[str, list[bool]] = {}
    for one in answers:
        if one.reference is None:
            continue
        other = one.question_reference or one.reference
        if (
            one.question_reference is not None
            and one.question_reference != one.reference
        ):
            drifted.append(one.id)
        right = written = is_right(one.reference, one.written)
        counts["n"] += 1
        counts["written"] += written
        counts["written, question file"] += is_right(other, one.written)
        if one.recognised is not None:
            right = is_right(one.reference, one.recognised)
            counts["n heard"] += 1
            counts["heard"] += right
            counts["heard, question file"] += is_right(other, one.recognised)
            counts["whole words"] += (
                f" {cleaned(other)} " in f" {cleaned(one.recognised)} "
            )
            counts["lost"] += written and not right
            counts["gained"] += right and not written
            sources.setdefault(str(one.question.get("Source")), []).append(right)
        caveats = ["empty_candidate"] if one.recognised == "" else []
        result.scores.append(
            _KNOWLEDGE.score(one.id, system, float(right), caveats=caveats)
        )
    result.figures += _knowledge_figures(system, counts, drifted)
    result.figures += _flag_figures(system, answers)
    if sources:
        right_by_source: list[str] = []
        for source, are_right in sorted(sources.items()):
            right_by_source.append(f"{source} {sum(are_right)}/{len(are_right)}")
        shares = ", ".join(right_by_source)
        result.notes.append(
            f"{system}, knowledge: {counts['lost']} answers right in writing are lost"
            f" in speech, {counts['gained']} gained; by source {shares}; as whole words"
            f" instead of substrings {counts['whole words']} would be right (question"
            " file)"
        )


def _knowledge_figures(
    system: str, counts: Mapping[str, int], drifted: Sequence[str]
) -> list[Figure]:
    drift = "references of the answers"
    if drifted:
        drift = (
            f"{len(drifted)} references of the answers differ from the question file:"
            f" {', '.join(drifted[:5])}"
        )
    row = VOCALBENCH.row(system)
    printed = {"published": row["knowledge"], "where": VOCALBENCH.where} if row else {}
    shares: list[tuple[str, int, str, dict[str, Any]]] = [
        ("heard", counts["n heard"], f"; {drift}", printed),
        (
            "heard, question file",
            counts["n heard"],
            "; references of the question file",
            {},
        ),
        ("written", counts["n"], "", {}),
        ("written, question file", counts["n"], "", {}),
    ]
    if not counts["n heard"]:
        shares = shares[2:]
    figures: list[Figure] = []
    for what, n, note, more in shares:
        figure = share_figure(
            f"knowledge, {what}",
            counts[what],
            n,
            system=system,
            note=f"{counts[what]} of {n}{note}",
            **more,
        )
        figures.append(figure)
    return figures


def _flag_figures(system: str, answers: Sequence[VocalAnswer]) -> list[Figure]:
    """Count the authors' own flags, absent if wrong, and how often the rule agrees."""
    figures = []
    for what, flag in (("heard", "s2s_right"), ("written", "s2t_right")):
        number = right = same = 0
        for one in answers:
            if one.verdict is None:
                continue
            flagged = one.verdict.get(flag) == 1
            words = (one.recognised or "") if what == "heard" else one.written
            number += 1
            right += flagged
            same += is_right(one.reference or "", words) == flagged
        if not number:
            continue
        note = f"{right} of {number}; the rule says the same of {same}"
        name = f"knowledge, flags, {what}"
        figures.append(share_figure(name, right, number, system=system, note=note))
    return figures


def score_verdicts(
    result: Converted, system: str, name: str, answers: Sequence[VocalAnswer]
) -> None:
    """Score answers by the marks of the authors' judge, where a run has them."""
    judged = [one for one in answers if one.verdict is not None]
    if not judged:
        return
    low, high = SETS[name][2]
    words = "the mark of the authors' judge for the spoken answer"
    rule = AuthorsRule(
        f"vocalbench-{name}", words, f"authors/vocalbench/judge@{COMMIT}"
    )
    values, unread = [], 0
    for one in judged:
        mark: Any = one.verdict.get("s2s_score") if one.verdict else None
        value = None
        if type(mark) in (int, float) and 0 <= mark <= high:
            value = float(mark)
            values.append(value)
        else:
            unread += 1
        result.scores.append(
            rule.score(one.id, system, value, f"s2s_score is {mark!r:.40}")
        )
    row = VOCALBENCH.row(system)
    column = _COLUMNS.get(name, name)
    printed = row.get(column) if row and name != "emotion" else None
    result.figures.append(
        mean_figure(
            f"{name}, marks of the authors' judge",
            values,
            unscored=unread,
            scale=(low, high),
            factor=100 if high == 1 else 1,
            system=system,
            published=printed,
            where=VOCALBENCH.where if printed is not None else "",
        )
    )


def score_clarity(
    result: Converted, system: str, name: str, answers: Sequence[VocalAnswer]
) -> None:
    """Compute the word error rate of recognised against written words.

    It is errors over words of all answers.

    The board prints that of single_round, and gives points for it.
    """
    import jiwer

    both = []
    for one in answers:
        if one.recognised is not None:
            both.append((cleaned(one.written), cleaned(one.recognised)))
    spoken = [(written, recognised) for written, recognised in both if written.strip()]
    if not spoken:
        return
    wanted, recognised = (list(column) for column in zip(*spoken, strict=True))
    wer = 100 * float(jiwer.wer(wanted, recognised))
    note = ""
    if spoken != both:
        note = f"{len(both) - len(spoken)} answers without words left out"
    facts: dict[str, Any] = {
        "system": system,
        "ours": wer,
        "n": len(spoken),
        "decimals": 3,
    }
    row = VOCALBENCH.row(system)
    if name == "single_round":
        note = "; ".join(filter(None, (f"{wer_step(wer)} points for clarity", note)))
        if row:
            facts |= {"published": row["wer"], "where": VOCALBENCH.where}
    what = "wer" if name == "single_round" else f"{name}, wer of the recordings"
    result.figures.append(Figure(what, note=note, **facts))


def unreproducible(
    systems: Sequence[str], figures: Sequence[Figure], chosen: Selection
) -> list[Figure]:
    """List what the board prints of these systems and the released files lack."""
    missing = []
    for system in systems:
        row = VOCALBENCH.row(system)
        lines = {
            f.name.split(",")[0] for f in figures if f.system == system and f.published
        }
        for name in list(SETS) + list(_OTHER_COLUMNS):
            column = _COLUMNS.get(name, name)
            present = name in lines or (name in SETS and not chosen.wants(name))
            if (
                not row
                or column not in row
                or present
                or (chosen.sets and name not in SETS)
            ):
                continue
            missing.append(
                Figure(
                    name,
                    system,
                    published=row[column],
                    decimals=3,
                    where=VOCALBENCH.where,
                )
            )
    return missing
