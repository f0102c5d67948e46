"""``judge`` and ``rate`` of the library, and the run that they give back."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from blueprints import UserError
from trace_eval.api import findings
from trace_eval.api.finding import Finding
from trace_eval.api.python_words import in_python, python_words
from trace_eval.compare.options import CompareOptions
from trace_eval.compare.scores import compare_folders
from trace_eval.data.settings import with_settings
from trace_eval.data.sources import source_of
from trace_eval.data.system_folders import Systems
from trace_eval.decide.agree import agree
from trace_eval.decide.card import make_cards
from trace_eval.decide.labelled import read_labelled_run
from trace_eval.decide.rank import rank
from trace_eval.decide.screen import screen
from trace_eval.report.short_answer import short_answer
from trace_eval.runs.events import Listener, RunEvent
from trace_eval.runs.job import open_job
from trace_eval.runs.options import DEFAULT_RATERS, Options, usual_rubrics
from trace_eval.runs.run import Run as StoredRun
from trace_eval.runs.table import run_html, summary_of
from trace_eval.stats.options import AgreeOptions, RankOptions, ScreenOptions

#: Problems of an input that are warned of one by one; the others are counted.
_WARNED = 10


class Run(StoredRun):
    """A run folder: its records, and what can be said of it.

    Each method is a command of the same meaning (``agree``, ``rank``, ``compare``,
    ``screen``, ``card``, ``report``), takes its options as keywords and gives a
    :class:`~trace_eval.api.finding.Finding`, with ``sentences``, ``to_pandas()``,
    ``plot()`` and tables for notebooks; :meth:`report` gives the path of its page, with
    the same. ``labels`` are those of annotators: a file, a data frame or a list of
    dicts; None: those in the run.
    """

    def __repr__(self) -> str:
        """Show folder, judge, coverage and the first sentence of the report."""
        if not self.exists:
            return f"<Run {self.folder}: no run yet>"
        answer = "".join(f" {text}" for text in self._answer())
        return f"<Run {self.folder}: {summary_of(self)}.{answer}>"

    def _repr_html_(self) -> str:
        return run_html(self, self._answer())

    def _answer(self) -> tuple[str, ...]:
        """Return the first sentence of the report, where it takes a moment at most."""
        return short_answer(self.folder)

    @python_words
    def agreement(
        self,
        labels: Any = None,
        columns: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Finding:
        """Compare the judge with human labels.

        Args:
            columns: field -> column of the labels.
            options: of :class:`trace_eval.stats.AgreeOptions`; ``level``, ``seed``, ...

        Raises:
            UserError: there are no labels, they cannot be read, or an option is
                unknown.
        """
        chosen = with_settings(AgreeOptions(), options)
        provided, named = findings.labels_of(labels, columns)
        return findings.agreement_finding(agree([self.folder], provided, chosen, named))

    @python_words
    def ranking(
        self,
        labels: Any = None,
        columns: Mapping[str, str] | None = None,
        systems: Sequence[str] | None = None,
        **options: Any,
    ) -> Finding:
        """Tell which system is better.

        Args:
            columns: as of :meth:`agreement`.
            systems: names of the systems of A and B, where the pairs name none.
            options: of :class:`trace_eval.stats.RankOptions`; ``resamples``, ...

        Raises:
            UserError: there is nothing to rank, or an option is unknown.
        """
        names: tuple[str, str] | None = None
        if systems is not None:
            if len(systems) != 2:
                raise UserError(
                    f"systems {list(systems)}: name two, those of A and of B"
                )
            names = str(systems[0]), str(systems[1])
        chosen = with_settings(RankOptions(missing="drop", systems=names), options)
        provided, named = findings.labels_of(labels, columns)
        return findings.ranking_finding(
            rank(self.folder, provided, chosen, columns=named)
        )

    @python_words
    def comparison(
        self,
        others: StoredRun | str | os.PathLike[str] | Sequence[Any],
        labels: Any = None,
        columns: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Finding:
        """Tell how this run differs from others over the same input.

        Args:
            others: a run or several, or their folders.
            columns: as of :meth:`agreement`.
            options: of :class:`trace_eval.compare.CompareOptions`; ``level``, ...

        Raises:
            UserError: they share no item, or an option is unknown.
        """
        several = isinstance(others, Sequence) and not isinstance(others, str)
        listed: Sequence[Any] = others if several else [others]  # type: ignore[assignment]
        folders = [self.folder]
        for run in listed:
            folders.append(run.folder if isinstance(run, StoredRun) else Path(run))
        provided, named = findings.labels_of(labels, columns)
        chosen = with_settings(CompareOptions(), options)
        report = compare_folders(folders, provided, chosen, named)
        return findings.comparison_finding(report)

    @python_words
    def screening(
        self,
        labels: Any = None,
        columns: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Finding:
        """Tell which pairs the judge may decide alone.

        Args:
            columns: as of :meth:`agreement`.
            options: of :class:`trace_eval.stats.inference.decidable.ScreenOptions`.

        Raises:
            UserError: there are no labels, or an option is unknown.
        """
        chosen = with_settings(ScreenOptions(), options)
        provided, named = findings.labels_of(labels, columns)
        run = read_labelled_run(self.folder, provided, columns=named)
        return findings.screening_finding(screen(run, chosen))

    @python_words
    def card(
        self, labels: Any = None, columns: Mapping[str, str] | None = None
    ) -> Finding:
        """Tell how far the judge can be trusted, and for what.

        Args:
            columns: as of :meth:`agreement`.

        Raises:
            UserError: the run has no judgements, or the labels cannot be read.
        """
        provided, named = findings.labels_of(labels, columns)
        cards = make_cards([self.folder], provided, columns=named)
        return findings.cards_finding(cards)

    def plot(self, ax: Any = None) -> Any:
        """Draw how many pairs got each overall label; see :meth:`Finding.plot`."""
        return findings.results_of(self).plot(ax)

    @python_words
    def report(
        self,
        out: str | os.PathLike[str] | None = None,
        audio: bool = False,
        redact: bool = False,
        labels: Any = None,
        columns: Mapping[str, str] | None = None,
        audio_root: str | os.PathLike[str] | None = None,
    ) -> findings.FindingsPage:
        """Write one HTML file that shows the run; gives its path.

        Args:
            out: the file; None: ``report.html`` inside the run.
            audio: copy the recordings beside it.
            redact: take digits, mail addresses, card and phone numbers out of words,
                and mute them in copies. Of runs of pairs.
            columns: as of :meth:`agreement`.
            audio_root: folder of the recordings, where they are not where they were
                judged and were not moved together with the run.
        """
        from trace_eval.report.write import write_report

        provided, named = findings.labels_of(labels, columns)
        path = write_report(
            self.folder,
            None if out is None else Path(out),
            audio=audio,
            redact=redact,
            labels=provided,
            columns=named,
            audio_root=None if audio_root is None else Path(audio_root),
        )
        return findings.page_of(self, path)


@python_words
def judge(
    items: Any,
    out: str | os.PathLike[str] | None = None,
    judge: Any = None,
    *,
    columns: Mapping[str, str] | None = None,
    prompts: str | os.PathLike[str] | None = None,
    audio_root: str | os.PathLike[str] | None = None,
    limit: int | None = None,
    options: Options | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Run:
    """Judge pairs of spoken answers into a run folder; continues a run that is there.

    Args:
        items: a file, folder or URL; a data frame, a list of dicts, a
            ``datasets.Dataset``; or ``{"new": DIR, "old": DIR}``, two folders of
            recordings paired by file name.
        out: the run folder; None: ``runs/ITEMS-JUDGE``.
        judge: a judge's spec, or a judge of one's own; None: that of ``options``,
            ``rules``.
        columns: field -> column of the file, e.g. ``{"a": "system_a_audio"}``.
        prompts: of folders: a folder or table of what was asked.
        audio_root: folder of relative audio paths, or its URL; None: the file's own.
        limit: read this many records at most.
        options: all options at once; ``settings`` change them.
        progress: draw a progress bar; None: in a notebook and on a terminal.
        settings: fields of :class:`Options`, :class:`ExtractOptions` and
            :class:`JudgeOptions`, e.g. ``policy="majority_vote"``, ``workers=0``,
            ``samples=3``.

    Raises:
        UserError: the items cannot be read, an option is unknown, or the folder holds
            another run.
    """
    named = {} if judge is None else {"judge": judge}
    chosen = with_settings(options or Options(), {**named, **settings})
    source = source_of(items)
    if prompts is not None:
        if not isinstance(source, Systems):
            raise UserError(f"prompts {prompts}: belongs to folders of recordings")
        source = replace(source, prompts=Path(prompts))
    root = None if audio_root is None else os.fspath(audio_root)
    job = open_job(
        source,
        None if out is None else Path(out),
        chosen,
        audio_root=root,
        limit=limit,
        columns=columns,
    )
    problems = [in_python(str(problem)) for problem in job.problems()]
    if len(problems) > _WARNED:
        problems[_WARNED:] = [f"{len(problems) - _WARNED} more, see the run's problems"]
    for problem in problems:
        warnings.warn(problem, stacklevel=3)  # the caller's line, behind the decorator
    with _bar(len(job.manifest.items), progress) as listener:
        job.judge(listener)
    return Run.open(job.folder)


_judge = judge  # rate has a parameter of that name


@python_words
def rate(
    items: Any,
    out: str | os.PathLike[str] | None = None,
    judge: Any = DEFAULT_RATERS,
    rubrics: str | Sequence[str] | None = None,
    **more: Any,
) -> Run:
    """Score single answers by rubrics; :func:`judge` with the defaults of scores.

    Args:
        items, out: as of :func:`judge`.
        judge: a judge or several, whose scores are pooled.
        rubrics: names or files; None: those that the judge knows.
        more: as of :func:`judge`.

    Raises:
        UserError: as of :func:`judge`.
    """
    judges = tuple(judge) if isinstance(judge, list | tuple) else (judge,)
    if rubrics is None:
        rubrics = usual_rubrics([one for one in judges if isinstance(one, str)])
    return _judge(items, out, judges, rubrics=rubrics, **more)


@contextmanager
def _bar(total: int, wanted: bool | None) -> Iterator[Listener | None]:
    """Show a bar that moves with every item; a notebook draws it from stderr."""
    if wanted is None:
        shell = sys.modules.get("IPython")
        kernel = shell.get_ipython() if shell else None
        wanted = hasattr(kernel, "kernel") or sys.stderr.isatty()
    if not wanted:
        yield None
        return
    from tqdm import tqdm

    with tqdm(total=total, unit="item", file=sys.stderr) as bar:

        def listen(event: RunEvent) -> None:
            if event.pending is not None:
                bar.total = event.pending
            if event.outcomes:
                bar.update()
            bar.refresh()

        yield listen
