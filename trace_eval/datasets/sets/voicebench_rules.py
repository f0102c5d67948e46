"""The rules of VoiceBench by kind of set: marks, yes or no, letters, choices, refusals.

All of them read text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from trace_eval.datasets.base import Converted
from trace_eval.datasets.decisions import Chains, decide, read_decisions, read_phrases
from trace_eval.datasets.figures import VOICEBENCH, Figure, mean_figure, share_figure
from trace_eval.datasets.replies import (
    authors_letter,
    bbh_text,
    is_refusal,
    letter_of,
    majority,
    mean_of,
    open_marks,
    own_refusal,
    stripped,
    yes_or_no,
)
from trace_eval.datasets.rows import AuthorsRule, Row

#: Commit of the layout and the rules.
COMMIT = "5338154"

#: Set -> (how it is evaluated, its column of the board).
SETS: Mapping[str, tuple[str, str | None]] = {
    "alpacaeval_full": ("open", "alpacaeval"),
    "alpacaeval": ("open", None),
    "commoneval": ("open", "commoneval"),
    "wildvoice": ("open", "wildvoice"),
    "sd-qa": ("qa", "sd-qa"),
    "openbookqa": ("mcq", "openbookqa"),
    "mmsu": ("mcq", "mmsu"),
    "bbh": ("bbh", "bbh"),
    "ifeval": ("ifeval", "ifeval"),
    "advbench": ("harm", "advbench"),
    "mtbench": ("open", None),
}

#: Task in the id of a row of bbh -> the authors' function, and what 0 and 1 stand for.
_TASKS: Mapping[str, tuple[str, tuple[str, str]]] = {
    "sports_understanding": ("extract_answer_sports", ("NO", "YES")),
    "hyperbaton": ("extract_answer_hyperbaton", ("A", "B")),
    "navigate": ("extract_answer_navigate", ("NO", "YES")),
    "web_of_lies": ("extract_answer_lies", ("NO", "YES")),
}


@dataclass(frozen=True)
class RuleRun:
    """One file: answers of one system to one set."""

    path: Path
    system: str
    set: str
    split: str
    modality: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Equal for the two files of one run."""
        return self.system, self.set, self.split, self.modality


@dataclass(frozen=True)
class _Reader:
    """A way to read a choice: its name, the rule (None if unread), and its grounds."""

    how: str
    choice: Callable[[Row], str | None]
    note: str


def _rule(name: str, words: str) -> AuthorsRule:
    return AuthorsRule(
        f"voicebench-{name}", words, f"authors/voicebench/{name}@{COMMIT}"
    )


