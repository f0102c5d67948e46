"""Remedies of calls: who the agent is, which layout, and what is left out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import soundfile

from extractors.audio import SPEECH_RATE
from tests.support.remedy_calls.followed import remedy, said
from tests.support.sided_calls import sides
from tests.support.spoken import voice
from trace_eval.conversations.sound import mono
from trace_eval.conversations.sound.voices import Voices

#: Who speaks when: the user first and most, and the agent answers at once.
SPOKEN = {"user": [(0.2, 2.4), (4.6, 7.4)], "agent": [(2.55, 3.6), (7.55, 8.4)]}

#: The directions of two voices.
FIRST, SECOND = np.eye(2)


def _call(path: str, length_s: float = 10.0) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    soundfile.write(path, sides(SPOKEN, length_s), SPEECH_RATE)


@contextmanager
def _two_voices(doubtful: Any, name: str) -> Iterator[str]:
    """Write a mix of two voices; what the networks would hear in it is given."""
    speech = (SPOKEN["user"], SPOKEN["agent"])
    soundfile.write(name, sides(SPOKEN).sum(axis=1), SPEECH_RATE)
    voices = Voices(speech, [], (FIRST, SECOND), 0.6, doubtful)
    with (
        patch.object(mono, "cannot_hear_one_channel", lambda: None),
        patch.object(mono, "_voices_of", lambda lane, ignore: (lane, voices, [])),
    ):
        yield f"turns {name} --layout mono"


def nobody_knows_the_agent() -> str:
    """Say who greets, or give the agent's voice: replies are timed."""
    soundfile.write("voice.wav", voice(2.0), SPEECH_RATE)
    with _two_voices([], "unknown.wav") as timed:
        message = said(timed)
        greets = remedy("or (--agent-channel greets) ", message)
        assert "the agent is who speaks first" in said(f"{timed} {greets}")
        option = remedy("say (--agent-voice) FILE", message)
        missing = said(f"{timed} {option} nope.wav", code=2)
        assert remedy(r"(--agent-voice) nope.wav: no such file", missing) == option
        with patch.object(mono.campplus, "direction", lambda speech: SECOND):
            words = said(f"{timed} {option} voice.wav")
        assert "the agent is who is like voice.wav (1.00)" in words
        setting = remedy("or -X (agent_channel=greets)", message)
        rated = "rate unknown.wav --judge turns --rubric handling --out rated_mono -X"
        assert "1 of 1 item scored" in said(f"{rated} {setting} -X layout=mono")
    return f"{message} {missing}"


def a_voice_like_both() -> str:
    """Give other seconds of the agent alone."""
    soundfile.write("both.wav", voice(2.0), SPEECH_RATE)
    with _two_voices([], "alike.wav") as timed:
        with patch.object(mono.campplus, "direction", lambda speech: FIRST + SECOND):
            message = said(f"{timed} --agent-voice both.wav", code=2)
        option = remedy(r"(--agent-voice) \S*both.wav: .* give other seconds", message)
        soundfile.write("alone.wav", voice(2.5), SPEECH_RATE)
        with patch.object(mono.campplus, "direction", lambda speech: FIRST):
            assert "is like alone.wav" in said(f"{timed} {option} alone.wav")
    return message


def a_doubtful_greeting() -> str:
    """Give the agent's voice."""
    soundfile.write("greeting.wav", voice(2.0), SPEECH_RATE)
    with _two_voices([(0.0, 3.0)], "doubtful.wav") as timed:
        message = said(f"{timed} --agent-channel greets")
        option = remedy("is doubtful: give (--agent-voice) FILE", message)
        with patch.object(mono.campplus, "direction", lambda speech: SECOND):
            assert "like greeting.wav" in said(f"{timed} {option} greeting.wav")
    return message


def channels_that_look_swapped() -> str:
    """Swap them: the agent is who spoke most."""
    _call("swapped.wav")
    message = said("turns swapped.wav")
    option = remedy(r"swapped channels\? try (--swap)", message)
    words = said(f"turns swapped.wav {option}")
    assert "swapped channels" not in words
    assert "agent_talk_share 0.7" in words
    return message


def music_on_the_users_channel() -> str:
    """Leave the stretch out: the caveat is gone with it."""
    _call("on hold.wav", length_s=10.5)
    with patch("trace_eval.conversations.sound.conversation._LONG_S", 2.5):
        message = said("turns 'on hold.wav'")
        option = remedy(r"without a pause: music\? leave it out by (--ignore)", message)
        assert "music" not in said(f"turns 'on hold.wav' {option} 4.5-7.5")
    return message


def one_side_alone() -> str:
    """Give the file alone, as a mix: two voices are looked for in it."""
    Path("one side").mkdir()
    soundfile.write("one side/7_agent.wav", voice(3.0), SPEECH_RATE)
    message = said("turns 'one side' --layout mono", code=2)
    typed = remedy("give the file alone: trace-eval (turns .*)", message)
    speech = (SPOKEN["user"][:1], [(1.5, 2.9)])
    heard = Voices(speech, [], None, 0.6, [])
    with (
        patch.object(mono, "cannot_hear_one_channel", lambda: None),
        patch.object(mono, "_voices_of", lambda lane, ignore: (lane, heard, [])),
    ):
        assert "7_agent" in said(typed)
    return message


def a_table_without_roles() -> str:
    """Name the agent."""
    rows = "ann,0.5,1.5,hello there\nbob,2.0,3.0,good day\nann,3.5,4.5,bye now\n"
    Path("unnamed_turns.csv").write_text(f"speaker,start,end,text\n{rows}")
    message = said("turns unnamed_turns.csv", code=2)
    option = remedy("or say (--agent) NAME", message)
    words = said(f"turns unnamed_turns.csv {option} bob")
    assert "agent_talk_share 0.333" in words
    return message


def several_calls_in_an_item() -> str:
    """Rate them all."""
    _call("several calls/a.wav")
    _call("several calls/b.wav", length_s=11.0)
    Path("several.jsonl").write_text('{"id": "x", "conversation": "several calls"}\n')
    rated = "--judge turns --rubric handling --out"
    message = said(f"rate several.jsonl {rated} one_item", code=2)
    typed = remedy("rate them all with trace-eval (rate '.*?')", message)
    assert "2 of 2 items scored" in said(f"{typed} {rated} every_item")
    return message


CALLS = (
    nobody_knows_the_agent,
    a_voice_like_both,
    a_doubtful_greeting,
    channels_that_look_swapped,
    music_on_the_users_channel,
    one_side_alone,
    a_table_without_roles,
    several_calls_in_an_item,
)
