"""How many syllables of people are counted, in acted German sentences.

    python -m benchmarks.people_syllables

Reads ``people/emotion`` of the test data (EmoDB: ten fixed texts, seven emotions).
Syllables of a text are those of careful speech, counted by hand; running speech
swallows some of them (*gehen*), so that a part of what is missing was not spoken.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.report import arguments, data_folder, lines_of, save
from blueprints import Blueprint, Rate
from extractors.audio import decode
from extractors.registry import create

#: Text of EmoDB -> its syllables, counted by hand.
SYLLABLES = {
    "a01": 8,
    "a02": 9,
    "a04": 11,
    "a05": 18,
    "a07": 10,
    "b01": 15,
    "b02": 20,
    "b03": 24,
    "b09": 17,
    "b10": 14,
}


def errors(folder: Path) -> Iterator[tuple[str, float]]:
    """Return the emotion and the relative error of the syllables of each utterance."""
    signal, rate = create("signal"), create("nuclei")
    signal.load()
    rate.load()
    with (folder / "ratings.csv").open(newline="") as file:
        utterances = list(csv.DictReader(file))
    for utterance in utterances:
        sound = decode((folder / utterance["audio"]).read_bytes(), utterance["item"])
        blueprint = Blueprint(clip=sound.sha256)
        speech = signal.extract(sound, blueprint)
        blueprint = blueprint.with_group("signal", speech, signal.provenance())
        measured = rate.extract(sound, blueprint)
        counted = measured.syllables if isinstance(measured, Rate) else None
        if counted is not None:
            yield utterance["emotion"], counted / SYLLABLES[utterance["text"]] - 1


def row(who: str, values: Sequence[float]) -> dict[str, object]:
    """Return a row of the table: how many utterances, and quantiles of their errors."""
    low, median, high = np.quantile(values, (0.1, 0.5, 0.9))
    return {
        "who": who,
        "n": len(values),
        "p10": round(float(low), 3),
        "median": round(float(median), 3),
        "p90": round(float(high), 3),
    }


def main() -> None:
    """Measure, print and save."""
    arguments(__doc__, seed=0)
    measured = list(errors(data_folder() / "people" / "emotion"))
    neutral = [error for emotion, error in measured if emotion == "neutral"]
    rows = [row("all", [error for _, error in measured]), row("neutral", neutral)]
    lines_of("Syllables of people, relative error", rows)
    save("people_syllables", {"rows": rows})


if __name__ == "__main__":
    main()
