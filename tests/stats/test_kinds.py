"""One ``agree`` and one ``rank``: the source decides, and the library gives all."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from blueprints import UserError
from tests.support.cli import code_and_words, output_of
from tests.support.scored import figure
from tests.support.sheets import write_sheet
from trace_eval import AgreeOptions, RankOptions, finding_of
from trace_eval.data.columns import Columns
from trace_eval.decide.agree import agree
from trace_eval.decide.answers import answer_of, answered, enough_of
from trace_eval.decide.rank import rank
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.estimate.resample import Resampler
from trace_eval.opinions.scores import holds_scores, read_scores
from trace_eval.runs.opinions import read_opinions
from trace_eval.show.records import plain
from trace_eval.stats import tables as score_tables
from trace_eval.stats.agreement.metrics import SCORE_METRICS, Metric
from trace_eval.stats.agreement.scored import Basis, Scored
from trace_eval.stats.ranking.report import RankReport
from trace_eval.stats.report import AgreeReport
from trace_eval.stats.tables import tables_of

QUICK = BootstrapOptions(resamples=40)

#: Scores of two systems by two judges.
JUDGES = "a,x,j,1 b,y,j,2 a,x,k,5 b,y,k,2"


def table(path: Path, columns: str, *rows: str) -> Path:
    write_sheet(path, columns, rows)
    return path


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Sixty judged pairs of three systems, the first forty with a human label."""
    names = ("x", "y", "z")
    rows = [
        f"p{n},i{n % 20},{names[n % 3]},{names[(n + 1) % 3]},{'121t'[n % 4].replace('t', 'tie')}"
        for n in range(60)
    ]
    return table(
        tmp_path / "judge.csv", "id,instruction_id,system_a,system_b,preference", *rows
    )


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rows = [f"p{n},{'112t'[n % 4].replace('t', 'tie')}" for n in range(40)]
    return table(tmp_path / "people.csv", "id,preference", *rows)


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    """Write ten questions to a good, a middling and a poor system; one is unscored."""
    rows = [
        f"{system}{n},q{n},{system},{'' if (system, n) == ('poor', 3) else value + n % 2}"
        for n in range(10)
        for system, value in (("good", 4), ("fair", 2), ("poor", 1))
    ]
    return table(tmp_path / "scores.csv", "id,question_id,system,score", *rows)


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.csv", "id,score\na,1\n", "scores"),
        ("a.csv", "item;rating\na;1\n", "scores"),
        ("a.csv", "id,overall,score\na,1,3\n", "labels"),
        ("a.csv", "id,score_a,score_b\na,1,3\n", "labels"),
        ("a.csv", "id,prediction\na,1\n", "labels"),
        ("a.csv", "", "labels"),
        ("a.jsonl", '{"id": "a", "value": 3}\n', "scores"),
        ("a.jsonl", '{"item": "a", "judge": "j", "status": "unscored"}\n', "scores"),
        ("a.jsonl", '{"id": "a"}\n{"id": "b", "score": 3, "overall": "1"}\n', "labels"),
        ("a.json", '[{"id": "a", "label": {"overall": "1"}, "score": 2}]', "labels"),
        ("a.json", "[", "labels"),
        ("a.txt", "id,score\n", "labels"),
    ],
)
def test_a_file_says_what_it_holds(
    tmp_path: Path, name: str, text: str, kind: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert holds_scores(path) == (kind == "scores")


def test_the_library_gives_what_the_command_prints(
    judged: Path, people: Path, tmp_path: Path
) -> None:
    out = tmp_path / "found.json"
    shared = ("--labels", people, "--json", out)
    output_of("agree", judged, "--missing", "drop", *shared)
    report = agree([judged], people, AgreeOptions(missing="drop"))
    assert json.loads(out.read_text()) == answered(report, answer_of(report))
    assert json.loads(out.read_text())["shares"]
    printed = output_of("rank", judged, "--resamples", 40, *shared, "--full")
    ranked = rank(judged, people, RankOptions(QUICK))
    assert json.loads(out.read_text()) == answered(ranked, answer_of(ranked))
    assert ranked.powered is not None
    for title in ("Ranking: value", "win rates from few labels"):
        assert title in printed


def test_what_was_read_is_as_good_as_its_path(
    judged: Path, people: Path, scored: Path
) -> None:
    options = AgreeOptions(missing="drop")
    assert plain(agree([read_opinions(judged)], people, options)) == plain(
        agree([judged], people, options)
    )
    assert isinstance(rank(read_opinions(judged), None, RankOptions(QUICK)), RankReport)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (
            ("agree", "judge", "scores", "--labels", "people"),
            "some sources hold labels of pairs",
        ),
        (
            ("agree", "judge", "--labels", "people", "--split", "test"),
            "--split means nothing for",
        ),
        (
            ("agree", "scores", "--learn-policy"),
            "--learn-policy means nothing for scores",
        ),
        (("rank", "scores", "--typed"), "--typed means nothing for scores"),
        (("rank", "judge", "--rubric", "quality"), "--rubric means nothing for labels"),
    ],
)
def test_kinds_are_not_mixed(
    judged: Path, scored: Path, people: Path, typed: tuple[str, ...], message: str
) -> None:
    files = {"judge": judged, "scores": scored, "people": people}
    code, told = code_and_words(*(files.get(word, word) for word in typed))
    assert (code, message in told) == (2, True), told
    with pytest.raises(UserError, match=r"--prediction.* mean nothing for scores"):
        agree([read_scores(scored)], None, None, Columns("x"))


