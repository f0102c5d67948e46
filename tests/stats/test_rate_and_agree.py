"""``rate`` with the embedded default, then ``agree``, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from tests.support.orca import orca_rows
from trace_eval.commands.cli import app


def test_the_embedded_default_rates_and_is_measured(data: Path, tmp_path: Path) -> None:
    items = tmp_path / "ratings.jsonl"
    rows = [row for row in orca_rows(data) if row["split"] != "train"]
    items.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run, report = tmp_path / "run", tmp_path / "agree.json"
    rated = CliRunner().invoke(
        app, ["rate", str(items), "--rubric", "correctness", "--out", str(run)]
    )
    assert rated.exit_code == 0, rated.output
    arguments = ["agree", str(run), "--split", "test", "--resamples", "50"]
    done = CliRunner().invoke(app, [*arguments, "--json", str(report)])
    assert done.exit_code == 0, done.output
    assert "does not understand meaning" in done.output
    got = json.loads(report.read_text())
    values = {
        (f["who"], f["name"]): f["estimate"]["value"]
        for f in got["figures"]
        if f["group"] == "agreement"
    }
    assert values["lexical", "mae"] <= 0.25
    assert values["lexical", "crps"] <= 0.17
    for rule in ("constant", "exact match", "token F1"):
        assert values["lexical", "mae"] < values[rule, "mae"]
    [coverage] = got["coverage"]
    assert (coverage["items"], coverage["scored"], coverage["unscored"]) == (113, 113, 0)
    ceiling = [f for f in got["figures"] if (f["group"], f["who"]) == ("people", "people")]
    assert {f["name"] for f in ceiling} == {"rho", "mae"}
