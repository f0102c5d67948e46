"""Records the demo as an animated picture: the commands' output, then their page.

    python docs/make_recording.py        # writes docs/demo.svg

The commands are run for real, with no clip measured before; only the waiting is
shortened, so that all takes 30 s. The page is docs/report.png, as
``docs/make_screenshots.py`` left it, first its upper part and then its lower one. The
picture is one SVG without a script: browsers and README pages play it. It begins with
the page, so that nobody first sees an empty screen; whoever asks for less motion sees
the page alone. Where the picture is drawn small, as on a phone, it shows its left half
twice as large: all but the reasons. Needs Pillow, which the extra ``plot`` brings.
"""

from __future__ import annotations

import base64
import io
import os
import shlex
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from PIL import Image

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PICTURE, PAGE = HERE / "demo.svg", HERE / "report.png"

COMMANDS = (
    "trace-eval judge examples/pairs.jsonl --out runs/demo",
    "trace-eval report runs/demo",
)

#: Characters and lines of the terminal, and pixels of a character, a line and the
#: margin.
COLUMNS, LINES = 120, 29
CHARACTER, LINE, MARGIN = 6.65, 16.5, 16.0
WIDTH, HEIGHT = COLUMNS * CHARACTER + 2 * MARGIN, LINES * LINE + 2 * MARGIN + 24

#: Pixels up to which a picture is drawn small, and how much larger it is there.
SMALL_PX, LARGER = 560, 2

#: Seconds of all, of a typed command, of waiting for what it prints, and of the page at
#: the end; in the rest there is time to read.
LENGTH_S, TYPING_S, WAITING_S, PAGE_S = 30.0, 1.5, 3.0, 9.0

STYLE = """
text { font: 11px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  white-space: pre; fill: #d7dde6 }
.typed { fill: #ffffff; font-weight: 600 }
.page, .line, .lines { animation-duration: %gs; animation-iteration-count: infinite;
  animation-timing-function: step-end; animation-delay: -%gs }
.larger { transform-origin: 0 %gpx }
@media (max-width: %gpx) {
  .larger { transform: scale(%g) }
  .scroll { animation-name: scroll-larger !important; transform: translateY(%gpx) !important }
}
@media (prefers-reduced-motion: reduce) { .page, .line, .lines { animation: none !important } }
"""

#: Where the first line and the page begin, below the bar of the window.
TOP = MARGIN + 16


@dataclass(frozen=True)
class Shown:
    """A line of the terminal.

    Attributes:
        text: at most ``COLUMNS`` characters.
        at_s: when it appears.
        typed: it is a command that somebody types.
    """

    text: str
    at_s: float
    typed: bool = False


