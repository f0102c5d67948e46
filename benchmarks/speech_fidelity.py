"""Speech against its intended text: planted errors in rendered speech, found by recognisers.

    python -m benchmarks.speech_fidelity [--turns 60] [--recognise auto]

Renders turns of an agent with the eSpeak synthesiser that is inside Praat, or with flite where it
is installed. In half of them one entity is spoken otherwise than the text has it, or not at all.
Prints what was found of what was planted, and how often an entity that was spoken is missed.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import soundfile

from trace_eval.data.conversation import Conversation, ConversationItem
from trace_eval.turns.fidelity import speech_fidelity

#: What is said, with a place for what must come through, and two values of it.
SENTENCES = (
    ("You now leave on {} in the morning.", "March 25th", "March 26th"),
    ("Your new flight goes on {} at noon.", "October 8th", "October 18th"),
    ("The change costs {} for each of you.", "120 dollars", "220 dollars"),
    ("We will send {} back to your card.", "45 dollars", "95 dollars"),
    ("The train leaves at {} from the centre.", "4:20 PM", "5:20 PM"),
    ("Please be there by {} at the latest.", "8:30 AM", "9:30 AM"),
    ("I have put you into seat {} by the window.", "21A", "12A"),
    ("Your gate today is {} in the second hall.", "C12", "C20"),
)

_VOICES = ("slt", "rms", "awb")


def _say(path: Path, text: str, number: int) -> None:
    if shutil.which("flite"):
        voice = _VOICES[number % len(_VOICES)]
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(path)], check=True)
        return
    from parselmouth.praat import call

    synthesiser = call("Create SpeechSynthesizer", "English (America)", "Male1")
    (sound,) = call(synthesiser, "To Sound", text, "no")
    soundfile.write(path, sound.values.T.astype(np.float32), int(sound.sampling_frequency))


def rendered(folder: Path, turns: int) -> tuple[ConversationItem, dict[int, str]]:
    """A conversation of so many turns, and what was planted in which: wrong, missing or nothing."""
    planted: dict[int, str] = {}
    made = []
    for number in range(turns):
        sentence, right, wrong = SENTENCES[number % len(SENTENCES)]
        planted[number] = ("kept", "wrong", "kept", "missing")[number // len(SENTENCES) % 4]
        spoken = {"kept": right, "wrong": wrong, "missing": "that"}[planted[number]]
        path = folder / f"turn-{number}.wav"
        _say(path, sentence.format(spoken), number)
        made.append({"speaker": "agent", "text": sentence.format(right), "audio": path})
    conversation = Conversation.model_validate(
        {
            "speakers": [{"name": "agent", "role": "agent"}],
            "clock": {"kind": "none"},
            "turns": made,
        }
    )
    return ConversationItem(id="rendered", conversation=conversation), planted


def main() -> None:
    """Render, hear, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=64)
    parser.add_argument("--recognise", action="append")
    parser.add_argument("--show", action="store_true", help="print what was heard wrongly")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        item, planted = rendered(Path(folder), chosen.turns)
        found = speech_fidelity([item], chosen.recognise or ["auto"])
    of = len(found.recognisers)
    meant = [one for one in found.entities if one.intended is not None]
    print(f"{len(meant)} entities in {found.turns} turns, heard by {', '.join(found.recognisers)}")
    truth = [planted[one.turn] != "kept" for one in meant]
    print(f"majority (all are spoken): accuracy {truth.count(False) / len(truth):.3f}")
    for least in range(1, of + 1):
        said = [one.missed >= least for one in meant]
        right = sum(s == t for s, t in zip(said, truth, strict=True))
        hit = sum(s and t for s, t in zip(said, truth, strict=True))
        alarms = sum(s and not t for s, t in zip(said, truth, strict=True))
        print(
            f"missed by {least} of {of}: accuracy {right / len(meant):.3f}, planted errors found"
            f" {hit}/{sum(truth)}, spoken ones missed {alarms}/{truth.count(False)}"
        )
    for one in meant if chosen.show else ():
        if (one.missed > 0) != (planted[one.turn] != "kept"):
            print(one.turn, planted[one.turn], one.intended, one.heard)


if __name__ == "__main__":
    main()
