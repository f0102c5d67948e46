"""VocalBench (arXiv 2505.15727): spoken questions of nine sets, answers by system.

Read: ``json/SET.json`` (questions), ``result/SYSTEM/json/SET.json`` (written answers),
``json_asr`` (transcripts), ``result`` (verdicts of the authors' run), ``wav/SET/QID.wav``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from trace_eval.data.items import Candidate, Single
from trace_eval.data.pairs import Instruction
from trace_eval.datasets.base import Converted, Selection
from trace_eval.datasets.boards import VOCALBENCH
from trace_eval.datasets.figures import Figure, mean_figure, share_figure
from trace_eval.datasets.joins import join
from trace_eval.datasets.records import authors_score, unique_ids
from trace_eval.datasets.rows import Row, Rows
from trace_eval.datasets.source import Source
from trace_eval.measures import WHISPER_EN, whisper_en

#: Commit of the layout and the rules.
COMMIT = "5e9cce0"

#: Set -> (names of the file of answers, question file for a judge, scale of its verdicts); the
#: set without a question file is decided by a rule.
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

_RULE = "contains-reference"

RULE_WORDS = (
    "right if the reference, as a string, stands in the answer, after special tokens, blanks and"
    f" hyphens are cleaned and {WHISPER_EN} has normalised both"
)

_ANSWER = {"question_id": str, "prediction": str}
_QUESTION = {"Qid": str, "Question": str}
_HEARD = {"question_id": str, "asr_pred": str}

_SPECIAL, _BLANKS = re.compile(r"<\|.*?\|>"), re.compile(r"\s+")
_BEFORE_MARK = re.compile(r" ?([!,.?;:])")


@lru_cache(maxsize=1 << 15)
def cleaned(text: str) -> str:
    """A text as the rule compares it."""
    text = _BLANKS.sub(" ", _SPECIAL.sub(" ", text))
    text = _BEFORE_MARK.sub(r"\1", text).replace("-", " ").lstrip(" ")
    return whisper_en()(text).lower()


def is_right(reference: str, answer: str) -> bool:
    """The authors' rule for knowledge: the reference is a substring of the answer."""
    return cleaned(reference) in cleaned(answer)


def has_words(reference: str, answer: str) -> bool:
    """A stricter reading of the same: whole words."""
    return f" {cleaned(reference)} " in f" {cleaned(answer)} "


def read_vocalbench(source: Source, chosen: Selection) -> Converted:
    """Read questions and the answers of each system.

    Raises:
        UserError: it is not that layout, or names of sets or systems are unknown.
    """
    chosen.check_sets(SETS)
    folder = source.folder
    if not (folder / "json").is_dir():
        raise source.lacks("a folder json with SET.json (questions of VocalBench)")
    systems = _systems(source, chosen)
    rows = Rows(source)
    found = Converted(problems=rows.problems, by_set=True)
    scored: list[tuple[str, str, list[_Answered]]] = []
    for name in SETS:
        path = folder / "json" / f"{name}.json"
        if not chosen.wants(name) or not path.is_file():
            continue
        questions = {row["Qid"]: row for row in rows.read(path, _QUESTION, "Qid")}
        for system in systems:
            answers = _read_answers(rows, folder / "result" / system, name, questions, found)
            if answers:
                scored.append((system, name, answers))
    for system, name, answers in scored:
        _add(found, system, name, answers, chosen)
    found.items, found.scores = unique_ids(found.items, found.scores)
    found.figures += _unreproducible(systems, found.figures, chosen)
    if systems and not chosen.sets:
        found.boards.append(VOCALBENCH)
    return found


class _Answered:
    """One answer with its question."""

    def __init__(self, question: Row, answer: Row) -> None:
        self.question, self.answer = question, answer
        self.id: str = question["Qid"]
        self.written: str = answer["prediction"]
        self.heard: str | None = None
        self.verdict: Row | None = None
        self.audio: Path | str | None = None
        own = answer.text("answer")
        self.asked = question.text("Answer")
        #: The reference that came with the answer.
        self.reference = own if own is not None else self.asked


def _systems(source: Source, chosen: Selection) -> list[str]:
    result = source.folder / "result"
    here = (
        sorted(path.name for path in result.iterdir() if path.is_dir()) if result.is_dir() else []
    )
    if not here:
        raise source.lacks("a folder result/SYSTEM/json with the answers of a system")
    if chosen.system is None:
        return here
    if chosen.system not in here:
        raise source.lacks(f"result/{chosen.system} (--system; there are {', '.join(here)})")
    return [chosen.system]


