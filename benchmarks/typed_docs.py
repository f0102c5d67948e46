"""Types what README and docs show, in a fresh clone, and prints what differs.

    TRACE_EVAL_DATA=... python -m benchmarks.typed_docs [PAGE...]

A claim is a command, or a Python block, and the lines that a page shows under it: after
``$``, or in the next block. Lines may be left out (``...``); those that stand there
must be printed, in any width; a claim ends with code 0, or shows its error. Seconds
that a run took are not compared. What cannot be typed is listed with its reason. The
exit code is 1 where something differs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import ROOT, data_folder
from tests.support.docs import PROGRAMS, files
from tests.support.platform_samples import write_exports

#: Page with lines that stand under no command -> why they are not typed.
NOT_HERE = {"docs/how-to/stop-when-sure.md": "shows a labelling that goes on for weeks"}

#: What a page's ``make`` stands for, where everything is installed.
INSTALLED = {"make demo": "trace-eval judge examples/pairs.jsonl --out runs/demo"}

_BLOCK = re.compile(r"^```(\S*)\n(.*?)^```", re.M | re.S)
_PROMPT = re.compile(r"^\$ ", re.M)
_SETTINGS = re.compile(r"^(?:[A-Z_]+=\S+ )+")
_TOOK = re.compile(r"\bin [\d.]+ (s|min)\b")


@dataclass(frozen=True)
class Step:
    """A command or code that a reader types, and the lines shown for it.

    There may be no lines.
    """

    text: str
    lines: tuple[str, ...] = ()
    python: bool = False


def steps(page: str) -> Iterator[Step]:
    """Yield what a page has to type, in its order: all blocks up to its last claim."""
    typed, _ = _read(page)
    claims = [number for number, step in enumerate(typed) if step.lines]
    yield from typed[: claims[-1] + 1] if claims else ()


def without_command() -> dict[str, int]:
    """Count the blocks of lines that stand under no command, by page."""
    counts = {page: _read(page)[1] for page in pages()}
    return {page: count for page, count in counts.items() if count}


def _read(page: str) -> tuple[list[Step], int]:
    """Return a page's steps, and how many blocks of lines are under none of them."""
    typed: list[Step] = []
    alone = 0
    for language, block in _BLOCK.findall((ROOT / page).read_text("utf-8")):
        if _PROMPT.search(block):
            for part in _PROMPT.split(block)[1:]:
                command, _, shown = part.partition("\n")
                typed.append(Step(command, tuple(shown.splitlines())))
        elif language == "python":
            typed.append(Step(block, python=True))
        elif language in ("", "sh", "text"):
            lines = block.splitlines()
            if lines and _SETTINGS.sub("", lines[0]).split(" ")[0] in PROGRAMS:
                typed.append(Step("\n".join(lines)))
            elif typed and not typed[-1].lines:
                typed[-1] = Step(typed[-1].text, tuple(lines), typed[-1].python)
            elif language != "sh":
                alone += 1
    return typed, alone


def two_folders(home: Path) -> None:
    """Make the folders of the page on two systems, and their prompts.

    They hold the example pairs.
    """
    (home / "old").mkdir()
    (home / "new").mkdir()
    prompts = []
    for line in (ROOT / "examples" / "pairs.jsonl").read_text("utf-8").splitlines():
        pair = json.loads(line)
        for folder, side in (("old", "a"), ("new", "b")):
            clip = ROOT / "examples" / pair[side]["audio"]
            shutil.copy(clip, home / folder / f"{pair['id']}{clip.suffix}")
        prompts.append(
            json.dumps({"id": pair["id"], "text": pair["instruction"]["text"]}) + "\n"
        )
    (home / "prompts.jsonl").write_text("".join(prompts), "utf-8")


def human_labels(home: Path) -> None:
    """Put the two files of the page on few labels where it has them."""
    shutil.copy(data_folder() / "orca" / "ratings.jsonl", home / "ratings.jsonl")
    shutil.copy(data_folder() / "hcot" / "speakbench.json", home / "hcot.json")


def platform_exports(home: Path) -> None:
    """Make the exports of platforms, beside a recording of a call."""
    make = [sys.executable, "examples/make_call.py", "call"]
    subprocess.run(make, cwd=home, check=True, capture_output=True)
    write_exports(home / "exports", home / "call" / "call.wav")


#: Page -> what the reader has before its first command.
PREPARED: dict[str, Callable[[Path], None]] = {
    "docs/tutorials/two-systems.md": two_folders,
    "docs/explanation/few-labels.md": human_labels,
    "docs/how-to/platforms.md": platform_exports,
}


def typed(home: Path, step: Step) -> subprocess.CompletedProcess[str]:
    """Type a step in the reader's folder."""
    text = INSTALLED.get(step.text.partition("#")[0].strip(), step.text)
    command = [sys.executable, "-c", text] if step.python else ["bash", "-c", text]
    environment = {
        **os.environ,
        "COLUMNS": "240",
        "PATH": f"{home / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str((home / "clone").resolve()),
        "TRACE_EVAL_CACHE": str(home.parent / "cache"),
    }
    return subprocess.run(
        command, cwd=home, env=environment, capture_output=True, text=True
    )


def words(text: str) -> str:
    """Return a text without rules, widths and the seconds that it took."""
    return _TOOK.sub("in N", " ".join(re.sub("[\u2500\ufffd]", " ", text).split()))


def differences(page: str, home: Path) -> list[str]:
    """Type a page's claims in order; return each line that was not printed."""
    PREPARED.get(page, lambda _: None)(home)
    wrong = []
    for step in steps(page):
        if step.text.startswith("pip "):
            continue  # it is installed
        done = typed(home, step)
        if not step.lines:
            # shows nothing; tests/test_docs.py types those that a reader can type
            continue
        fails = any(line.startswith("error:") for line in step.lines)
        shown = step.text.splitlines()[0]
        if (done.returncode != 0) != fails:
            wrong.append(
                f"{page}: {shown}: exit code {done.returncode}\n{done.stderr[-600:]}"
            )
        printed = words(done.stdout + done.stderr)
        missing = [line for line in step.lines if words(line) not in ("...", "")]
        wrong += [
            f"{page}: {shown}: not printed: {line.strip()}"
            for line in missing
            if words(line) not in printed
        ]
    return wrong


def reader(folder: Path, clone: Path) -> Path:
    """Make an empty folder of a reader who has the command and a clone."""
    (folder / "bin").mkdir(parents=True)
    script = folder / "bin" / "trace-eval"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m trace_eval "$@"\n')
    script.chmod(0o755)
    (folder / "clone").symlink_to(clone)
    (folder / "examples").symlink_to(clone / "examples")
    return folder


def pages() -> list[str]:
    """Name all pages that a user reads."""
    return [page.relative_to(ROOT).as_posix() for page in files()]


def claiming() -> list[str]:
    """Name the pages that show what a command prints."""
    return [page for page in pages() if any(steps(page))]


def main() -> int:
    """Type all; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pages", nargs="*", default=claiming(), help="default: all")
    typed_pages = parser.parse_args().pages
    for page in without_command().keys() & set(NOT_HERE):
        print(f"{page}: not typed: {NOT_HERE[page]}")
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        clone = Path(name) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        for number, page in enumerate(typed_pages):
            found = differences(page, reader(Path(name) / str(number), clone))
            claims = sum(len(step.lines) > 0 for step in steps(page))
            print(f"{page}: {claims} claims, {len(found)} lines differ", flush=True)
            wrong += found
    print("\n".join(wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
