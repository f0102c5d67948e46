"""Counts of ``agree`` and ``rank`` add up where judges and labels lack items."""

from __future__ import annotations

from trace_eval.decide.agree import agree
from trace_eval.decide.answers import agree_answer
from trace_eval.decide.rank import rank
from trace_eval.opinions.checked_labels import label_table
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.options import AgreeOptions, RankOptions
from trace_eval.stats.report import AgreeReport


def of(source: str, **labels: str) -> Opinions:
    """Make a table of items by their id, each ``a`` against ``b``."""
    columns = {
        "id": list(labels),
        "overall": list(labels.values()),
        "system_a": ["a"] * len(labels),
        "system_b": ["b"] * len(labels),
    }
    return label_table(source, columns)


HUMAN = of("human", i1="1", i2="2", i3="1", i4="2", i5="1", i6="", i7="1", i8="2")
#: Says nothing of i3, was not asked about i7 and i8; i6 and i9 have no label.
ONE = of("one", i1="1", i2="2", i3="", i4="2", i5="1", i6="1", i9="2")
#: Was asked about two items of the labels.
OTHER = of("other", i1="1", i2="1")
DROP = AgreeOptions(missing="drop")


def compared(*judges: Opinions, options: AgreeOptions = DROP) -> AgreeReport:
    report = agree(list(judges), HUMAN, options)
    assert isinstance(report, AgreeReport)
    return report


def test_counts_of_each_judge_add_up_to_its_items_and_to_the_labels() -> None:
    notes = compared(ONE, OTHER).notes
    # 8 = 7 + 1; 7 = 4 + 1 + 2; of the 7 that it judged 5 have a label, i3 among them
    assert "human: 1 of 8 items has no overall label" in notes
    assert (
        "one: 4 of 7 labelled items are compared, 1 is unscored and 2 were not judged;"
        " 2 of 7 judged items have no label" in notes
    )
    assert "other: 2 of 7 labelled items are compared, 5 were not judged" in notes


def test_a_sentence_parts_items_without_a_verdict_from_those_not_judged() -> None:
    (sentence, *_) = agree_answer(compared(ONE))
    assert "of 4 pairs" in sentence
    assert "1 more that they labelled is unscored" in sentence
    assert "2 more that they labelled were not judged" in sentence


def test_nothing_is_said_where_nothing_is_dropped() -> None:
    whole = of("whole", i1="1", i2="2", i3="1", i4="2", i5="1", i7="1", i8="2")
    labels = HUMAN.take(HUMAN.ids != "i6")
    for options in (DROP, AgreeOptions()):
        report = agree(whole, labels, options)
        assert not [note for note in report.notes if "item" in note]


def test_items_whose_label_is_empty_have_none_in_rank() -> None:
    report = rank(ONE, HUMAN, RankOptions(missing="drop"))
    texts = [caveat.text for caveat in report.caveats]
    # 9 are 7 judged ones, and i7 and i8, which name systems of the judge
    assert "7 of 9 comparisons have one; human ranks use those alone" in texts
