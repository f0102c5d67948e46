"""Recall of redaction in 300 made calls that tell a number or a mail address.

    python -m benchmarks.redact

A call is a sequence of words with made times; each word is a tone of its length. What
must go is known, because it was put there: the share of it that is replaced in words,
and silent in sound.
"""

from __future__ import annotations

import random

import numpy as np

from trace_eval.report.redact import mute, sensitive, stretches_of

RATE = 16_000

_DIGITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
]
_FRAMES = (
    "sure you can reach me at {} after lunch please",
    "my number is {} and I would like to change my booking",
    "the card that ends in {} was declined at the shop",
    "please write to {} if anything is unclear to you",
    "okay so it was {} did you get that or shall I repeat",
)


def made_call(draw: random.Random) -> list[tuple[str, bool]]:
    """Make the words of one call, and say which of them must go."""
    digits = [draw.randrange(10) for _ in range(draw.choice((4, 7, 10, 16)))]
    spoken = [_DIGITS[digit] for digit in digits]
    written = "".join(map(str, digits))
    secret = draw.choice(
        (
            spoken,
            ["oh" if word == "zero" else word for word in spoken],
            [written],
            [written[:3], written[3:]],
            ["double", *spoken],
            ["plus", "forty", "nine", *spoken],
            [f"{written[:3]}-{written[3:]}."],
            ["ann.lee@example.com"],
            ["ann", "dot", "lee", "at", "example", "dot", "com"],
            ["ann", "underscore", "lee", "at", "mail", "dot", "example", "dot", "org"],
        )
    )
    before, after = (part.split() for part in draw.choice(_FRAMES).split("{}"))
    parts = ((before, False), (secret, True), (after, False))
    return [(word, goes) for words, goes in parts for word in words]


def measure(calls: int = 300) -> dict[str, float]:
    """Return recall by words and seconds, and shares kept of words and length."""
    draw, same = random.Random(0), True
    rows: list[tuple[bool, bool, int, int]] = []
    for _ in range(calls):
        words, truth = zip(*made_call(draw), strict=True)
        ends = np.cumsum(
            [0.1 + 0.06 * len(word) * draw.uniform(0.8, 1.2) for word in words]
        )
        times = list(zip([0.0, *ends[:-1].tolist()], ends.tolist(), strict=True))
        marks = sensitive(words)
        samples = np.ones(int(ends[-1] * RATE), np.float32)
        muted = mute(samples, RATE, stretches_of(times, marks))
        same &= len(muted) == len(samples)
        parts = [muted[int(low * RATE) : int(high * RATE)] for low, high in times]
        silent = [int((part == 0).sum()) for part in parts]
        rows += zip(truth, marks, silent, map(len, parts), strict=True)
    goes, mark, silent, length = (
        np.array(column) for column in zip(*rows, strict=True)
    )
    return {
        "recall_words": float(mark[goes].mean()),
        "recall_sound": float(silent[goes].sum() / length[goes].sum()),
        "other_words_kept": float(1 - mark[~goes].mean()),
        "length_kept": float(same),
    }


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name} {value:.3f}")
