"""Comparisons as others write them: signed numbers, a column a rater, column names."""

from __future__ import annotations

from pathlib import Path

import pytest

from blueprints import UserError
from tests.support.cli import refused, trace_eval
from tests.support.sheets import write_sheet
from trace_eval.opinions.labels import read_labels

#: Six pairs, each won by the new system, as numbers from -3 to 3.
_SIGNED = (3, 1, 2, 3, 1, 2)

_SYSTEMS = "system_a,system_b"


def _long(name: str) -> str:
    rows = [f"p{n},new,old,L{n % 2},{one}" for n, one in enumerate(_SIGNED)]
    return "\n".join([f"pair_id,{_SYSTEMS},listener,{name}", *rows]) + "\n"


def _wide() -> str:
    rows = [f"p{n},new,old,{one},{one - 1},NA" for n, one in enumerate(_SIGNED)]
    return "\n".join([f"id,{_SYSTEMS},rater1,rater2,rater3", *rows]) + "\n"


@pytest.mark.parametrize("text", [_long("score"), _long("cmos"), _wide()], ids=str)
def test_comparisons_with_a_sign_are_read_by_their_declared_scale(
    tmp_path: Path, text: str
) -> None:
    file = tmp_path / "cmos.csv"
    file.write_text(text)
    out = trace_eval("rank", file, "--scale", "3..-3").out
    assert "new wins" in out
    assert "of 6 pairs by annotators" in out
    other = trace_eval("rank", file, "--scale", "-3..3").out
    assert "old wins" in other
    refused("declare its ends", "rank", file)


def test_paired_comparisons_of_webmushra_name_a_column(tmp_path: Path) -> None:
    header = (
        "session_test_id,session_uuid,trial_id,choice_reference,choice_non_reference,"
        "choice_answer,choice_time,choice_comment"
    )
    rows = [
        f"t,u,tr{n},old,new,{'reference' if n == 5 else 'non_reference'},3,"
        for n in range(6)
    ]
    file = tmp_path / "paired.csv"
    write_sheet(file, header, rows)
    assert "new wins 83 %" in trace_eval("rank", file).out  # 5 of 6


@pytest.mark.parametrize(
    ("text", "as_it_is", "as_read"),
    [
        (
            "task,winner,loser\nx,n,o\ny,o,n\n",
            "task, winner, loser",
            "task, system_a, system_b, preference",
        ),
        (
            "HITId,Answer.a_better,Answer.b_better\nx,true,false\ny,false,true\n",
            "HITId, Answer.a_better, Answer.b_better",
            "HITId, preference",
        ),
    ],
)
def test_columns_are_named_as_the_file_has_them(
    text: str, as_it_is: str, as_read: str, tmp_path: Path
) -> None:
    path = tmp_path / "people.csv"
    path.write_text(text)
    words = f"; it has {as_it_is}, which are read as {as_read}; add one"
    with pytest.raises(UserError, match=words):
        read_labels(path)
