"""Whether verdicts follow from one reason for all dimensions, as flat judges give it.

    python -m benchmarks.reasons.whole

Each line of ``whole.txt`` is a reason, in places of answers, and the verdicts that it
speaks for. A verdict that it contradicts is planted in its place; found is what does
not follow, false what it speaks for and is said not to follow.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.report import table
from fusion import DIMENSIONS
from trace_eval.judges.claims.follows import follows, parts_about

#: Letters of the file -> labels.
LABELS = {"1": "1", "2": "2", "g": "both_good", "b": "both_bad"}

#: Label -> one that contradicts it.
AGAINST = {"1": "2", "2": "1", "both_good": "both_bad", "both_bad": "1"}


def main() -> None:
    """Print what is found, what is missed and what is false, by dimension."""
    rows: list[list[object]] = []
    for place, about in enumerate(DIMENSIONS):
        stated = planted = false = silent = 0
        for verdicts, reason in reasons():
            label = LABELS.get(verdicts[place])
            said = parts_about(reason, about)
            if label is None:
                silent += any(
                    follows(said, [], about, other) for other in LABELS.values()
                )
                continue
            stated += 1
            against = follows(said, [], about, AGAINST[label])
            planted += against is not None and not against[0]
            own = follows(said, [], about, label)
            false += own is not None and not own[0]
        rows.append([about, f"{planted} of {stated}", f"{false} of {stated}", silent])
    table(
        "verdicts of one reason for all dimensions",
        ["dimension", "planted, found", "false", "read into silence"],
        rows,
    )


def reasons() -> list[tuple[list[str], str]]:
    """Return the verdicts and the words of every line."""
    lines = Path(__file__).with_name("whole.txt").read_text("utf-8").splitlines()
    pairs = (
        line.split(" | ", 1) for line in lines if line and not line.startswith("#")
    )
    return [
        (verdicts.split(), reason.replace(" / ", "\n")) for verdicts, reason in pairs
    ]


if __name__ == "__main__":
    main()
