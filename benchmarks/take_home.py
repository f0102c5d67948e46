"""One sentence with a number for each reader of README, from other benchmarks."""

from __future__ import annotations

import re

from benchmarks.large_runs import USD_PER_CORE_HOUR
from benchmarks.report import DOCS, markdown, stored

#: Pairs of the first sentence.
PAIRS = 1000

#: Share of right verdicts that a judge would have to be shown to reach, to be left
#: alone.
PROMISED = 0.95

#: World of ``coverage_gate`` with a drop.
DROP = "the same system, a drop of 0.1, flips 0.06: 200 items"

#: How worlds of ``coverage_anytime`` in which pairs are labelled begin and end.
LABELLED = ("pairs, won in ", "the judge knows {}%")


def table() -> str:
    """Write a row per reader: where to begin, and what to remember."""
    rows = (
        ("[lab](docs/tutorials/two-systems.md)", lab()),
        ("[CI](docs/tutorials/gate-in-ci.md)", ci()),
        ("[product](docs/tutorials/calls.md)", product()),
        ("[annotation](docs/how-to/stop-when-sure.md)", annotation()),
        ("[developer](docs/tutorials/own-judge.md)", developer()),
    )
    return markdown("for | take home", rows)


def lab() -> str:
    """Say what a thousand pairs take, and how often listeners contradict verdicts."""
    machine = stored("extract")
    minutes = PAIRS / machine["pairs_per_minute"]
    cents = 100 * minutes / 60 * machine["machine"]["cores"] * USD_PER_CORE_HOUR
    judge = stored("people")["sets"]["codecs"]["judges"]["rules"]
    decided, right = judge["decided"], judge["right"]
    ties = decided[3] - right[3]
    shown = right[1] >= PROMISED
    so_few = (
        ""
        if shown
        else f", too few to promise that {_percent(PROMISED)} of them are right"
    )
    return (
        f"{PAIRS:,} pairs are judged on {machine['machine']['cores']} cores in"
        f" **{minutes:.0f} minutes for {cents:.0f} cents**. Of {decided[3]} pairs of"
        f" codecs that listeners decide, `rules` decides {right[3]} and errs on"
        f" {_errors(right)} (right in {_percent(right[1])} to {_percent(right[2])} with"
        f" 95 % confidence{so_few}); the other {ties} are ties, which are left to"
        " people"
    )


def ci() -> str:
    """Say how often a gate stops a worse release, and an equal one."""
    worlds = stored("coverage_gate")["worlds"]
    equal = [row["fail"] for name, row in worlds.items() if "a drop of 0," in name]
    return (
        "200 items stop a release that is 10 points worse in"
        f" **{_percent(worlds[DROP]['fail'])}** of {worlds[DROP]['seeds']:,} simulated"
        " runs with a judge that flips 6 % of its verdicts, and an equal one in at most"
        f" {_percent(max(equal))}"
    )


def product() -> str:
    """Say how exactly a pause before an answer is measured."""
    median, low, high, count, *_ = stored("people")["sets"]["turns"]["edges"]["gap"][
        "median"
    ]
    return (
        "When an assistant answers, interrupts or stays silent is measured from the"
        f" recording alone: gaps between turns to **{median:.2f} s** in the median"
        f" ({low:.2f} to {high:.2f}, {count} gaps marked by hand)"
    )


def annotation() -> str:
    """Say what a judge saves of the labels, and what a useless one costs."""
    return (
        "After every label it says whether enough is labelled. Beside a judge that"
        f" knows 85 % of the pairs that takes **{_labels_needed(85)}** of the labels of"
        f" a fixed plan, beside one that knows none {_labels_needed(0)} (medians of 400"
        " simulated studies in each of three worlds)"
    )


def _labels_needed(known: int) -> str:
    """Return the range of labels needed where a judge knows some percent."""
    begins, ends = LABELLED
    needed = [
        world["soon"]
        for name, world in stored("coverage_anytime")["worlds"].items()
        if name.startswith(begins) and name.endswith(ends.format(known))
        if world.get("soon") is not None
    ]
    assert len(needed) == 3, needed
    return f"{100 * min(needed):.0f} to {_percent(max(needed))}"


def developer() -> str:
    """Say how long an extractor and a judge of one's own are, and what kills cost."""
    page = (DOCS / "tutorials" / "own-judge.md").read_text("utf-8")
    cell = re.findall(r"```python\n(.*?)```", page, re.S)[0]
    lines = sum(bool(line.strip()) for line in cell.splitlines())
    kills = stored("drill_kills")
    return (
        f"An extractor and a judge of your own are **{lines} lines** of one notebook"
        f" cell; runs killed at {kills['cases']} random moments went on and lost"
        f" {len(kills['lost']) or 'nothing'}"
    )


def _errors(right: list[float]) -> str:
    """Return how many of the decided pairs are wrong, in words."""
    wrong = round((1 - right[0]) * right[3])
    return str(wrong) if wrong else "none"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