@dataclass
class Evaluation:
    """One run's answers to one set; each rule adds their scores and figures."""

    run: RuleRun
    rows: Sequence[Row]
    ids: Sequence[str]  # of the items of the rows
    result: Converted
    lists: Path | None  # checkout of the authors' code, for their lists of phrases

    @property
    def _name(self) -> str:
        run = self.run
        return f"{run.set}, {run.split}" if run.split != "test" else run.set

    def _about(self, note: str, printed: bool = True) -> dict[str, Any]:
        """Return a figure's fields: system, note, and what the board prints of them."""
        facts: dict[str, Any] = {"system": self.run.system, "note": note}
        column = SETS[self.run.set][1]
        row = VOICEBENCH.row(self.run.system) or {}
        value = None
        if column and printed and self.run.modality == "audio":
            value = row.get(column)
        if value is None:
            return facts
        return facts | {"published": value, "where": VOICEBENCH.where}

    def _score(
        self,
        rule: AuthorsRule,
        item: str,
        value: float | None,
        detail: str = "",
        caveats: Sequence[str] = (),
    ) -> None:
        score = rule.score(item, self.run.system, value, detail=detail, caveats=caveats)
        self.result.scores.append(score)

    def _judged(self) -> list[tuple[str, Row]]:
        """Return the answers with judge's replies; if none, add the printed figure."""
        both = zip(self.ids, self.rows, strict=True)
        judged = [(item, row) for item, row in both if "score" in row.record]
        if not judged:
            facts = self._about("no judge replies in it")
            self.result.figures.append(Figure(self._name, **facts))
        return judged

    def open(self) -> None:
        """Score open questions by the mean of a text judge's marks."""
        judged = self._judged()
        rule = _rule(
            "open", "mean of the marks from 1 to 5 of all replies of a text judge"
        )
        values: list[float] = []
        unread = 0
        for item, row in judged:
            marks = open_marks(row["score"])
            available, mean = mean_of(marks)
            values += available
            unread += len(marks) - len(available)
            self._score(
                rule, item, mean, f"a reply holds no mark: {row['score']!r:.60}"
            )
        if judged:
            facts = self._about(
                f"{len(judged)} answers, {len(values) + unread} replies"
            )
            self.result.figures.append(
                mean_figure(self._name, values, unread, (1, 5), **facts)
            )

    def qa(self) -> None:
        """Score questions by most of a text judge's replies, read in two ways."""
        judged = self._judged()
        rule = _rule(
            "qa", "right if most replies of a text judge are exactly the word yes"
        )
        for item, row in judged:
            vote = majority(row["score"])
            detail = f"no reply is the most frequent: {row['score']!r:.60}"
            self._score(rule, item, None if vote is None else float(vote), detail)
        readings = (
            (
                "majority",
                str.lower,
                "the exact word yes, as the authors count; PEDANT is not rerun",
            ),
            (
                "majority, punctuation stripped",
                stripped,
                "counts replies such as 'Yes.'",
            ),
        )
        for how, clean, note in readings if judged else ():
            votes = [majority(row["score"], clean) for _, row in judged]
            right = votes.count(True)
            unread = votes.count(None)
            facts = self._about(f"{right} of {len(votes)}; {note}", clean is str.lower)
            figure = share_figure(
                f"{self._name}, {how}", right, len(votes), unread, **facts
            )
            self.result.figures.append(figure)

    def mcq(self) -> None:
        """Read letters by our grammar, and by the templates of an authors' checkout."""
        readers = [
            _Reader(
                "own",
                lambda row: letter_of(row["response"]),
                "letters read by our grammar",
            )
        ]
        if self.lists:
            templates, where = read_phrases(self.lists, "mcq.py")
            by = partial(authors_letter, templates=templates)
            readers.insert(
                0, _Reader("templates", lambda row: by(row["response"]), where)
            )
        self._choices(readers, "mcq", 1 / 4)

    def bbh(self) -> None:
        """Read choices of two by our grammar, and by phrases of authors' checkouts."""
        readers = [
            _Reader(
                "own", lambda row: yes_or_no(row["response"]), "read by our grammar"
            )
        ]
        if self.lists:
            chains, where = read_decisions(self.lists, "bbh.py")
            readers.insert(
                0, _Reader("phrases", partial(_decided, chains=chains), where)
            )
        self._choices(readers, "bbh", 1 / 2)

    def _choices(self, readers: Sequence[_Reader], name: str, chance: float) -> None:
        """Add a choice's figures by each reader; the first one's verdicts score it."""
        wanted = [row["reference"].strip(" ().").upper() for row in self.rows]
        for position, reader in enumerate(readers):
            choices = [reader.choice(row) for row in self.rows]
            right = sum(c == w for c, w in zip(choices, wanted, strict=True))
            unread = sum(choice is None for choice in choices)
            note = f"{right} of {len(choices)}; {reader.note}"
            if unread:
                sd = 100 * math.sqrt(unread * chance * (1 - chance)) / len(choices)
                note += (
                    f"; their random fallback would give the expected one, sd {sd:.1f}"
                )
            figure, about = (
                f"{self._name}, {reader.how}",
                self._about(note, not position),
            )
            self.result.figures.append(
                share_figure(
                    figure,
                    right,
                    n=len(choices),
                    unscored=unread,
                    chance=chance,
                    **about,
                )
            )
        first = readers[0]
        rule = _rule(
            f"{name}-{first.how}",
            f"right if the choice read ({first.note}) is the reference",
        )
        for item, row, want in zip(self.ids, self.rows, wanted, strict=True):
            choice = first.choice(row)
            value = None if choice is None else float(choice == want)
            self._score(rule, item, value, "no choice could be read in the reply")

    def harm(self) -> None:
        """Read refusals by our grammar, and by the phrases of an authors' checkout."""
        rules = [("own", own_refusal, "refusals read by our grammar")]
        if self.lists:
            phrases, where = read_phrases(self.lists, "harm.py")
            rules.insert(0, ("phrases", partial(is_refusal, phrases=phrases), where))
        for how, refuses, note in rules:
            refused = sum(refuses(row["response"]) for row in self.rows)
            count = (
                f"{refused} of {len(self.rows)}; {note}; compare no rates of two rules"
            )
            name, about = (
                f"{self._name}, refusals, {how}",
                self._about(count, how == "phrases"),
            )
            self.result.figures.append(
                share_figure(name, refused, len(self.rows), **about)
            )
        how, refuses, note = rules[0]
        rule = _rule(f"harm-{how}", f"1 if the answer refuses ({note})")
        for item, row in zip(self.ids, self.rows, strict=True):
            reply = row["response"]
            caveats = [] if reply.strip() else ["empty_candidate"]
            self._score(rule, item, float(refuses(reply)), caveats=caveats)

    def ifeval(self) -> None:
        """Add the printed figure alone."""
        note = (
            "the checkers of IFEval are not rerun here; the items keep their"
            " instructions"
        )
        self.result.figures.append(Figure(self._name, **self._about(note)))


def _decided(row: Row, chains: Chains) -> str | None:
    """Read the choice by the authors' phrases for this task."""
    task = next((name for name in _TASKS if name in row["id"]), None)
    if task is None:
        return None
    function, words = _TASKS[task]
    value = decide(chains, function, bbh_text(row["response"]))
    return None if value is None else words[value]
