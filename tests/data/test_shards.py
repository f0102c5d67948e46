from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blueprints import UserError
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair
from trace_eval.data.manifests import Manifest, Problem
from trace_eval.data.shards import Shard, digest

SIDES = {side: Answer(audio=side) for side in "ab"}


def split(keys: Sequence[Hashable], of: int) -> list[list[int]]:
    return [Shard(index, of).places(keys) for index in range(1, of + 1)]


@given(st.lists(st.integers(0, 8), max_size=40), st.integers(1, 12))
def test_parts_are_disjoint_complete_even_and_cut_few_keys(
    keys: list[int], of: int
) -> None:
    parts = split(keys, of)
    assert sorted(place for part in parts for place in part) == list(range(len(keys)))
    assert all(part == sorted(part) for part in parts)
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    parts_of_key: Counter[int] = Counter()
    for part in parts:
        parts_of_key.update({keys[place] for place in part})
    # Every cut can divide one key, and a key in n parts takes n - 1 cuts.
    assert sum(count - 1 for count in parts_of_key.values()) <= of - 1


def test_equal_keys_are_together_whatever_their_order() -> None:
    # In the order of first appearance: a at 0, 3, 5; b at 1, 4; c at 2.
    assert split("abcaba", 2) == [[0, 3, 5], [1, 2, 4]]
    assert split("abcaba", 3) == [[0, 3], [1, 5], [2, 4]]
    assert split("", 2) == [[], []]
    assert split("ab", 3) == [[], [0], [1]]


def test_a_manifest_is_cut_between_instructions() -> None:
    spoken = [
        Instruction(audio="two.wav", text=text) for text in ("two", "written otherwise")
    ]
    one, none = Instruction(text="one"), Instruction()
    asked = (one, spoken[0], one, none, spoken[1], none)
    pairs = [Pair(id=f"p{n}", instruction=i, **SIDES) for n, i in enumerate(asked)]
    problem = Problem("line 7", "not JSON")
    whole = Manifest(Path("pairs.jsonl"), pairs, [problem])
    parts = [whole.shard(Shard(index, 3)) for index in (1, 2, 3)]
    # Lined up: one (p0, p2), two (p1, p4), then p3 and p5, which have no instruction.
    first, second, third = (part.pairs for part in parts)
    assert [pair.id for pair in first] == ["p0", "p2"]
    assert [pair.id for pair in second] == ["p1", "p4"]
    assert [pair.id for pair in third] == ["p3", "p5"]
    assert [part.problems for part in parts] == [[problem], [], []]
    assert sum(part.total for part in parts) == whole.total
    assert parts[1].part.places == (1, 4)
    of_all = digest(f"p{n}" for n in range(6))
    assert parts[1].part.record() == {"index": 2, "of": 3, "pairs": 6, "digest": of_all}


def test_an_id_of_the_instruction_counts_more_than_its_words() -> None:
    texts = [("x", "one"), ("y", "one"), ("x", "two"), ("y", "two")]
    pairs = [
        Pair(
            id=str(number),
            instruction=Instruction(text=text),
            instruction_id=name,
            **SIDES,
        )
        for number, (name, text) in enumerate(texts)
    ]
    whole = Manifest(Path("pairs.jsonl"), pairs)
    assert [pair.id for pair in whole.shard(Shard(1, 2)).pairs] == ["0", "2"]


def test_digests_know_order_and_borders() -> None:
    lists = (["a", "b"], ["b", "a"], ["ab"], ["a\nb"], ["a"])
    digests = {digest(ids) for ids in lists}
    assert len(digests) == 5


@pytest.mark.parametrize("text", ["0/3", "4/3", "2", "a/b", "1/0", "-1/3", "1/2/3"])
def test_what_is_no_shard(text: str) -> None:
    with pytest.raises(UserError, match="shard"):
        Shard.parse(text)
