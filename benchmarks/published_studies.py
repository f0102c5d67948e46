"""Enter published listening tests again through the form that ``review`` serves.

    TRACE_EVAL_DATA=... python -m benchmarks.published_studies

Three studies with three protocols: votes of P.800 (``mos``), the annotations of TRACE
(``hcot``), and preferences of the users of an arena (``ab``). Every rater signs in and
sends what they said then, question after question, as a browser does; what they did not
rate is left. A recording that is not here is a tone. Counts the labels that come out
as they were, and compares the table of each study. ``benchmarks.review_forms`` enters a
MUSHRA by keyboard.
"""

from __future__ import annotations

import csv
import json
import re
import tempfile
import wave
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from fastapi.testclient import TestClient

from benchmarks.report import data_folder, save
from tests.support.review_pages import client_of
from trace_eval.review.forms import NO, NO_SCORE, YES
from trace_eval.review.opening import open_review
from trace_eval.review.options import ReviewOptions
from trace_eval.review.protocol_files import labels_csv
from trace_eval.review.session import Review

#: The recordings that a page plays, by their letters.
_PLAYED = "a b p"

#: What a rater said of each part of an item.
Said = Mapping[str, str]


@dataclass(frozen=True)
class Study:
    """A published test.

    Attributes:
        protocol: the file by which it is entered again.
        items: its manifest.
        said: rater -> item -> label or score by part; an item that is not there was
            not rated.
        table: makes the published table of rows (rater, item, part, label).
    """

    name: str
    protocol: str
    items: tuple[Mapping[str, Any], ...]
    said: Mapping[str, Mapping[str, Said]]
    table: Callable[[Iterable[Row]], Mapping[str, float]]

    @property
    def rows(self) -> set[Row]:
        """Everything that was said."""
        return {
            Row(rater, item, part, label)
            for rater, items in self.said.items()
            for item, parts in items.items()
            for part, label in parts.items()
        }


@dataclass(frozen=True)
class Row:
    """A label of one part of an item, or its score."""

    rater: str
    item: str
    part: str
    label: str


# --- the studies ----------------------------------------------------------------------


def tone(folder: Path) -> str:
    """Write a recording of a tenth of a second; returns its path."""
    path = folder / "tone.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(b"\x00\x10\x00\xf0" * 800)
    return str(path)


def votes(path: Path, sound: str) -> Study:
    """Read votes on conditions; each vote of a listener is on a sentence of its own."""
    said: dict[str, dict[str, Said]] = defaultdict(dict)
    counts: Counter[tuple[str, str]] = Counter()
    items: dict[str, Mapping[str, Any]] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            rater, condition = f"listener {row['userid']}", row["condition"]
            counts[rater, condition] += 1
            item = f"{condition}-{counts[rater, condition]}"
            items[item] = {"id": item, "system": condition, "audio": sound}
            said[rater][item] = {"mos": row["rating"]}

    def table(rows: Iterable[Row]) -> dict[str, float]:
        scores: dict[str, list[float]] = defaultdict(list)
        for row in rows:
            scores[row.item.rpartition("-")[0]].append(float(row.label))
        return {condition: round(fmean(of), 9) for condition, of in scores.items()}

    return Study(path.stem, "mos", tuple(items.values()), said, table)


def shares(rows: Iterable[Row]) -> dict[str, float]:
    """Count each label of each part."""
    counted = Counter(f"{row.part}: {row.label}" for row in rows)
    return {name: float(number) for name, number in counted.items()}


def _pair(name: str, one: str, other: str, sound: str) -> Mapping[str, Any]:
    return {
        "id": name,
        "a": {"audio": sound, "system": one},
        "b": {"audio": sound, "system": other},
    }


def annotations(path: Path, sound: str) -> Study:
    """Read typed ties of one annotator."""
    records = json.loads(path.read_text())
    names = [f"pair {number}" for number in range(len(records))]
    items = [
        _pair(name, record["model_a"], record["model_b"], sound)
        for name, record in zip(names, records, strict=True)
    ]
    labels = {
        name: record["label"] for name, record in zip(names, records, strict=True)
    }
    return Study(path.stem, "hcot", tuple(items), {"annotator": labels}, shares)


