"""Faults of recorders, planted in a call of 30 s, and what is said of its figures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from benchmarks.faults import FAULTS, LOGGED, found_faults
from extractors.audio import SPEECH_RATE, decode
from tests.support import calls as calls_of
from tests.support.cli import ROOT, trace_eval
from trace_eval.conversations.definitions import DEFINITIONS
from trace_eval.conversations.definitions.base import DefinitionSet, Event
from trace_eval.conversations.findings import find
from trace_eval.conversations.sound.contradictions import disagreements
from trace_eval.data.conversation import Conversation
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import measure_items, time_turns


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a folder with one call: user and agent by turns, room tone 50 dB below."""
    speech = decode(ROOT / "examples" / "clips" / "loud-a.ogg").speech[
        : 3 * SPEECH_RATE
    ]
    sound = 5e-4 * np.random.default_rng(1).standard_normal((30 * SPEECH_RATE, 2))
    for at_s, channel in ((1, 1), (5, 0), (9, 1), (13, 0), (17, 1), (21, 0), (25, 1)):
        sound[at_s * SPEECH_RATE :][: len(speech), channel] += (
            0.5 * speech / np.abs(speech).max()
        )
    folder = tmp_path_factory.mktemp("calls")
    soundfile.write(folder / "call.wav", sound, SPEECH_RATE)
    return folder


#: Two clocks need minutes of sound: tests/turns/test_sound.py has them on levels.
@pytest.mark.parametrize(
    "name",
    [*sorted(FAULTS.keys() - {"two clocks"}), "log: none", "log: swapped channels"],
)
def test_a_planted_fault_is_found_and_no_other(calls: Path, name: str) -> None:
    ((_, found),) = found_faults(calls, name, seed=1)
    wanted = {**FAULTS, **LOGGED}[name][0]
    assert set(found) == ({wanted} if wanted else set())


def test_spoiled_figures_are_no_numbers(calls: Path, tmp_path: Path) -> None:
    sound, rate = soundfile.read(calls / "call.wav")
    soundfile.write(
        tmp_path / "call.wav", np.repeat(sound.mean(axis=1)[:, None], 2, axis=1), rate
    )
    report = time_turns(tmp_path / "call.wav")
    values: Any = report.record()
    assert (
        values["audit"]["call"]["verdict"] == "not usable: one sound on both channels"
    )
    for name, figure in report.figures.items():
        assert figure.value is None, name
        assert figure.reason == "not usable here", name
    done = trace_eval("turns", tmp_path / "call.wav", "--audit", ends=0)
    assert "one sound on both channels" in done.out
    assert "audit: 0 of 1 recording usable" in done.out
    # a folder of unusable files: once for each kind, and that nothing was measured
    for number in range(5):
        soundfile.write(tmp_path / f"silent{number}.wav", np.zeros((rate, 2)), rate)
        (tmp_path / f"text{number}.wav").write_text("Bad gateway")
    done = trace_eval("turns", tmp_path, ends=1)
    assert done.out.count("no speech on either channel") == 2  # the audit, the faults
    assert "silent0, silent1, silent2 and 2 more" in done.out
    assert done.err.count("is not a recording but text") == 1
    assert re.search(r"5 not read \(.*text0.wav, .*text2.wav and 2 more\): ", done.err)
    assert "nothing could be measured in 6 conversations; --audit" in done.err


def test_both_values_of_a_clock_that_is_late_are_stated() -> None:
    # Logged 1.5 s before each is heard: turns from 1.0 and 5.0 s are heard from 2.5 and
    # 6.5 s.
    log = {
        "user": [(1.0, 3.0), (9.0, 10.5), (20.0, 23.0)],
        "agent": [(5.0, 8.0), (12.0, 16.5)],
    }
    log["agent"].append((25.0, 26.0))
    sound = {}
    for role, spans in log.items():
        sound[role] = [(start + 1.5, end + 1.5) for start, end in spans]
    faults = disagreements(log, sound)
    assert {fault.name for fault in faults} == {
        "a log clock that contradicts the sound"
    }
    assert "from 1.00 s, the sound from 2.50 s" in faults[0].detail
    assert disagreements(log, log) == []
    # Four seconds of silence that the recording has lost, after the third turn of each.
    short: dict[str, list[tuple[float, float]]] = {"user": [], "agent": []}
    for role, spans in log.items():
        for start, end in spans:
            lost_s = 4 if start > 10 else 0
            short[role].append((start - lost_s, end - lost_s))
    (moved,) = disagreements(log, short)
    assert moved.name == "chunks that moved against the log"
    assert "lasts 25.00 s" in moved.detail
    assert "21.00 s" in moved.detail


