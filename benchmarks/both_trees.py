"""What each command costs in two trees: CPU seconds, in turns.

    python -m benchmarks.both_trees OLD
    python -m benchmarks.both_trees OLD --rounds 15 --only judge

``OLD`` is a checkout of another revision with its own ``.venv``. Both trees run the same
commands on copies of the examples, each in a folder of its own and with its own cache.
A round runs a command once in each tree, so that other work on the machine slows both.
Printed: the median of each tree, the ratio of the two, and the ratio of the fastest runs.
"""

from __future__ import annotations

import os
import resource
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.report import ROOT, data_folder, options_of

#: Made once in each tree, before anything is timed.
INPUTS = (
    "examples/make_call.py calls",
    "-m trace_eval judge examples/pairs.jsonl --out run",
    "-m trace_eval judge examples/pairs.jsonl --out other --policy majority_vote",
)

#: Name -> what is timed. The folder ``new`` is not there before.
COMMANDS = {
    "import": "-c 'import trace_eval'",
    "--help": "-m trace_eval --help",
    "judge, a new run": "-m trace_eval judge examples/pairs.jsonl --out new",
    "judge, a finished run": "-m trace_eval judge examples/pairs.jsonl --out run",
    "judge, in Python": "judge.py",
    "rank": "-m trace_eval rank run",
    "agree": "-m trace_eval agree run",
    "report": "-m trace_eval report run",
    "compare": "-m trace_eval compare run other",
    "fuse": "-m trace_eval fuse run --policy content_first",
    "gate": "-m trace_eval gate run other --judge-changed",
    "turns": "-m trace_eval turns calls/call.wav",
    "convert": "-m trace_eval convert uro-bench DATA/benchmarks/uro-bench/basic new",
    "screen": "-m trace_eval screen run --out new",
    "extract": "-m trace_eval extract examples/clips --out new",
    "extract, a first clip": (
        "-m trace_eval extract DATA/prompts/0.wav --out new/out --cache new/cache"
    ),
}

_JUDGE = (
    "import trace_eval\n"
    "trace_eval.judge('examples/pairs.jsonl', 'new', progress=False)\n"
)


class Tree:
    """A checkout, and a folder in which its commands run."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._python = root / ".venv" / "bin" / "python"
        self._folder = folder
        self._environment = os.environ | {"TRACE_EVAL_CACHE": str(folder / "cache")}
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)
        shutil.copytree(ROOT / "examples", folder / "examples")
        (folder / "judge.py").write_text(_JUDGE)
        for line in INPUTS:
            self.cpu(line)

    def cpu(self, line: str) -> float:
        """Run a command; return the CPU seconds that it took."""
        shutil.rmtree(self._folder / "new", ignore_errors=True)
        words = shlex.split(line.replace("DATA", str(data_folder())))
        before = _children()
        subprocess.run(
            [self._python, *words],
            cwd=self._folder,
            env=self._environment,
            check=True,
            capture_output=True,
        )
        return _children() - before


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Time the commands in both trees and print a line for each."""
    parser = options_of(__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="commands whose name holds this")
    options = parser.parse_args()
    print(
        f"CPU seconds, medians of {options.rounds} rounds: old, new, ratio, of fastest"
    )
    with tempfile.TemporaryDirectory() as name:
        trees: list[Tree] = []
        for root in (options.old.resolve(), ROOT):
            folder = Path(name) / str(len(trees))
            folder.mkdir()
            trees.append(Tree(root, folder))
        for command in (one for one in COMMANDS if options.only in one):
            old, new = [], []
            try:
                for _ in range(options.rounds):
                    old.append(trees[0].cpu(COMMANDS[command]))
                    new.append(trees[1].cpu(COMMANDS[command]))
            except subprocess.CalledProcessError as error:
                print(f"{command:24}not timed: {error}", flush=True)
                continue
            before, after = median(old), median(new)
            medians = f"{before:6.2f} {after:6.2f} {after / before:6.2f}"
            print(f"{command:24}{medians} {min(new) / min(old):6.2f}", flush=True)


if __name__ == "__main__":
    main()
