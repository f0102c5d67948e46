"""The exact figures of the HCoT labels; ``rate`` by default, and then ``agree``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fusion import DIMENSIONS, POLICIES, policy_from_rows
from tests.support.cli import output_of
from tests.support.datasets_made import write_lines
from tests.support.orca import orca_rows
from trace_eval.decide.agree import agree
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.options import AgreeOptions
from trace_eval.stats.report import AgreeReport

#: Figures are given with four decimals.
PRINTED = 5e-5

FILES = {"speakbench": "content_first", "s2sarena": "acceptability_cap"}


@pytest.fixture(scope="module", params=FILES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def labels(data: Path, name: str) -> Opinions:
    return read_labels(data / "hcot" / f"{name}.json")


@pytest.fixture(scope="module")
def report(labels: Opinions, name: str) -> AgreeReport:
    """Compare human ratings of dimensions, fused by a policy, with human overalls."""
    return agree([labels], labels, AgreeOptions(policy=FILES[name]))


def test_label_counts(labels: Opinions, name: str) -> None:
    expected = {  # both_bad / winner / both_good
        "speakbench": [(86, 293, 118), (71, 282, 144), (383, 99, 15), (85, 366, 46)],
        "s2sarena": [(80, 161, 73), (14, 138, 162), (173, 91, 50), (181, 113, 20)],
    }
    for dimension, counts in zip((*DIMENSIONS, "overall"), expected[name], strict=True):
        seen = np.bincount(labels.codes[dimension], minlength=4)
        assert (seen[3], seen[0] + seen[1], seen[2]) == counts


def test_every_policy(labels: Opinions, name: str) -> None:
    report = agree([labels], labels, AgreeOptions(policy="all"))
    got = {
        m.policy: (m.right, m.items) for m in report.mechanisms if m.labels == "people"
    }
    expected = {
        "speakbench": {
            "content_first": 450,
            "content_first_strict": 485,
            "acceptability_cap": 191,
        },
        "s2sarena": {
            "content_first": 169,
            "content_first_strict": 199,
            "acceptability_cap": 296,
        },
    }
    total = {"speakbench": 497, "s2sarena": 314}[name]
    for policy, right in expected[name].items():
        assert got[policy] == (right, total)
    # ten pairs of policies, each with a paired test
    assert len(report.policy_comparisons) == len(POLICIES) * (len(POLICIES) - 1) // 2


def test_agreement_and_majority(report: AgreeReport, name: str) -> None:
    overall = next(score for score in report.scores if score.dimension == "overall")
    accuracy, kappa = {
        "speakbench": (450 / 497, 0.8596),
        "s2sarena": (296 / 314, 0.9030),
    }[name]
    assert overall.metrics["accuracy_4way"].value == pytest.approx(accuracy, abs=1e-12)
    assert overall.metrics["kappa"].value == pytest.approx(kappa, abs=PRINTED)
    share = {"speakbench": 36.8, "s2sarena": 57.6}[name]
    assert 100 * overall.majority.accuracy == pytest.approx(share, abs=0.05)
    assert "above the majority class" in overall.verdict


def test_mechanisms_and_repeated_triples(report: AgreeReport, name: str) -> None:
    mechanism = report.mechanisms[0]
    expected = {
        "speakbench": (0.3602, 0.1549, 0.0121),
        "s2sarena": (0.0955, 0.0287, 0.4013),
    }[name]
    flips = [mechanism.flips[dimension].share for dimension in DIMENSIONS]
    assert flips == pytest.approx(expected, abs=PRINTED)
    on_bad = {"speakbench": 0.4588, "s2sarena": 0.0221}[name]
    assert mechanism.winner_on_bad.winner_on_bad == pytest.approx(on_bad, abs=PRINTED)
    warning = next(w for w in report.warnings if w.check == "repeated_triples")
    if name == "speakbench":
        assert mechanism.winner_on_bad.winner_accuracy == pytest.approx(
            0.9918, abs=PRINTED
        )
        who = ("paralinguistics", "voice_quality", "tie")
        shares = [mechanism.counterfactual[one].share for one in who]
        assert shares == pytest.approx([0.1992, 0.3924, 0.4085], abs=PRINTED)
        assert "481 distinct of 497" in warning.text
        assert len(warning.rows) == 32  # 16 triples, twice each


def test_learned_policies(labels: Opinions, name: str) -> None:
    pytest.importorskip("sklearn")
    report = agree([labels], labels, AgreeOptions(learn=True))
    learned = report.learned[0]
    got = {candidate.name: candidate for candidate in learned.candidates}
    bound, best_printed = {"speakbench": (486, 485), "s2sarena": (301, 296)}[name]
    assert learned.upper_bound == bound
    assert got["best table"].in_sample == bound
    assert got["best table"].cross_validated <= best_printed
    for candidate in learned.candidates:
        assert candidate.cross_validated <= candidate.in_sample <= bound
    table = policy_from_rows("learned", learned.rows())
    refused = agree([labels], labels, AgreeOptions())
    assert refused.items == len(labels)
    assert (
        sum(table(*cell) != POLICIES["content_first"](*cell) for cell in table.table())
        > 0
    )


def test_the_embedded_default_rates_and_is_measured(data: Path, tmp_path: Path) -> None:
    rows = [row for row in orca_rows(data) if row["split"] != "train"]
    items = write_lines(tmp_path / "ratings.jsonl", rows)
    run, report = tmp_path / "run", tmp_path / "agree.json"
    output_of("rate", items, "--rubric", "correctness", "--out", run)
    arguments = ["agree", str(run), "--split", "test"]
    done = output_of(*arguments, "--json", report)
    assert "does not understand meaning" in done
    got = json.loads(report.read_text())
    figures = [f for f in got["figures"] if f["group"] == "agreement"]
    values = {(f["who"], f["name"]): f["estimate"]["value"] for f in figures}
    assert values["lexical", "mae"] <= 0.25
    assert values["lexical", "crps"] <= 0.17
    for rule in ("constant", "exact match", "token F1"):
        assert values["lexical", "mae"] < values[rule, "mae"]
    [coverage] = got["coverage"]
    assert (coverage["items"], coverage["scored"], coverage["unscored"]) == (
        113,
        113,
        0,
    )
    ceiling = [
        f for f in got["figures"] if (f["group"], f["who"]) == ("people", "people")
    ]
    assert {f["name"] for f in ceiling} == {"rho", "mae"}
