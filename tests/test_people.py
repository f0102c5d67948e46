"""The bench of human labels: both layouts of its sets, figures by hand, bad input."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from benchmarks import readme
from benchmarks.people import asked, figures, measured, pages, sets
from benchmarks.people.__main__ import measure
from benchmarks.people.sets import Rated, read_sets
from benchmarks.report import renewed, stored
from blueprints import COMPACT_LEGEND, UserError
from extractors.registry import limits_of
from tests.support import audio
from tests.support.cli import ROOT
from tests.support.datasets_made import write_csv as table
from trace_eval.judges.beside.text import BRIEF_LEGEND, LEGEND


def tone(path: Path, channels: int = 1) -> Path:
    """Write a tenth of a second of sound; the readers look only whether it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.repeat(audio.tone(0.1)[:, None], channels, axis=1), 16_000)
    return path


def rated(item: str, group: str, *values: float, condition: str = "c") -> Rated:
    raters = {str(n): value for n, value in enumerate(values)}
    return Rated(
        item,
        audio=Path(),
        group=group,
        unit=group,
        condition=condition,
        ratings={"quality": raters},
    )


@pytest.fixture
def public(tmp_path: Path) -> Iterator[Path]:
    """Write the five repositories, with one or two clips each, as they are cloned."""
    from scipy.io import savemat

    codec = tmp_path / "bernoulli-var-speech-codec" / "mushra_results_dataset"
    tone(codec / "audio" / "stim_01" / "ref.wav")
    both = {"signal": "s", "ratings": "[90.0, 100.0]", "participant_ids": "[2, 3]"}
    table(
        codec / "ratings_formated_filtered.csv",
        [
            {**both, "condition": "Reference", "file": "stim_01/ref.wav"},
            {**both, "condition": "Anchor", "file": ""},
        ],
    )
    mushra = tmp_path / "mushra"
    for name in (
        "aa-babble-5-noisy",
        "aa-clean",
        "bb-babble-5-mmse",
        "cc-trial-noisy",
        "dd-clean",
    ):
        tone(mushra / "gui" / "configs" / "resources" / "audio" / f"{name}.wav")
    ratings = np.arange(7 * 6 * 2).reshape(7, 6, 2)
    (mushra / "matlab").mkdir()
    savemat(mushra / "matlab" / "icpr_mushra_data.mat", {"data": ratings})
    talk = tmp_path / "talk" / "audio_clips"
    tone(talk / "x.wav", channels=2)
    (talk / "x_labels_manual_rinor.txt").write_text(
        "Talker1\t\t2.9\t4.7\t1.8\tt\nTalker2\t\t0.5\t2.1\t1.6\tt\n"
    )
    acted = tmp_path / "acted"
    tone(acted / "wav" / "03a01Fa.wav")
    (acted / "erkennung.txt").write_bytes(
        "Nr.\tSatz\terkannt\tnat\xfcrlich\n1\t03a01Fa.wav\t90,00\t75,00\n".encode(
            "latin-1"
        )
    )
    name = "2_M_intensity_medium_pitch_low_rate_slow"
    tone(tmp_path / "tts" / "recommendation_polite_audio" / "q2_M_wav" / f"{name}.wav")
    table(
        tmp_path / "tts" / "collected_ratings" / "processed_df_rec_pol.csv",
        [{"filename": name, **dict.fromkeys(sets.SCALES, 0.5)}],
    )
    return tmp_path


def test_public_repositories_are_read_as_cloned(public: Path) -> None:
    sets = {folder.name: folder for folder in read_sets(public)}
    assert [folder.missing for folder in sets.values()] == [None] * 5
    (codec,) = sets["codecs"].clips  # the anchor has no sound
    assert (codec.item, codec.group) == ("stim_01_ref", "s")
    assert codec.ratings["quality"] == {"2": 90, "3": 100}
    # Clean speech belongs to the noises in which its talker is heard; a trial belongs
    # to none.
    enhanced = {clip.item: clip for clip in sets["enhanced"].clips}
    assert set(enhanced) == {"aa-babble-5-noisy", "aa-clean", "bb-babble-5-mmse"}
    assert {clip.group for clip in enhanced.values()} == {"babble-5"}
    # [system, noise, rater]: mmse is system 3, babble-5 noise 4: 3 * 12 + 4 * 2 = 44,
    # and 45.
    assert enhanced["bb-babble-5-mmse"].ratings["quality"] == {"1": 44, "2": 45}
    edges = {edge.channel: (edge.start_s, edge.end_s) for edge in sets["turns"].edges}
    assert edges == {0: (2.9, 4.7), 1: (0.5, 2.1)}
    (acted,) = sets["emotion"].clips
    assert (acted.unit, acted.facts["emotion"]) == ("03", "happiness")
    assert (acted.mean("recognised"), acted.mean("natural")) == (90, 75)
    (spoken,) = sets["delivery"].clips
    assert (spoken.group, spoken.facts["pitch"]) == ("2 M", "low")


