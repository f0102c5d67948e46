"""Judging synthetic pairs on two Ray nodes, one of them killed again and again.

    python -m benchmarks.ray_judging [--pairs 100000] [--kills 10] [--store s3] [--seed 0]

A finished run with stored blueprints is judged again by a judge that makes its verdicts
of a hash. Once by one process, then on two nodes of one CPU each, whose second one is
killed at random moments and replaced, then on them once more, where all is judged; the
results lie on an S3 server of this machine, or in a folder. Prints what it took, and
fails unless all pairs are scored and all files are equal but for times and the order of
lines.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from io import BufferedReader
from itertools import zip_longest
from pathlib import Path
from typing import Any, overload

from benchmarks.judged_as_expected import clip_of, lines_of, unexpected, words_of
from benchmarks.passes import Passes, apart
from benchmarks.report import save, table_of
from tests.support import blueprints as make
from tests.support.judged_on_ray import EQUAL, UNORDERED, ByHash
from tests.support.object_store import BUCKET, object_store
from tests.support.ray_nodes import Nodes
from trace_eval.data import jsonl
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair
from trace_eval.data.manifests import Manifest
from trace_eval.data.place import Place
from trace_eval.extracting.options import ExtractOptions
from trace_eval.runs.events import RunEvent
from trace_eval.runs.job import open_again
from trace_eval.runs.options import Options
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.record import JudgeRecord, RunRecord
from trace_eval.runs.run import Run
from trace_eval.runs.standing import Standing
from trace_eval.runs.summary import Summary

OPTIONS = Options(ExtractOptions(workers=0), ByHash())

#: Of a file on an object store that is compared, so much at once: a server that reads
#: the whole object for each part takes minutes with small ones.
_REQUESTED_BYTES = 2**26

#: Seconds between two kills, at random.
_BETWEEN_S = (4.0, 12.0)

#: Pairs of one instruction.
PER_INSTRUCTION = 4


class Pairs(Sequence[Pair]):
    """Pairs of recordings that do not exist, each made when it is asked for."""

    def __init__(self, count: int) -> None:
        self._numbers = range(count)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> Pair: ...

    @overload
    def __getitem__(self, place: slice) -> list[Pair]: ...

    def __getitem__(self, place: int | slice) -> Pair | list[Pair]:
        if isinstance(place, slice):
            return [self[number] for number in self._numbers[place]]
        number = self._numbers[place]
        return Pair(
            id=f"p{number}",
            instruction=Instruction(text="What flows through this city?"),
            a=Answer(audio=Path(f"/audio/{number}-a.wav"), system="alto"),
            b=Answer(audio=Path(f"/audio/{number}-b.wav"), system="basso"),
            instruction_id=f"i{number // PER_INSTRUCTION}",
        )


def write_run(folder: Path, pairs: int) -> Path:
    """Write an unjudged run of pairs with a blueprint of each recording."""
    items = Pairs(pairs)
    pattern = make.answer("WORDS").model_copy(update={"clip": "CLIP"})
    text = pattern.model_dump_json()
    with Run(folder) as run:
        record = RunRecord(judge=JudgeRecord(spec="none"))
        run.start(record, Manifest(folder / "x", items))
        with (
            run.path("clips.jsonl").open("w") as clips,
            run.path("blueprints.jsonl").open("w") as blueprints,
        ):
            for item in items:
                for answer in (item.a, item.b):
                    source = answer.source_id
                    clip = clip_of(source)
                    one = ClipRecord(source=source, clip=clip)
                    clips.write(one.model_dump_json() + "\n")
                    said = text.replace("CLIP", clip).replace("WORDS", words_of(source))
                    blueprints.write(said + "\n")
    return folder


def killing(
    nodes: Nodes, kills: int, seed: int, work: Callable[[], Summary]
) -> tuple[Summary, int]:
    """Kill and replace the second node at random while another thread works.

    Returns what came of the work, and how often the node was killed. Nodes are started
    in the main thread alone, because Ray sets handlers of signals there.
    """
    rng, done = random.Random(seed), 0
    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(work)
        while not result.done():
            moment = rng.uniform(*_BETWEEN_S)
            with suppress(TimeoutError):
                result.result(moment)
            if done < kills and not result.done():
                nodes.kill_second()
                done += 1
                time.sleep(rng.uniform(0, 3))
                _replace(nodes)
        return result.result(), done


def _replace(nodes: Nodes) -> None:
    """Start another second node; on a busy machine one may not be there in time."""
    for _ in range(5):
        try:
            nodes.replace_second()
        except Exception as error:
            print(f"a node did not start: {error}", file=sys.stderr)
        else:
            return


def _differing(local: Path, place: Place) -> list[str]:
    """Return the files of a local run that differ from those at a place."""
    names = [name for name in (*EQUAL, *UNORDERED) if (local / name).exists()]
    return [name for name in names if not _equal(local / name, place)]


def _equal(path: Path, place: Place) -> bool:
    """Compare a file with that of a place; both are read line by line."""
    if place.local:
        other = Path(place.path(path.name))
        return _same(path.name, jsonl.read(path), jsonl.read(other))
    with place.opened(path.name) as file:
        buffered = BufferedReader(file, _REQUESTED_BYTES)  # type: ignore[type-var]
        theirs = (line.decode() for line in buffered)
        return _same(path.name, jsonl.read(path), theirs)


def _same(name: str, ours: Iterable[str], theirs: Iterable[str]) -> bool:
    if name in EQUAL:
        return all(one == other for one, other in zip_longest(ours, theirs))
    return lines_of(ours) == lines_of(theirs)


class _Progress:
    """Prints how far a job is, as it is told."""

    def __init__(self) -> None:
        self.standing, self._started = Standing(), time.monotonic()

    def __call__(self, event: RunEvent) -> None:
        """Take an event of the job."""
        self.standing = event.job or self.standing
        seconds = time.monotonic() - self._started
        print(f"{seconds:.0f} s: {self.standing.done}", file=sys.stderr, flush=True)


def _judge_here(source: Path, out: Path) -> dict[str, int]:
    return {"pairs": open_again(source, out, OPTIONS).judge().scored, "killed": 0}


def _judge_on_nodes(
    nodes: Nodes | None, source: Path, out: str, kills: int, seed: int
) -> dict[str, int]:
    assert nodes is not None
    extract = replace(
        OPTIONS.extract, engine="ray", ray_address=nodes.address, workers=None
    )
    options = replace(OPTIONS, extract=extract)

    def work() -> Summary:
        return open_again(source, out, options).judge(_Progress())

    summary, killed = killing(nodes, kills, seed, work)
    return {"pairs": summary.scored, "killed": killed}


def main() -> None:
    """Judge on one machine, on two nodes and once more; compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--store", choices=("s3", "folder"), default="s3")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--home",
        type=Path,
        help="kept, so that a job that was stopped goes on, and one that is finished"
        " prints what it took",
    )
    parser.add_argument(
        "--no-local",
        action="store_true",
        help="judge on the nodes alone; files in a folder are compared with what the"
        " pairs and the judge's hash give",
    )
    chosen = parser.parse_args()
    if chosen.home and chosen.store == "s3":
        parser.error("--home keeps what lies in folders: add --store folder")
    os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
    requests = logging.getLogger("werkzeug")  # the server's line for each
    requests.setLevel(logging.ERROR)
    results: dict[str, dict[str, Any]] = {}
    differing: list[str] = []
    with ExitStack() as stack:
        home = chosen.home or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        source, local = home / "source", home / "local"
        passes = Passes(home / "passes.json", "pairs")
        if not source.exists():
            apart(write_run, source, chosen.pairs)
        if not chosen.no_local:
            work = partial(apart, _judge_here, source, local)
            results["one process"] = passes.row("one process", work)

        nodes = None
        if not passes.has("two nodes", "again"):
            os.environ |= stack.enter_context(object_store())
            nodes = Nodes()
            stack.callback(nodes.stop)
        out = f"{BUCKET}/run" if chosen.store == "s3" else str(home / "ray")
        place = Place(out)
        for what, kills in (("two nodes", chosen.kills), ("again", 0)):
            work = partial(_judge_on_nodes, nodes, source, out, kills, chosen.seed)
            results[what] = passes.row(what, work)
            if not chosen.no_local:
                differing += _differing(local, place)
            elif place.local:
                differing += unexpected(source, Path(out))
    table_of(f"{chosen.pairs:,} pairs, results in {chosen.store}", "judged", results)
    if differing or {row["pairs"] for row in results.values()} != {chosen.pairs}:
        raise SystemExit(
            f"not all pairs are scored, or these files differ: {differing}"
        )
    if not chosen.no_local:
        print("all files are equal but for times and the order of lines")
    elif place.local:
        print("all files hold what the pairs and the judge's hash give")
    name = f"ray_judging_{chosen.store}{'_alone' if chosen.no_local else ''}"
    save(name, {"pairs": chosen.pairs, "rows": results})


if __name__ == "__main__":
    main()
