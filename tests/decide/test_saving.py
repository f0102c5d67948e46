"""The line on what a judge saves, and the one figure of its accuracy."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.support.cli import trace_eval
from tests.support.sheets import write_sheet


def _files(folder: Path, inclusion: bool) -> tuple[Path, Path]:
    """Write 60 labels and 200 judged pairs; the judge is right where it is sure."""
    rng = np.random.default_rng(4)
    sure = np.arange(200) >= 40
    truth = rng.integers(1, 3, 200)
    judged = np.where(sure, truth, 3 - truth)
    # 20 of the 40 unsure pairs are asked for, and 40 of the 160 sure ones: both by
    # half, or not
    asked = [*range(20), *range(40, 80)]
    rows: list[str] = []
    for number, is_sure in enumerate(sure):
        confidence = 0.9 if is_sure else 0.1
        rows.append(f"p{number},new,old,{judged[number]},{confidence}")
    pairs, labels = folder / "judged.csv", folder / "labels.csv"
    write_sheet(pairs, "id,system_a,system_b,preference,confidence", rows)
    lines = ["id,rater,preference,inclusion" if inclusion else "id,rater,preference"]
    for number in asked:
        share = f",{0.5 if number < 40 else 0.25}" if inclusion else ""
        lines.append(f"p{number},ann,{truth[number]}{share}")
    labels.write_text("\n".join(lines) + "\n")
    return pairs, labels


def test_screen_says_in_one_line_what_is_labelled_decided_and_left(
    tmp_path: Path,
) -> None:
    pairs, labels = _files(tmp_path, inclusion=False)
    out = trace_eval(
        "screen", pairs, "--labels", labels, "--agree", "0.8", "--as-sampled"
    ).out
    # 160 sure pairs, 40 of them labelled: the judge decides 120; 20 unsure ones are
    # left
    line = (
        "60 of 200 pairs were labelled; the judge decides 120 of the others with at"
        " most 20 % wrong (95 % sure); 20 are left to people: 60 % saved."
    )
    assert line in " ".join(out.split())


def test_nothing_is_saved_where_the_labels_are_too_few(tmp_path: Path) -> None:
    pairs, labels = _files(tmp_path, inclusion=False)
    labels.write_text("id,rater,preference\np50,ann,1\n")
    out = " ".join(trace_eval("screen", pairs, "--labels", labels).out.split())
    assert (
        "1 of 200 pairs was labelled; the judge decides none of the others; 199 are"
        " left"
    ) in out


def test_where_all_pairs_have_labels_nothing_is_left_to_decide(tmp_path: Path) -> None:
    pairs, labels = _files(tmp_path, inclusion=False)
    rows = (f"p{number},ann,1" for number in range(200))
    write_sheet(labels, "id,rater,preference", rows)
    out = " ".join(trace_eval("screen", pairs, "--labels", labels).out.split())
    assert (
        "200 of 200 pairs were labelled, so nothing is left to decide, and nothing is"
        " saved."
    ) in out


def test_the_corrected_accuracy_is_the_one_figure_of_agree_and_card(
    tmp_path: Path,
) -> None:
    pairs, labels = _files(tmp_path, inclusion=True)
    out = trace_eval("agree", pairs, "--labels", labels, "--missing", "drop").out
    # right on none of 40 and all of 160 pairs: 80 %; of the labels it is right on 40 of
    # 60
    words = " ".join(out.split())
    assert "agrees with human labels on 80 % [" in words
    assert "of 200 pairs, from 60 labels by how they were drawn" in words
    assert "67 %" not in words
    full = trace_eval(
        "agree", pairs, "--labels", labels, "--missing", "drop", "--full"
    ).out
    assert "accuracy over all pairs" in " ".join(full.split())
    sentence = next(
        line for line in full.splitlines() if "On the labelled pairs: judged" in line
    )
    assert sentence.startswith("judged agrees with human labels on 80 % [")
    card = trace_eval("card", pairs, "--labels", labels, "--out", tmp_path / "card").out
    assert "accuracy of 80.0%" in card
    page = (
        tmp_path / "card.md"
        if (tmp_path / "card.md").is_file()
        else tmp_path / "card" / "card.md"
    )
    assert "left to people" in page.read_text()
