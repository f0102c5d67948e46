"""Calibration: held out, symmetric, and measured against what is known."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from blueprints import UserError
from tests.support.cli import output_of
from tests.support.label_tables import table
from trace_eval.opinions.opinions import Opinions
from trace_eval.runs.run import Run
from trace_eval.stats.inference.calibrate import Calibration, _bins, _folds, calibrate
from trace_eval.stats.inference.calibrators import (
    METHODS,
    Draws,
    fit_temperature,
    sigmoid,
)
from trace_eval.stats.inference.forest import diagram
from trace_eval.stats.inference.labelled_run import LabelledRun, gather

pytest.importorskip("sklearn")


def source(number: int, sharpness: float, seed: int = 0, noise: int = 0) -> Opinions:
    """Draw annotators who prefer A by sigmoid(sharpness * margin); ties are near 0."""
    rng = np.random.default_rng(seed)
    margin = rng.normal(0, 2, number)
    truth = rng.random(number) < sigmoid(sharpness * margin)
    votes = ""
    for value in margin:
        winner = "1" if value > 0 else "2"
        votes += "g" if abs(value) < 1 else winner
    facts = {}
    for dimension in ("content", "voice_quality")[:noise]:
        margins = rng.normal(0, 1, number)
        facts[f"margin_{dimension}"] = [f"{value:.4f}" for value in margins]
    facts["margin"] = [f"{m:.6f}" for m in margin]
    facts["instruction_id"] = [f"i{n // 4}" for n in range(number)]
    judged = table("judge", {"overall": votes}, **facts)
    labels = table("labels", {"overall": "".join("1" if t else "2" for t in truth)})
    return judged.beside(labels=labels)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_exchanging_the_answers_exchanges_the_probability(method) -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(0, 1, (200, 2))
    y = rng.choice([0.0, 0.5, 1.0], 200)
    fitted = method.fit(x, y)
    assert fitted(-x) == pytest.approx(1 - fitted(x), abs=1e-6)


def test_folds_never_share_an_instruction_and_are_even() -> None:
    group = np.repeat(np.arange(30), np.r_[np.full(25, 3), np.full(5, 20)])
    fold = _folds(group, 5, 0)
    assert all(len(set(fold[group == name].tolist())) == 1 for name in range(30))
    sizes = np.bincount(fold)
    assert sizes.max() - sizes.min() <= 20


def test_a_margin_beats_the_label_that_it_was_rounded_to() -> None:
    got = calibrate(gather(source(1200, 1.0), None))
    best = got.methods[0]
    assert best.brier.value < 0.19
    assert best.ece.value < 0.06
    rule = next(row for row in got.rules if row.name == "judge's own label")
    # the label ties in two of five pairs, where the margin still leans the right way
    assert rule.difference.interval[0] > 0
    assert sum(b.pairs for b in best.bins) == got.pairs == 1200
    assert diagram(best).count("<circle") == len(best.bins)


def test_half_is_judged_by_the_ties_that_people_gave() -> None:
    """Always 1/2 errs by a half on winners and by nothing on ties."""
    got = source(400, 1.0)
    codes = got.labels.codes["overall"].copy()
    codes[::4] = 2
    tied = got.beside(labels=got.labels.with_codes(overall=codes))
    result = calibrate(gather(tied, None))
    assert result.half == pytest.approx(0.25 * 0.75)
    rules = {rule.name: rule.accuracy.value for rule in result.rules}
    assert rules["always a tie"] == pytest.approx(0.25 + 0.75 / 2)


def test_the_bound_of_the_calibration_error_holds_it() -> None:
    """Probabilities off by 0.1 to one side, and right ones: ten bins of 12 pairs."""
    rng = np.random.default_rng(6)
    for off in (0.1, 0.0):
        inside = 0
        for seed in range(100):
            p = rng.uniform(0.1, 0.8, 120)
            y = (rng.random(120) < p + off).astype(float)
            got = Draws(np.arange(120), 0.95, seed).gap(p - y, _bins(p))
            assert got.interval[0] <= got.value <= got.interval[1]
            inside += got.interval[0] <= off <= got.interval[1]
        assert inside >= 93


def test_the_chosen_map_is_measured_on_pairs_that_did_not_choose_it() -> None:
    """Of three maps of nothing the best beats 1/2 more often than the chosen one."""
    better = {"best": 0.0, "chosen": 0.0}
    for seed in range(8):
        got = calibrate(gather(source(60, 0.0, seed=seed, noise=2), None))
        better["best"] += got.methods[0].log_loss - np.log(2)
        better["chosen"] += got.chosen.log_loss - np.log(2)
        assert got.best == got.methods[0].method
        for row in (got.chosen, *got.methods):
            for shown in (row.brier, row.ece, row.accuracy):
                low, high = shown.interval or (shown.value, shown.value)
                assert low <= shown.value <= high
    assert better["chosen"] > better["best"] + 8 * 0.005


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Write a file of judgements with human labels, scores and a measure."""
    rng = np.random.default_rng(4)
    lines = ["id,preference,truth,score_a,score_b,wer_a,wer_b,instruction_id"]
    for n in range(120):
        lead = rng.normal(0, 2)
        truth = 1 if rng.random() < sigmoid(np.array(lead)) else 2
        row = (
            f"p{n}",
            1 if lead > 0 else 2,
            truth,
            lead,
            0,
            rng.random(),
            rng.random(),
            f"i{n}",
        )
        lines.append(",".join(map(str, row)))
    path = tmp_path / "judge.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_agree_compares_the_fit_with_rules_that_need_none(
    judged: Path, tmp_path: Path
) -> None:
    command = [
        "agree",
        str(judged),
        "--prediction",
        "preference",
        "--truth",
        "truth",
        "--id",
        "id",
    ]
    text = [*command, "--calibrated", "--beat", "wer:lower", "--full"]
    result = output_of(*text, "--json", tmp_path / "out.json")
    assert "P(annotators prefer A | judge)" in result
    (got,) = json.loads((tmp_path / "out.json").read_text())["calibrations"]
    assert got["features"] == ["score difference", "label"]
    names = [rule["name"] for rule in got["rules"]]
    assert names[:2] == ["judge's own label", "lower wer"]
    assert got["rules"][1]["difference"]["interval"][0] > 0
    plain = output_of(
        *command,
    )
    assert "P(annotators prefer A" not in plain


