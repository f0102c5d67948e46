"""Makes the pictures of the README and of the pages about calls, languages and labels.

    python docs/make_screenshots.py [RUN]        # default: runs/demo, as make demo leaves it
    python docs/make_screenshots.py --call       # the picture of a call alone
    python docs/make_screenshots.py --language   # that of a pair in Spanish alone

Needs chromium and espeak-ng (``apt-get install chromium espeak-ng``) and the extras
``test`` and ``base``.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

from trace_eval.report.write import write_report

HERE = Path(__file__).resolve().parent
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
]
VIEW: ViewportSize = {"width": 1100, "height": 820}
#: The reasons and the recordings of a pair on one picture.
TALL: ViewportSize = {"width": 1280, "height": 1170}

#: The pair that is shown: its answers differ in the noise alone.
PAIR = "noise"

#: A request in Spanish and an answer to it.
SPANISH = {
    "request.wav": "¿Qué tiempo hará mañana, y cómo es el pueblo en el que vive tu hermana?",
    "answer.wav": "Mañana hará sol por la mañana, pero lloverá por la tarde."
    " Mi hermana vive en un pueblo pequeño cerca de las montañas."
    " Quisiera reservar una mesa para cuatro personas esta noche.",
}


def shoot_report(page: Page, run: Path) -> None:
    """Shoot the page of one pair."""
    with tempfile.TemporaryDirectory() as folder:
        report = write_report(run, Path(folder) / "report.html")
        page.set_viewport_size(TALL)
        page.goto(f"{report.as_uri()}#pair={PAIR}")
        page.wait_for_selector("#pair h1")
        page.wait_for_timeout(1000)  # the players read their files
        page.screenshot(path=HERE / "report.png")
        page.set_viewport_size(VIEW)


def shoot_review(page: Page, run: Path) -> None:
    """Shoot the first question about a pair."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "trace_eval",
            "review",
            str(run),
            "--port",
            "0",
        ]
        command += ["--db", f"{folder}/review.sqlite"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            page.goto(server.stdout.readline().split()[1])
            page.keyboard.type("ada")
            page.keyboard.press("Enter")
            page.wait_for_selector("#panel")
            page.wait_for_timeout(1000)
            page.screenshot(
                path=HERE / "review.png",
                clip={"x": 0, "y": 0, "width": 1100, "height": 620},
            )
            server.terminate()


def shoot_call(page: Page) -> None:
    """Shoot the two lanes of the example call that goes wrong."""
    with tempfile.TemporaryDirectory() as folder:
        calls, run = Path(folder, "call"), Path(folder, "run")
        make = [
            sys.executable,
            str(HERE.parent / "examples" / "make_call.py"),
            str(calls),
        ]
        subprocess.run(make, check=True)
        rate = [
            sys.executable,
            "-m",
            "trace_eval",
            "rate",
            str(calls),
            "--out",
            str(run),
        ]
        rate += [
            "--rubric",
            "handling",
            "--judge",
            "turns",
            "--cache",
            f"{folder}/cache",
        ]
        left_out = ("quality", "pitch", "loudness", "rate")
        subprocess.run([*rate, *(f"-x{group}=none" for group in left_out)], check=True)
        report = write_report(run, Path(folder) / "report.html", audio=True)
        high = ViewportSize(width=VIEW["width"], height=TALL["height"])
        page.set_viewport_size(high)  # all of the call, below the head of the page
        page.goto(f"{report.as_uri()}#call-call")
        page.locator("details[open] .lane").first.wait_for()
        page.wait_for_timeout(1000)
        page.locator("details[open] .call").screenshot(path=HERE / "call.png")
        page.set_viewport_size(VIEW)


def shoot_language(page: Page) -> None:
    """Shoot a request in Spanish, answered in Spanish and in English."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, words in SPANISH.items():
            say = [
                "espeak-ng",
                "-v",
                "es",
                "-s",
                "150",
                "-w",
                str(folder / file),
                words,
            ]
            subprocess.run(say, check=True)
        english = HERE.parent / "examples" / "clips" / "silent-b.ogg"
        pair = {
            "id": "in Spanish",
            "instruction": {"audio": "request.wav", "text": SPANISH["request.wav"]},
            "a": {"audio": "answer.wav", "system": "alder"},
            "b": {"audio": str(english), "system": "birch"},
        }
        manifest, run = folder / "pairs.jsonl", folder / "run"
        manifest.write_text(json.dumps(pair), "utf-8")
        judge = [
            sys.executable,
            "-m",
            "trace_eval",
            "judge",
            str(manifest),
            "--out",
            str(run),
        ]
        subprocess.run([*judge, "--cache", f"{folder}/cache"], check=True)
        report = write_report(run, folder / "report.html", audio=True)
        page.set_viewport_size(TALL)
        page.goto(f"{report.as_uri()}#pair=in%20Spanish")
        page.wait_for_selector("#pair h1")
        page.wait_for_timeout(1000)
        page.screenshot(path=HERE / "language.png")
        page.set_viewport_size(VIEW)


def main() -> None:
    """Write docs/report.png, docs/review.png, docs/call.png and docs/language.png."""
    run = Path(next((given for given in sys.argv[1:] if given[0] != "-"), "runs/demo"))
    alone = {"--call", "--language"} & set(sys.argv)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        page = browser.new_page(viewport=VIEW, color_scheme="light")
        if not alone or "--call" in alone:
            shoot_call(page)
        if not alone or "--language" in alone:
            shoot_language(page)
        if not alone:
            shoot_report(page, run)
            shoot_review(page, run)
        browser.close()


if __name__ == "__main__":
    main()
