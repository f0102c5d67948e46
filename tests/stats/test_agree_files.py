"""``agree`` of scores, on files and run folders, as a user types it."""

from __future__ import annotations

import csv
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blueprints import InputError, UserError
from tests.support.cli import output_of, trace_eval
from tests.support.datasets_made import write_lines, write_rows
from tests.support.judged import rated_run, write_folder
from tests.support.orca import SCALE, orca_rows
from tests.support.scored import figure
from trace_eval.data.items import Single
from trace_eval.data.measures.lexical import lexical_score
from trace_eval.data.score_estimates import of_distribution
from trace_eval.data.scores import Score, ScoreEstimate, ScoreOpinion
from trace_eval.decide.agree import agree
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.same_names import as_judged
from trace_eval.opinions.scores import read_scores
from trace_eval.stats.agreement.linear import concordance
from trace_eval.stats.options import AgreeOptions
from trace_eval.stats.tables import score_tables

QUICK = AgreeOptions()


def _scores(tmp_path: Path) -> Path:
    rows = [[f"i{n}", value] for n, value in enumerate((4.6, 4, 2, 3, 1.2, 3.75))]
    return write_rows(tmp_path / "judge.csv", ["id", "score"], rows)


def _labels(tmp_path: Path) -> Path:
    people = {
        "P1": (5, 4, 2, 3, 1, 4),
        "P2": (4, 4, 1, 3, 2, 5),
        "P3": (5, 3, 2, 2, 1, 4),
    }
    rows = [
        [f"i{n}", who, v] for who, given in people.items() for n, v in enumerate(given)
    ]
    return write_rows(tmp_path / "people.csv", ["id", "rater", "score"], rows)


def test_labels_are_not_compared_with_themselves(tmp_path: Path) -> None:
    people = _labels(tmp_path)
    with pytest.raises(UserError, match="would be compared with themselves"):
        agree(people, people)
    votes = write_rows(tmp_path / "votes.csv", ["id", "overall"], [["p", "1"]])
    same_by_another_name = tmp_path / "." / ".." / tmp_path.name / "votes.csv"
    with pytest.raises(UserError, match="first: trace-eval agree RUN --labels"):
        agree([_scores(tmp_path), votes], same_by_another_name)
    refused = f"{votes}: these labels would be compared with themselves"
    for command in ("rank", "card", "screen", "plan"):
        done = trace_eval(command, votes, "--labels", votes, ends=2)
        assert refused in done.err, command
    calibrated = ("fuse", votes, "--calibrated", "--labels", votes)
    assert refused in trace_eval(*calibrated, "--out", tmp_path / "out", ends=2).err


def test_ratings_by_recordings_find_items_that_are_called_by_their_row(
    tmp_path: Path,
) -> None:
    folder = rated_run(tmp_path / "run", {"1": 4.0, "2": 2.0, "3": 5.0, "4": 1.0})
    lines = [
        json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()
    ]
    for line, name in zip(
        lines, ("a/x.wav", "b/x.wav", "y.wav", "y.flac"), strict=True
    ):
        line["answer"]["audio"] = f"/sound/{name}"
    write_lines(folder / "items.jsonl", lines)
    read = read_scores(folder)
    names = {
        "a/x.wav": "1",
        "sound/b/x": "2",
        "/else/sound/b/x.wav": "/else/sound/b/x.wav",
    }
    names |= {
        "x.wav": "x.wav",
        "y.wav": "y.wav",
        "c/x.wav": "c/x.wav",
    }  # of two items, or of none
    assert as_judged(texts_of(list(names)), [read]).tolist() == list(names.values())
    ratings = write_rows(
        tmp_path / "r.csv", ["file", "MOS"], [["a/x.wav", 4], ["b/x.wav", 2]]
    )
    assert agree([folder], ratings, QUICK).coverage[0].rated == 2  # type: ignore[union-attr]