def printed(command: str, folder: Path) -> Iterator[tuple[float, str]]:
    """Run a command; yield each line that it prints, with the seconds since start."""
    environment = os.environ | {
        "COLUMNS": str(COLUMNS),
        "PYTHONPATH": str(ROOT),
        "TRACE_EVAL_CACHE": str(folder / "cache"),
        "PYTHONUNBUFFERED": "1",
    }
    typed = [
        sys.executable,
        "-m",
        *shlex.split(command.replace("trace-eval", "trace_eval", 1)),
    ]
    started = time.monotonic()
    with subprocess.Popen(
        typed,
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield time.monotonic() - started, line.rstrip()
    if process.returncode:
        sys.exit(f"{command}: exit code {process.returncode}")


def record(folder: Path) -> list[Shown]:
    """Run all commands, and say when each line appears in the shortened time."""
    reading_s = (LENGTH_S - PAGE_S) / len(COMMANDS) - TYPING_S - WAITING_S
    shown: list[Shown] = []
    now = 0.0
    for command in COMMANDS:
        shown.append(Shown(f"$ {command}", now, typed=True))
        now += TYPING_S
        lines = list(printed(command, folder))
        took_s = lines[-1][0]
        for seconds, line in lines:
            at_s = now + seconds * WAITING_S / took_s
            shown += [
                Shown(part, at_s) for part in textwrap.wrap(line, COLUMNS) or [""]
            ]
        now += WAITING_S + reading_s
    return shown


def share(seconds: float) -> str:
    """Return a time as the percentage of the whole that keyframes ask for."""
    return f"{100 * seconds / LENGTH_S:.2f}%"


def appearing(name: str, at_s: float) -> str:
    """Return the keyframes of something that is hidden until a time."""
    if at_s <= 0:
        return f"@keyframes {name} {{ from, to {{ opacity: 1 }} }}"
    return (
        f"@keyframes {name} {{ from {{ opacity: 0 }} {share(at_s)}, to {{ opacity: 1 }}"
        " }"
    )


def scrolling(name: str, shown: list[Shown], lines: int) -> str:
    """Return the keyframes that keep the newest line in sight, of so many lines."""
    steps = ["from { transform: translateY(0) }"]
    for number, line in enumerate(shown):
        hidden = number + 1 - lines
        if hidden > 0:
            place = f"translateY({-hidden * LINE:g}px)"
            steps.append(f"{share(line.at_s)} {{ transform: {place} }}")
    last = max(0, len(shown) - lines)
    steps.append(f"to {{ transform: translateY({-last * LINE:g}px) }}")
    return f"@keyframes {name} {{ {' '.join(steps)} }}"


def page_image() -> tuple[str, str]:
    """Return the image of a pair's page, and the keyframes that scroll to its end.

    The page is as wide as the terminal; the SVG holds it itself.
    """
    image = Image.open(PAGE).convert("RGB")
    high = image.height * WIDTH / image.width
    held = io.BytesIO()
    image.save(held, "WEBP", quality=80)
    data = base64.b64encode(held.getvalue()).decode()
    drawn = (
        '<g class="lines" style="animation-name: leaf">'
        f'<image class="page" style="animation-name: page" width="{WIDTH:g}"'
        f' height="{high:g}" href="data:image/webp;base64,{data}"/></g>'
    )
    lower = f"transform: translateY({min(0, HEIGHT - high):g}px)"
    turned = share(LENGTH_S - PAGE_S / 2)
    upper = "from { transform: translateY(0) }"
    return drawn, f"@keyframes leaf {{ {upper} {turned}, to {{ {lower} }} }}"


def picture(shown: list[Shown]) -> str:
    """Draw the terminal line by line, then the page."""
    frames = [appearing(f"l{number}", line.at_s) for number, line in enumerate(shown)]
    page, leafing = page_image()
    few = LINES // LARGER - 1
    frames += [scrolling("scroll", shown, LINES)]
    frames += [scrolling("scroll-larger", shown, few)]
    frames += [appearing("page", LENGTH_S - PAGE_S), leafing]
    place = -max(0, len(shown) - few) * LINE
    style = STYLE % (LENGTH_S, LENGTH_S - PAGE_S, TOP, SMALL_PX, LARGER, place)
    rows = []
    for number, line in enumerate(shown):
        y = MARGIN + 24 + (number + 0.8) * LINE
        kind = "line typed" if line.typed else "line"
        rows.append(
            f'<text class="{kind}" style="animation-name: l{number}" x="{MARGIN:g}"'
            f' y="{y:g}">'
            f"{escape(line.text)}</text>"
        )
    top = len(shown) - LINES
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g}'
            f' {HEIGHT:g}" width="{WIDTH:g}" height="{HEIGHT:g}" role="img">',
            (
                "<title>The demo: thirteen pairs are judged, then the page of one"
                " pair</title>"
            ),
            f"<style>{style}{' '.join(frames)}</style>",
            (
                f'<clipPath id="all"><rect width="{WIDTH:g}" height="{HEIGHT:g}"'
                ' rx="8"/></clipPath>'
            ),
            '<clipPath id="screen">'
            f'<rect y="{TOP:g}" width="{WIDTH:g}" height="{HEIGHT - TOP:g}"/>'
            "</clipPath>",
            '<g clip-path="url(#all)">',
            f'<rect width="{WIDTH:g}" height="{HEIGHT:g}" fill="#16202c"/>',
            *(
                f'<circle cx="{MARGIN + 16 * number:g}" cy="16" r="5" fill="{colour}"/>'
                for number, colour in enumerate(("#e0645c", "#e3b04b", "#5fb36a"))
            ),
            '<g clip-path="url(#screen)">',
            '<g class="larger">',
            '<g class="lines scroll" style="animation-name: scroll;'
            f' transform: translateY({-max(0, top) * LINE:g}px)">',
            *rows,
            "</g></g></g>",
            f'<g class="larger">{page}</g>',
            "</g>",
            (
                f'<rect width="{WIDTH:g}" height="{HEIGHT:g}" rx="8" fill="none"'
                ' stroke="#8c96a3"/>'
            ),
            "</svg>",
            "",
        ]
    )


def main() -> None:
    """Record, and write the picture."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "examples").symlink_to(ROOT / "examples")
        PICTURE.write_text(picture(record(folder)), "utf-8")


if __name__ == "__main__":
    main()
