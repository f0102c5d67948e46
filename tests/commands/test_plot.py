from __future__ import annotations

from trace_eval.commands.show_blueprint import draw, time_axis


def test_a_ramp_with_a_gap() -> None:
    # Two rows are 16 eighths; the lowest value is 1 eighth, the highest 16.
    assert draw([100.0, None, 200.0], rows=2, unit="Hz") == [
        "200 Hz ┤  █",
        "100 Hz ┤▁ █",
    ]


def test_a_constant_is_a_low_line_and_nothing_is_said_so() -> None:
    assert draw([5.0, 5.0], rows=2, unit="x") == ["5 x ┤", "5 x ┤▁▁"]
    assert draw([None, None], rows=2, unit="x") == ["no values"]


def test_time_axis() -> None:
    assert time_axis(2.5, 10) == "0    2.5 s"