def _read_answers(
    rows: Rows, folder: Path, name: str, questions: Mapping[str, Row], found: Converted
) -> list[_Answered]:
    path = _first(folder / "json", SETS[name][0])
    if path is None:
        return []
    answers = {row["question_id"]: row for row in rows.read(path, _ANSWER, "question_id")}
    label = rows.source.name(path)
    joined, note = join(answers, questions, ("answer", "Answer"), label)
    if note:
        found.notes.append(note)
    lost = [name for name in answers if name not in joined]
    if lost:
        found.notes.append(
            f"{label}: {len(lost)} answers belong to no question here, e.g. {lost[0]}; left out"
        )
    if absent := len(questions) - len(set(joined.values())):
        found.notes.append(f"{label}: {absent} of {len(questions)} questions have no answer here")
    made = {answer: _Answered(questions[q], answers[answer]) for answer, q in joined.items()}
    if path := _first(folder / "json_asr", SETS[name][0]):
        for row in rows.read(path, _HEARD, "question_id"):
            if row["question_id"] in made:
                made[row["question_id"]].heard = row["asr_pred"]
    if path := _first(folder / "result", SETS[name][0]):
        for row in rows.read(path, {}):
            key = row.text("question_id") or row.text("Qid")
            if key in made:
                made[key].verdict = row
    for key, one in made.items():
        one.audio = rows.source.recording(folder / "wav" / name, f"{key}.wav")
    return list(made.values())


def _first(folder: Path, stems: Sequence[str]) -> Path | None:
    return next((p for stem in stems if (p := folder / f"{stem}.json").is_file()), None)


def _add(
    found: Converted, system: str, name: str, answers: Sequence[_Answered], chosen: Selection
) -> None:
    unheard = sum(one.heard is None for one in answers)
    if unheard and chosen.answers == "heard":
        found.notes.append(
            f"{system}, {name}: {unheard} of {len(answers)} answers have no transcript here; their"
            " written answer is the candidate"
        )
    found.items += [_item(system, name, one, chosen) for one in answers]
    rubric = SETS[name][1]
    if name == "knowledge":
        _score_knowledge(found, system, answers)
    elif rubric:
        if rubric not in found.rubrics:
            found.rubrics.append(rubric)
        _score_verdicts(found, system, name, answers)


def _item(system: str, name: str, one: _Answered, chosen: Selection) -> Single:
    question = one.question
    heard = one.heard if chosen.answers == "heard" else None
    context = question.get("Context")
    meta: dict[str, Any] = {
        **question.rest("Qid", "Question", "Answer", "Context", "Audio"),
        "set": name,
        "written": one.written,
        "candidate_is": "written" if heard is None else "heard",
    }
    if one.asked != one.reference:
        meta["reference_of_question_file"] = one.asked
    return Single(
        id=one.id,
        question_id=one.id,
        instruction=Instruction(text=question["Question"]),
        reference=(one.reference,) if one.reference else (),
        answer=Candidate.model_validate(
            {
                "text": one.written if heard is None else heard,
                **({} if one.audio is None else {"audio": one.audio}),
            }
        ),
        system=system,
        context=_said(context) if isinstance(context, list) else None,
        category=name,
        meta=meta,
    )


def _said(context: Sequence[Any]) -> str | None:
    turns = [t for t in context if isinstance(t, dict) and isinstance(t.get("value"), str)]
    return "\n".join(f"{turn.get('from', 'user')}: {turn['value']}" for turn in turns) or None


def _score_knowledge(found: Converted, system: str, answers: Sequence[_Answered]) -> None:
    counts: Counter[str] = Counter()
    drifted: list[str] = []
    sources: dict[str, list[bool]] = {}
    for one in answers:
        if one.reference is None:
            continue
        if one.asked is not None and one.asked != one.reference:
            drifted.append(one.id)
        written = is_right(one.reference, one.written)
        counts["written"] += written
        counts["written, question file"] += is_right(one.asked or one.reference, one.written)
        counts["n"] += 1
        if one.heard is not None:
            heard = is_right(one.reference, one.heard)
            counts["n heard"] += 1
            counts["heard"] += heard
            counts["heard, question file"] += is_right(one.asked or one.reference, one.heard)
            counts["whole words"] += has_words(one.asked or one.reference, one.heard)
            counts["lost"] += written and not heard
            counts["gained"] += heard and not written
            sources.setdefault(str(one.question.get("Source")), []).append(heard)
        found.scores.append(
            authors_score(
                one.id,
                system,
                ("vocalbench-knowledge", RULE_WORDS),
                f"authors/vocalbench/{_RULE}@{COMMIT}",
                float(heard if one.heard is not None else written),
                caveats=["empty_candidate"] if one.heard == "" else [],
            )
        )
    found.figures += _knowledge_figures(system, counts, drifted)
    found.figures += _flag_figures(system, answers)
    if sources:
        told = ", ".join(f"{k} {sum(v)}/{len(v)}" for k, v in sorted(sources.items()))
        found.notes.append(
            f"{system}, knowledge: {counts['lost']} answers right in writing are lost in speech,"
            f" {counts['gained']} gained; by source {told}; as whole words instead of substrings"
            f" {counts['whole words']} would be right (question file)"
        )