def test_bad_rows_cost_themselves_and_are_counted(tmp_path: Path) -> None:
    tone(tmp_path / "codecs" / "audio" / "a.flac")
    row = {"group": "g", "condition": "c", "audio": "audio/a.flac"}
    table(
        tmp_path / "codecs" / "ratings.csv",
        [
            {"item": "a", **row, "rater": 1, "rating": 50},
            {"item": "a", **row, "rater": 2, "rating": 101},
            {"item": "a", **row, "rater": 3, "rating": "nan"},
            {"item": "b", **row, "audio": "audio/b.flac", "rater": 1, "rating": 50},
            {"item": "c", **row, "rater": 1, "rating": "fine"},
        ],
    )
    (tmp_path / "turns").mkdir()
    (tmp_path / "turns" / "edges.csv").write_text("clip,audio\n")
    folder, enhanced, turns, *_ = read_sets(tmp_path)
    assert [clip.item for clip in folder.clips] == ["a"]
    assert folder.clips[0].ratings["quality"] == {"1": 50}
    assert folder.dropped == {
        "rating off the scale": 3,
        "recording missing": 1,
        "clip without ratings": 1,
    }
    assert "git clone https://github.com/SiarheiBarysenka/" in str(enhanced.missing)
    assert "git clone" in str(turns.missing)


def test_a_set_whose_table_is_broken_is_left_out_by_name(public: Path) -> None:
    (public / "mushra" / "matlab" / "icpr_mushra_data.mat").write_bytes(
        b"no such thing"
    )
    codec = public / "bernoulli-var-speech-codec" / "mushra_results_dataset"
    (codec / "ratings_formated_filtered.csv").write_text("signal,condition\nx,y,z\n")
    missing = {folder.name: folder.missing for folder in read_sets(public)}
    assert "clone it again" in str(missing["enhanced"])
    assert missing["codecs"] is not None
    assert missing["emotion"] is None


