"""Writing the report of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path, PosixPath
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from blueprints import UserError
from extractors import MAX_SECONDS
from trace_eval.data.columns import Columns
from trace_eval.data.conversation import ConversationItem
from trace_eval.data.files import encoded, is_file, make_folder
from trace_eval.data.items import items_of_pair
from trace_eval.data.outputs import refuse_url, write_file
from trace_eval.report.audio import AudioAssets
from trace_eval.report.evidence import view
from trace_eval.report.given_labels import with_labels_of
from trace_eval.report.human_labels import human_labels
from trace_eval.report.moved import MovedFiles
from trace_eval.report.page import deferred, pieces, templates
from trace_eval.report.pairs import FLAGS, RAW_SHOWN, PairRow, page_of, pair_row
from trace_eval.report.redact import LIMITS, redact_facts, spans
from trace_eval.report.run_sentences import pair_answer
from trace_eval.report.scores import write_scores
from trace_eval.report.summary import Facts, summarise
from trace_eval.report.timeline import envelope
from trace_eval.report.timing import timing_of
from trace_eval.runs.run import Run

#: Scripts of a page of pairs.
SCRIPTS = ("list.js", "csv.js", "player.js", "pair.js", "keys.js", "lanes.js")

#: Name of the report inside a run.
REPORT = "report.html"


class ReportPage(PosixPath):
    """The file of a report; a derived path knows no recordings.

    Attributes:
        recordings: how many the page was to play; none where they are muted, and
            without copies none that is behind a URL.
        playable: how many of them it plays.
        replaced: those that it does not play because they hold something else now.
    """

    recordings: int = 0
    playable: int = 0
    replaced: Sequence[str] = ()


def write_report(
    run_folder: Path | str,
    out: Path | str | None = None,
    audio: bool = False,
    redact: bool = False,
    labels: Any = None,
    columns: Columns | None = None,
    audio_root: Path | str | None = None,
) -> ReportPage:
    """Write one HTML file that shows a run; nothing is extracted or judged.

    Args:
        out: the file to write; default: ``report.html`` inside the run.
        audio: copy the recordings into ``<report>_audio/`` beside it, so that both can
            be sent to somebody; else the players point to the original files.
        redact: take digits, mail addresses, card and phone numbers out of words, and
            mute them in copies; the page says what was not looked for. Of runs of
            pairs.
        labels: human labels, a table of them or its file; None: those in the run. Of
            runs of pairs.
        columns: how that file names its columns and labels.
        audio_root: folder of the recordings, where they are not where they were judged
            and were not moved together with the run.

    Returns:
        The file that was written, and how many recordings it plays.

    Raises:
        UserError: there is no run, the labels cannot be read, or the file cannot be
            written.
    """
    run = Run.open(run_folder)
    run_folder = run.folder
    if run.holds_scores and labels is not None:
        raise UserError(f"{run_folder}: holds scores; --labels is for runs of pairs")
    if run.holds_scores and redact:
        raise UserError(f"{run_folder}: holds scores; --redact is for runs of pairs")
    facts = None
    if not run.holds_scores:
        facts = Facts.read(run_folder)
        if labels is not None:
            facts = with_labels_of(facts, labels, columns)
    path = Path(out) if out else run_folder / REPORT
    refuse_url(path)
    make_folder(path.parent)
    moved = MovedFiles(run_folder, None if audio_root is None else Path(audio_root))
    muted = None
    if facts and redact:
        muted = {clip: spans(blueprint) for clip, blueprint in facts.blueprints.items()}
        facts = redact_facts(facts)
    assets = AudioAssets(path, audio, muted, moved)
    if facts:
        html = _html(facts, assets, moved, redaction=LIMITS if redact else "")
    else:
        html = write_scores(run, assets)
    write_file(path, map(encoded, html))
    page = ReportPage(path)
    page.recordings, page.playable = len(assets.requested), len(assets.playable)
    page.replaced = sorted(assets.replaced)
    return page


def _html(
    facts: Facts, assets: AudioAssets, moved: MovedFiles, *, redaction: str = ""
) -> Iterator[str]:
    """Generate the page, piece by piece: fragments are made while it is written."""
    lines = [pair_row(number, pair, facts) for number, pair in enumerate(facts.pairs)]
    human = human_labels(facts)
    calls: list[ConversationItem] = []
    for pair in facts.pairs:
        if pair.a.conversation or pair.b.conversation:
            calls.extend(side.call for side in items_of_pair(pair) if side.call)
    flags: dict[str, tuple[str, str, int]] = {}
    for name, (title, meaning) in FLAGS.items():
        flags[name] = title, meaning, sum(name in line.flags for line in lines)
    return pieces(
        "report.html.j2",
        *SCRIPTS,
        name=facts.folder.resolve().name,
        record=facts.record,
        summary=summarise(facts),
        human=human,
        sentences=pair_answer(Run(facts.folder), human["ranking"]),
        problems=facts.problems,
        timing=timing_of(calls, lambda name: f"pair={quote(name.rpartition('/')[0])}"),
        lines=lines,
        index=[asdict(line) for line in lines],
        flags=flags,
        fragments=_fragments(facts, assets, lines, moved=None if redaction else moved),
        redaction=redaction,
    )


def _numbered(facts: Facts) -> dict[str, int]:
    """Assign numbers to clips of answers by hash, in order of appearance."""
    numbers: dict[str, int] = {}
    for pair in facts.pairs:
        for recording in (pair.a, pair.b):
            record = facts.clip_of(recording)
            if record and record.clip in facts.blueprints:
                numbers.setdefault(str(record.clip), len(numbers))
    return numbers


def _fragments(
    facts: Facts, assets: AudioAssets, lines: list[PairRow], *, moved: MovedFiles | None
) -> Iterator[Markup]:
    """Generate the page's parts; waveforms are drawn if files may be looked at."""
    files: dict[str, Path] = {}
    distant: dict[str, str] = {}
    if moved:
        files, distant = _files(facts, moved), _distant(facts)
    clips = _numbered(facts)
    limit = facts.record.max_seconds or MAX_SECONDS
    template = templates().get_template("clip.html.j2")
    for clip, number in clips.items():
        file = files.get(clip)
        if not file and clip in distant:
            # The clip's player says why there is no copy of it.
            with suppress(UserError):
                file = assets.fetched(distant[clip], clip)
        values = view(facts.blueprints[clip], envelope(file, clip, limit))
        yield deferred(f"c{number}", template.render(values))
    template = templates().get_template("pair.html.j2")
    for line, pair in zip(lines, facts.pairs, strict=True):
        values = page_of(pair, facts, assets, clips)
        html = template.render(values, line=line, raw_shown=RAW_SHOWN)
        yield deferred(f"p{line.number}", html)


def _files(facts: Facts, moved: MovedFiles) -> dict[str, Path]:
    """Find a file that still is there, for every clip that has one."""
    files: dict[str, Path] = {}
    for record in facts.clips.values():
        if not record.clip or record.clip in files:
            continue
        place = moved.find(Path(record.source))
        if is_file(place):
            files[record.clip] = place
    return files


def _distant(facts: Facts) -> dict[str, str]:
    """Return a URL of every clip that has one."""
    urls: dict[str, str] = {}
    for pair in facts.pairs:
        for recording in (pair.a, pair.b):
            record = facts.clip_of(recording) if recording.url else None
            if record and record.clip and recording.url:
                urls[record.clip] = recording.url
    return urls