def test_noise_is_not_learned() -> None:
    """Labels that do not depend on the judge: held out, nothing beats 1/2."""
    got = calibrate(gather(source(400, 0.0, seed=3, noise=2), None))
    assert {row.method for row in got.methods} == {"isotonic", "temperature", "margins"}
    assert got.methods[0].brier.value == pytest.approx(0.25, abs=0.01)
    assert got.methods[0].accuracy.interval[0] < 0.5


def test_too_few_labels_are_refused() -> None:
    with pytest.raises(
        UserError, match="needs at least 20 labelled pairs, of 2 instructions"
    ):
        calibrate(gather(source(12, 1.0), None))


def test_fuse_writes_probabilities_and_the_report_shows_them(run: Path) -> None:
    output_of("fuse", run, "--calibrated")
    rows = list(csv.DictReader((run / "calibrated.csv").open()))
    assert len(rows) == 38  # two of forty have no rating, see the fixture
    assert all(0 < float(row["p_a"]) < 1 for row in rows)
    output_of("report", run)
    page = (run / "report.html").read_text()
    assert "Calibration: how often annotators prefer A" in page
    assert 'class="reliability"' in page


def test_too_few_labels_are_refused_before_anything_is_printed(
    run: Path, tmp_path: Path
) -> None:
    few = tmp_path / "few.csv"
    ids = list(Run.open(run).judgements())[:3]
    few.write_text("id,preference\n" + "".join(f"{id_},1\n" for id_ in ids))
    fused = (run / "overall.jsonl").read_bytes()
    command = ("fuse", run, "--policy", "majority_vote", "--calibrated")
    told = output_of(*command, "--labels", few, code=2)
    assert (run / "overall.jsonl").read_bytes() == fused
    assert told.startswith("error: calibration needs at least 20 labelled pairs")


def test_fuse_fits_once(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written is what a single fit of the run, fused again, comes to."""
    fits: list[Calibration] = []

    def counted(run: LabelledRun) -> Calibration:
        fits.append(calibrate(run))
        return fits[-1]

    monkeypatch.setattr("trace_eval.decide.labelled.calibrate", counted)
    output_of("fuse", run, "--policy", "majority_vote", "--calibrated")
    [fit] = fits
    rows = list(csv.DictReader((run / "calibrated.csv").open()))
    assert {row["id"]: row["p_a"] for row in rows} == {
        pair: f"{p:.6f}" for pair, p in fit.probabilities.items()
    }
    output_of("fuse", run, "--calibrated")
    assert len(fits) == 2


def test_fuse_writes_probabilities_of_a_file_of_judgements(
    judged: Path, tmp_path: Path
) -> None:
    labels = tmp_path / "labels.csv"
    rows = list(csv.DictReader(judged.open()))[:60]
    labels.write_text(
        "id,preference\n" + "".join(f"{r['id']},{r['truth']}\n" for r in rows)
    )
    command = ["fuse", str(judged), "--calibrated", "--labels", str(labels)]
    output_of(*command, "--out", tmp_path / "p")
    written = list(csv.DictReader((tmp_path / "p" / "calibrated.csv").open()))
    assert [row["held_out"] for row in written] == ["yes"] * 60 + ["no"] * 60
    assert json.loads((tmp_path / "p" / "calibration.json").read_text())["pairs"] == 60

    without = output_of(*command, code=2)
    assert "name the folder of the probabilities" in without
    again = output_of("fuse", judged, "--policy", "majority", code=2)
    assert "agree FILE --policy NAME compares policies" in again
    half = output_of(*command, "--out", tmp_path / "p", "--acceptable", "6", code=2)
    assert "go together" in half


def test_the_last_bits_of_a_processor_do_not_move_a_temperature() -> None:
    rng = np.random.default_rng(11)
    lead = rng.normal(size=(60, 1))
    preferred = (rng.random(60) < 0.5 + 0.3 * np.tanh(lead[:, 0])).astype(float)
    nudged = np.nextafter(lead, rng.choice([-9.0, 9.0], size=lead.shape))
    here = fit_temperature(lead, preferred)(lead)
    elsewhere = fit_temperature(nudged, preferred)(lead)
    # an exponential and a quotient differ by some of 2.2e-16, a search by 1e-8
    assert np.abs(here - elsewhere).max() < 1e-14