@pytest.mark.parametrize(
    ("text", "offender"),
    [
        ("nameless.csv", "NAME=FILE.csv"),
        ("x=nowhere.csv", "nowhere.csv"),
        ("x=columns.csv", "item, score"),
        ("x=other.csv", "none of its 1 items"),
    ],
)
def test_a_rival_without_items_of_a_set_is_refused(
    text: str, offender: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table(Path("columns.csv"), [{"item": "a", "value": 1}])
    table(
        Path("other.csv"),
        [{"item": "elsewhere", "score": 1}, {"item": "a", "score": "-"}],
    )
    with pytest.raises(UserError, match=offender):
        measured.read_rival(text, {"a", "b"})


def test_a_rival_has_scores_where_it_knows_the_clip(tmp_path: Path) -> None:
    table(tmp_path / "r.csv", [{"item": "a", "score": 1.5}])
    name, scores = measured.read_rival(f"x={tmp_path / 'r.csv'}", {"a", "b"})
    numbers = measured.rival_numbers(
        [rated("a", "g", 1), rated("b", "g", 2)], {name: scores}
    )
    assert numbers["x"][0] == 1.5
    assert np.isnan(numbers["x"][1])
    assert not measured.rival_numbers([rated("c", "g", 1)], {name: scores})


def test_concordance_counts_pairs_that_are_far_enough_apart_within_a_group() -> None:
    clips = [
        rated("a", "g", 10),
        rated("b", "g", 30),
        rated("c", "g", 35),
        rated("d", "h", 90),
    ]
    pairs = figures.pairs_of(clips, "quality")
    # a-b and a-c count (20 and 25 apart), b-c does not (5); d is alone in its group.
    assert len(pairs) == 3
    assert figures.concordance(np.array([1.0, 2, 2, 0]), pairs, 10) == 1
    assert (
        figures.concordance(np.array([1.0, 0, 1, 0]), pairs, 10) == 0.25
    )  # wrong, and a tie
    assert np.isnan(figures.concordance(np.array([np.nan, 1, 2, 3]), pairs, 10))


def test_raters_decide_by_a_paired_t_test_and_five_points() -> None:
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(4)
    for _ in range(50):
        first = rng.normal(55, 15, 10)
        second = first + rng.normal(8, 12, 10)
        a = {str(rater): value for rater, value in enumerate(first)}
        b = {str(rater): value for rater, value in enumerate(second)}
        gap = float((first - second).mean())
        clear = ttest_rel(first, second).pvalue < 0.05 and abs(gap) >= 5
        assert figures.decided(a, b) == (np.sign(gap) if clear else 0)
        assert figures.decided(b, a) == -figures.decided(a, b)
    assert figures.decided({"1": 9.0}, {"1": 1.0}) == 0  # one common rater
    assert figures.decided({"1": 9.0, "2": 9.0}, {"1": 1.0, "2": 1.0}) == 1
    assert figures.decided({"1": 9.0, "2": 9.0}, {"1": 8.0, "2": 8.0}) == 0  # one point


def test_decisions_by_hand() -> None:
    verdict = np.array([1, 1, -1, 0, 0])
    given = {"rules": np.array([1, 0, 1, 1, 0])}
    decisions = figures.decisions(given, verdict, np.array([0, 1, 2, 3, 4]))["rules"]
    # Of three that raters decide it decides two, one as they do; of two that they do
    # not, one.
    assert decisions["decided"].value == pytest.approx(2 / 3)
    assert (decisions["right"].value, decisions["against"].value) == (0.5, 0.5)
    assert decisions["accuracy"].value == pytest.approx(2 / 5)
    assert (decisions["right"].n, decisions["against"].n) == (2, 2)


def test_words_say_what_an_interval_can_tell() -> None:
    def words(
        low: float | None, high: float | None, lead: float = 0.1, units: int = 6
    ) -> str:
        over = [
            (
                "louder",
                figures.Figure(
                    value=lead, low=lead - 0.05, high=lead + 0.05, n=9, units=6
                ),
            )
        ]
        return figures.words(
            figures.Figure(value=0.7, low=low, high=high, n=9, units=units), over
        )

    assert words(0.4, 0.9) == words(None, None) == "cannot tell from chance"
    assert words(0.6, 0.9) == "with human labels"
    assert words(0.6, 0.9, lead=0.02) == "cannot tell from louder"
    assert words(0.1, 0.4) == "against human labels"
    assert words(0.6, 0.9, units=5) == "cannot tell: 5 groups"


def test_a_share_of_one_has_an_interval_where_there_are_groups_enough() -> None:
    def low(groups: int) -> float | None:
        verdict = np.ones(48, np.int64)
        units = np.arange(48) % groups
        return figures.decisions({"x": verdict}, verdict, units)["x"]["right"].low

    # Eight groups that all say the same are eight rows: .025 ** (1 / 8) = .631.
    assert low(8) == pytest.approx(0.631, abs=0.01)
    assert low(3) is None


def test_half_of_the_raters_is_the_ceiling() -> None:
    rng = np.random.default_rng(1)
    quality = [20, 40, 60, 80]
    exact = []
    for level in quality:
        ratings = [level] * 10
        exact.append(rated(str(level), "g", *ratings))
    found = figures.ceiling(exact, "quality", 10)
    assert (found.concordance, found.decided, found.right) == (1, 1, 1)
    assert found.against is None  # human raters decide them all
    noisy = [rated(str(q), "g", *rng.normal(50 + q / 10, 20, 10)) for q in quality]
    found = figures.ceiling(noisy, "quality", 1)
    assert found.concordance < 1
    assert (
        figures.ceiling([rated("a", "g", 1), rated("b", "g", 2)], "quality", 10) is None
    )


def test_delivery_is_asked_of_pairs_that_differ_in_one_thing() -> None:
    def clip(item: str, **facts: str) -> Rated:
        levels = {"rate": "medium", "pitch": "medium", "intensity": "medium", **facts}
        return Rated(
            item, audio=Path(), group="2 M", unit="2", condition=item, facts=levels
        )

    clips = [
        clip("a", rate="slow"),
        clip("b", rate="fast"),
        clip("c", rate="fast", pitch="low"),
    ]
    pairs = list(asked.planted_pairs(clips, 2))
    # a-b alone, with six requests: slowly is met by a, fast by b, pitch and loudness by
    # neither.
    assert [(one.a.item, one.b.item) for one in pairs] == [("a", "b")] * 6
    assert [one.verdict for one in pairs if one.kind == "rate"] == [1, -1]
    assert [one.verdict for one in pairs if one.kind != "rate"] == [0] * 4
    order = asked.ordered(
        clips,
        {"rate.wpm": np.array([100.0, 200, 200])}
        | {name: np.zeros(3) for name in ("pitch.mean_hz", "loudness.integrated_lufs")},
    )
    assert order["rate"].value == 1
    assert order["pitch"].value == 0.5  # b-c, tied


def test_the_bench_runs_over_a_folder_and_says_what_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two conditions of two sentences, and a clip that cannot be decoded."""
    rows = []
    clips = sorted((ROOT / "examples" / "clips").glob("*-?.*"))[:4]
    for number, source in enumerate(clips):
        place = tmp_path / "codecs" / "audio" / source.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place)
        row = {
            "item": source.stem,
            "group": f"g{number % 2}",
            "condition": str(number // 2),
        }
        row |= {"audio": f"audio/{source.name}"}
        rows += [{**row, "rater": n, "rating": 20 + 20 * number + n} for n in range(5)]
    (tmp_path / "codecs" / "audio" / "broken.wav").write_bytes(b"RIFF")
    rows.append({**rows[0], "item": "broken", "audio": "audio/broken.wav"})
    table(tmp_path / "codecs" / "ratings.csv", rows)
    result = json.loads(json.dumps(measure(tmp_path)))
    codecs = result["sets"]["codecs"]
    assert codecs["clips"] == 4
    assert codecs["numbers"]["quality"]["quality.p808"]["concordance"][3] == 2
    assert codecs["judges"]["rules"]["decided"][3] == 2
    assert result["dropped"]["codecs"] == {"sound that cannot be decoded": 1}
    assert set(result["left out"]) == {"enhanced", "turns", "emotion", "delivery"}
    assert "turns: left out: not found; git clone" in capsys.readouterr().out


@pytest.mark.parametrize(("page", "name", "table"), readme.TABLES)
def test_tables_of_pages_are_those_of_the_results(
    page: str, name: str, table: Any
) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert renewed(text, name, table()) == text


def test_a_page_without_its_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="listeners"):
        renewed("no table", "listeners", "| a |")


def test_readme_holds_at_most_eight_rows_against_listeners() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first = text[text.index("\n| number |") :].split("\n\n")[0]
    assert pages.first_table() in first
    assert len(pages.first_table().splitlines()) <= 2 + 8


def test_shares_in_prompts_and_limits_have_their_number_of_pairs_and_none_is_small() -> (
    None
):
    """What few pairs say stands in no prompt; what many say has their number."""
    saved = stored("people")
    figure = pages.concordance(saved, pages.CODECS, "quality.p808")
    limits = limits_of("dnsmos")
    share = f"{figure[0]:.2f}".removeprefix("0")
    assert (
        f"Of {figure[3]} pairs of codecs P.808 orders {share} as listeners do" in limits
    )
    bandwidth = pages.concordance(saved, pages.CODECS, "signal.bandwidth_hz")
    share = f"{bandwidth[0]:.2f}".removeprefix("0")
    assert f"Of {bandwidth[3]} pairs of codecs bandwidth orders {share}" in limits_of(
        "signal"
    )
    assert min(figure[3], bandwidth[3]) >= pages.LEAST_PAIRS == 30
    for text in (COMPACT_LEGEND, LEGEND, BRIEF_LEGEND):
        assert "as listeners do" not in text
        assert not re.search(r"(?<![\dGP<])\.\d\d", text), "a share without its n"
    assert {row[0] for row in saved["sets"]["delivery"]["order"].values()} == {1.0}