def test_systems_are_ranked_by_their_mean_score(scored: Path, tmp_path: Path) -> None:
    ratings = [
        f"{system}{n},P{who},{value}"
        for n in range(10)
        for system, value in (("good", 5), ("fair", 1), ("poor", 2))
        for who in (1, 2)
    ]
    labels = table(tmp_path / "people.csv", "id,rater,score", *ratings)
    got = rank(scored, labels, RankOptions(BootstrapOptions(resamples=200)))
    assert {p.system: (p.rank, p.low, p.high) for p in got.places} == {
        name: (rank, rank, rank)
        for rank, name in enumerate(("good", "fair", "poor"), start=1)
    }
    means = {row.system: row for row in got.means}
    # poor is 1 on five even and 2 on four odd questions
    assert means["poor"].mean.value == pytest.approx((5 + 8) / 9)
    assert (means["poor"].scored, means["poor"].unscored) == (9, 1)
    assert means["fair"].people == pytest.approx(1)
    low, high = means["good"].mean.interval or (0, 0)
    assert low < 4.5 < high
    (with_people,) = got.correlations
    assert with_people.spearman == pytest.approx(0.5)
    assert any("1 answer without a score" in note for note in got.notes)


def test_an_order_that_few_questions_show_is_none(tmp_path: Path) -> None:
    """Four questions, all for one system: every resample agrees, and p is 1/8."""
    rows = [
        f"{s}{n},q{n},{s},{v}" for n in range(4) for s, v in (("up", 4), ("down", 3))
    ]
    got = rank(table(tmp_path / "s.csv", "id,question_id,system,score", *rows))
    ranked = {p.system: (p.rank, p.low, p.high) for p in got.places}
    assert ranked == {"down": (2, 1, 2), "up": (1, 1, 2)}
    # Resamples of so few hardly differ: no interval is drawn of their mean.
    assert [row.mean.interval for row in got.means] == [None, None]
    (tmp_path / "s.csv").write_text((tmp_path / "s.csv").read_text() + "up9,q9,up,5\n")
    more = {m.system: m.mean.interval for m in rank(tmp_path / "s.csv").means}
    assert more["up"] is not None
    assert more["down"] is None


@pytest.mark.parametrize("drawn", ["", "question_id,"])
def test_single_answers_show_no_order(drawn: str, tmp_path: Path) -> None:
    """With one answer each to other questions resamples are alike; no rank is shown."""
    rows = [
        f"{n},{n + ',' if drawn else ''}{n},{value}"
        for n, value in (("x", 4), ("y", 1))
    ]
    got = rank(table(tmp_path / "s.csv", f"id,{drawn}system,score", *rows))
    ranked = {p.system: (p.rank, p.low, p.high) for p in got.places}
    assert ranked == {"x": (1, 1, 2), "y": (2, 1, 2)}


def test_commands_over_scores(scored: Path, tmp_path: Path) -> None:
    done = output_of(
        "rank", scored, "--resamples", 40, "--csv", tmp_path / "csv", "--full"
    )
    assert "human mean" in done
    rows = list(csv.DictReader((tmp_path / "csv" / "means.csv").open()))
    assert [row["system"] for row in rows] == ["fair", "good", "poor"]
    labels = table(
        tmp_path / "p.csv", "id,score", *(f"good{n},{4 + n % 2}" for n in range(10))
    )
    arguments = ("agree", scored, "--labels", labels)
    output_of(*arguments, "--fail-under", "rho=0.9")
    failed = output_of(*arguments, "--fail-under", "coverage=1.1", code=1)
    assert "coverage is 1.0000, wanted at least 1.1" in failed


