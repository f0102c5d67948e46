"""Enter a published listening test again through the pages of ``review``, by keyboard.

    python -m benchmarks.review_forms FOLDER

FOLDER is ``codecs`` of the human data (``ratings.csv`` and ``audio/``): MUSHRA scores
of six conditions of eight sentences. Every rater signs in, plays and scores what they
scored then, and leaves the pages that they did not rate. Prints how many of the scores
that were exported equal those of the table, and how many keys and seconds thirty pairs
take.
"""

from __future__ import annotations

import csv
import json
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support import browser
from trace_eval.data.rubrics.load import protocol_path
from trace_eval.review.opening import open_review
from trace_eval.review.options import ReviewOptions
from trace_eval.review.page_scores import letters_of
from trace_eval.review.protocol_files import labels_csv

#: Answers of one page: answer -> score.
Scores = Mapping[str, float]


def read_table(
    path: Path,
) -> tuple[dict[str, dict[str, str]], dict[str, dict[str, Scores]]]:
    """Read (answer -> its facts) and (sentence -> rater -> scores)."""
    facts: dict[str, dict[str, str]] = {}
    scores: dict[str, dict[str, dict[str, float]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            facts[row["item"]] = row
            scores[row["group"]][row["rater"]][row["item"]] = float(row["rating"])
    return facts, scores  # type: ignore[return-value]


def write_manifest(
    folder: Path, source: Path, facts: Mapping[str, Mapping[str, str]]
) -> Path:
    """Write the answers as a manifest."""
    path = folder / "answers.jsonl"
    lines = [
        json.dumps(
            {
                "id": item,
                "question_id": row["group"],
                "system": row["condition"],
                "audio": str(source / row["audio"]),
            }
        )
        for item, row in facts.items()
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_protocol(folder: Path, **changes: str) -> Path:
    """Write the shipped MUSHRA without anchors, which were not made here."""
    text = protocol_path("mushra").read_text()
    anchored = ("lowpass_hz", "traps", "most_failed")
    lines = [line for line in text.splitlines() if not line.startswith(anchored)]
    path = folder / "mushra.toml"
    path.write_text(
        "\n".join([*lines, *(f"{key} = {value}" for key, value in changes.items())])
    )
    return path


def enter_page(
    rater: browser.Rater, letters: Mapping[str, str], scores: Scores
) -> None:
    """Play every recording by its key, and type its score."""
    page = rater.page
    for letter, item in letters.items():
        page.keyboard.press(letter)
        page.wait_for_selector(f".stimulus:has([data-chosen]) audio[data-key={letter}]")
        page.keyboard.type(f"{scores[item]:g}")


def enter_all(folder: Path, source: Path) -> list[dict[str, str]]:
    """Enter the whole table; returns the rows of the export."""
    facts, scores = read_table(source / "ratings.csv")
    manifest, protocol = write_manifest(folder, source, facts), write_protocol(folder)
    arguments = (str(manifest), "--protocol", str(protocol), "--allow-unplayed")
    server = browser.Server(*arguments)
    raters = sorted({name for of in scores.values() for name in of}, key=int)
    try:
        with browser.chromium() as chromium:
            for name in raters:
                rater = browser.Rater(chromium.new_context().new_page())
                rater.sign_in(server.url, f"rater {name}")
                _enter_rater(rater, manifest, protocol, f"rater {name}", scores)
                rater.page.context.close()
    finally:
        server.stop()
    review = open_review(manifest, {}, ReviewOptions(protocol=str(protocol)))
    return list(csv.DictReader(labels_csv(review).splitlines()))


def _enter_rater(
    rater: browser.Rater,
    manifest: Path,
    protocol: Path,
    name: str,
    scores: Mapping[str, Mapping[str, Scores]],
) -> None:
    """Enter the pages of one rater; one that they did not rate is left by the key N."""
    review = open_review(manifest, {}, ReviewOptions(protocol=str(protocol)))
    while (position := review.position(name)) is not None:
        letters = letters_of(review, position)
        own = scores[position.view.item].get(name.removeprefix("rater "))
        if own:
            enter_page(rater, letters, own)
        rater.page.keyboard.press("Enter" if own else "n")
        rater.page.wait_for_function(
            "task => document.querySelector('main').dataset.task !== task",
            arg=str(position.task),
        )


def thirty_pairs(folder: Path, source: Path) -> tuple[int, float]:
    """Compare thirty pairs at the pace of the machine; returns keys and seconds."""
    facts, _ = read_table(source / "ratings.csv")
    items = list(facts.values())
    manifest = folder / "pairs.jsonl"
    with manifest.open("w") as file:
        for number in range(30):
            one, other = items[number], items[number + 6]
            sides: dict[str, Any] = {
                side: {"audio": str(source / row["audio"]), "system": row["condition"]}
                for side, row in (("a", one), ("b", other))
            }
            file.write(json.dumps({"id": f"p{number}", **sides}) + "\n")
    server = browser.Server(str(manifest), "--protocol", "cmos", "--allow-unplayed")
    try:
        with browser.chromium() as chromium:
            rater = browser.Rater(chromium.new_page())
            rater.sign_in(server.url, "ada")
            keys = 0
            start = time.monotonic()
            for number in range(30):
                for key in ("a", "b"):
                    rater.page.keyboard.press(key)
                rater.press(str(1 + number % 7))
                keys += 3
            seconds = time.monotonic() - start
            if rater.place != "-1 done":
                raise RuntimeError(f"thirty pairs: {rater.place}, and not done")
            return keys, seconds
    finally:
        server.stop()


def main(source: Path) -> None:
    """Print the figures."""
    folder = Path(tempfile.mkdtemp())
    try:
        start = time.monotonic()
        rows = enter_all(folder, source)
        seconds = time.monotonic() - start
        _, scores = read_table(source / "ratings.csv")
        entered = {
            (
                row["instruction_id"],
                row["rater"].removeprefix("rater "),
                row["id"],
            ): row["score"]
            for row in rows
            if row["score"]
        }
        expected = {
            (group, rater, item): score
            for group, of in scores.items()
            for rater, page in of.items()
            for item, score in page.items()
        }
        same = sum(
            float(entered.get(key, "nan")) == score for key, score in expected.items()
        )
        for key, score in expected.items():
            if float(entered.get(key, "nan")) != score:
                print(
                    f"not equal: {' '.join(key)} has {entered.get(key)}, was {score:g}"
                )
        more = len(entered.keys() - expected.keys())
        print(
            f"{same} of {len(expected)} scores are those of the table, {more} are"
            " not in it"
        )
        print(f"{seconds:.0f} s of the machine's time")
        keys, seconds = thirty_pairs(folder, source)
        print(f"30 pairs: {keys} keys, {seconds:.0f} s of the machine's time")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
