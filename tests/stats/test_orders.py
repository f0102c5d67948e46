"""Orders as outcomes of their own, and the rate against one system as a method."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from blueprints import UserError
from fusion import POLICIES
from fusion.plain import PLAIN_POLICIES
from tests.support.cli import refused, trace_eval
from tests.support.datasets_made import write_lines
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.opinions.checked_labels import label_table
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.options import RankOptions
from trace_eval.stats.rank_labels import rank_labels
from trace_eval.stats.ranking.prepare import separate_orders

OPTIONS = RankOptions(BootstrapOptions(resamples=20), baseline="X")
MEAN = PLAIN_POLICIES["mean_threshold"]


def flipped(label: str | None) -> str | None:
    return {"1": "2", "2": "1"}.get(str(label), label)


def source(
    calls: list[tuple[str, str, dict[str, str | None]]], systems: dict[str, str]
) -> Opinions:
    """Return calls (pair, order, labels in its A and B); A in ``systems``, B is X."""
    names: set[str] = set()
    for _, _, labels in calls:
        names.update(name for name, label in labels.items() if label is not None)
    header = ("id", "rater", "repeat", "order", "system_a", "system_b")
    columns: dict[str, list[str | None]] = {name: [] for name in header}
    columns |= {name: [] for name in sorted(names)}
    for number, (pair, order, labels) in enumerate(calls):
        for name, label in labels.items():
            if label is None:
                continue
            columns["id"].append(pair)
            columns["rater"].append("j")
            columns["repeat"].append(f"{order}/{number}/{name}")
            columns["order"].append(order)
            columns["system_a"].append(systems[pair])
            columns["system_b"].append("X")
            for column in names:
                columns[column].append(label if column == name else None)
    opinions = label_table("calls", columns)
    judged = label_table("run", {"id": ["p"], "overall": ["1"]})
    return judged.beside(calls=opinions, policy="mean_threshold")


#: Acceptance 4: votes (content, paralinguistics, voice) of S against X, S first then X
#: first.
ENSEMBLE = [
    (("1", "tie", "tie"), ("2", "2", "1")),
    (("2", "tie", "1"), ("1", "1", "tie")),
    (("tie", "tie", "2"), ("tie", "1", "2")),
    (("1", "2", None), ("tie", "tie", "1")),
]


def test_the_ensemble_of_three_aspects_gives_seven_sixteenths() -> None:
    calls = []
    parts = ("content", "paralinguistics", "voice_quality")
    for number, (there, back) in enumerate(ENSEMBLE, start=1):
        # A is S; in order ba X is heard first, so its 1 is B
        calls.append((f"i{number}", "ab", dict(zip(parts, there, strict=True))))
        calls.append(
            (f"i{number}", "ba", dict(zip(parts, map(flipped, back), strict=True)))
        )
    systems = dict.fromkeys(("i1", "i2", "i3", "i4"), "S")
    table = separate_orders(source(calls, systems), MEAN)
    assert len(table) == 8
    report = rank_labels(table, OPTIONS)
    places = {(p.method, p.system): p for p in report.places}
    ours = places["win_rate_against_baseline", "S"]
    assert (ours.exact, ours.value) == ("7/16", 7 / 16)
    assert places["win_rate_against_baseline", "X"].exact == "1/2"
    by_mode = separate_orders(source(calls, systems), PLAIN_POLICIES["majority_plain"])
    places = {(p.method, p.system): p for p in rank_labels(by_mode, OPTIONS).places}
    assert places["win_rate", "S"].exact == "1/2"


def outcomes(system: str, first: tuple[int, int], second: tuple[int, int]) -> Opinions:
    calls: list[tuple[str, str, dict[str, str | None]]] = []
    for order, (wins, ties) in (("ab", first), ("ba", second)):
        labels = ["1"] * wins + ["tie"] * ties + ["2"] * (12 - wins - ties)
        calls += [(f"{system}{n}", order, {"overall": x}) for n, x in enumerate(labels)]
    systems = {f"{system}{n}": system for n in range(12)}
    return separate_orders(source(calls, systems), MEAN)


def test_equal_rates_share_a_rank_though_floats_differ() -> None:
    one, other = outcomes("P", (3, 1), (0, 0)), outcomes("Q", (1, 0), (1, 3))
    # percent of each order, added up as the released scripts do: the 16th digit differs
    rates = [(100 * 3.5 / 12 + 0.0) / 2, (100 * 1 / 12 + 100 * 2.5 / 12) / 2]
    assert rates[0] == pytest.approx(rates[1])
    codes = {"overall": np.concatenate([one.codes["overall"], other.codes["overall"]])}
    facts = {
        name: np.concatenate([one.facts[name], other.facts[name]]) for name in one.facts
    }
    both = Opinions(
        "both",
        np.concatenate([one.ids, other.ids]),
        codes,
        facts=facts,
    )
    report = rank_labels(both, OPTIONS)
    places = {
        p.system: p for p in report.places if p.method == "win_rate_against_baseline"
    }
    assert (places["P"].exact, places["Q"].exact) == ("7/48", "7/48")
    assert Fraction(places["P"].exact or 0) == Fraction(7, 48)
    assert places["P"].rank == places["Q"].rank == 2
    assert places["X"].rank == 1


def test_typed_policies_decide_within_an_order() -> None:
    dims = ("content", "voice_quality", "paralinguistics")
    calls: list[tuple[str, str, dict[str, str | None]]] = [
        ("p1", "ab", dict(zip(dims, ("1", "both_good", "both_bad"), strict=True))),
        ("p1", "ba", dict(zip(dims, ("both_good", "both_good", "2"), strict=True))),
    ]
    table = separate_orders(source(calls, {"p1": "S"}), POLICIES["content_first"])
    assert table.codes["overall"].tolist() == [0, 1]
    calls[0][2]["content"] = "tie"
    with pytest.raises(UserError, match="its ties are plain"):
        separate_orders(source(calls, {"p1": "S"}), POLICIES["content_first"])
    with pytest.raises(UserError, match="needs both orders"):
        separate_orders(source(calls[:1], {"p1": "S"}), MEAN)


@pytest.mark.parametrize(
    ("first", "second", "id_"), [("model1", "model2", None), ("1", "2", 1)]
)
def test_votes_as_audiojudge_released_them_are_ranked(
    tmp_path: Path, first: str, second: str, id_: int | None
) -> None:
    """Join several votes of one pair, without an id or with timestamps for ids.

    The winner stands by name or by number.
    """
    votes = [
        ("x", "y", first),
        ("x", "y", "tie"),
        ("y", "z", second),
        ("z", "x", "tie"),
    ]
    keys = ("timestamp", "data_ID", "model1", "model2", "preference")
    stamps = [f"t{n}" if id_ else "2025-03-14 15:09:26" for n in range(4)]
    rows = zip(stamps, votes, strict=True)
    records = [
        dict(zip(keys, (stamp, "7", *vote), strict=True)) for stamp, vote in rows
    ]
    path = write_lines(tmp_path / "votes.jsonl", records)
    got = tmp_path / "rank.json"
    named = ["--id", "timestamp"] if id_ else []
    trace_eval("rank", path, *named, "--resamples", 0, "--json", got, ends=0)
    places = json.loads(got.read_text())["places"]
    rates = {p["system"]: p["exact"] for p in places if p["method"] == "win_rate"}
    # x: 1 + 1/2 + 1/2 of 3; y: 0 + 1/2 + 0 of 3; z: 1 + 1/2 of 2
    assert rates == {"x": "2/3", "y": "1/6", "z": "3/4"}
    # labels of another file are joined by ids, so there they must be
    labels = tmp_path / "labels.csv"
    labels.write_text("id,preference\n1,1\n")
    refused("no column 'id'", "rank", path, "--labels", labels, "--resamples", 0)


def test_both_positions_of_the_released_layout_are_ranked(tmp_path: Path) -> None:
    """Predictions are by place: in position 2 the baseline X comes first."""
    rows = ["1,S,1,2", "2,S,1,1", "3,S,tie,1", "4,S,1,unknown", "1,X,1,1", "1,T,2,1"]
    path = tmp_path / "judge.csv"
    header = "instruction_id,model_name,position1_prediction,position2_prediction\n"
    path.write_text(header + "\n".join(rows) + "\n")
    people = tmp_path / "people.csv"
    people.write_text("system,score\nS,0.6\nT,0.1\nX,0.5\n")
    got = tmp_path / "rank.json"
    typed = ["rank", path, "--orders", "separate", "--resamples", 0, "--json", got]
    trace_eval(*typed, "--baseline", "X", "--human", people, ends=0)
    report = json.loads(got.read_text())
    places = {(p["method"], p["system"]): p["exact"] for p in report["places"]}
    # S: win win, win loss, tie loss; a comparison with one unread order does not count
    # (1 + 1 + 1 + 0 + 1/2 + 0) / 6
    assert places["win_rate_against_baseline", "S"] == "7/12"
    assert places["win_rate_against_baseline", "T"] == "0"
    assert places["win_rate_against_baseline", "X"] == "1/2"
    assert trace_eval(*typed).err.count("name it by --baseline") == 1
    path.write_text("instruction_id,position1_prediction,position2_prediction\n1,1,2\n")
    refused("no column 'model_name'", *typed, "--baseline", "X")
    path.write_text(header + "q,S,,1\n")
    refused("no comparison with 1, 2 or tie", *typed, "--baseline", "X")
