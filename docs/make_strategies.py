"""Draws ``docs/strategies.svg``, what each strategy sends, from a judge's messages.

python docs/make_strategies.py
"""

from __future__ import annotations

import json
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

from extractors.audio import Clip
from trace_eval.data.answers import Answer
from trace_eval.data.items import Pair
from trace_eval.judges.ask.message import AudioPart, Message
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.views.examples.solved import Solved
from trace_eval.judges.views.pair.sound_prompt import PromptBuilder, PromptItem
from trace_eval.judges.views.sound.encode import Sending, sound_of
from trace_eval.judges.views.sound.layout import Sound, Unit
from trace_eval.judges.views.sound.signals import load_signals
from trace_eval.judges.views.text.tasks import load_listening

TARGET = Path(__file__).with_name("strategies.svg")

#: The strategies in the order of the table, with their names in the paper.
STRATEGIES = {
    "none": "no concatenation",
    "pairs": "pair example concatenation",
    "examples": "examples concatenation",
    "test": "test concatenation",
    "all": "examples and test concatenation (default)",
}

#: Drawn seconds: instruction, first and second answer.
SECONDS = (1.2, 2.0, 1.6)

#: Pixels of a second of sound, of a gap, of a text line, and between turns.
SCALE, GAP, LINE, BETWEEN = 13.0, 3.0, 13.0, 16.0

COLOURS = {
    "instruction": "#7a6bb5",
    "first": "#2a78b8",
    "second": "#c8762b",
    "signal": "#5b6472",
}

#: What the colours stand for.
LEGEND = {
    "instruction": "instruction",
    "first": "first answer",
    "second": "second answer",
    "signal": "spoken label",
}


def unit(number: int) -> tuple[Unit, dict[str, str]]:
    """Make a comparison of three sounds, and say what each is, by hash."""
    sounds = [sound(10 * number + n, seconds) for n, seconds in enumerate(SECONDS)]
    names = dict(
        zip((s.sha256 for s in sounds), ("instruction", "first", "second"), strict=True)
    )
    return Unit((sounds[1], sounds[2]), sounds[0]), names


def sound(seed: int, seconds: float) -> Sound:
    """Noise of some seconds."""
    draw = np.random.default_rng(seed)
    samples = 0.1 * draw.standard_normal((round(seconds * 24_000), 1))
    return sound_of(Clip(samples.astype(np.float32), 24_000))


def conversation(concat: str) -> tuple[list[Message], dict[str, str]]:
    """Return the messages of one call with two examples, and what each recording is."""
    (part,) = load_listening("s2s").parts
    pair = Pair(id="drawn", a=Answer(audio="a.wav"), b=Answer(audio="b.wav"))
    names: dict[str, str] = {}
    examples = []
    for number, label in ((1, "1"), (2, "2")):
        made, known = unit(number)
        names |= known
        example = Solved(
            pair, made, {part.name: (json.dumps({"label": label}), label)}, None
        )
        examples.append((example, PromptItem(made)))
    test, known = unit(3)
    sending = Sending(JudgeOptions(concat=concat), load_signals("spoken"))  # type: ignore[arg-type]
    messages = PromptBuilder(part, "label", sending, examples).messages(
        PromptItem(test)
    )
    return list(messages[1:]), names | known


def draw_part(
    part: AudioPart, x: float, y: float, names: dict[str, str]
) -> tuple[str, float]:
    """One audio part as a row of blocks in a frame, and where it ends."""
    blocks, at = [], x + 4
    for item in part.recipe["items"]:  # type: ignore[union-attr]
        if not isinstance(item, str):
            at += GAP
            continue
        if item.startswith("signal"):
            width, colour = 5.0, COLOURS["signal"]
        else:
            role = names[item]
            width = SCALE * SECONDS[("instruction", "first", "second").index(role)]
            colour = COLOURS[role]
        blocks.append(
            f'<rect x="{at:.1f}" y="{y + 4:.1f}" width="{width:.1f}" height="14" rx="2"'
            f' fill="{colour}"/>'
        )
        at += width
    at += 4
    frame = f'<rect x="{x:.1f}" y="{y:.1f}" width="{at - x:.1f}" height="22" rx="4"'
    return f'{frame} fill="#f4f6f9" stroke="#9aa4b2"/>' + "".join(blocks), at


def draw_turn(
    message: Message, x: float, y: float, names: dict[str, str]
) -> tuple[str, float]:
    """One turn: its text as bars, its sound as framed blocks."""
    drawn, at = [], x
    if message.role == "assistant":
        drawn.append(
            f'<circle cx="{at + 7:.1f}" cy="{y + 11:.1f}" r="6" fill="#3f8f5b"/>'
        )
        return "".join(drawn), at + 14
    for piece in message.parts:
        if isinstance(piece, AudioPart):
            part, at = draw_part(piece, at, y, names)
            drawn.append(part)
        else:
            drawn.append(
                f'<rect x="{at:.1f}" y="{y + 8:.1f}" width="{LINE - 4:.1f}" height="6"'
                ' rx="3" fill="#c3cad5"/>'
            )
            at += LINE - 4
        at += 3
    return "".join(drawn), at


def picture() -> str:
    """Draw the whole picture."""
    rows, widest = [], 0.0
    for number, (name, title) in enumerate(STRATEGIES.items()):
        y = 24 + 58 * number
        messages, names = conversation(name)
        parts = sum(isinstance(p, AudioPart) for m in messages for p in m.parts)
        caption = escape(f"{name}: {title}, {parts} audio part{'s' * (parts > 1)}")
        rows.append(
            f'<text x="16" y="{y}" font-weight="600" fill="#1c2430">{caption}</text>'
        )
        x = 16.0
        for message in messages:
            drawn, x = draw_turn(message, x, y + 8, names)
            rows.append(drawn)
            x += BETWEEN - 8
        widest = max(widest, x)
    y = 24 + 58 * len(STRATEGIES)
    x = 16
    for key, words in LEGEND.items():
        box = f'x="{x}" y="{y - 10}" width="14" height="12" rx="2"'
        rows.append(f'<rect {box} fill="{COLOURS[key]}"/>')
        rows.append(f'<text x="{x + 20}" y="{y}" fill="#414b5a">{words}</text>')
        x += 140
    rows.append(
        f'<rect x="{x}" y="{y - 7}" width="9" height="6" rx="3" fill="#c3cad5"/>'
    )
    rows.append(f'<text x="{x + 16}" y="{y}" fill="#414b5a">a line of text</text>')
    rows.append(f'<circle cx="{x + 136}" cy="{y - 4}" r="6" fill="#3f8f5b"/>')
    rows.append(f'<text x="{x + 148}" y="{y}" fill="#414b5a">the solution</text>')
    width, height = max(widest, x + 240) + 16, y + 20
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}"'
        ' font-family="system-ui, sans-serif" font-size="13" role="img"'
        ' aria-label="Five ways to join two examples and a test into audio parts; a'
        ' frame is one part">\n'
        f'<rect width="{width:.0f}" height="{height}" rx="8" fill="#ffffff"/>\n'
    )
    return head + "\n".join(rows) + "\n</svg>\n"


if __name__ == "__main__":
    TARGET.write_text(picture())
