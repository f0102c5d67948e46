"""Runs and tables of stored figures: splits, clusters, weights, ties, gaps, calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from fusion import DIMENSIONS, POLICIES
from tests.support.calls import TURNS, conversation, manifest
from tests.support.datasets_made import write_rows
from tests.support.judged import rated_run, write_folder
from trace_eval.data.items import Pair
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.runs.fuse import fuse

ITEMS = 60
TYPED = ("1", "2", "both_good", "both_bad")
PLAIN = ("1", "2", "tie")
SYSTEMS = ("x", "y", "z")


def near(random: Random, truth: Any, others: Iterable[Any], right: float) -> Any:
    """Return the truth with a probability, else any of the others."""
    return truth if random.random() < right else random.choice(list(others))


def _table(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    rows = list(rows)
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = []
    for row in rows:
        cells.append([row.get(name, "") for name in names])
    return write_rows(path, names, cells)


def _truth(number: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what is known of pair ``number``, and its true labels."""
    random = Random(number)
    a = number % 3
    facts = {
        "id": f"p{number:02}",
        "instruction_id": f"i{number // 4:02}",
        "category": ("calm", "loud")[number % 2],
        "system_a": SYSTEMS[a],
        "system_b": SYSTEMS[(a + 1 + number // 3 % 2) % 3],
    }
    labels = {name: random.choice(TYPED) for name in DIMENSIONS}
    return facts, labels | {"overall": near(random, labels["content"], TYPED, 0.7)}


def human_table(path: Path) -> Path:
    """Write two annotators of 2 pairs in 3: some splits, inclusion .5 or 1, 2 gaps."""
    rows = []
    for number in range(ITEMS):
        facts, labels = _truth(number)
        for rater in ("ann", "ben")[: 0 if number % 3 == 2 else 2 - number % 2]:
            random = Random(f"{rater}{number}")
            said = {
                name: near(random, label, TYPED, 0.7) for name, label in labels.items()
            }
            if number in (4, 9):
                said["voice_quality"] = ""
            weight = {"inclusion": (0.5, 1.0)[number % 2], "seconds": 5 + number % 7}
            rows.append({**facts, "rater": rater, **said, **weight})
    return _table(path, rows)


def judge_table(path: Path) -> Path:
    """Write two judges: one repeats, both give numbers, one leaves pairs unscored."""
    rows = []
    for number in range(ITEMS):
        facts, labels = _truth(number)
        for judge, right in (("reader", 0.75), ("listener", 0.6)):
            for repeat in range(1 + (judge == "reader")):
                random = Random(f"{judge}{repeat}{number}")
                said = {
                    name: near(random, label, TYPED, right)
                    for name, label in labels.items()
                }
                if judge == "listener" and number % 20 == 7:
                    said = dict.fromkeys(said, "")
                numbers = {
                    f"{name}_{side}": round(random.uniform(low, low * 3), 3)
                    for name, low in (("duration", 2), ("loudness", -30), ("mos", 1.2))
                    for side in "ab"
                }
                sure = {"confidence": round(random.random(), 3)}
                rows.append(
                    {
                        **facts,
                        "judge": judge,
                        "repeat": repeat,
                        **said,
                        **numbers,
                        **sure,
                    }
                )
    return _table(path, rows)


def _opinions(
    random: Random, labels: Mapping[str, str], offered: tuple[str, ...]
) -> list[Any]:
    usage = {"input_tokens": 100, "output_tokens": 10, "cost_usd": 0.001}
    opinions = []
    for order, sample in product(("ab", "ba"), (0, 1)):
        ratings = {
            name: near(random, label, offered, 0.8) for name, label in labels.items()
        }
        opinions.append(
            {
                "order": order,
                "sample": sample,
                "ratings": ratings,
                "usage": usage,
                "seconds": 0.5,
            }
        )
    return opinions


def pair_run(folder: Path, judge: str, right: float, plain: bool = False) -> Path:
    """Write a run of all pairs in both orders, two samples each; typed or plain ties.

    Args:
        right: how often it says the truth, 0 to 1; what it says is of the folder's
            name.
    """
    pairs, judgements, overall = [], [], []
    for number in range(ITEMS):
        random, (facts, labels) = Random(f"{folder.name}{number}"), _truth(number)
        texts = {"text": f"say {facts['instruction_id']}"}
        answers = {
            side: {
                "audio": f"/{number}{side}.wav",
                "system": facts.pop(f"system_{side}"),
            }
            for side in "ab"
        }
        given = {"labels": {**labels}} if number % 3 != 2 else {}
        pairs.append(
            Pair.model_validate({**facts, "instruction": texts, **answers, **given})
        )
        made: dict[str, Any] = {"pair": facts["id"], "judge": judge, "status": "scored"}
        winner = labels.pop("overall")
        if plain:
            made["label_set"] = "plain"
            labels = {"overall": winner if winner in PLAIN else "tie"}
        offered = PLAIN if plain else TYPED
        made["opinions"] = _opinions(random, labels, offered)
        made["dimensions"] = {
            name: {
                "rating": near(random, label, offered, right),
                "reasoning": "because",
                "consistent": random.random() < 0.8,
            }
            for name, label in labels.items()
        }
        if number % 20 == 11:
            del made["opinions"], made["dimensions"]
            made |= {"status": "unscored", "reason": "filtered", "detail": "withheld"}
        judgements.append(Judgement.model_validate(made))
        overall.append(_fused(judgements[-1], plain))
    record = {
        "judge": {"spec": f"openai:{judge}", "parameters": {}},
        "policy": "content_first",
    }
    return write_folder(
        folder, record, pairs=pairs, judgements=judgements, overall=overall
    )


def _fused(judgement: Judgement, plain: bool) -> Overall:
    if not plain or judgement.status != "scored":
        return fuse(judgement, POLICIES["content_first"])
    label = judgement.label("overall")
    return Overall(pair=judgement.pair, policy="asked", rating=label, why="asked")


def score_run(folder: Path, judge: str, right: float) -> Path:
    """Write 40 scores on the rubric's scale, two of them missing, and human ratings."""
    values: dict[str, float | None] = {}
    ratings = {}
    for number in range(40):
        random = Random(number)
        truth = random.randint(1, 5)
        ratings[f"s{number:02}"] = [
            near(random, truth, range(1, 6), 0.7) for _ in range(3)
        ]
        random = Random(f"{judge}{number}")
        said = near(random, truth, range(1, 6), right)
        values[f"s{number:02}"] = None if number % 19 == 6 else said
    return rated_run(folder, values, ratings=ratings)


def score_table(path: Path, ratings: bool = False) -> Path:
    """Write scores of 3 systems on 12 questions by two judges or three annotators."""
    rows = []
    for number in range(36):
        random = Random(number)
        truth = min(5, random.randint(1, 4) + (number % 3 == 2))
        facts = {"id": f"s{number:02}", "question_id": f"q{number // 3:02}"}
        facts |= {"system": SYSTEMS[number % 3], "rubric": "correctness"}
        for who, right in (("ann", 0.8), ("ben", 0.7), ("cam", 0.6))[
            : 3 if ratings else 2
        ]:
            if not (who == "ben" and number % 12 == 5):
                said = near(Random(f"{who}{number}"), truth, range(1, 6), right)
                rows.append(
                    {**facts, "rater" if ratings else "judge": who, "score": said}
                )
    return _table(path, rows)


def calls(folder: Path, late: float) -> Path:
    """Eight calls of four scenarios whose answers come later and later."""
    folder.mkdir()
    records = []
    for number in range(8):
        shift = Random(f"{late}{number}").uniform(0, late)
        turns = [
            (who, start + shift * (who == "bot"), end + shift * (who == "bot"), text)
            for who, start, end, text in TURNS
        ]
        call = conversation(None, turns)
        answer = {"conversation": call, "system": f"late-{late:g}"}
        scenario = {"id": f"c{number}", "question_id": f"scenario-{number // 2}"}
        records.append({**scenario, "answer": answer})
    return manifest(folder, records)
