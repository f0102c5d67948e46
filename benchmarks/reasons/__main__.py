"""Plant false numbers, exchanged sides and invented quotations, and look for them.

    python -m benchmarks.reasons [--shapes FILE.txt [--first-look NAME]] [--readers FOLDER]
        [--replies 500] [--show]

A reply has a reason for each of three dimensions, of one to three sentences; half of
the replies have one fault. The pair is shown in either order. A reason counts as
flagged where a claim of it is false. Shares are printed with what they are of. The
files of shapes differ in style; the reader of claims was mended by what it misread in
each, so none is unseen now. ``--first-look NAME`` stores what a style of ``--shapes``
showed before anything was mended by it; every run prints those looks beside today's.
Readers' own reasons, which ``benchmarks.reader`` took, are read as they are and with a
number or the sides exchanged.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.reasons.real import faulty, replies
from benchmarks.reasons.shapes import Shape, chosen, names_of, shapes
from benchmarks.reasons.slots import Task
from benchmarks.reasons.wording import Sentence, say
from benchmarks.reasons.worlds import World, world
from benchmarks.report import RESULTS, save, table
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
    rng: random.Random,
    pool: list[Shape],
    it: World,
    style: tuple[str, str],
    fault: bool,
) -> Sentence:
    kinds = sorted({shape.kind for shape in pool})
    while True:
        kind = rng.choice(kinds)
        shape = rng.choice([one for one in pool if one.kind == kind])
        sentence = say(Task(chosen(shape, rng), rng, it, style, fault))
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


def run(file: str, replies: int, seed: int = 55) -> Counts:
    """Make replies of the shapes of a file and check them."""
    rng, counts = random.Random(seed), Counts()
    pool, names = shapes(file), names_of(file)
    for _ in range(replies):
        it, style = world(rng), rng.choice(names)
        order: Order = rng.choice(["ab", "ba"])
        case = _case(it, order)
        at = rng.choice(DIMENSIONS) if rng.random() < 0.5 else None
        said: dict[str, list[Sentence]] = {}
        for name in DIMENSIONS:
            count = rng.randint(1, 3)
            fault = rng.randrange(count) if name == at else None
            said[name] = [
                _sentence(rng, pool, it, style, number == fault)
                for number in range(count)
            ]
        reasons = {str(about): joined(several) for about, several in said.items()}
        claims = checked(_opinion(reasons, order), case)
        for about, several in said.items():
            untrue = [c for c in claims if c.about == about and c.holds is False]
            planted = next((one for one in several if one.fault), None)
            _count(counts, reasons[about], planted, [c.text for c in untrue])
            for sentence in several:
                if not sentence.fault:
                    _alone(counts, sentence, case, order)
    return counts


def joined(sentences: list[Sentence]) -> str:
    """Return a reason; notes without a full stop stand on lines of their own."""
    stops = (".", "!", "?", '."', ".'")
    ends = [
        each.text + (" " if each.text.endswith(stops) else "\n") for each in sentences
    ]
    return "".join(ends).strip()


def _count(
    counts: Counts, reason: str, planted: Sentence | None, untrue: list[str]
) -> None:
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


STYLES_BY_FILE = (
    *("shapes.txt", "held_out.txt", "fresh.txt", "notes.txt", "report.txt"),
    *("spoken.txt", "letters.txt", "tables.txt", "prose.txt", "words.txt", "aloud.txt"),
    *("rubric.txt", "second_language.txt", "assistant.txt", "symbols.txt"),
    *("jotted.txt", "bulleted.txt", "essay.txt", "cautious.txt", "grids.txt"),
    *("foreign.txt", "objects.txt", "chatty.txt", "reviewers.txt", "terse_log.txt"),
    *("teacher.txt", "translated.txt", "lawyer.txt", "stream.txt"),
    *("podcast.txt", "minutes.txt", "compact_keys.txt", "polite.txt"),
    *("laboratory.txt", "texting.txt", "commentator.txt"),
    *("pros_cons.txt", "customer.txt"),
    *("quiz.txt", "referee.txt", "small_model.txt", "headed.txt"),
    *("spans.txt", "deliberation.txt", "diary.txt", "musing.txt"),
    *("curt.txt", "rambling.txt", "rater.txt", "apposed.txt", "auditor.txt"),
)

#: Styles in which too few faults are found as yet.
OPEN_STYLES = (
    *("headline.txt", "scoreboard.txt", "fields.txt", "sums.txt"),
    *("read_out.txt", "proportions.txt", "typeset.txt"),
    *("telegraph.txt", "clinic.txt", "actor.txt", "nested.txt", "sheet.txt"),
    *("mail.txt", "ward.txt", "ticket.txt", "denying.txt", "shares.txt"),
)


def main() -> None:
    """Print and store recall and precision of styles and of readers' reasons."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--shapes", help="one style alone; nothing is stored")
    parser.add_argument(
        "--first-look", help="store the figures of --shapes as this look"
    )
    parser.add_argument(
        "--readers", type=Path, help="folder that benchmarks.reader made"
    )
    parser.add_argument("--replies", type=int, default=500)
    parser.add_argument("--seed", type=int, default=55)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    path = RESULTS / "reasons.json"
    stored = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    looks: dict[str, dict[str, Any]] = stored.get("first_looks", {})
    if options.shapes:
        counts = run(options.shapes, options.replies, options.seed)
        show(options.shapes, counts, options.show)
        if options.first_look:
            style = options.shapes.removesuffix(".txt")
            looks.setdefault(options.first_look, {})[style] = figures(counts)
            save("reasons", stored | {"first_looks": looks})
        return
    results: dict[str, Any] = {
        "styles": {},
        "open_styles": {},
        "readers": stored.get("readers"),
        "first_looks": looks,
    }
    for group, names in (("styles", STYLES_BY_FILE), ("open_styles", OPEN_STYLES)):
        for name in names:
            counts = run(name, options.replies, options.seed)
            show(name, counts, options.show)
            results[group][name.removesuffix(".txt")] = figures(counts)
    if options.readers:
        results["readers"] = readers(options.readers, options.show)
    print(results["readers"])
    _print_looks(looks, results["styles"] | results["open_styles"])
    save("reasons", results)


