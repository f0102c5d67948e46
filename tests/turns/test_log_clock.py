"""A log whose clock runs faster or slower than the sound is set to it, and named."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.support.sided_calls import sides, write_eva, write_sides
from trace_eval.conversations.layouts import read_conversations
from trace_eval.conversations.sound.apart import Apart, compared_with_sound
from trace_eval.conversations.sound.contradictions import SWAPPED, disagreements
from trace_eval.conversations.sound.log_clock import running_clock
from trace_eval.conversations.spans import Spans
from trace_eval.data.conversation import ROLES, Role

Speech = Mapping[Role, Spans]


def _call(seed: int, lasts_s: float = 60.0) -> dict[Role, Spans]:
    """Return who speaks when in a call that nobody held."""
    rng = np.random.default_rng(seed)
    speech: dict[Role, Spans] = {role: [] for role in ROLES}
    at, turn = 0.5, 0
    while at < lasts_s:
        end = at + min(4.0, float(rng.lognormal(0.7, 0.6)))
        speech[ROLES[turn % 2]].append((at, end))
        at, turn = end + float(rng.uniform(0.1, 1.5)), turn + 1
    return speech


def _logged(speech: Speech, rate: float, shift_s: float = 0.0, seed: int = 9) -> Speech:
    """Return a recogniser's log: another clock, a tenth of a second off in places."""
    rng = np.random.default_rng(seed)

    def logged(at_s: float) -> float:
        return rate * (at_s + rng.normal(0.05, 0.1)) + shift_s

    log: dict[Role, Spans] = {}
    for role, spans in speech.items():
        log[role] = [(logged(start), logged(end)) for start, end in spans]
    return log


@pytest.mark.parametrize("shift_s", [0.0, 4.0, -50.0])
@pytest.mark.parametrize("rate", [1.1, 0.9, 48 / 44.1, 1.02])
def test_a_clock_that_runs_otherwise_is_found_wherever_it_begins(
    rate: float, shift_s: float
) -> None:
    for seed in range(2):
        speech = _call(seed)
        clock = running_clock(_logged(speech, rate, shift_s), speech)
        assert clock is not None
        assert clock.rate == pytest.approx(rate, abs=0.008)
        logged_s = rate * 30.0 + shift_s
        assert clock.in_sound(logged_s) == pytest.approx(30.0, abs=0.3)
        assert clock.in_log(clock.in_sound(logged_s)) == pytest.approx(logged_s)


def test_no_clock_is_claimed_of_a_plain_log_of_another_call_or_of_lost_silence() -> (
    None
):
    for seed in range(8):
        speech = _call(seed)
        for shift_s in (0.0, 4.0, -50.0):
            assert running_clock(_logged(speech, 1.0, shift_s), speech) is None
        assert running_clock(_logged(_call(seed + 100), 1.0), speech) is None
        assert running_clock(speech, _without_silence(speech)) is None


def _without_silence(speech: Speech, most_s: float = 0.3) -> Speech:
    """Return a recording's speech with its longer pauses collapsed to ``most_s``."""
    spoken = sorted((span, role) for role, spans in speech.items() for span in spans)
    shorter: dict[Role, Spans] = {role: [] for role in ROLES}
    cut_s, before_s = 0.0, 0.0
    for (start, end), role in spoken:
        cut_s += max(0.0, start - before_s - most_s)
        shorter[role].append((start - cut_s, end - cut_s))
        before_s = end
    return shorter


def test_exchanged_channels_are_found_whatever_the_clock_and_claimed_of_no_other_call() -> (
    None
):
    for seed in range(3):
        speech = _call(seed)
        exchanged: Speech = {"user": speech["agent"], "agent": speech["user"]}
        for rate in (1.0, 1.02, 1.1):
            (fault,) = disagreements(_logged(speech, rate, 4.0), exchanged)
            assert fault.name == SWAPPED
        others = [_logged(_call(seed + 100), rate) for rate in (1.0, 1.1)]
        for log in (*others, _logged(speech, 1.1), _logged(speech, 1.0, 4.0)):
            assert SWAPPED not in {fault.name for fault in disagreements(log, speech)}


@pytest.mark.parametrize("has_zero", [True, False])
def test_a_log_of_another_call_is_of_this_one_wherever_it_is_moved_to_no_more(
    has_zero: bool,
) -> None:
    """With ten seconds to be moved in, most logs of other calls fit somewhat."""
    others: list[Apart] = []
    for seed in range(10):
        speech, log = _call(seed, 30.0), _logged(_call(seed, 30.0), 1.0, 3.0)
        own = compared_with_sound(log, speech, 32.0, ROLES, has_zero=has_zero)
        assert own.fits, own.likeness
        other = _call(seed + 20, 30.0)
        others.append(compared_with_sound(log, other, 32.0, ROLES, has_zero=has_zero))
        sessions = compared_with_sound(
            log, other, 32.0, ROLES, has_zero=has_zero, has_sessions=True
        )
        assert sessions.least_likeness < own.least_likeness
    assert sum(one.likeness >= 0.42 for one in others if one.likeness) >= 3
    assert sum(one.fits for one in others) <= 1


def test_too_few_words_and_silence_have_no_clock() -> None:
    speech = _call(0)
    few: Speech = {"user": speech["user"][:1], "agent": speech["agent"][:1]}
    assert running_clock(_logged(few, 1.1), few) is None
    assert running_clock({"user": [], "agent": []}, speech) is None
    assert running_clock(speech, {"user": [], "agent": []}) is None


@pytest.mark.parametrize(
    "files", [("user.wav", "assistant.wav"), ("assistant.wav", "user.wav")]
)
def test_a_record_with_a_fast_clock_is_timed_by_its_sound_and_names_both(
    tmp_path: Path, files: tuple[str, str]
) -> None:
    """The sides may be exchanged on top of it."""
    speech = _call(3, lasts_s=24.0)
    write_sides(tmp_path, sides(speech, end_s=34.0), files)
    spans = sorted((role, start, end) for role in ROLES for start, end in speech[role])
    fast = [(role, 1.1 * start, 1.1 * end) for role, start, end in spans]
    write_eva(tmp_path, fast)
    (item,) = read_conversations(tmp_path).items
    last_s = max(end for _, _, end in spans)
    said = "; ".join(item.caveats)
    assert "whose clock runs 1.10" in said
    assert f"its last word ends at {1.1 * last_s:.2f} s, that of the sound at" in said
    assert "disagree" not in said
    assert ("exchanged: sides are taken as the log has them" in said) == (
        files[0] != "user.wav"
    )
    words = [turn.text for turn in item.conversation.turns if not turn.backchannel]
    assert words
    assert all(words)
    log = item.conversation.meta["log"]
    assert isinstance(log, dict)
    assert log["rate"] == pytest.approx(1.1, abs=0.01)
    assert not log["log_alone"]
    assert not log["sound_alone"]