def test_two_tables_are_enough(tmp_path: Path) -> None:
    got = agree([read_scores(_scores(tmp_path))], _labels(tmp_path), options=QUICK)
    assert (got.items, got.ratings, got.raters) == (6, 18, 3)
    r = figure(got, "raters", "judge", "mean_r").estimate.value
    # judge with P1, P2 and P3: speaking_style.md, section 9
    assert r == pytest.approx((0.996732 + 0.822853 + 0.910671) / 3, abs=1e-6)


def test_ratings_of_unknown_items_are_refused_or_dropped(tmp_path: Path) -> None:
    labels = _labels(tmp_path)
    labels.write_text(labels.read_text() + "i0,P9,\ni99,P1,3\n")  # P9 gave none
    with pytest.raises(UserError, match=r"1 rated item is not in .*'i99'"):
        agree([read_scores(_scores(tmp_path))], labels, options=QUICK)
    got = agree(
        [read_scores(_scores(tmp_path))], labels, options=replace(QUICK, missing="drop")
    )
    assert got.ratings == 18


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("i0,P9,0", "score is 0 in 1 row, and the other scores go from"),
        # several codes of surveys, each beyond the other
        (
            "i0,P9,-8\ni1,P9,-9",
            r"score is -8 in 1 row \(1 more .*--map -8=missing --map -9=missing",
        ),
        (
            "i0,P9,77\ni1,P9,88\ni2,P9,99",
            "--map 77=missing --map 88=missing --map 99=missing",
        ),
        ("i0,P9,3.5", "'3.5' is not one of"),
        (
            "i0,P1,5",
            "id i0 was given in record 1 already, by P1; delete one, or tell them apart",
        ),
    ],
)
def test_bad_ratings_are_named(tmp_path: Path, line: str, message: str) -> None:
    labels = _labels(tmp_path)
    labels.write_text(labels.read_text() + line + "\n")
    with pytest.raises(UserError, match=message):
        agree([read_scores(_scores(tmp_path))], labels, options=QUICK)


def test_mean_opinions_need_be_no_labels(tmp_path: Path) -> None:
    judge = np.array([4.6, 4, 2, 3, 1.2, 3.75])
    people = np.array([14 / 3, 11 / 3, 5 / 3, 8 / 3, 4 / 3, 13 / 3])
    rows = [[f"i{n}", value] for n, value in enumerate(people)]
    labels = write_rows(tmp_path / "mos.csv", ["id", "mos"], rows)
    got = agree([read_scores(_scores(tmp_path))], labels, options=QUICK)

    def value(name: str) -> float | None:
        return figure(got, "agreement", "judge", name).estimate.value

    # The same under the name of a rating: one number for an item, nobody's, between two
    # labels.
    for head in (["id", "score"], ["id", "rater", "score"]):
        named = [[r[0], *([""] if len(head) == 3 else []), r[1]] for r in rows]
        same = agree(
            [read_scores(_scores(tmp_path))],
            write_rows(tmp_path / "s.csv", head, named),
            QUICK,
        )
        for name in ("mae", "mse", "r", "ccc"):
            again = figure(same, "agreement", "judge", name).estimate.value
            assert again == pytest.approx(value(name)), name
        assert any("taken as mean opinions" in note for note in same.notes)
    for odd in (
        [["i0", "ann", 3.5], ["i1", "ann", 4]],
        [["i0", "", 3.5], ["i0", "", 4]],
    ):
        whose = write_rows(tmp_path / "odd.csv", ["id", "rater", "score"], odd)
        with pytest.raises(UserError, match=r"rating of item 'i0'|two ratings"):
            agree([read_scores(_scores(tmp_path))], whose, options=QUICK)

    assert value("mae") == pytest.approx(abs(judge - people).mean() / 4)
    assert value("r") == pytest.approx(np.corrcoef(judge, people)[0, 1])
    # Lin (1989), on positions as on scores: neither origin nor unit counts
    product = np.cov(judge, people, bias=True)
    wide = product[0, 0] + product[1, 1] + (judge.mean() - people.mean()) ** 2
    assert value("ccc") == pytest.approx(2 * product[0, 1] / wide)
    assert got.alphas == ()
    assert "Lin's concordance" in [row[0] for t in score_tables(got) for row in t.rows]
    # a distribution of single ratings says nothing of a mean of several
    assert figure(got, "agreement", "constant", "crps").estimate.value is None
    assert "mean opinions" in str(figure(got, "agreement", "constant", "crps").reason)
    rows[2][1] = 5.2
    beside = write_rows(tmp_path / "beside.csv", ["id", "mos"], rows)
    with pytest.raises(
        UserError, match=r"mos of item 'i2' is 5.2, and the scale goes from 1 to 5"
    ):
        agree([read_scores(_scores(tmp_path))], beside, options=QUICK)
    both = write_rows(tmp_path / "both.csv", ["id", "mos", "score"], [["i0", 3.5, 3]])
    with pytest.raises(UserError, match="has both score and mos"):
        agree([read_scores(_scores(tmp_path))], both, options=QUICK)


