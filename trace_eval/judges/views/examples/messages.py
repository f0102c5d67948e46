"""Solved examples as messages: the constant beginning of every conversation.

Their bytes are the same in every call, so that servers can keep them in their caches. Which
parts they become is that of the strategies in ``judges.views.pair.sound_prompt``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trace_eval.judges.ask.message import Message, Part, Text
from trace_eval.judges.views.sound.layout import Item, Sound
from trace_eval.judges.views.sound.sending import JOINED_EXAMPLES, JOINED_PAIRS, Sending, kept_part
from trace_eval.judges.views.text.tasks import common


@dataclass(frozen=True)
class SolvedTurn:
    """One example as it is put to the judge.

    Attributes:
        joined: name of its head signal -> its waveform as a list.
        sounds: its recordings, which decide the rate of that waveform.
        apart: its recordings as parts of their own, each behind a line that names it.
        written: what is to be read beside them, harmless and fenced.
        reply: that solves it.
        solution: the same in a few words, for a list of solutions.
    """

    joined: Callable[[str], list[Item]]
    sounds: Sequence[Sound]
    apart: Callable[[], list[Part]]
    written: tuple[str, ...]
    reply: str
    solution: str


def example_messages(sending: Sending, turns: Sequence[SolvedTurn], question: str) -> list[Message]:
    """The turns of all examples: one of the user and one of the assistant for each, or for all.

    Args:
        sending: how sound is sent; its strategy decides how examples are joined.
        turns: in the order in which they are shown; empty: no messages.
        question: that ends the turn of an example, as it ends that of the test.
    """
    if not turns:
        return []
    if sending.concat in JOINED_EXAMPLES:
        return _aggregated(sending, turns)
    messages = []
    for number, turn in enumerate(turns, start=1):
        content = turn.apart()
        if sending.concat in JOINED_PAIRS:
            items = turn.joined(f"example_{number}")
            content = [kept_part(sending.waveform(items, turn.sounds))]
        content = [Text(common().example_turn), *content, *map(Text, turn.written), Text(question)]
        messages.append(Message("user", tuple(content)))
        messages.append(Message("assistant", turn.reply))
    return messages


def _aggregated(sending: Sending, turns: Sequence[SolvedTurn]) -> list[Message]:
    words = common()
    items: list[Item] = []
    listed = [words.examples_solved]
    texts: list[Text] = []
    for number, turn in enumerate(turns, start=1):
        items += turn.joined(f"example_{number}")
        listed.append(f"example {number}: {turn.solution}")
        texts += [Text(f"Example {number}. {text}") for text in turn.written]
    audio = kept_part(sending.waveform(items, [sound for turn in turns for sound in turn.sounds]))
    intro = Text(words.examples_intro.replace("{count}", str(len(turns))))
    content: list[Part] = [intro, audio, *texts, Text("\n".join(listed))]
    return [Message("user", tuple(content)), Message("assistant", words.examples_taken)]
