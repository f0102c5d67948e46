"""Rating a manifest of single answers into a run folder, and continuing one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from blueprints import UserError
from extractors.base import Extractor
from trace_eval.data.csv_cells import line
from trace_eval.data.files import write_all
from trace_eval.data.items import Single
from trace_eval.data.manifests import Manifest, read_items
from trace_eval.data.pairs import Pair
from trace_eval.extracting.start import extractors_of
from trace_eval.judges.base import AnyCase
from trace_eval.judges.options import JudgeOptions
from trace_eval.judges.rating.fused import KIND as FUSION
from trace_eval.judges.rating.fused import FusedPanel
from trace_eval.judges.rating.panel import Key, Panel
from trace_eval.judges.registry import raters_of
from trace_eval.options import Options, RateOptions
from trace_eval.rubrics import ScoreRubric, load_rubric
from trace_eval.runs.cases import CaseReader
from trace_eval.runs.outcomes import NOT_SCORED, ScoreOutcome
from trace_eval.runs.pipeline import Listener
from trace_eval.runs.run import Run
from trace_eval.runs.session import Session
from trace_eval.runs.summary import Summary

#: Columns of ``results.csv`` of a rating.
COLUMNS = (
    "item",
    "question_id",
    "system",
    "rubric",
    "status",
    "reason",
    "value",
    "sd",
    "used",
    "samples",
    "mean",
    "variance",
)

#: What words alone need of a recording: its transcript, and whether anybody speaks.
_WORDS_NEED = frozenset({"transcript", "signal"})


class RatingSession(Session):
    """One sitting at a run of scores; everything else is as of :class:`Session`."""

    judge: Panel

    def __init__(
        self,
        manifest: Manifest,
        out: Path | str,
        options: RateOptions | None = None,
        listener: Listener | None = None,
    ) -> None:
        self._rating = options or RateOptions()
        self._rubrics = [load_rubric(name) for name in self._rating.rubrics]
        super().__init__(manifest, out, self._rating, listener)

    def _judge(self, judging: JudgeOptions) -> Panel:
        done = (key for key, score in self._outcomes().items() if score.status == "scored")
        return _panel(self._rating.judges, self._rubrics, judging, set(done))

    def _extractors(self) -> list[Extractor]:
        """All of the profile where sound counts, else what gives words; none without sound."""
        roles = (self.judge.roles(item) for item in self.manifest.singles)
        if not any(roles) or "blueprint" not in self.judge.reads:
            return []
        plan = extractors_of(self.options.extract)
        if any(rubric.needs_audio for rubric in self._rubrics):
            return plan
        return _with_needs(plan)

    def _outcomes(self) -> dict[tuple[str, str], ScoreOutcome]:
        return self.run.score_outcomes() if self.run.exists and self.run.holds_scores else {}

    def _spent(self) -> float:
        if not (self.run.exists and self.run.holds_scores):
            return 0.0
        return sum((s.usage.cost_usd or 0.0) for s in self.run.scores() if s.usage)

    def _scored(self) -> set[str]:
        return items_scored(self.run, self.manifest, self._rubrics)

    def _case(self, reader: CaseReader, item: Pair | Single) -> AnyCase | None:
        assert isinstance(item, Single)
        return reader.single(item, self.judge)

    def _policies(self) -> tuple[str, ...]:
        """None: scores are not fused by policies."""
        return ()

    def _sum_up(self) -> None:
        names = [rubric.name for rubric in self._rubrics]
        write_results(self.run, names)
        self.summary.count_scores(self.run, names)


def raters_for(options: RateOptions, done: Collection[Key] = ()) -> Panel:
    """The judges and rubrics that options name, as one rater."""
    rubrics = [load_rubric(name) for name in options.rubrics]
    return _panel(options.judges, rubrics, options.judging, done)


def _panel(
    specs: Sequence[str],
    rubrics: Sequence[ScoreRubric],
    judging: JudgeOptions,
    done: Collection[Key],
) -> Panel:
    fused = [spec for spec in specs if spec.partition(":")[0] == FUSION]
    if not fused:
        return Panel([r for spec in specs for r in raters_of(spec, rubrics, judging)], done)
    if len(specs) > 1:
        raise UserError(f"judge {fused[0]}: is several judges already; name it alone")
    folder = Path(fused[0].partition(":")[2])
    return FusedPanel(folder, rubrics, lambda spec: raters_of(spec, rubrics, judging), done)


def rubrics_of(run: Run) -> dict[str, ScoreRubric]:
    """The rubrics of a run as they were when it was made, whatever the files say today."""
    return {
        name: ScoreRubric.model_validate({k: v for k, v in told.items() if k != "sha256"})
        for name, told in run.record().rubrics.items()
    }


def items_scored(run: Run, manifest: Manifest, rubrics: Sequence[ScoreRubric]) -> set[str]:
    """Items of a manifest that have a score by every rubric."""
    outcomes = run.score_outcomes()
    return {
        item.id
        for item in manifest.items
        if all(
            outcomes.get((item.id, rubric.name), NOT_SCORED).status == "scored"
            for rubric in rubrics
        )
    }


def session_of(
    manifest: Manifest, out: Path, options: Options, listener: Listener | None = None
) -> Session:
    """The session that fits the options."""
    if isinstance(options, RateOptions):
        return RatingSession(manifest, out, options, listener)
    return Session(manifest, out, options, listener)


def rate_manifest(
    manifest: Manifest | Path | str,
    out: Path | str,
    options: RateOptions | None = None,
    listener: Listener | None = None,
) -> Summary:
    """Rate a manifest of single answers into a run folder; continues one that is there.

    Args:
        manifest: its items, or the file that :func:`read_items` takes.
        out, options, listener: as of :func:`trace_eval.runs.session.judge_manifest`.

    Raises:
        UserError: see :class:`Session`.
    """
    if not isinstance(manifest, Manifest):
        manifest = read_items(manifest)
    with RatingSession(manifest, out, options, listener) as session:
        return session.judge_pending()


def write_results(run: Run, rubrics: list[str]) -> None:
    """Replace ``results.csv``: a row per item and rubric."""
    write_all(run.path("results.csv"), _table(run, rubrics))


def _table(run: Run, rubrics: list[str]) -> Iterator[str]:
    outcomes = run.score_outcomes()
    yield line(COLUMNS)
    for item in run.singles():
        for name in rubrics:
            found = outcomes.get((item.id, name), NOT_SCORED)
            numbers = (found.value, found.sd, found.used, found.samples, found.mean, found.variance)
            yield line(
                (
                    item.id,
                    item.question_id or "",
                    item.system or "",
                    name,
                    found.status,
                    found.reason or "",
                    *("" if number is None else f"{number:.6g}" for number in numbers),
                )
            )


def _with_needs(plan: list[Extractor]) -> list[Extractor]:
    """The extractors behind :data:`_WORDS_NEED`, with those that they need themselves."""
    wanted = set(_WORDS_NEED)
    for extractor in reversed(plan):  # dependencies come first
        if extractor.group in wanted:
            wanted |= set(extractor.needs)
    return [extractor for extractor in plan if extractor.group in wanted]
