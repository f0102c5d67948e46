"""``--resamples`` and ``--seed`` are refused where nothing is drawn at random."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blueprints import UserError
from tests.support.cli import trace_eval
from tests.support.label_tables import table
from trace_eval.decide.agree import agree
from trace_eval.decide.plan import make_plan
from trace_eval.decide.rank import rank
from trace_eval.estimate.options import BootstrapOptions, SeedOptions
from trace_eval.stats.inference.labelled_run import gather
from trace_eval.stats.options import AgreeOptions, PlanOptions, RankOptions


def written(
    folder: Path, pairs: int, instructions: int | None = None
) -> tuple[Path, Path]:
    """Write judgements and labels of pairs of ``new`` and ``old``; 3 in 4 agree."""
    heads = "id,judge,preference,system_a,system_b,instruction_id\n"
    lines, labels = [], []
    for number in range(pairs):
        told = "A" if number % 3 else "B"
        instruction = f"i{number % instructions}" if instructions else f"i{number}"
        lines.append(f"{number},ann,{told},new,old,{instruction}\n")
        labels.append(f"{number},{told if number % 4 else 'A'}\n")
    judged, people = folder / "judged.csv", folder / "people.csv"
    judged.write_text(heads + "".join(lines))
    people.write_text("id,preference\n" + "".join(labels))
    return judged, people


@pytest.mark.parametrize(
    ("command", "option"),
    [
        *(
            (name, "--resamples")
            for name in ("agree", "compare", "gate", "turns", "card")
        ),
        ("ablate", "--resamples"),
        *((name, "--seed") for name in ("compare", "gate", "turns", "card")),
    ],
)
def test_a_command_that_draws_nothing_has_no_such_option(
    command: str, option: str
) -> None:
    helped = trace_eval(command, "--help", ends=0).out
    assert option not in helped
    done = trace_eval(command, "x", "y", option, 5, ends=2)
    said = " ".join(done.err.split())
    assert f"{option}: the intervals of {command} are computed" in said
    assert f"leave {option} out" in said


def test_agree_has_a_seed_where_it_orders_labels_and_refuses_it_elsewhere(
    tmp_path: Path,
) -> None:
    out = tmp_path / "out.json"
    judged, people = written(tmp_path, 5)
    typed = ("agree", judged, "--labels", people, "--json", out)
    trace_eval(*typed, ends=0)
    assert json.loads(out.read_text())["options"]["bootstrap"] == {"level": 0.95}
    done = trace_eval(*typed, "--seed", 4, ends=2)
    said = " ".join(done.err.split())
    assert "--seed 4 means nothing here" in said
    assert "leave it out" in said
    judged, people = written(tmp_path, 40)
    tables = []
    for seed in (0, 4):
        trace_eval(*typed, "--seed", seed, ends=0)
        told = json.loads(out.read_text())
        assert told["options"]["bootstrap"] == {"level": 0.95, "seed": seed}
        tables.append(told["by_labels"])
    assert tables[0] != tables[1]
    trace_eval(*typed, ends=0)
    assert json.loads(out.read_text())["by_labels"] == tables[0]
    assert json.loads(out.read_text())["options"]["bootstrap"]["seed"] == 0


@pytest.mark.parametrize(("option", "value"), [("--resamples", 300), ("--seed", 4)])
def test_rank_refuses_what_draws_no_rank(
    option: str, value: int, tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    judged, _ = written(tmp_path, 12, instructions=1)
    trace_eval("rank", judged, "--json", out, ends=0)
    assert json.loads(out.read_text())["options"]["bootstrap"] == {"level": 0.95}
    done = trace_eval("rank", judged, option, value, ends=2)
    said = " ".join(done.err.split())
    assert f"{option} {value} means nothing here" in said
    assert "two instructions or more" in said
    judged, _ = written(tmp_path, 12, instructions=6)
    trace_eval("rank", judged, option, value, "--json", out, ends=0)
    assert json.loads(out.read_text())["options"]["bootstrap"] == {
        "level": 0.95,
        "seed": 0,
        "resamples": 2000,
        option.removeprefix("--"): value,
    }
    trace_eval("rank", judged, "--resamples", 0, ends=0)  # asks for none
    done = trace_eval("rank", judged, "--resamples", 0, "--seed", 1, ends=2)
    assert "--seed 1 means nothing here" in " ".join(done.err.split())


def test_scores_of_one_question_each_refuse_a_seed(tmp_path: Path) -> None:
    scores, ratings = tmp_path / "scores.csv", tmp_path / "ratings.csv"
    rows = [f"{n},ann,{1 + n % 5},{['old', 'new'][n % 2]}" for n in range(12)]
    scores.write_text("\n".join(["id,judge,score,system", *rows]))
    ratings.write_text(
        "\n".join(["id,rating", *(f"{n},{1 + n * 7 % 5}" for n in range(12))])
    )
    typed = ("agree", scores, "--labels", ratings)
    trace_eval(*typed, ends=0)
    said = trace_eval(*typed, "--seed", 1, ends=2).err
    assert "--seed 1 means nothing here" in " ".join(said.split())


def test_a_plan_without_labels_at_hand_refuses_a_seed(tmp_path: Path) -> None:
    done = trace_eval("plan", 100, "--seed", 3, ends=2)
    assert "--seed 3 means nothing here" in " ".join(done.err.split())
    judged, _ = written(tmp_path, 40)
    done = trace_eval("plan", judged, "--seed", 3, ends=2)
    assert "--seed 3 means nothing here" in " ".join(done.err.split())
    trace_eval("plan", judged, ends=0)


def test_python_refuses_the_same_as_the_command_line() -> None:
    few, labels = (
        table("j", {"preference": "12121"}),
        table("people", {"preference": "12122"}),
    )
    with pytest.raises(UserError, match="--seed 2 means nothing here"):
        agree([few], labels, AgreeOptions(SeedOptions(seed=2)))
    with pytest.raises(TypeError, match="resamples"):
        SeedOptions(resamples=20)  # type: ignore[call-arg]
    facts = {"system_a": ["x"] * 6, "system_b": ["y"] * 6, "instruction_id": ["i"] * 6}
    alike = table("j", {"preference": "121212"}, **facts)
    with pytest.raises(UserError, match="--resamples 20 means nothing here"):
        rank(alike, options=RankOptions(BootstrapOptions(resamples=20)))
    whole = gather(
        table("j", {"preference": "12" * 20}), table("p", {"preference": "12" * 20})
    )
    with pytest.raises(UserError, match="--seed 2 means nothing here"):
        make_plan(whole, PlanOptions(0.9, "accuracy", seed=2))


def test_the_card_names_the_method_of_its_intervals(tmp_path: Path) -> None:
    judged, people = written(tmp_path, 40)
    trace_eval("card", judged, "--labels", people, "--out", tmp_path / "card", ends=0)
    for name in ("card.md", "card.html"):
        page = " ".join((tmp_path / "card" / name).read_text().split())
        assert "95% intervals over" in page, name
        assert ": score limits, or score limits of accuracy, stretched" in page, name