def _print_looks(looks: Mapping[str, Any], today: Mapping[str, Any]) -> None:
    """Print recall and precision at the first look at each style, and today's."""
    rows = [
        [name, style, *_both_shares(each), *_both_shares(today[style])]
        for name, styles in looks.items()
        for style, each in styles.items()
    ]
    heads = ["look", "style", "recall", "precision", "recall today", "precision today"]
    table("reasons at the first look", heads, rows)


def _both_shares(each: Mapping[str, int]) -> tuple[str, str]:
    """Return recall and precision in words."""
    recall = _share(each["recalled"], each["planted"])
    return recall, _share(each["flagged_rightly"], each["flagged"])


def figures(counts: Counts) -> dict[str, int]:
    """Return the counts that recall and precision are of."""
    kinds = [name for name in counts.planted if name in KINDS]
    return {
        "planted": sum(counts.planted[name] for name in kinds),
        "recalled": sum(counts.recalled[name] for name in kinds),
        "flagged": counts.flagged,
        "flagged_rightly": counts.flagged_rightly,
        "without_a_measure": counts.vague,
        "without_a_measure_called_true": counts.vague_called_true,
    }


def readers(folder: Path, full: bool) -> dict[str, int]:
    """Count reasons of readers that are called false, as written and with faults."""
    chance, results = random.Random(1), Counter[str]()
    for reply in replies(folder, seed=1):
        for about, reason in reply.reasons.items():
            held = reply.held(about, reason)
            results["reasons"] += 1
            results["checkable"] += True in held or False in held
            results["called_false"] += False in held
            for kind, text in faulty(reason, chance):
                found = False in reply.held(about, text)
                results[f"planted_{kind}"] += 1
                results[f"recalled_{kind}"] += found
                if full and not found:
                    print(f"missed [{kind}] {text}")
            if full and False in held:
                print(f"called false: {reason}")
    return dict(results)


def show(name: str, counts: Counts, full: bool) -> None:
    """Print what became of the replies of a style."""
    total = figures(counts)
    print(f"{len(shapes(name))} shapes of {name}")
    print("recall   ", _share(total["recalled"], total["planted"]))
    print("precision", _share(total["flagged_rightly"], total["flagged"]))
    for kind in ("number", "side", "quote"):
        print(
            f"  planted {kind}: {_share(counts.recalled[kind], counts.planted[kind])}"
        )
    for kind, title in KINDS.items():
        if full and kind != "n":
            print(
                f"  {title}: recall"
                f" {_share(counts.recalled[kind], counts.planted[kind])}, true ones"
                f" confirmed {_share(counts.confirmed[kind], counts.true[kind])}"
            )
    print(
        "  without a measure, called true:"
        f" {_share(counts.vague_called_true, counts.vague)}"
    )
    for title, lines in (
        ("missed", counts.missed),
        ("flagged wrongly", counts.wrong),
        ("true, and not confirmed", counts.unconfirmed),
    ):
        if full:
            print(f"\n{title}")
            print("\n".join(f"  {line}" for line in lines))


if __name__ == "__main__":
    main()