def _knowledge_figures(
    system: str, counts: Mapping[str, int], drifted: Sequence[str]
) -> list[Figure]:
    n = counts["n"]
    about: dict[str, Any] = {"system": system}
    drift = (
        f"{len(drifted)} references of the answers differ from the question file:"
        f" {', '.join(drifted[:5])}"
        if drifted
        else ""
    )
    printed: dict[str, Any] = {}
    if row := _board_row(system):
        printed = {"published": row["knowledge"], "where": VOCALBENCH.where}
    figures = []
    if heard := counts["n heard"]:
        for what, note, more in (
            ("heard", drift or "references of the answers", printed),
            ("heard, question file", "references of the question file", {}),
        ):
            told = f"{counts[what]} of {heard}; {note}"
            figures.append(
                share_figure(f"knowledge, {what}", counts[what], heard, note=told, **about, **more)
            )
    for what in ("written", "written, question file"):
        told = f"{counts[what]} of {n}"
        figures.append(share_figure(f"knowledge, {what}", counts[what], n, note=told, **about))
    return figures


def _flag_figures(system: str, answers: Sequence[_Answered]) -> list[Figure]:
    """The authors' own flags, absent where wrong, and whether the rule says the same."""
    figures = []
    for what, flag in (("heard", "s2s_right"), ("written", "s2t_right")):
        said = [(one, one.verdict.get(flag) == 1) for one in answers if one.verdict is not None]
        same = sum(
            is_right(one.reference or "", (one.heard or "") if what == "heard" else one.written)
            == flagged
            for one, flagged in said
        )
        right = sum(flagged for _, flagged in said)
        note = f"{right} of {len(said)}; the rule says the same of {same}"
        if said:
            figures.append(
                share_figure(
                    f"knowledge, flags, {what}", right, len(said), system=system, note=note
                )
            )
    return figures


def _score_verdicts(found: Converted, system: str, name: str, answers: Sequence[_Answered]) -> None:
    """Marks of the authors' judge, where a run has them."""
    judged = [one for one in answers if one.verdict is not None]
    if not judged:
        return
    low, high = SETS[name][2]
    values, unread = [], 0
    for one in judged:
        assert one.verdict is not None
        mark = one.verdict.get("s2s_score")
        good = type(mark) in (int, float) and 0 <= mark <= high
        values += [float(mark)] if good else []
        unread += not good
        found.scores.append(
            authors_score(
                one.id,
                system,
                (f"vocalbench-{name}", "the mark of the authors' judge for the spoken answer"),
                f"authors/vocalbench/judge@{COMMIT}",
                float(mark) if good else None,
                detail=f"s2s_score is {mark!r:.40}",
            )
        )
    row = _board_row(system)
    column = _COLUMNS.get(name, name)
    printed = row.get(column) if row and name != "emotion" else None
    found.figures.append(
        mean_figure(
            f"{name}, marks of the authors' judge",
            values,
            unread,
            (low, high),
            100 if high == 1 else 1,
            system=system,
            published=printed,
            where=VOCALBENCH.where if printed is not None else "",
        )
    )


def _board_row(system: str) -> Mapping[str, float] | None:
    """The board's row of a system, whatever the case of its name."""
    names = {name.lower(): row for name, row in VOCALBENCH.rows().items()}
    return names.get(system.lower())


def _unreproducible(
    systems: Sequence[str], figures: Sequence[Figure], chosen: Selection
) -> list[Figure]:
    """What the board prints of these systems and the released files do not give."""
    missing = []
    for system in systems:
        row = _board_row(system)
        told = {f.name.split(",")[0] for f in figures if f.system == system and f.published}
        for name in (*SETS, *_OTHER_COLUMNS):
            column = _COLUMNS.get(name, name)
            known = name in told or (name in SETS and not chosen.wants(name))
            if not row or column not in row or known or (chosen.sets and name not in SETS):
                continue
            missing.append(
                Figure(name, system, published=row[column], decimals=3, where=VOCALBENCH.where)
            )
    return missing