@pytest.mark.parametrize(
    ("judge", "people", "wanted"),
    [
        ([1, 2, 3], [2, 3, 4], 4 / 7),  # 2 x 2/3 / (2/3 + 2/3 + 1): a bias of 1
        ([1, 2, 3], [1, 2, 3], 1.0),
        ([2, 2, 2], [1, 2, 3], 0.0),
        ([2, 2, 2], [2, 2, 2], None),
        ([1], [2], None),
    ],
)
def test_concordance_by_hand(
    judge: list[float], people: list[float], wanted: float | None
) -> None:
    got = concordance(np.array(judge, float), np.array(people, float))
    assert got == pytest.approx(
        np.nan if wanted is None else wanted, abs=1e-12, nan_ok=True
    )


def _item(row: dict[str, Any]) -> Single:
    return Single(
        **{name: row[name] for name in ("id", "question_id", "system", "split")},
        instruction={"text": row["question"]},
        reference=(row["reference"],),
        answer={"text": row["candidate"]},
        labels={"scores": row["ratings"]},
    )


def _score(row: dict[str, Any]) -> Score:
    common: dict[str, Any] = {name: row[name] for name in ("question_id", "system")}
    common |= {
        "item": row["id"],
        "rubric": "correctness",
        "rubric_sha256": "0",
        "judge": "lexical",
    }
    if row["id"].endswith("7"):  # some are unscored
        return Score(
            **common, status="unscored", reason="unreachable", detail="no reply in time"
        )
    votes = lexical_score(
        row["question"], [row["reference"]], row["candidate"], row["rationale"]
    )
    reduced = of_distribution(votes.distribution, SCALE)
    return Score(
        **common,
        status="scored",
        value=reduced.value,
        used=1,
        samples=1,
        distribution={f"{k:g}": v for k, v in reduced.distribution.items()},
        estimate=ScoreEstimate(mean=reduced.mean, variance=reduced.variance),
    )