def test_a_call_without_speech_costs_itself_with_a_reason(
    calls: Path, tmp_path: Path
) -> None:
    """One sample, 100 ms and ten seconds of silence next to a call that is timed."""
    sizes = (1, 1_600, 160_000)
    for size in sizes:
        soundfile.write(
            tmp_path / f"empty-{size}.wav", np.zeros((size, 2)), SPEECH_RATE
        )
    (tmp_path / "good.wav").write_bytes((calls / "call.wav").read_bytes())
    report = time_turns(tmp_path, TurnsOptions(layout="stereo"))
    alone = time_turns(calls / "call.wav", TurnsOptions(layout="stereo"))
    audit: Any = report.record()["audit"]
    for size in sizes:
        assert (
            audit[f"empty-{size}"]["verdict"]
            == "not usable: no speech on either channel"
        )
    assert audit["good"]["verdict"] == "usable"
    values = {name: figure.value for name, figure in report.figures.items()}
    assert values == {name: figure.value for name, figure in alone.figures.items()}
    # A fault that spoils nothing is said of the usable ones, and not as others.
    item = alone.conversations[0].item
    meta = {**item.conversation.meta, "audit": "usable (lost packets)"}
    lossy = item.conversation.model_copy(update={"meta": meta})
    again = measure_items(
        [item.model_copy(update={"conversation": lossy})], DEFINITIONS["trace-eval/2"]
    )
    notes = "; ".join(table.note or "" for table in again.tables(0))
    assert "1 of 1 recording usable; 1 of them: lost packets" in notes


@pytest.mark.parametrize("turns", [1, 3])
def test_voices_without_room_tone_do_not_break_off(
    calls: Path, tmp_path: Path, turns: int
) -> None:
    """Synthesised turns in digital silence from the first sample on, one or more."""
    recorded, rate = soundfile.read(calls / "call.wav")
    sound = np.zeros_like(recorded)
    for number in range(turns):
        turn = recorded[rate : 4 * rate, 1]
        sound[4 * rate * number :, (1 + number) % 2][: len(turn)] = turn
    if turns == 1:
        sound[:, 0] = recorded[:, 0]
    soundfile.write(tmp_path / "call.wav", sound, rate)
    (timed,) = time_turns(tmp_path / "call.wav").conversations
    assert timed.item.conversation.meta["audit"] == "usable"


def test_a_header_of_12_hours_is_read_as_the_sound_there_is(
    calls: Path, tmp_path: Path
) -> None:
    data = bytearray((calls / "call.wav").read_bytes())
    size = (
        12 * 3_600 * SPEECH_RATE * 4
    )  # two channels of 16 bits: 2.8 GB, of which 1.9 MB exist
    at = data.index(b"data") + 4
    data[4:8], data[at : at + 4] = (
        (size + 36).to_bytes(4, "little"),
        size.to_bytes(4, "little"),
    )
    (tmp_path / "call.wav").write_bytes(data)
    (timed,) = time_turns(tmp_path / "call.wav").conversations
    end = timed.item.conversation.end
    assert end.at_s == pytest.approx(30.0)
    said = "the header says 43200 s, the sound lasts 30 s: was it cut?"
    assert [one for one in timed.caveats if "header" in one] == [said]


@pytest.mark.parametrize(
    ("world", "wanted"),
    [("gate", []), ("leaky gate", []), ("telephone", ["a recording of 8 kHz"])],
)
def test_a_gate_that_opens_in_room_tone_and_a_telephone_are_no_fault(
    calls: Path, tmp_path: Path, world: str, wanted: list[str]
) -> None:
    """Room tone peaks just under and over the gate, 40 dB below the loudest."""
    sound, rate = soundfile.read(calls / "call.wav")
    sound += 1.2e-3 * np.random.default_rng(2).standard_normal(sound.shape)
    soundfile.write(tmp_path / "call.wav", sound, rate)
    ((_, found),) = found_faults(tmp_path, "none", seed=1, world=world)
    assert found == wanted


@pytest.mark.parametrize("definitions", DEFINITIONS.values(), ids=list(DEFINITIONS))
def test_no_definition_set_gives_a_figure_of_a_spoiled_call(
    definitions: DefinitionSet,
) -> None:
    meta = {"audit": "not usable: x", "faults": [{"name": "x", "spoils": "all"}]}
    given = calls_of.conversation(None) | {"meta": meta}
    call = Conversation.model_validate(given)
    found = [definitions.measure(call)]
    if definitions.sums:
        found.append(definitions.summed(call, [Event("response", 1.0, 2.0, 1.0)]))
    for measured in found:
        assert measured.unusable
        assert measured.events == ()
        assert set(measured.ratios) <= {"one"}
        assert not any(measured.values.values())
    assert find(call).chances["no_answer"] is None
