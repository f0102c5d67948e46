"""Directions read aloud: what is found given exact words, and by which recogniser.

    python -m benchmarks.directions_recognisers

The worlds of ``benchmarks.directions`` are read as they are stored. Their exact words
are those that were rendered; what each recogniser heard was stored when it heard them,
so nothing is rendered or heard again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.directions import MadeAnswer, as_text, as_written
from benchmarks.report import RESULTS, save, stored, table
from trace_eval.data.measures.directions import spoken_in

#: Worlds in the order in which they were made.
WORLDS = tuple("defghijklmnopqrstuv")


@dataclass(frozen=True)
class Found:
    """What is found in the answers of a world, by one source of their words.

    Attributes:
        of_aloud: directions that are found, of ``aloud`` that are read aloud.
        wrongly: answers in which one is found wrongly, of ``others``.
    """

    world: str
    words: str
    of_aloud: int
    aloud: int
    wrongly: int
    others: int


def main() -> None:
    """Print and store recall and precision by recogniser, world by world."""
    rows = [found for world in WORLDS for found in found_in(world)]
    shown: list[list[object]] = []
    for row in rows:
        recall = f"{row.of_aloud / row.aloud:.3f} ({row.of_aloud} of {row.aloud})"
        called = row.of_aloud + row.wrongly
        precision = f"{row.of_aloud / called:.3f} ({row.of_aloud} of {called})"
        wrongly = f"{row.wrongly} of {row.others}"
        shown.append([row.world, row.words, recall, precision, wrongly])
    heads = ["world", "words", "recall", "precision", "found wrongly"]
    table("directions read aloud, by where the words come from", heads, shown)
    save("directions_recognisers", {"rows": [vars(row) for row in rows]})


def found_in(world: str) -> Iterator[Found]:
    """Yield what is found in a world by its exact words, then by each recogniser.

    Of tiny.en the text alone is read, too, without its pauses and other hearings.
    """
    every = _heard(f"directions_{world}1")
    yield _counted(world, "exact", [as_written(one) for one in every])
    yield _counted(world, "tiny.en", every)
    yield _counted(world, "tiny.en, text alone", [as_text(one) for one in every])
    by_base = f"directions_{world}1_base"
    if (RESULTS / f"{by_base}.json").is_file():
        yield _counted(world, "base, text alone", _heard(by_base))


def _heard(name: str) -> list[MadeAnswer]:
    """Return the answers of a stored world, as they were heard."""
    return [MadeAnswer(**each) for each in stored(name)["heard"]]


def _counted(world: str, words: str, made: list[MadeAnswer]) -> Found:
    aloud = [one for one in made if one.aloud]
    others = [one for one in made if not one.aloud]
    return Found(
        world=world,
        words=words,
        of_aloud=sum(bool(spoken_in(one.request, one.variants)) for one in aloud),
        aloud=len(aloud),
        wrongly=sum(bool(spoken_in(one.request, one.variants)) for one in others),
        others=len(others),
    )


if __name__ == "__main__":
    main()
