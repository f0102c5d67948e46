"""Calls that show whether a model hears: two spoken numbers; six by ``--probe``."""

from __future__ import annotations

from collections.abc import AsyncIterator

import numpy as np

from extractors import Clip
from fusion import MATCH, PLAIN
from trace_eval.judges.ask.base import CallFailed, ChatClient, Reply, Request, Unusable
from trace_eval.judges.ask.message import AudioPart, Message, Text
from trace_eval.judges.ask.reply_json import read_object
from trace_eval.judges.ask.reply_length import object_schema
from trace_eval.judges.ask.unread_reply import ReplyError
from trace_eval.judges.read.labels import label_schema, read_label
from trace_eval.judges.registry.create import Check
from trace_eval.judges.views.sound.encode import Waveform, sound_of
from trace_eval.judges.views.sound.layout import Sound
from trace_eval.judges.views.sound.signals import SIGNAL_RATE, TONES, load_signals, tone

#: Tokens of a reply to a probe.
MAX_TOKENS = 256

_NUMBER = object_schema({"reasoning": {"type": "string"}, "score": {"type": "integer"}})

_SYSTEM = Message(
    "system",
    "You check what can be heard in recordings. Answer in writing with one JSON object:"
    " first"
    ' "reasoning" in a few words, then the key that the question names.',
)


def tone_part() -> AudioPart:
    """Return a short tone, for calls that must hold some sound."""
    return _part(_tone())


async def hearing(client: ChatClient, seed: int = 0) -> Check:
    """Ask twice which number is spoken, which a model without hearing cannot answer."""
    spoken = load_signals("spoken")
    numbers = [each for each in range(1, 9) if f"example_{each}" in spoken]
    # Two different ones; a model that guesses names both in one of 56 cases.
    spoken_numbers = (
        np.random.default_rng(seed).choice(numbers, 2, replace=False).tolist()
    )
    question = 'A number is spoken in this recording. Give "score": the number.'
    answers, seconds, counts = [], 0.0, []
    for number in spoken_numbers:
        part = _part(_sound(spoken[f"example_{number}"].read().mono))
        seconds += part.seconds
        reply, answer = await _ask(
            client, [part], question=question, key="score", seed=seed
        )
        answers.append(answer[:20] if reply else f"nothing ({answer})")
        counts.append(reply.tokens.audio if reply else None)
    message = " and ".join(
        f"{answer} where {n} is spoken"
        for answer, n in zip(answers, spoken_numbers, strict=True)
    )
    ok = answers == [str(number) for number in spoken_numbers]
    sound = "sound is not counted"
    if available := [count for count in counts if count is not None]:
        sound = f"{sum(available)} tokens of {seconds:.1f} s counted"
    says = "hears" if ok else "does not hear the numbers; its verdicts would be guesses"
    return Check("hearing", ok, f"{says}: it named {message}; {sound}")


async def probe(client: ChatClient, seed: int = 0) -> AsyncIterator[Check]:
    """Make six calls: a voice in silence, in tone, in speech; a clip twice; a tone."""
    silence = _sound(np.zeros(SIGNAL_RATE, np.float32))
    sounds = {"silence": silence, "a tone": _tone(), "speech": _speech()}
    counted = False
    for name, sound in sounds.items():
        question = (
            'Is a human voice audible in this recording? Give "match": true or false.'
        )
        reply, answer = await _ask(
            client, [_part(sound)], question=question, key="match", seed=seed
        )
        if reply is None:
            yield Check(f"voice in {name}", False, answer)
            continue
        counted = counted or bool(reply.tokens.audio)
        audible = answer == "true"
        words = "heard a voice" if audible else "heard no voice"
        yield Check(f"voice in {name}", audible == (name == "speech"), words)
    message = "counted apart" if counted else "not counted apart; costs rest on seconds"
    yield Check("audio tokens", counted, message)
    question = 'Which recording sounds better? Give "label": "1", "2" or "tie".'
    twice = [_part(_speech()), _part(_speech())]
    _, answer = await _ask(client, twice, question=question, key="label", seed=seed)
    yield Check("one clip twice", answer == "tie", f"says {answer}")
    noise = 0.1 * np.random.default_rng(0).standard_normal(SIGNAL_RATE)
    sides = [_part(_speech()), _part(_sound(noise.astype(np.float32)))]
    _, there = await _ask(client, sides, question=question, key="label", seed=seed)
    _, back = await _ask(client, sides[::-1], question=question, key="label", seed=seed)
    same = PLAIN.swap(back) == there
    yield Check(
        "both orders", same, f"speech then noise: {there}, noise then speech: {back}"
    )


async def _ask(
    client: ChatClient, parts: list[AudioPart], question: str, key: str, seed: int
) -> tuple[Reply | None, str]:
    """Return a reply and its number or label under a key; None, and why, without."""
    messages = (_SYSTEM, Message("user", (*parts, Text(question))))
    scale = {"match": MATCH, "label": PLAIN}.get(key)
    schema = label_schema(scale) if scale else _NUMBER
    try:
        reply = await client.chat(
            Request(
                messages=messages,
                schema=schema,
                seed=seed,
                temperature=0.0,
                max_tokens=MAX_TOKENS,
            )
        )
        if scale:
            return reply, read_label(reply.text, scale)[0]
        answer = read_object(
            reply.text,
            {key},
            what=repr(key),
            read=lambda reply: str(reply[key]),
            verdict=str,
        )
        return reply, answer
    except (CallFailed, Unusable, ReplyError) as failure:
        return None, f"{failure.reason}: {failure.detail}"


def _part(sound: Sound) -> AudioPart:
    return Waveform((sound,), SIGNAL_RATE).part()


def _tone() -> Sound:
    return _sound(np.tile(tone(TONES["test"]), 2))


def _speech() -> Sound:
    """Return about a second of speech, from the package's own labels."""
    spoken = load_signals("spoken")
    parts = [spoken[name].read().mono for name in ("instruction", "audio_1")]
    return _sound(np.concatenate(parts))


def _sound(samples: np.ndarray[tuple[int], np.dtype[np.float32]]) -> Sound:
    return sound_of(Clip(samples[:, None], SIGNAL_RATE))
