"""A change of judges: published figures, what was held fixed, noise, and mappings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.coverage.gate import ChangeCell
from blueprints import UserError
from tests.support.cli import refused, trace_eval
from tests.support.judged import judged_run, rated_run
from tests.support.sheets import write_sheet
from trace_eval.compare.change_report import JudgeChange
from trace_eval.compare.judges import judge_change, judge_change_tables
from trace_eval.compare.mapping import mapping
from trace_eval.compare.options import ChangeOptions
from trace_eval.compare.read_judging import read_judging
from trace_eval.estimate.options import IntervalOptions
from trace_eval.opinions.codes import LABELS as CODES
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.rating_files import read_ratings

FEW = ChangeOptions()
NAMES = [f"i{number}" for number in range(60)]
LABELS: dict[str, str | None] = {
    name: "1" if row < 40 else "2" for row, name in enumerate(NAMES)
}


def of_runs(*sources: Path, repeats: tuple[Path, ...] = ()) -> JudgeChange:
    report = judge_change(sources, repeats, FEW)
    assert isinstance(report, JudgeChange)
    return report


def test_two_boards_give_their_published_figures(data: Path) -> None:
    path = data / "judge_change" / "emergenttts_boards.csv"
    sources = f"{path}:overall_first", f"{path}:overall_second"
    keys = ("system", "voice", "strong_prompt")
    report = judge_change(sources, options=ChangeOptions(keys=keys, items=1645))
    every, rest = report.figures
    assert (every.systems, rest.systems) == (27, 26)
    assert (every.spearman, every.kendall) == pytest.approx((0.9823, 0.9202), abs=5e-5)
    assert (rest.spearman, rest.kendall) == pytest.approx((0.9809, 0.9200), abs=5e-5)
    assert (every.mean_absolute, every.mean, every.largest) == pytest.approx(
        (2.909, 1.233, 8.72), abs=5e-4
    )
    assert (rest.mean_absolute, rest.mean) == pytest.approx((3.021, 1.280), abs=5e-4)
    assert (every.rank_move, every.moved, every.reordered, every.pairs) == (
        4,
        19,
        14,
        351,
    )
    assert (rest.rank_move, rest.moved, rest.reordered, rest.pairs) == (4, 17, 13, 325)
    baseline, pairs = report.conclusions
    assert baseline.gained == ("gpt-4o-mini-audio-preview Alloy 1 undecided to better",)
    assert (baseline.lost, baseline.reversed, baseline.raw) == ((), (), (0, 1, 0))
    assert pairs.raw == (13, 13, 1)
    (turned,) = pairs.raw_reversed
    assert turned.startswith("DeepGram Aura-2")
    assert "Qwen 2.5 Omni Chelsie 1" in turned
    assert (
        sum(row.p_holm is not None and row.p_holm <= 0.05 for row in report.shifts) == 6
    )
    line = report.mapping
    assert (line.intercept, line.slope, line.sd) == pytest.approx(
        (-3.372, 1.127, 2.73), abs=5e-3
    )
    assert (line.left_out, line.identity, line.half_width) == pytest.approx(
        (2.12, 3.02, 5.7), abs=0.05
    )
    assert 2 * line.slope_error == pytest.approx(0.056, abs=2e-3)
    # Student's t of 26 - 2 points is 2.0639
    assert 2.0639 * line.slope_error == pytest.approx(0.0564, abs=5e-5)
    assert str(line.line).endswith("first (slope +- 0.056)")
    assert line.at(80.0) is None
    assert report.sentence.startswith("ranks differ: scores shift by +1.23")
    with pytest.raises(UserError, match=r"two rows.*--key"):
        judge_change(sources)


def test_a_judge_with_itself_and_at_temperature_0(data: Path) -> None:
    folder = data / "judge_change"
    sources = [f"{folder / 'aa_default.csv'}:{name}" for name in ("first", "second")]
    report = judge_change(sources, options=replace(FEW, truth="people"))
    (seen,), (covered,), (people,) = report.flips, report.coverage, report.people
    assert (seen.flips.share.count, seen.flips.share.of) == (160, 998)
    assert seen.flips.share.interval() == pytest.approx((0.139, 0.184), abs=5e-4)
    assert seen.flips.kinds == {
        "win reversed": 75,
        "win to tie": 40,
        "tie to win": 45,
        "both_good and both_bad": 0,
    }
    assert (covered.unscored_first, covered.unscored_second) == ({"unparseable": 2}, {})
    test = people.comparison.mcnemar
    assert (test.only_first, test.only_second, test.p) == (62, 61, 1.0)
    accuracy = [score.metrics["accuracy_3way"].value for score in people.scores]
    assert accuracy == pytest.approx([0.5501, 0.5491], abs=5e-5)
    assert people.nearer is None
    assert report.sentence.startswith("no change seen, and not enough data")
    assert report.systems.correlation.spearman == pytest.approx(0.973, abs=5e-4)
    shifts = [abs(row.shift.value or 0) for row in report.systems.rows]
    moves = [
        abs((row.ranks[0] or 0) - (row.ranks[1] or 0)) for row in report.systems.rows
    ]
    assert (max(shifts), max(moves)) == pytest.approx((0.048, 3), abs=5e-4)
    assert report.systems.conclusions[0].changed == 1
    sources = [f"{folder / 'temperature.csv'}:{name}" for name in ("first", "second")]
    repeat = [f"{folder / 'aa_default.csv'}:second"]
    report = judge_change(sources, repeat, replace(FEW, truth="people"))
    (seen,), (people,) = report.flips, report.people
    assert (seen.flips.share.count, seen.flips.share.of) == (118, 998)
    assert (seen.flips.kinds["win reversed"], seen.noise.flips.count) == (60, 160)
    test = people.comparison.mcnemar
    assert (test.only_first, test.only_second) == (47, 40)
    assert test.p == pytest.approx(0.520, abs=5e-4)
    assert seen.excess.value == pytest.approx(-0.042, abs=5e-4)
    assert seen.excess.interval[1] < 0
    assert report.title.endswith("within the judge's noise")


@pytest.mark.parametrize(
    ("cell", "counted", "least", "most"),
    [
        (ChangeCell(0.06, 600, 0.05), "shift", 0.90, 1.0),
        (ChangeCell(0.06, 500, 0.0), "interchangeable", 0.95, 1.0),
        (ChangeCell(0.06, 500, 0.05), "interchangeable", 0.0, 0.10),
    ],
)
def test_planted_shifts(
    cell: ChangeCell, counted: str, least: float, most: float
) -> None:
    # 40 runs: standard error .05 at .1 and .9; python -m benchmarks.coverage gate draws
    # 1,000
    assert least - 0.12 <= cell.covered(40)[counted] <= most + 0.12


def test_the_title_names_what_differs_beside_the_judge(tmp_path: Path) -> None:
    old = judged_run(tmp_path / "old", LABELS, parameters={"model": "m1"})
    new = judged_run(tmp_path / "new", LABELS, parameters={"model": "m2"}, seconds=2.0)
    assert of_runs(old, new).title == "judge changed"
    both = judged_run(
        tmp_path / "both", LABELS, parameters={"model": "m2", "prompt": "x"}
    )
    report = of_runs(old, both)
    assert report.title == "judge and prompt changed"
    assert [row.name for row in report.held if row.same is False] == ["model", "prompt"]
    other = judged_run(
        tmp_path / "other", LABELS, version="v2", parameters={"model": "m1"}
    )
    assert of_runs(old, other).title == "recordings changed"
    same = of_runs(old, old)
    assert same.sentence == "no change: every judgement is the same in both runs"
    assert same.title == "nothing that is recorded changed"


def test_shifts_and_their_sentence(tmp_path: Path) -> None:
    old = judged_run(tmp_path / "old", LABELS)
    lost = {
        name: "2" if row < 20 else label
        for row, (name, label) in enumerate(LABELS.items())
    }
    new = judged_run(tmp_path / "new", lost, seconds=2.0)
    report = of_runs(old, new)
    assert report.sentence.startswith("shifted by -0.333: shift -0.333 (95 % -0.4")
    narrow = ChangeOptions(IntervalOptions(level=0.8))
    assert "(80 % -0.4" in judge_change((old, new), options=narrow).sentence
    assert report.severe == ()
    people = tmp_path / "people.csv"
    people.write_text("id,preference\n" + "".join(f"{name},1\n" for name in NAMES))
    labelled = judge_change((old, new), options=FEW, labels=read_labels(people))
    assert labelled.people[0].nearer == "old"
    assert len(labelled.severe) == 20
    assert labelled.severe[0].why == ("annotators agree with the first",)
    # equal verdicts by another judge: the interval is a point, and the margin holds
    same = judged_run(tmp_path / "same", LABELS, seconds=3.0)
    assert of_runs(old, same).sentence.startswith("interchangeable within 0.02")
    aa = of_runs(old, new, repeats=(judged_run(tmp_path / "aa", lost, cached=True),))
    assert aa.flips[
        0
    ].noise.measured  # its raw replies differ, so no cache of OLD gave them


def test_people_who_labelled_a_part_say_who_is_nearer_and_what_is_true(
    tmp_path: Path,
) -> None:
    new = {
        name: "1" if row % 10 else "2" for row, name in enumerate(NAMES)
    }  # 54 of 60 won
    runs = (
        judged_run(tmp_path / "old", LABELS),
        judged_run(tmp_path / "new", new, seconds=2.0),
    )
    people = tmp_path / "people.csv"
    # 40 of 60 are labelled, by two annotators who agree on all but one; the new judge
    # says the same
    rows = [f"{n},{who},{new[n]}\n" for n in NAMES[10:50] for who in "xy"]
    rows[0] = f"{NAMES[10]},x,1\n"
    people.write_text("id,rater,preference\n" + "".join(rows))
    report = judge_change(runs, options=FEW, labels=read_labels(people))
    (found,) = report.people
    assert found.nearer == "new"
    assert (found.ceiling.pairs, found.ceiling.agreement) == (40, 39 / 40)
    old, by_new = found.powered
    assert (old.labelled, old.judged) == (40, 60)
    assert (
        old.labels == by_new.labels == pytest.approx(36.5 / 40)
    )  # a split is half a win
    assert (old.judge, by_new.judge) == (pytest.approx(40 / 60), 0.9)
    flips = report.flips[0].flips
    assert flips.labels == ("1", "2", "both_good", "both_bad")
    assert flips.transitions[:2] == ((36, 4, 0, 0), (18, 2, 0, 0))
    means = report.direction[0].first, report.direction[0].second
    assert means == (pytest.approx(40 / 60), pytest.approx(0.9))
    shown = {table.title: table for table in judge_change_tables(report)}
    assert "0.975, kappa" in shown["Human labels"].rows[0][-1]
    assert len(shown["Human mean from few labels"].rows) == 2


def test_scores_against_peoples_ratings(tmp_path: Path) -> None:
    true = {name: 1.0 + row % 5 for row, name in enumerate(NAMES)}
    half = {name: [value, value] for name, value in list(true.items())[::2]}
    half["i0"] = [1.0, 2.0]
    far = {name: min(value + 1, 5.0) for name, value in true.items()}
    old = rated_run(tmp_path / "old", far, ratings=half)
    new = rated_run(tmp_path / "new", true, seconds=2.0, ratings=half)
    report = of_runs(old, new)
    (found,) = report.rated
    assert (found.items, found.nearer, found.judges) == (30, "new", ("old", "new"))
    # the old one is 1 too high, but for 5: 4 of 5 items by a quarter, and i0 by a half
    # of that
    assert found.errors[0].value == pytest.approx((24 * 0.25 - 0.125) / 30)
    assert found.errors[1].value == pytest.approx(0.125 / 30)
    assert found.p < 0.001
    assert found.ceiling.error == pytest.approx(0.25 / 30)
    assert found.powered[1].both is not None
    assert [group.by for group in report.groups] == ["length"]
    assert report.mapping is not None
    titles = [table.title for table in judge_change_tables(report)]
    assert "Nearer to human ratings" in titles
    ratings = tmp_path / "ratings.csv"
    ratings.write_text(
        "id,rater,score\n" + "".join(f"{n},x,{v}\n" for n, v in far.items())
    )
    told = judge_change((old, new), options=FEW, labels=read_ratings(ratings))
    assert told.rated[0].nearer == "old"
    ratings.write_text("id,rater,score\ni0,x,9\n")
    with pytest.raises(
        UserError, match=r"rating of item 'i0' is 9, and old scores from 1 to 5"
    ):
        judge_change((old, new), options=FEW, labels=read_ratings(ratings))


def test_a_mapping_must_beat_none_and_stays_in_its_range() -> None:
    rng = np.random.default_rng(0)
    old = np.linspace(0.2, 0.8, 20)
    assert mapping(old, old + rng.normal(0, 0.05, 20)).kind == "none"
    line = mapping(old, 0.1 + 0.5 * old + rng.normal(0, 0.01, 20))
    assert (line.kind, line.slope) == ("linear", pytest.approx(0.5, abs=0.03))
    assert line.at(0.81) is None
    middle = line.at(0.5)
    assert middle[0] == pytest.approx(0.35, abs=0.01)
    assert middle[1][0] < middle[0] < middle[1][1]
    many = np.linspace(0, 1, 60)
    steps = mapping(many, np.sqrt(many) + rng.normal(0, 0.01, 60))
    assert steps.kind == "isotonic"
    assert np.all(np.diff([new for _, new in steps.knots]) >= 0)
    assert mapping(np.array([1.0, 2.0]), np.array([1.0, 2.0])).kind == "none"


def test_the_command_and_what_it_refuses(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [
        f"{name},{label},{label},1,q{n // 2}"
        for n, (name, label) in enumerate(LABELS.items())
    ]
    rows[5] = f"{NAMES[5]},1,1,1,"  # nobody knows its instruction: it is one of its own
    rows += ["x,absent,1,1,q", "y,,2,2,q"]
    write_sheet(path, "item,old,new,people,instruction_id", rows)
    bad = tmp_path / "bad.csv"
    bad.write_text("item,old\ni0,maybe\n")
    command = ["compare", f"{path}:old", f"{path}:new", "--judge-change"]
    command += ["--truth", "people", "--full"]
    done = trace_eval(*command, "--json", tmp_path / "out.json")
    assert done.code == 0, done.err
    assert "unparseable 1" in done.out
    assert "only in the second 1" in done.out
    change = ("--judge-change",)
    refused("no column 'gone'", "compare", f"{path}:old", f"{path}:gone", *change)
    refused("name two, OLD NEW", "compare", f"{path}:old", *change)
    refused("which column holds the verdicts", "compare", path, f"{path}:new", *change)
    why = "old is 'maybe' in 1 row (it is no label); labels are 1, 2"
    refused(why, "compare", f"{bad}:old", f"{path}:new", *change)


@pytest.mark.parametrize("name", ["preference", "match", "verdict"])
def test_a_column_of_verdicts_may_have_any_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"item,{name}\n1,A\n2,both_bad\n3,Absent\n4,\n5,tie\n")
    judging = read_judging(f"{path}:{name}")
    assert judging.ids.tolist() == ["1", "2", "4", "5"]
    codes = judging.codes["verdict"].tolist()
    assert [CODES[code] if code >= 0 else None for code in codes] == [
        "1",
        "both_bad",
        None,
        "tie",
    ]
    path.write_text(f"item,{name}\n1,meh\n")
    with pytest.raises(
        UserError, match=f"{name} is 'meh' .*, nothing \\(no verdict\\) or absent"
    ):
        read_judging(f"{path}:{name}")
    path.write_text(f"item,{name},rater\n1,A,x\n1,B,y\n")
    with pytest.raises(UserError, match="item '1' has two rows; keep one"):
        read_judging(f"{path}:{name}")


def test_an_option_that_does_nothing_is_refused_on_every_path(tmp_path: Path) -> None:
    items, boards = tmp_path / "t.csv", tmp_path / "b.csv"
    rows = "".join(f"{name},{label},{label}\n" for name, label in LABELS.items())
    items.write_text("item,old,new\n" + rows)
    boards.write_text(
        "system,old,new\n" + "".join(f"s{n},{n + 1},{n + 2}\n" for n in range(5))
    )
    people, content = tmp_path / "people.csv", tmp_path / "content.csv"
    rows = "".join(f"{name},{label}\n" for name, label in LABELS.items())
    people.write_text("id,preference\n" + rows)
    content.write_text("id,content\n" + rows)
    one, board = [f"{items}:old", f"{items}:new"], [f"{boards}:old", f"{boards}:new"]
    for words, told in (
        ([*one, "--labels", content], "nothing in"),
        (
            [*one, "--labels", people, "--truth", "new"],
            "--truth means nothing beside --labels",
        ),
        ([*one, "--items", 9], "--items means nothing but for boards"),
        ([*one, "--cluster"], "--cluster means nothing with --judge-change"),
        ([*board, "--margin", ".1"], "--margin means nothing for boards"),
        ([*board, "--labels", people], "--labels means nothing for boards"),
        ([*board, "--level", 0.9], "--level means nothing for boards"),
    ):
        refused(told, "compare", *words, "--judge-change")
    # Labels that are about the verdicts of a table count, whatever the column is called
    # there.
    done = trace_eval(
        "compare", *one, "--judge-change", "--labels", people, "--full", ends=0
    )
    assert "majority class" in done.out
    assert trace_eval("compare", *board, "--judge-change").code == 0
    for words, told in (
        (
            ["compare", "a", "b", "--truth", "x"],
            "--truth means nothing without --judge-change",
        ),
        (["compare", "a", "b", "--audio"], "--audio means nothing without --html"),
        (["gate", *one, "--judge-changed", "--strict"], "--strict means nothing with"),
    ):
        refused(told, *words)


def test_an_option_that_does_nothing_for_agree_and_rank_is_refused(
    tmp_path: Path,
) -> None:
    judged = tmp_path / "judged.csv"
    rows = "".join(f"p{n},x,y,{1 + n % 2}\n" for n in range(8))
    judged.write_text("id,system_a,system_b,overall\n" + rows)
    run = judged_run(tmp_path / "run", LABELS)
    for words, told in (
        (
            ["agree", judged, "--labels", judged, "--folds", 3],
            "--folds means nothing without",
        ),
        (["agree", run, "--map", "x=1"], "mean nothing for a run"),
        (["rank", run, "--map", "x=1"], "mean nothing for a run"),
        (
            ["rank", judged, "--missing", "drop"],
            "--missing means nothing where there are no",
        ),
        (
            ["rank", run, "--orders", "separate", "--keep-inconsistent"],
            "--keep-inconsistent means",
        ),
    ):
        refused(told, *words)
    # Names of columns beside a run are of the labels.
    theirs = tmp_path / "theirs.csv"
    theirs.write_text(
        "id,vote\n" + "".join(f"{name},{label}\n" for name, label in LABELS.items())
    )
    named = ["--labels", theirs, "--column", "overall=vote"]
    trace_eval("rank", run, *named, "--resamples", 20, ends=0)