@pytest.fixture(scope="module")
def run(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a run folder as ``rate`` does, with lexical scores."""
    rows = [row for row in orca_rows(data) if row["split"] in ("dev", "test")]
    folder = tmp_path_factory.mktemp("scores") / "run"
    return write_folder(
        folder, {}, items=list(map(_item, rows)), scores=list(map(_score, rows))
    )


def test_a_run_with_labels_inside(run: Path) -> None:
    got = agree([read_scores(run)], options=AgreeOptions(split="test"))
    [coverage] = got.coverage
    assert coverage.items == coverage.rated == 113
    assert coverage.scored + coverage.unscored == 113
    assert 0 < coverage.unscored < 40
    assert got.items == coverage.scored
    assert got.rubric == "correctness"
    assert {
        "constant",
        "exact match",
        "token F1",
        "longer answer",
        "majority rating",
    } < {f.who for f in got.figures}
    assert sum(s.scored for s in got.systems) == coverage.scored
    assert any("that every judge scored" in note for note in got.notes)


def test_the_last_line_of_an_item_counts(run: Path, tmp_path: Path) -> None:
    line = next(
        line
        for line in (run / "scores.jsonl").read_text().splitlines()
        if "unreachable" in line
    )
    score = Score.model_validate_json(line)
    path = tmp_path / "scores.jsonl"
    again = score.model_copy(update={"status": "scored", "value": 4.0, "reason": None})
    path.write_text(f"{line}\n{again.model_dump_json()}\n")
    read = read_scores(path)
    assert (read.ids.tolist(), read.facts["score"].tolist()) == ([score.item], [4.0])


def test_the_order_in_which_scores_were_written_changes_nothing(
    run: Path, tmp_path: Path
) -> None:
    """Calls end in any order; intervals are of the same resamples all the same."""
    lines = (run / "scores.jsonl").read_text().splitlines(keepends=True)
    shuffled = tmp_path / "run"  # of the same name: it stands in the tables
    shuffled.mkdir()
    (shuffled / "items.jsonl").write_text((run / "items.jsonl").read_text())
    random.Random(5).shuffle(lines)
    (shuffled / "scores.jsonl").write_text("".join(lines))
    shown = [agree([read_scores(folder)], options=QUICK) for folder in (run, shuffled)]
    estimates = []
    for report in shown:
        estimates.append([(f.group, f.who, f.name, f.estimate) for f in report.figures])
    assert estimates[0]
    assert estimates[0] == estimates[1]
    assert shown[0].systems == shown[1].systems


def test_judges_of_a_pooled_run_stand_beside_it(tmp_path: Path) -> None:
    opinions = [
        ScoreOpinion(sample=n, judge=judge, score=score)
        for judge, given in (("a", (1, 2)), ("b", (5, 5)))
        for n, score in enumerate(given)
    ]
    score = Score(
        item="x",
        rubric="style",
        rubric_sha256="0",
        judge="a + b",
        status="scored",
        value=3.25,
        used=4,
        samples=4,
        distribution={"1": 0.25, "2": 0.25, "5": 0.5},
        opinions=opinions,
        parts=[
            {"judge": "a", "value": 1.5, "mean": 0.125, "variance": 0.015625},
            {"judge": "b", "value": 5.0, "mean": 1.0, "variance": 0.0},
        ],
    )
    path = tmp_path / "scores.jsonl"
    path.write_text(score.model_dump_json() + "\n")
    read = read_scores(path)
    assert read.rater.tolist() == ["a + b", "a", "b"]
    assert read.facts["samples"].tolist() == [None, [1, 2], [5, 5]]
    assert read.facts["score"].tolist() == [3.25, 1.5, 5.0]
    assert read.facts["variance"].tolist()[1:] == [0.015625, 0.0]
    path.write_text(score.model_dump_json().replace("0.015625", "-0.015625"))
    with pytest.raises(InputError, match=r"variance of 'x' is -0\.015625; give 0 or"):
        read_scores(path)
    assert read.facts["pooled"].tolist() == [True, None, None]


def test_the_command_prints_every_table(run: Path, tmp_path: Path) -> None:
    arguments = ["agree", str(run), "--full"]
    arguments += ["--json", str(tmp_path / "a.json"), "--csv", str(tmp_path / "csv")]
    done = output_of(*arguments)
    for title in (
        "Agreement with the mean rating",
        "Ceiling: one rating against",
        "Variance of human ratings",
        "Calibration over ratings",
        "most uncertain scores are withheld",
        "By split of the labels",
        "Systems, mean score from 1 to 5",
        "Order of the systems",
        "Krippendorff's alpha",
        "lexical is ",
    ):
        assert title in done, title
    assert "nan" not in done.lower()
    report = json.loads((tmp_path / "a.json").read_text())
    assert (report["low"], report["high"]) == (1, 5)
    rows = list(csv.DictReader((tmp_path / "csv" / "figures.csv").open()))
    assert {"agreement", "people", "variance", "calibration"} <= {
        row["group"] for row in rows
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--policy", "all"],
            "--policy means nothing for scores, and the sources hold scores",
        ),
        (
            ["--split", "nope"],
            "--split nope: no item belongs to it; there are dev, test",
        ),
        (["--rubric", "style"], "has no scores of rubric style"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    run: Path, arguments: list[str], message: str
) -> None:
    assert message in output_of("agree", run, *arguments, code=2)


def test_what_holds_no_scores_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no scores of single answers"):
        read_scores(tmp_path)  # a run of judgements
    path = tmp_path / "scores.csv"
    for text, message in (
        ("id\ni0\n", "no column 'score'"),
        (
            "id,score,rubric\ni0,1,style\ni0,2,quality\n",
            "2 rubrics .* choose one by --rubric",
        ),
    ):
        path.write_text(text)
        with pytest.raises(UserError, match=message):
            read_scores(path)


def _beta_score(
    item: str, log_alpha: float, log_beta: float, clamped: float | None
) -> Score:
    alpha, beta = np.exp([log_alpha, log_beta])
    mean = alpha / (alpha + beta)
    return Score(
        rubric="correctness",
        rubric_sha256="0",
        judge="scorer:x",
        item=item,
        question_id=item,
        status="scored",
        used=1,
        samples=1,
        value=1 + 4 * mean,
        distribution={str(k): 0.2 for k in range(1, 6)},
        estimate={
            "mean": mean,
            "variance": mean * (1 - mean) / (alpha + beta + 1),
            "params": {"alpha": alpha, "beta": beta},
            "clamped": None
            if clamped is None
            else {"mean": clamped, "threshold": 0.05},
        },
    )


def test_a_beta_scorer_beside_a_constant_beta_and_clamped(tmp_path: Path) -> None:
    """Ratings 1, 3, 5 under Beta(2, 1) have NLL 3.912023, 0, -.683097.

    An empty answer has none.
    """
    scores = [_beta_score(f"i{n}", np.log(2), 0.0, None) for n in range(3)]
    scores.append(_beta_score("i3", np.log(8), np.log(2), 1.0))
    empty = scores[0].model_dump(exclude_none=True) | {
        "item": "i4",
        "question_id": "i4",
    }
    empty |= {"value": 1.0, "estimate": {"mean": 0.0, "variance": 0.0}}
    path = tmp_path / "scores.jsonl"
    path.write_text(
        "".join(s.model_dump_json() + "\n" for s in scores) + json.dumps(empty) + "\n"
    )
    rows = [[f"i{n}", score] for n, score in enumerate((1, 3, 5, 5, 1))]
    labels = write_rows(tmp_path / "people.csv", ["id", "score"], rows)
    got = agree([read_scores(path)], labels, options=QUICK)
    nll = figure(got, "agreement", "scorer:x", "nll_beta")
    assert nll.rows == 4
    # Beta(8, 2) at .99: .398857
    expected = (3.912023 + 0 - 0.683097 + 0.398857) / 4
    assert nll.estimate.value == pytest.approx(expected, abs=2e-6)
    assert figure(got, "agreement", "constant Beta", "nll_beta").rows == 5
    errors = {
        who: figure(got, "agreement", who, "mae").estimate.value
        for who in ("scorer:x", "scorer:x, clamped")
    }
    # the fourth mean, .8, becomes 1, which is what annotators say
    assert errors["scorer:x"] - errors["scorer:x, clamped"] == pytest.approx(0.2 / 5)
    assert figure(got, "agreement", "scorer:x", "crps").rows == 5


@pytest.mark.parametrize(("factor", "two"), [(1, False), (2, False), (20, True)])
def test_two_scales_in_one_column_are_named(
    tmp_path: Path, factor: int, two: bool
) -> None:
    """A system on 1 to 5 beside one up to 10 may be on one scale, up to 100 hardly."""
    rows = [
        f"q{n},atlas,{1 + n % 5}\nq{n},nova,{factor * (1 + n % 5)}" for n in range(9)
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["id,system,score", *rows]))
    said = [one.text for one in read_scores(path).warnings if one.check == "two_scales"]
    assert bool(said) is two
    if two:
        assert "atlas has scores from 1 to 5, but nova has scores from 20 to" in said[0]
