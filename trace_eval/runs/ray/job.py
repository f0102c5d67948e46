"""A job as the user's machine sees it: cut, judged by shard, merged into the run."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from blueprints import (
    DamagedFile,
    RunFolderError,
    UserError,
    install_line,
    is_installed,
)
from extractors import known_hashes
from trace_eval.data import strict_json
from trace_eval.data.access import url_access
from trace_eval.data.files import replace_file
from trace_eval.data.manifests import Manifest
from trace_eval.data.outputs import claimed
from trace_eval.data.place import Place
from trace_eval.data.shards import ManifestShard, Shard
from trace_eval.data.urls import is_url
from trace_eval.extracting.options import ENGINES
from trace_eval.extracting.ray.cluster import Driver
from trace_eval.judges.ask.budget import Spending
from trace_eval.runs.cases import CaseReader
from trace_eval.runs.events import Listener, RunEvent
from trace_eval.runs.merge import COMMON, Merged, merge
from trace_eval.runs.options import Options, settings_of
from trace_eval.runs.ray.driver import JudgeJob, judge_shards
from trace_eval.runs.ray.judger import (
    LAST,
    SHARDS,
    Common,
    Files,
    Judged,
    ShardToJudge,
    fill,
)
from trace_eval.runs.record import RunRecord, ShardRecord, another, differences
from trace_eval.runs.run import Run
from trace_eval.runs.session import Session
from trace_eval.runs.standing import Standing
from trace_eval.runs.summary import Summary

#: Items of a shard: minutes of work, lost with its node. A small input is cut into so
#: many shards, of so many items at least: each costs a second to begin.
SHARD_ITEMS, FEW_SHARDS, FEW_ITEMS = 500, 64, 8

#: Kinds of judges with a model that a GPU runs.
_MODELS = frozenset({"gguf", "vllm", "sglang", "reward", "scorer"})

#: Shards that are looked at, or copied, at once.
_READERS = 16

#: What calls cost, beside the run's other files.
_LEDGER = "spending.jsonl"


class RayJudging:
    """The shards of an input at a place, to be judged by a cluster.

    Args:
        out: folder of the run, which this machine writes, or fsspec URL, which workers
            write.
        source: a run whose items are judged again on its stored evidence; None:
            extract.

    Raises:
        UserError: the place holds a run that was made in another way, or on one
            machine; an option contradicts the engine; Ray is missing.
    """

    def __init__(
        self,
        manifest: Manifest,
        out: Path | str,
        options: Options,
        listener: Listener | None = None,
        source: Run | None = None,
    ) -> None:
        if manifest.part:
            raise UserError(
                "--shard: -X engine=ray cuts the items itself; leave one of them out"
            )
        self.place = Place(out)
        self.options = options
        self._listener = listener
        self._source = source
        self.manifest = replace(manifest, path=_absolute(manifest.path))
        with tempfile.TemporaryDirectory(prefix="trace-eval-") as scratch:
            offline = replace(options, judging=replace(options.judging, offline=True))
            session = Session(
                self.manifest, Path(scratch) / "run", offline, source=source
            )
            self.record = session.record()
        self.session = session
        present = [
            Shard.parse(name.replace("-of-", "/")) for name in self.place.listed(SHARDS)
        ]
        if not present and self.place.has(LAST):
            raise RunFolderError(
                f"{self.place}: is a run of one machine; continue it without -X"
                " engine=ray, or name another --out"
            )
        count = present[0].of if present else _count(len(manifest.items))
        self.parts = self.manifest.cut(count)
        self.shards = self.parts.shards

    @contextmanager
    def judged(self) -> Iterator[tuple[Path, Summary]]:
        """Judge what is left; yield the merged run and its summary.

        The run is there while the block runs.

        Raises:
            UserError: no try of a shard would do better; the finished ones are kept.
        """
        local = Path(self.place.path("")) if self.place.local else None
        with (
            tempfile.TemporaryDirectory(prefix="trace-eval-") as scratch,
            claimed(local, "run", private=True) if local else nullcontext(),
        ):
            folder = Path(scratch)
            totals = Summary()
            started = time.monotonic()
            ledger = self._ledger(folder)
            records = self._records()
            left = self._left(records)
            if left:
                self._judge(folder, left, ledger, totals)
            out = local or folder / "merged"
            summary = None if left else self._already_merged(out, records)
            if summary is None:
                summary = self._merged(out, folder).summary
            assert summary is not None
            yield (
                out,
                replace(
                    summary,
                    clips=totals.clips,
                    clip_errors=totals.clip_errors,
                    audio_s=totals.audio_s,
                    work_s=totals.work_s,
                    cache_problem=totals.cache_problem,
                    seconds=time.monotonic() - started,
                    spending=totals.spending,
                ),
            )

    def _records(self) -> list[RunRecord | None]:
        """Return the records of all shards in their order; None: it has none yet."""
        with ThreadPoolExecutor(_READERS) as readers:
            return list(readers.map(self._stored, self.shards))

    def _left(self, records: Sequence[RunRecord | None]) -> list[Shard]:
        """List the shards that are not finished, after a look at their records.

        Raises:
            UserError: one was made in another way.
        """
        left: list[Shard] = []
        pending = 0
        for shard, stored in zip(self.shards, records, strict=True):
            part = self.parts.cut(shard)
            if stored is not None:
                self._check_same(stored, part)
            if stored is None or not _complete(stored, part):
                left.append(shard)
                pending += len(part.places)
        if self._listener:
            self._listener(RunEvent(pending=pending))
        return left

    def _check_same(self, stored: RunRecord, part: ManifestShard) -> None:
        """Refuse a shard that was made in another way."""
        expected = self.record.model_copy(
            update={"shard": ShardRecord(**part.record())}
        )
        for what, details in differences(stored, expected, ("shard", *COMMON)):
            or_fuse = ", or fuse to change the policy only" if what == "policy" else ""
            raise RunFolderError(
                f"{self.place}: was made with {another(what, details)}; name another"
                f" --out{or_fuse}"
            )

    def _stored(self, shard: Shard) -> RunRecord | None:
        name = f"{SHARDS}/{shard.name}/{LAST}"
        try:
            return strict_json.parse(RunRecord, self.place.read(name))
        except FileNotFoundError:
            return None
        except strict_json.BadJson as error:
            raise DamagedFile(
                f"{self.place}/{name}: not the record of a run ({error}); delete that"
                " shard, then run the same command again"
            ) from None

    def _already_merged(
        self, out: Path, records: Sequence[RunRecord | None]
    ) -> Summary | None:
        """Count the run that is there; None if it is damaged or lacks a session."""
        try:
            merged = strict_json.parse(RunRecord, self.place.read(LAST))
            sessions = [
                session for record in records if record for session in record.sessions
            ]
            if list(merged.sessions) != sessions:
                return None
            if not self.place.local:
                self.place.fetch_files(out)
            summary = Summary(total=self.manifest.total)
            summary.count(Run(out), list(merged.rubrics))
        except (FileNotFoundError, strict_json.BadJson, DamagedFile):
            return None
        return summary if summary.record() == merged.coverage else None

    def _ledger(self, scratch: Path) -> Path:
        """Return the file of the job's spending on this machine."""
        if self.place.local:
            return Path(self.place.path(_LEDGER))
        path = scratch / _LEDGER
        if self.place.has(_LEDGER):
            replace_file(path, self.place.read(_LEDGER))
        return path

    def _judge(
        self, scratch: Path, left: Sequence[Shard], ledger: Path, totals: Summary
    ) -> None:
        """Let the cluster judge shards, and keep what comes."""
        if not is_installed("ray"):
            remedy = install_line("ray")
            raise UserError(
                f"engine ray: the package ray is not installed; run: {remedy}"
            )
        extract = self.options.extract
        job = JudgeJob(
            common=self._common(),
            shards={shard.name: scratch / f"{shard.name}.work" for shard in left},
            ledger=ledger,
            most=extract.workers or None,
            on_gpu=self._on_gpu(),
        )
        driver = Driver(extract.ray_address, judge_shards, job)
        kept = b""
        over = threading.Event()
        with ThreadPoolExecutor(1) as clerk:
            works = clerk.submit(self._write_works, left, job.shards, over)
            try:
                for arrived in driver.arrivals():
                    if works.done():
                        works.result()
                    if isinstance(arrived, Judged):
                        self._keep(arrived, totals)
                        continue
                    standing, spending = arrived
                    paid = spending.spent or spending.calls
                    totals.spending = spending if paid else None
                    self._tell(standing, totals.spending)
                    kept = self._store(ledger, kept)
            finally:
                over.set()
                driver.stop()
                self._store(ledger, kept)

    def _common(self) -> Common:
        options = self.options
        source = self._source
        workers = (
            min(1, options.extract.workers)
            if options.extract.workers is not None
            else 1
        )
        extract = replace(
            options.extract, engine=ENGINES[0], ray_address=None, workers=workers
        )
        return Common(
            options=replace(options, extract=extract),
            place=self.place.place,
            record=self.record,
            hashes=known_hashes(),
            access=url_access(),
            source=source.folder.resolve() if source else None,
        )

    def _on_gpu(self) -> bool:
        if self.options.extract.device == "cpu":
            return False
        kinds = {str(judge).partition(":")[0] for judge in self.options.judges}
        extracts_on_gpu = any(
            extractor.runs_on == "gpu" for extractor in self.session.plan
        )
        return extracts_on_gpu or bool(kinds & _MODELS)

    def _write_works(
        self, left: Sequence[Shard], paths: Mapping[str, Path], over: threading.Event
    ) -> None:
        """Write each shard's needs to its file, while the first are judged already."""
        cases = CaseReader(self._source) if self._source else None
        for shard in left:
            if over.is_set():
                return
            name = shard.name
            part = self.parts.part(shard)
            before: Files = {}
            if self.place.local:
                before = self.place.read_folder(f"{SHARDS}/{name}", LAST)
            sources = (source.id for source in self.session.sources(part.items))
            evidence = cases.part(sources) if cases else None
            work = ShardToJudge(name, part, before, evidence)
            replace_file(paths[name], work.packed())

    def _keep(self, judged: Judged, totals: Summary) -> None:
        if judged.files:
            self.place.write_folder(f"{SHARDS}/{judged.name}", judged.files, LAST)
        if judged.summary:
            totals.add(judged.summary)

    def _store(self, ledger: Path, before: bytes) -> bytes:
        """Copy the log of spending to an object store, where it has grown."""
        if self.place.local or not ledger.exists():
            return before
        content = ledger.read_bytes()
        if content != before:
            self.place.write(_LEDGER, content)
        return content

    def _tell(self, standing: Standing, spending: Spending | None) -> None:
        if self._listener:
            cost = spending.spent + spending.possible if spending else None
            self._listener(RunEvent(job=replace(standing, cost_usd=cost)))

    def _merged(self, out: Path, scratch: Path) -> Merged:
        """Merge all shards, and put the run in its place."""
        folders = self._folders(scratch)
        part = out / ".merged"
        shutil.rmtree(part, ignore_errors=True)
        out.mkdir(parents=True, exist_ok=True)
        merged = replace(merge(folders, part), out=out)
        run = Run(part)
        run.write_record(self._record(run.record()))
        files = [
            path for path in part.iterdir() if path.is_file() and path.name != LAST
        ]
        for path in (*files, part / LAST):
            path.rename(out / path.name)
        shutil.rmtree(part)
        if not self.place.local:
            for path in (*(out / file.name for file in files), out / LAST):
                self.place.copy_here(path, path.name)
        return merged

    def _folders(self, scratch: Path) -> Sequence[Path]:
        """Return the folders of all shards on this machine."""
        if self.place.local:
            return [
                Path(self.place.path(f"{SHARDS}/{shard.name}")) for shard in self.shards
            ]

        def fetched(shard: Shard) -> Path:
            folder = scratch / SHARDS / shard.name
            fill(folder, self.place.read_folder(f"{SHARDS}/{shard.name}", LAST))
            return folder

        with ThreadPoolExecutor(_READERS) as readers:
            return list(readers.map(fetched, self.shards))

    def _record(self, merged: RunRecord) -> RunRecord:
        """Return the run's record, which names shards by where they are kept."""
        names = (f"{self.place}/{SHARDS}/{shard.name}" for shard in self.shards)
        origins = zip(merged.merged, names, strict=True)
        return merged.model_copy(
            update={
                "options": settings_of(self.options),
                "merged": tuple(
                    one.model_copy(update={"run": name}) for one, name in origins
                ),
            }
        )


def _count(items: int) -> int:
    """Return the number of shards of an input; the same for the same input."""
    size = min(SHARD_ITEMS, max(FEW_ITEMS, -(-items // FEW_SHARDS)))
    return max(1, -(-items // size))


def _absolute(path: Path | str) -> Path | str:
    return path if is_url(str(path)) else Path(path).resolve()


def _complete(stored: RunRecord, part: ManifestShard) -> bool:
    """Whether all items of a finished shard are scored; others are tried again."""
    return stored.coverage is not None and stored.coverage.scored >= len(part.places)
