"""Difficulty, verbosity and noise: numbers by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from extractors.audio import Clip
from tests.support.label_tables import codes
from trace_eval.data.columns import Columns
from trace_eval.data.marked_verdicts import verdict
from trace_eval.judges.views.pair.sound import with_noise
from trace_eval.opinions.opinions import Opinions
from trace_eval.runs.opinions import read_opinions
from trace_eval.stats.agreement.bias import difficulty, robustness, verbosity
from trace_eval.stats.agreement.position import in_both_orders, positions


def test_noise_is_read_against_a_repetition() -> None:
    # side A of all pairs is noisy; base: A wins 4, B wins 3, 1 tie, 1 unscored later
    base = codes("1111222t1")
    repeat = codes("1112222t1")
    noisy = codes("112t2211-")
    got = {
        row.fell_on: row
        for row in robustness(base, repeat, noisy, np.zeros(9, np.int64))
    }
    assert [(r.items, r.repeat, r.noisy) for r in got.values()] == [
        (4, 0.75, 0.5),
        (3, 1.0, pytest.approx(2 / 3)),
        (1, 1.0, 0.0),
    ]
    assert got["winner"].net == 0.25
    alone = robustness(base, None, noisy, np.ones(9, np.int64))
    assert [(r.fell_on, r.items) for r in alone] == [
        ("winner", 3),
        ("loser", 4),
        ("tie", 1),
    ]
    assert [r.repeat for r in alone] == [None] * 3


@pytest.mark.parametrize("snr", [20.0, 10.0, 5.0, 1.0])
def test_noise_has_the_power_that_was_asked_for(snr: float) -> None:
    time = np.arange(48_000) / 24_000
    clip = Clip(
        (0.1 * np.sin(2 * np.pi * 300 * time)).astype(np.float32)[:, None], 24_000
    )
    noisy = with_noise(clip, snr, seed=3)
    added = noisy.samples.astype(float) - clip.samples
    ratio = 10 * np.log10(np.mean(clip.samples.astype(float) ** 2) / np.mean(added**2))
    assert ratio == pytest.approx(snr, abs=0.1)
    assert with_noise(clip, snr, seed=3).sha256 == noisy.sha256
    assert with_noise(clip, snr, seed=4).sha256 != noisy.sha256
    loud = Clip(clip.samples * 9.9, 24_000)
    assert float(np.abs(with_noise(loud, snr).samples).max()) <= 1
    silent = Clip(np.zeros((100, 1), np.float32), 24_000)
    assert with_noise(silent, snr) is silent


def test_harder_pairs_are_bound_to_their_place() -> None:
    gap = np.array([0.1, 0.2, 0.3, 0.4, 1.1, 1.2, 1.3, 1.4])
    mos_a, mos_b = 3 + gap, np.full(8, 3.0)  # A is better everywhere
    there = codes("11111111")
    back = codes("11122222")  # the three hardest: first place both times
    got = difficulty(there, back, mos_a, mos_b)
    assert [q.items for q in got.quartiles] == [2] * 4
    assert [(q.bias.first, q.bias.stable) for q in got.quartiles] == [
        (2, 0),
        (1, 1),
        (0, 2),
        (0, 2),
    ]
    assert [q.accuracy for q in got.quartiles] == [1.0] * 4
    assert got.spearman < -0.8
    assert difficulty(there[:5], back[:5], mos_a[:5], mos_b[:5]) is None


def test_calls_of_a_run_meet_by_order_and_sample() -> None:
    ids, order = (
        np.array(list("ppppq"), object),
        np.array(["ab", "ba", "ab", "ba", "ab"], object),
    )
    repeat = np.array(["ab/0", "ba/0", "ab/1", "ba/1", "ab/0"], object)
    calls = Opinions(
        "calls",
        ids,
        {"overall": codes("11212")},
        repeat=repeat,
        facts={"order": order},
    )
    assert in_both_orders(calls).tolist() == [[0, 2], [1, 3]]
    assert in_both_orders(calls, first=True).tolist() == [[0], [1]]
    # B was shown first in rows 1 and 3: A of the pair stood second
    (row,) = positions("judge", Opinions("x", ids[:1], {}, calls=calls))
    assert (row.bias.pairs, row.bias.first, row.bias.second) == (2, 0, 1)


def test_replies_with_marked_verdicts_are_read(tmp_path: Path) -> None:
    """Files of ``i`` and ``response``: noise, a repetition; the last verdict wins."""
    runs = {
        "base": (
            "[[B]] at first.\nNow [[A]]",
            "so [[B]]",
            "[[C]]",
            "I cannot judge",
            "[[A]]",
        ),
        "again": ("[[A]]", "[[B]]", "[[A]]", "[[C]]", "[[B]]"),
        "noisy": ("[[B]]", "[[B]]", "[[C]]", "[[A]]", "[[A]]"),
    }
    files = {}
    for name, replies in runs.items():
        files[name] = tmp_path / f"{name}.jsonl"
        lines = [
            json.dumps({"i": i, "response": reply}) for i, reply in enumerate(replies)
        ]
        files[name].write_text("\n".join(lines))
    columns = Columns("response", id="i")
    tables = {name: read_opinions(path, columns) for name, path in files.items()}
    assert tables["base"].ids.tolist() == ["0", "1", "2", "3", "4"]
    read = {name: table.codes["preference"] for name, table in tables.items()}
    assert read["base"].tolist() == codes("12t-1").tolist()
    side = np.array([0, 0, 1, 1, 1])
    got = robustness(read["base"], read["again"], read["noisy"], side)
    assert [(row.fell_on, row.items, row.repeat, row.noisy) for row in got] == [
        ("winner", 1, 1.0, 0.0),
        ("loser", 2, 0.5, 1.0),
        ("tie", 1, 0.0, 1.0),
    ]
    ending = read_opinions(files["base"], Columns("response", id="i", tail=6))
    assert ending.codes["preference"].tolist() == codes("12t-1").tolist()
    assert verdict("[[A]] and nothing more", 6) is None
    # Marks in thinking are no verdict, whether it has an end or not.
    assert verdict("<think>[[A]]</think> So: [[B]]") == "2"
    assert verdict("So: [[B]] <think>or [[A]]") is None
    # So are marks that the form offers, that are denied, and two without a word.
    assert verdict('Say "[[A]]" if A is better and "[[C]]" for a tie') is None
    assert verdict('"[[A]]" if A is better, "[[B]]" if B is: [[ B ]]') == "2"
    assert verdict("It is [[B]], not [[A]]") == "2"
    assert verdict("[[A]] or [[B]]") is None
    for denied in ("It should not be", "It isn't", "It can’t be", "I cannot pick"):
        assert verdict(f"{denied} [[A]].") is None
    for meant in ("Not close.", "I do not hesitate:", "It is not hard:", "We want"):
        assert verdict(f"{meant} [[A]].") == "1"
    assert verdict("不是[[A]]，而是[[B]]") == "2"
    assert verdict("Zuerst [[A]], letztlich [[B]].") == "2"
    assert verdict("(thinking: [[A]]?) [[B]]") == "2"
    # And where a sentence beside the mark names another winner.
    assert verdict("[[B]]\n\nOverall, A is the better answer.") is None
    assert verdict("Overall, A is the better answer. [[B]]") is None
    assert verdict("[[C]] All in all, A wins.") is None
    assert verdict("[[A]]\n\nHowever, B is better overall.") is None
    assert verdict("[[B]] But both have flaws. However, A was better in tone.") == "2"
    assert verdict("[[B]] A is better in tone, but B is more correct.") == "2"
    # A question, a remark on one part, and an article name none.
    assert verdict("Is A better? No: B.\n[[B]] A better answer.") == "2"
    assert verdict("Is A better? [[B]]") == "2"
    assert verdict("Better voice: A\n[[B]]") == "2"
    assert verdict("A sounds better. [[B]]") == "2"
    # annotators call all ties; the longer answer is A, but for the last pair
    tokens_a, tokens_b = np.array([20.0, 20, 20, 20, 5]), np.full(5, 10.0)
    wordy = verbosity(codes("ttttt"), ending.codes["preference"], tokens_a, tokens_b)
    assert (wordy.items, wordy.longer, wordy.shorter, wordy.tied) == (4, 1, 2, 1)
    assert wordy.unscored == 1