def preferences(path: Path, sound: str) -> Study:
    """Read votes of an arena, whose two kinds of ties are one here."""
    items, said = [], {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            items.append(_pair(row["item"], row["system_a"], row["system_b"], sound))
            vote = "tie" if row["people"] == "both_bad" else row["people"]
            said[row["item"]] = {"overall": vote}
    return Study("arena", "ab", tuple(items), {"users": said}, shares)


# --- entering one ---------------------------------------------------------------------


def manifest(study: Study, folder: Path) -> Path:
    """Write the items of a study."""
    path = folder / f"{study.name}.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in study.items))
    return path


def enter(
    client: TestClient, review: Review, rater: str, said: Mapping[str, Said]
) -> None:
    """Sign a rater in, and send every answer by the form that is on the page."""
    fields = _fields(client.get("/").text)
    client.post("/rater", data={"csrf": fields["csrf"], "name": rater})
    while (position := review.position(rater)) is not None:
        fields = _fields(client.get("/review").text)
        step = position.step
        assert step is not None
        value = _answer(step.key, said.get(position.view.item))
        if step.kind in ("label", "better"):
            value = _as_shown(value, position.view.shown)
        sent = {**fields, "step": step.key, "value": value, "played": _PLAYED}
        reply = client.post("/answer", data=sent)
        assert reply.status_code == 303, reply.text


def _fields(page: str) -> dict[str, str]:
    """Return the hidden fields of a page's form."""
    fields = re.findall(r'name="(csrf|task|version)" value="([^"]*)"', page)
    return dict(fields)


def _answer(step: str, said: Said | None) -> str:
    """Return the answer to a question of an item, for its own A and B."""
    if said is None:
        return NO_SCORE
    part, _, question = step.partition(".")
    label = said.get(part, "")
    if question in ("a", "b"):
        good = {"a": ("1", "both_good"), "b": ("2", "both_good")}[question]
        return YES if label in good else NO
    return "equal" if question == "better" else label


def _as_shown(label: str, order: str) -> str:
    return {"1": "2", "2": "1"}.get(label, label) if order == "ba" else label


def exported(review: Review, study: Study) -> set[Row]:
    """Return the rows of the exported labels."""
    parts = next(iter(next(iter(study.said.values())).values()))
    rows: set[Row] = set()
    for row in csv.DictReader(labels_csv(review).splitlines()):
        for part in parts:
            label = row["score" if part == "mos" else part]
            if label:
                rows.add(Row(row["rater"], row["id"], part, label))
    return rows


def enter_study(study: Study, folder: Path) -> dict[str, Any]:
    """Enter a whole study through the application that ``review`` serves."""
    path = manifest(study, folder)
    review = open_review(path, {}, ReviewOptions(protocol=study.protocol))
    for rater, said in study.said.items():
        enter(client_of(review), review, rater, said)
    return compared(study, review)


def compared(study: Study, review: Review) -> dict[str, Any]:
    """Count what came out as it went in, and the cells of the table that are equal."""
    rows, expected = exported(review, study), study.rows
    table, published = study.table(rows), study.table(expected)
    same = sum(table.get(name) == value for name, value in published.items())
    return {
        "protocol": study.protocol,
        "raters": len(study.said),
        "labels": len(expected),
        "labels as they were": len(rows & expected),
        "labels that were not given": len(rows - expected),
        "cells": len(published),
        "cells as published": same,
    }


def main() -> None:
    """Print and store the counts."""
    results = {}
    data = data_folder()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sound = tone(folder)
        studies = (
            annotations(data / "hcot" / "speakbench.json", sound),
            annotations(data / "hcot" / "s2sarena.json", sound),
            preferences(data / "judge_change" / "aa_default.csv", sound),
            votes(data / "votes" / "cs501.csv", sound),
        )
        for study in studies:
            results[study.name] = enter_study(study, folder)
            print(study.name, results[study.name], flush=True)
    save("published_studies", {"studies": results})


if __name__ == "__main__":
    main()
