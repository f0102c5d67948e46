"""A careful reader in the place of a language model, on pairs of known truth.

    python -m benchmarks.reader make OUT [--beside off] [--rendering brief] [--seed 1]
    python -m benchmarks.reader take OUT     # stores the replies, and prints the table
    python -m benchmarks.reader show         # prints the table of the stored replies

``make`` writes a folder per reading with what a reader may see, ``request.md``, and
nothing else; what is known of the pairs goes to ``OUT.truth.json``. A reader writes
``reply-r1.json`` or ``reply-r2.json`` beside the request (of a single request
``reply.json``). He must not see sound, truth, code or another reader's replies, and
answers by reading, not by a script. A file of one kind calibrates its reader, hence the
single requests.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.reader.readings import Shown, readings_of
from benchmarks.reader.replies import rows_of
from benchmarks.report import RESULTS, people_folder, save, table
from fusion import DIMENSIONS
from trace_eval.judges.beside.steps import DELIVERY, VOICE
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.rules.judge import RulesJudge
from trace_eval.judges.views.pair.text import PairTextView

_KEY = (
    '"{key}": {{"content": {{"reasoning": "...", "rating": "..."}},'
    ' "voice_quality": {{"reasoning": "...", "rating": "..."}},'
    ' "paralinguistics": {{"reasoning": "...", "rating": "..."}}}}'
)

HOW = """# What to do

Below stand instructions, and then {requests}. Answer by reading alone{order}. Use no script and
open no other file. Reasons may be a few words.

Write one JSON file into the folder of this file: {name}. Its form:

{{{form}}}

Each rating is "1", "2", "both_good" or "both_bad", as the instructions say.

# Instructions

"""


def main() -> None:
    """Make requests, or take and show replies."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("action", choices=("make", "take", "show"))
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--beside", default="steps")
    parser.add_argument("--rendering", default="compact")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.action == "make":
        view = PairTextView(JudgeOptions(beside=args.beside, rendering=args.rendering))
        make(args.out, view, args.seed)
    elif args.action == "take":
        take(args.out)
    if args.action != "make":
        stored = json.loads((RESULTS / "reader.json").read_text("utf-8"))
        for prompt in stored["prompts"]:
            header, rows = rows_of(prompt)
            table(f"{prompt['options']}, prompt {prompt['sha256'][:12]}", header, rows)


def make(out: Path, view: PairTextView, seed: int) -> None:
    """Write a folder per reading, and what is known of the pairs beside ``out``."""
    with tempfile.TemporaryDirectory() as folder:
        readings = readings_of(people_folder(), seed, Path(folder))
    options = {
        "beside": view.options.beside,
        "rendering": view.options.rendering,
        "seed": seed,
    }
    sizes = {step.name: step.size for step in (*VOICE, *DELIVERY)}
    truth: dict[str, Any] = {"sha256": view.sha256, "options": options, "steps": sizes}
    truth["readings"] = {}
    for name, pairs in readings.items():
        if name != "single":
            write_request(out / name, view, pairs)
        for number, one in enumerate(pairs if name == "single" else ()):
            write_request(out / f"single-{number + 1:02d}", view, [one])
        truth["readings"][name] = [known(one) for one in pairs]
    out.with_name(f"{out.name}.truth.json").write_text(
        json.dumps(truth, indent=1), "utf-8"
    )


def known(one: Shown) -> dict[str, Any]:
    """Return what is known of a pair, and what ``rules`` says of it."""
    judgement = RulesJudge().judge_case(one.case("p"))
    rules = {
        name: str(verdict.rating) for name, verdict in judgement.dimensions.items()
    }
    return {
        "kind": one.kind,
        "dimension": one.dimension,
        "verdict": one.verdict,
        "far": one.far,
        "rules": rules,
    }


def write_request(folder: Path, view: PairTextView, pairs: list[Shown]) -> None:
    """Write all that a reader may see."""
    folder.mkdir(parents=True)
    single = len(pairs) == 1
    keys = [f"{number:02d}" for number in range(len(pairs))]
    how = HOW.format(
        requests="one request" if single else f"{len(pairs)} requests",
        order=""
        if single
        else ", one after the other, each as if you had seen no other",
        name="reply.json"
        if single
        else "reply-r1.json (reader 1) or reply-r2.json (reader 2)",
        form=_KEY.format(key="00") + ("" if single else ', "01": {...}, ...'),
    )
    parts = [how + view.system.text]
    for key, one in zip(keys, pairs, strict=True):
        case = one.case(key)
        [_, message] = view.messages(view.prepare(case), "ab")
        parts.append(f"# REQUEST {key}\n\n{message.text}")
    (folder / "request.md").write_text("\n\n".join(parts) + "\n", "utf-8")


def take(out: Path) -> None:
    """Store the replies of a folder with what is known of its pairs."""
    prompt = json.loads(out.with_name(f"{out.name}.truth.json").read_text("utf-8"))
    for name, pairs in prompt["readings"].items():
        for number, one in enumerate(pairs):
            one["replies"] = {}
            if name == "single":
                files = {"r1": out / f"single-{number + 1:02d}" / "reply.json"}
            else:
                files = {r: out / name / f"reply-{r}.json" for r in ("r1", "r2")}
            key = "00" if name == "single" else f"{number:02d}"
            for reader, file in files.items():
                if file.is_file():
                    reply = json.loads(file.read_text("utf-8"))[key]
                    one["replies"][reader] = {
                        d: str(reply[d]["rating"]) for d in DIMENSIONS
                    }
    path = RESULTS / "reader.json"
    stored = json.loads(path.read_text("utf-8"))["prompts"] if path.is_file() else []
    same = (prompt["sha256"], prompt["options"])
    rest = [one for one in stored if (one["sha256"], one["options"]) != same]
    save("reader", {"prompts": [*rest, prompt]})


if __name__ == "__main__":
    main()
