"""Plans: the labels that they ask for give the width that they promise."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from blueprints import UserError
from trace_eval.agreement import JudgedSource
from trace_eval.commands.cli import app
from trace_eval.conclude.evidence import gather
from trace_eval.conclude.plan import make_plan
from trace_eval.conclude.win_rates import win_rate_tables
from trace_eval.data.labels import LabelTable, label_table

NAMES = np.array(["x", "y", "z"])


def world(
    number: int, labels: int, right: float, seed: int = 0
) -> tuple[LabelTable, dict[str, list[str]], LabelTable]:
    """Judgements, everybody's true label, and the labels of the first pairs."""
    rng = np.random.default_rng(seed)
    couple = rng.integers(0, 3, number)
    a, b = NAMES[np.array([0, 0, 1])[couple]], NAMES[np.array([1, 2, 2])[couple]]
    truth = np.where(rng.random(number) < np.array([0.6, 0.8, 0.6])[couple], 1, 2)
    said = np.where(rng.random(number) < right, truth, 3 - truth)
    ids = [f"p{n}" for n in range(number)]
    judged = label_table(
        "judge",
        {"id": ids, "preference": [*map(str, said)], "system_a": [*a], "system_b": [*b]},
    )
    everything = {
        "id": ids,
        "preference": [*map(str, truth)],
        "seconds": [str(20 + n % 3) for n in range(number)],
    }
    return judged, everything, label_table("labels", {k: v[:labels] for k, v in everything.items()})


@pytest.mark.parametrize("right", [0.9, 0.6])
def test_labels_of_the_plan_give_the_promised_width(right: float) -> None:
    judged, truth, some = world(1500, 100, right)
    wanted = 0.16
    found = make_plan(gather(JudgedSource(judged), some), wanted)
    assert found.enough
    assert found.goal == "win rates"
    assert found.now is not None
    assert found.now > wanted
    # 21 seconds a pair
    assert found.minutes == pytest.approx(found.more * 21 / 60)
    chosen = set(found.pairs) | set(some.ids.tolist())
    rows = [row for row, key in enumerate(truth["id"]) if key in chosen]
    labels = label_table("labels", {name: [v[r] for r in rows] for name, v in truth.items()})
    rates = win_rate_tables(judged, "preference", labels, "preference")
    widths = [np.diff(row.rate.interval)[0] for row in rates.systems if row.rate.interval]
    assert len(widths) == 3
    # four draws in five stay below; this one may be a little above, never far below
    assert 0.8 * wanted < max(widths) < 1.08 * wanted


def test_a_better_judge_needs_fewer_labels() -> None:
    more = [
        make_plan(gather(JudgedSource(judged), some), 0.16).more
        for judged, _, some in (world(1500, 100, 0.95), world(1500, 100, 0.6))
    ]
    assert more[0] < 0.6 * more[1]


def test_every_two_systems_have_their_share() -> None:
    judged, _, some = world(900, 100, 0.8)
    found = make_plan(gather(JudgedSource(judged), some), 0.2)
    assert [row.systems for row in found.strata] == ["x / y", "x / z", "y / z"]
    assert sum(row.label for row in found.strata) == found.more
    for row in found.strata:
        assert row.label == pytest.approx(row.open * found.more / found.open, abs=2)


def test_a_run_that_is_too_small_says_so() -> None:
    judged, _, some = world(120, 40, 0.8)
    found = make_plan(gather(JudgedSource(judged), some), 0.02)
    assert (found.enough, found.more) == (False, 80)
    assert found.beyond is not None
    assert found.beyond > 1000
    assert "would not do" in found.verdict


def test_the_command(tmp_path: Path) -> None:
    judged, _, some = world(400, 80, 0.8)
    paths = []
    for table, name in ((judged, "judge"), (some, "labels")):
        path = tmp_path / f"{name}.csv"
        facts = [fact for fact in ("system_a", "system_b", "seconds") if fact in table.facts]
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["id", "preference", *facts])
            for row, key in enumerate(table.ids):
                label = str(1 + table.codes["preference"][row])
                writer.writerow([key, label, *(table.facts[fact][row] for fact in facts)])
        paths.append(str(path))
    out = tmp_path / "plan.csv"
    command = ["plan", paths[0], "--labels", paths[1], "--width", "0.25", "--out", str(out)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert "minutes of one rater" in result.output
    rows = list(csv.DictReader(out.open()))
    assert len({row["id"] for row in rows} - set(some.ids.tolist())) == len(rows) > 0
    wrong = CliRunner().invoke(app, [*command[:5], "3"])
    assert wrong.exit_code == 2
    with pytest.raises(UserError, match="give the full width of an interval"):
        make_plan(gather(JudgedSource(judged), some), 3)