@pytest.mark.parametrize("number", ["MOS (1-5)", "score"])
def test_a_listening_test_of_single_answers_is_ranked(
    number: str, tmp_path: Path
) -> None:
    """Systems share their recordings' names; two listeners rate each, one by one."""
    rows = [
        f"{n}.wav,{system},l{who},{value - who if n or who else ''}"
        for n in range(8)
        for system, value in (("good", 5), ("fair", 3))
        for who in (0, 1)
    ]
    path = table(tmp_path / "mos.csv", f"Stimulus,Model,Listener ID,{number}", *rows)
    got = rank(path, options=RankOptions(QUICK))
    means = {row.system: (row.scored, row.mean.value) for row in got.means}
    # 7 answers have both ratings; the first one the lower alone
    assert means == {"good": (8, (7 * 4.5 + 4) / 8), "fair": (8, (7 * 2.5 + 2) / 8)}
    assert [(place.system, place.low, place.high) for place in got.places] == [
        ("fair", 2, 2),
        ("good", 1, 1),
    ]
    (sentence,) = answer_of(got)
    assert ", by annotators over 16 answers: shown to be better" in sentence
    run = [
        f"{s}/{n},{n},{s},{v}" for n in range(8) for s, v in (("good", 4), ("fair", 2))
    ]
    scores = table(tmp_path / "s.csv", "id,question_id,system,score", *run)
    held = list(csv.DictReader(path.open()))
    assert rank(held, options=RankOptions(QUICK)).means == got.means
    for labels in (path, held):  # by the names of folders
        beside = rank(scores, labels=labels, options=RankOptions(QUICK))
        assert {row.system: row.people for row in beside.means}["fair"] == (
            7 * 2.5 + 2
        ) / 8


def test_votes_of_annotators_are_ranked_by_what_most_say(tmp_path: Path) -> None:
    votes = ["AAB", "ABB", "AAA", "AB", "tAA", "t"]  # a split is half a win
    rows = [
        f"p{n},new,old,{vote.replace('t', 'tie')},l{who}"
        for n, every in enumerate(votes)
        for who, vote in enumerate(every)
    ]
    path = table(tmp_path / "votes.csv", "id,system_a,system_b,winner,annotator", *rows)
    got = rank(path, options=RankOptions(QUICK))
    won = {row.system: (row.wins, row.losses, row.ties) for row in got.systems}
    assert won == {"new": (3, 1, 2), "old": (1, 3, 2)}
    (sentence,) = answer_of(got)
    assert sentence.startswith("new wins 67 %")
    assert "of 6 pairs by annotators" in sentence
    one = rank(path, options=RankOptions(QUICK, judge="l0"))
    assert next(row.comparisons for row in one.systems) == 6
    held = list(csv.DictReader(path.open()))
    assert (rank(held).systems, rank(held).human) == (got.systems, True)
    assert str(finding_of(got)) == " ".join((sentence, *enough_of(got)))
    named = [
        {"clip": f"{row['id']}.wav", "winner": "new", "annotator": "l9"}
        for row in held[::3]
    ]
    by_name = agree(path, named, AgreeOptions(missing="drop"))
    assert isinstance(by_name, AgreeReport)
    assert by_name.scores[0].scored == len(named)
    judges = path.with_name("judges.csv")
    judges.write_text(path.read_text().replace("annotator", "judge"))
    with pytest.raises(
        UserError, match="3 judges; pass --judge with one of l0, l1, l2"
    ):
        rank(judges)


@pytest.mark.parametrize(
    ("columns", "rows", "judge", "message"),
    [
        ("id,score", "a,1 b,2", None, "needs the system of every answer"),
        ("id,system,score", "a,x,1 b,,2", None, "'b' has no system"),
        ("id,system,score", "a,x, b,y,", None, "no answer has a score"),
        (
            "id,system,judge,score",
            JUDGES,
            None,
            "2 judges; pass --judge with one of j, k",
        ),
        (
            "id,system,judge,score",
            JUDGES,
            "z",
            "--judge 'z' is not there; use one of j, k",
        ),
    ],
)
def test_what_cannot_be_ranked(
    tmp_path: Path, columns: str, rows: str, judge: str | None, message: str
) -> None:
    path = table(tmp_path / "k.csv", "id,system,judge,score", *JUDGES.split())
    assert [p.rank for p in rank(path, options=RankOptions(judge="k")).places] == [1, 2]
    with pytest.raises(UserError, match=message):
        rank(
            table(tmp_path / "a.csv", columns, *rows.split()),
            options=RankOptions(judge=judge),
        )


def test_a_statistic_of_scores_is_a_function_and_a_row(
    scored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its interval, its place in the table and in the JSON follow."""

    def within_one(resampler: Resampler, key: str, scored: Scored) -> Basis:
        near = abs(scored.judge.score - scored.truth) <= 0.25
        resampler.mean(key, near.astype(float))
        return Basis(len(near))

    rows = (*SCORE_METRICS, Metric("near", "within one", "of the scale", within_one))
    monkeypatch.setattr("trace_eval.stats.agreement.figures.SCORE_METRICS", rows)
    monkeypatch.setitem(score_tables._TITLES, "near", "within one")
    ratings = [f"good{n},{5 if n else 1}" for n in range(10)]
    labels = table(tmp_path / "p.csv", "id,score", *ratings)
    report = agree([read_scores(scored)], labels, AgreeOptions())
    got = figure(report, "agreement", "scores", "near").estimate
    assert got.value == pytest.approx(0.9)
    assert got.interval is not None
    shown = next(
        t for t in tables_of(report) if t.title.startswith("Agreement with the mean")
    )
    assert "within one" in [row[0] for row in shown.rows]
