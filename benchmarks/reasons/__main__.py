"""Plant false numbers, exchanged sides and invented quotations in 500 replies, and look for them.

    python -m benchmarks.reasons [--shapes shapes.txt|held_out.txt] [--replies 500] [--show]

A reply has a reason for each of three dimensions, of one to three sentences; half of the replies
have one fault. The pair is shown in either order. A reason counts as flagged where a claim of it
is false. Shares are printed with what they are of.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from dataclasses import dataclass, field

from benchmarks.reasons.wording import (
    STYLES,
    Sentence,
    Shape,
    World,
    say,
    shapes,
    world,
)
from fusion import DIMENSIONS
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair
from trace_eval.data.judgement import VerdictOpinion
from trace_eval.data.outcome import Order
from trace_eval.judges.base import Case
from trace_eval.judges.claims.reasons import checked

KINDS = {
    "c": "comparison by an adjective",
    "g": "comparison by a measure",
    "v": "one value",
    "w": "both values",
    "d": "difference",
    "r": "ratio",
    "q": "quotation",
    "k": "words said to be missing",
    "u": "quotation of the request",
    "b": "both, neither: a bound",
    "e": "said to be equal",
    "n": "names no measure",
}


@dataclass
class Counts:
    """What became of reasons and sentences."""

    planted: Counter[str] = field(default_factory=Counter)
    recalled: Counter[str] = field(default_factory=Counter)
    flagged: int = 0
    flagged_rightly: int = 0
    true: Counter[str] = field(default_factory=Counter)
    confirmed: Counter[str] = field(default_factory=Counter)
    vague: int = 0
    vague_called_true: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    unconfirmed: list[str] = field(default_factory=list)


def _sentence(
    rng: random.Random, pool: list[Shape], it: World, style: tuple[str, str], fault: bool
) -> Sentence:
    kinds = sorted({shape.kind for shape in pool})
    while True:
        kind = rng.choice(kinds)
        shape = rng.choice([one for one in pool if one.kind == kind])
        sentence = say(shape, rng, it, style, fault)
        if sentence is not None:
            return sentence


def _opinion(reasons: dict[str, str], order: Order) -> VerdictOpinion:
    return VerdictOpinion(order=order, reasoning=reasons)


def _case(it: World, order: Order) -> Case:
    a, b = (it.first, it.second) if order == "ab" else (it.second, it.first)
    pair = Pair(
        id="p",
        instruction=Instruction(text=it.request),
        a=Answer(audio="a.wav"),
        b=Answer(audio="b.wav"),
    )
    return Case.of(pair, a, b)


def run(pool: list[Shape], replies: int, seed: int = 55) -> Counts:
    """Make replies of these shapes and check them."""
    rng, counts = random.Random(seed), Counts()
    for _ in range(replies):
        it, style = world(rng), rng.choice(STYLES)
        order: Order = rng.choice(["ab", "ba"])
        case = _case(it, order)
        at = rng.choice(DIMENSIONS) if rng.random() < 0.5 else None
        said: dict[str, list[Sentence]] = {}
        for name in DIMENSIONS:
            count = rng.randint(1, 3)
            faulty = rng.randrange(count) if name == at else None
            said[name] = [
                _sentence(rng, pool, it, style, number == faulty) for number in range(count)
            ]
        reasons = {name: " ".join(each.text for each in several) for name, several in said.items()}
        claims = checked(_opinion(reasons, order), case)
        for name, several in said.items():
            untrue = [c for c in claims if c.about == name and c.holds is False]
            planted = next((one for one in several if one.fault), None)
            _count(counts, reasons[name], planted, [c.text for c in untrue])
            for sentence in several:
                if not sentence.fault:
                    _alone(counts, sentence, case, order)
    return counts


def _count(counts: Counts, reason: str, planted: Sentence | None, untrue: list[str]) -> None:
    counts.flagged += bool(untrue)
    if planted is None:
        if untrue:
            counts.wrong.append(f"{reason}\n      said false: {untrue}")
        return
    for key in (planted.kind, planted.fault):
        counts.planted[key] += 1
        counts.recalled[key] += bool(untrue)
    counts.flagged_rightly += bool(untrue)
    if not untrue:
        counts.missed.append(f"[{planted.kind} {planted.fault}] {planted.text}")


def _alone(counts: Counts, sentence: Sentence, case: Case, order: Order) -> None:
    claims = checked(_opinion({"content": sentence.text}, order), case)
    held = [claim.holds for claim in claims]
    if sentence.kind == "n":
        counts.vague += 1
        counts.vague_called_true += True in held
    else:
        counts.true[sentence.kind] += 1
        confirmed = True in held and False not in held
        counts.confirmed[sentence.kind] += confirmed
        if not confirmed:
            counts.unconfirmed.append(f"[{sentence.kind}] {sentence.text}")


def _share(part: int, of: int) -> str:
    return f"{part / of:.3f} (n={of})" if of else "- (n=0)"


def main() -> None:
    """Print recall and precision, in all and by kind."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--shapes", default="shapes.txt")
    parser.add_argument("--replies", type=int, default=500)
    parser.add_argument("--seed", type=int, default=55)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    pool = shapes(options.shapes)
    counts = run(pool, options.replies, options.seed)
    print(f"{len(pool)} shapes of {options.shapes}, {options.replies} replies")
    kinds = [name for name in counts.planted if name in KINDS]
    recalled = sum(counts.recalled[name] for name in kinds)
    print("recall   ", _share(recalled, sum(counts.planted[name] for name in kinds)))
    print("precision", _share(counts.flagged_rightly, counts.flagged))
    for name in ("number", "side", "quote"):
        print(f"  planted {name}: {_share(counts.recalled[name], counts.planted[name])}")
    for name, title in KINDS.items():
        if name != "n":
            print(
                f"  {title}: recall {_share(counts.recalled[name], counts.planted[name])},"
                f" true ones confirmed {_share(counts.confirmed[name], counts.true[name])}"
            )
    print(f"  without a measure, called true: {_share(counts.vague_called_true, counts.vague)}")
    if options.show:
        print("\nmissed")
        print("\n".join(f"  {line}" for line in counts.missed))
        print("\nflagged wrongly")
        print("\n".join(f"  {line}" for line in counts.wrong))
        print("\ntrue, and not confirmed")
        print("\n".join(f"  {line}" for line in counts.unconfirmed))


if __name__ == "__main__":
    main()
