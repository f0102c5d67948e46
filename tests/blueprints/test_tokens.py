"""The compact rendering is short.

At most 1/2 of the tokens of the indented paper one, and 3/4 of the minimal one.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from benchmarks.report import stored
from benchmarks.tokens import MOST_BRIEF
from tests.support.samples import TEXT, spoken
from tests.support.tokens import (
    BOUND_INDENTED,
    BOUND_MINIMAL,
    INSTALL,
    gpt2_counter,
    renderings,
    with_models,
    without_models,
)

#: GPT-2's cut of text into pieces before merging, without Unicode classes: a lower
#: bound of the tokens of every rendering, and exact for whole numbers under 1000 and
#: common words.
_PIECES = re.compile(r" ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")


def pieces(text: str) -> int:
    # A run of n spaces is n tokens in GPT-2, whose vocabulary knows few longer ones.
    return sum(len(p) if p.isspace() else 1 for p in _PIECES.findall(text))


def gpt2(text: str) -> int:
    count = gpt2_counter()
    if count is None:
        pytest.skip(f"GPT-2's vocabulary is not installed; run: {INSTALL}")
    return count(text)


# (seconds, how often the 18 words of TEXT): from 1 word to 90 s at 160 words per
# minute.
LENGTHS = [(2.7, 0), (9.4, 1), (16.8, 2), (50.0, 7), (90.0, 13)]


@pytest.mark.parametrize("count", [pieces, gpt2])
@pytest.mark.parametrize("models", [True, False])
@pytest.mark.parametrize(("seconds", "times"), LENGTHS)
def test_a_pair_is_within_both_bounds(
    seconds: float, times: int, models: bool, count: Callable[[str], int]
) -> None:
    short = spoken(16.8, TEXT, models=False)
    bp = spoken(seconds, " ".join([TEXT] * times) or "Yes.", models=False)
    pair = [(with_models if models else without_models)(b) for b in (short, bp)]
    indented, minimal, compact = (count(text) for text in renderings(pair))
    assert compact <= BOUND_INDENTED * indented
    assert compact <= BOUND_MINIMAL * minimal


def test_a_call_of_the_brief_prompt_stays_within_its_bound() -> None:
    assert stored("tokens")["a call"]["brief"]["most"] <= MOST_BRIEF
