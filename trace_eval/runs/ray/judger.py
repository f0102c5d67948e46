"""What runs on the workers: an actor that judges one shard after another."""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from blueprints import UserError
from extractors import Hashes, prime_hashes
from trace_eval.data.access import UrlAccess, set_url_access
from trace_eval.data.files import replace_file
from trace_eval.data.manifests import Manifest
from trace_eval.data.place import Place
from trace_eval.judges.ask.served import keep_servers
from trace_eval.judges.base import JudgeUnreachable
from trace_eval.runs.cases import StoredClips
from trace_eval.runs.events import RunEvent
from trace_eval.runs.options import Options
from trace_eval.runs.ray.desk import RemotePurse
from trace_eval.runs.record import DECIDING, RunRecord, another, differences
from trace_eval.runs.run import Run
from trace_eval.runs.session import Session
from trace_eval.runs.standing import Standing
from trace_eval.runs.summary import Summary

#: The file of a shard that is written last: where it is, the shard is whole.
LAST = "manifest.json"

#: Folder of the shards in that of the run.
SHARDS = "shards"

#: Seconds between two reports to the desk.
_TELL_S = 0.5

#: Name -> content of the files of a run.
Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Common:
    """What all shards of a job have in common.

    Attributes:
        options: how items are judged, by an engine on the worker's own machine.
        place: of the run.
        record: of the run, as the user's machine sees it.
        source: a run whose items are judged again; its folder is seen by every node.
    """

    options: Options
    place: str
    record: RunRecord
    hashes: Hashes
    access: UrlAccess
    source: Path | None = None


@dataclass(frozen=True)
class ShardToJudge:
    """A shard to judge.

    Attributes:
        before: files of an earlier try, where the worker cannot see them.
        evidence: of a run that is judged again.
    """

    name: str
    manifest: Manifest
    before: Files = field(default_factory=dict)
    evidence: StoredClips | None = None

    def packed(self) -> bytes:
        """Return it as bytes."""
        return pickle.dumps(self, protocol=pickle.HIGHEST_PROTOCOL)

    @classmethod
    def unpacked(cls, content: bytes) -> ShardToJudge:
        """Read what :meth:`packed` has written, on a machine of the same cluster."""
        work: ShardToJudge = pickle.loads(content)
        return work


@dataclass(frozen=True)
class Judged:
    """The result of a shard.

    Attributes:
        files: of the run, for whoever sees the place; empty where the worker has
            written them.
        summary: of this try; None: it did not begin.
        problem: why it did not come to its end.
        passing: another try may do better.
    """

    name: str
    files: Files = field(default_factory=dict)
    summary: Summary | None = None
    problem: str = ""
    passing: bool = False


class Judger:
    """An actor; its judge's own server, if it brings one, serves all of its shards."""

    def __init__(self, common: Common, desk: Any) -> None:
        set_url_access(common.access)
        prime_hashes(common.hashes)
        keep_servers()
        self._common = common
        self._desk = desk

    def judge(self, holder: str, packed: bytes) -> Judged:
        """Judge a shard under a name for this try, and keep what came of it."""
        import ray

        self._desk.begin.remote(holder, ray.get_runtime_context().get_node_id())
        work = ShardToJudge.unpacked(packed)
        try:
            return self.judge_and_keep(holder, work)
        except UserError as error:  # Ray would wrap it in pages of its own
            return Judged(work.name, problem=str(error), passing=True)

    def judge_and_keep(self, holder: str, work: ShardToJudge) -> Judged:
        """Judge a shard from where an earlier try left it, and write it to its place.

        Raises:
            UserError: the place refuses to be read or written.
        """
        place = Place(self._common.place)
        with tempfile.TemporaryDirectory(prefix="trace-eval-") as scratch:
            folder = Path(scratch) / "run"
            before = work.before
            if not place.local:
                before = place.read_folder(f"{SHARDS}/{work.name}", LAST)
            fill(folder, before)
            judged = self._session(holder, work, folder)
            if not Run(folder).exists:
                return judged
            files = files_of(folder)
            if place.local:
                return replace(judged, files=files)
            place.write_folder(f"{SHARDS}/{work.name}", files, LAST)
            return judged

    def _session(self, holder: str, work: ShardToJudge, folder: Path) -> Judged:
        """Judge what is not scored yet, into a folder of this machine."""
        common = self._common
        purse = RemotePurse(self._desk, holder)
        options = replace(
            common.options, judging=replace(common.options.judging, purse=purse)
        )
        session: Session | None = None
        report = partial(self._report, holder)
        reports = Reports(report, items=len(work.manifest.items))
        try:
            session = Session(
                manifest=work.manifest,
                out=folder,
                options=options,
                listener=reports.listen,
                source=Run(common.source) if common.source else None,
                engine=work.evidence,
            )
            _refuse_difference(common.record, session.record())
            with session:
                session.judge_pending()
        except UserError as error:
            passing = isinstance(error, JudgeUnreachable)
            summary = session.summary if session else None
            return Judged(
                work.name, summary=summary, problem=str(error), passing=passing
            )
        finally:
            reports.tell()
        return Judged(work.name, summary=session.summary)

    def _report(self, holder: str, standing: Standing) -> None:
        """Tell the desk how far a shard is, and wait until it knows.

        The driver looks at the desk as soon as a shard is back: it must not see less
        than the shard's result.
        """
        import ray

        ray.get(self._desk.tell.remote(holder, standing))


def fill(folder: Path, files: Files) -> None:
    """Write the files of a run."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        replace_file(folder / name, content)


def files_of(folder: Path) -> dict[str, bytes]:
    """Read the files of a run."""
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    return {
        path.name: path.read_bytes() for path in paths if not path.name.startswith(".")
    }


def _refuse_difference(expected: RunRecord, record: RunRecord) -> None:
    """Refuse a node whose results must not be mixed with others'."""
    for part, details in differences(expected, record, DECIDING, "a worker node has"):
        raise UserError(
            f"{another(part, details)}; install the same versions and models on both"
        )


class Reports:
    """Counts the events of a session, and reports now and then.

    Items that an earlier try has scored are done, too: the job counts all items of a
    shard that is not finished.

    Args:
        tell: takes a report.
        items: how many the shard has.
    """

    def __init__(self, tell: Callable[[Standing], object], items: int) -> None:
        self._standing = Standing()
        self._tell = tell
        self._items = items
        self._told = time.monotonic()

    def listen(self, event: RunEvent) -> None:
        """Count an event."""
        self._standing.count(event)
        if event.pending is not None:
            self._standing.done += self._items - event.pending
        if time.monotonic() - self._told > _TELL_S:
            self.tell()

    def tell(self) -> None:
        """Report now."""
        self._told = time.monotonic()
        self._tell(self._standing)
