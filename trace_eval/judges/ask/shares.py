"""What one request took, divided among the replies that it brought."""

from __future__ import annotations

from trace_eval.judges.ask.base import Tokens


def shares(tokens: Tokens, count: int) -> list[Tokens]:
    """Equal shares whose counts add up to those of the request exactly.

    A server counts a request, not its choices. What does not divide goes to the first ones.
    Sound and cached tokens are parts of the input, so each disjoint part is divided by itself:
    every share is a count that a call of its own could have.

    Args:
        tokens: of the request.
        count: replies, at least 1.
    """
    sound = tokens.audio or 0
    words = (tokens.input or 0) - sound - (tokens.cached - tokens.cached_audio)
    parts = (
        words,
        sound - tokens.cached_audio,
        tokens.cached - tokens.cached_audio,
        tokens.cached_audio,
        tokens.output or 0,
    )
    if min(parts) < 0:  # counts that contradict each other cannot be divided
        available = [None if n is None else 0 for n in (tokens.input, tokens.output, tokens.audio)]
        return [tokens, *[Tokens(available[0], available[1], audio=available[2])] * (count - 1)]
    divided = zip(*(_divided(part, count) for part in parts), strict=True)
    return [
        Tokens(
            None if tokens.input is None else fresh + recognised + held + held_sound,
            None if tokens.output is None else said,
            held + held_sound,
            None if tokens.audio is None else recognised + held_sound,
            held_sound,
            tokens.audio_s / count,
        )
        for fresh, recognised, held, held_sound, said in divided
    ]


def _divided(whole: int, count: int) -> list[int]:
    each, left = divmod(whole, count)
    return [each + (index < left) for index in range(count)]
