"""What there is to review: the pairs of a run or a manifest, with what the judge said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from blueprints import UserError
from fusion import DIMENSIONS, Dimension, Rating
from trace_eval.data import Judgement, Overall, Pair, check_audio, read_manifest, spill_to
from trace_eval.runs import Run

#: Name of the review's database in a run folder.
DATABASE = "review.sqlite"


@dataclass(frozen=True)
class Material:
    """The pairs that can be reviewed.

    Attributes:
        source: the run folder or the manifest.
        pairs: pairs whose recordings can be played, in input order.
        left_out: id -> why the pair cannot be reviewed.
        judgements: pair id -> judgement; empty for a manifest.
        overall: pair id -> fused rating; empty for a manifest.
        transcripts: pair id -> (of A, of B), where the run knows them.
        database: where the review is kept, unless the user says otherwise.
    """

    source: Path
    pairs: tuple[Pair, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    judgements: Mapping[str, Judgement] = field(default_factory=dict)
    overall: Mapping[str, Overall] = field(default_factory=dict)
    transcripts: Mapping[str, tuple[str | None, str | None]] = field(default_factory=dict)
    database: Path = Path(DATABASE)

    @cached_property
    def by_id(self) -> dict[str, Pair]:
        """Pair id -> pair."""
        return {pair.id: pair for pair in self.pairs}

    @property
    def judged(self) -> bool:
        """True when there is a judge whose accuracy can be estimated."""
        return bool(self.judgements)

    def judge_ratings(self) -> dict[Dimension | str, dict[str, Rating]]:
        """Dimension or ``overall`` -> pair id -> the judge's rating, where there is one."""
        found: dict[Dimension | str, dict[str, Rating]] = {d: {} for d in (*DIMENSIONS, "overall")}
        for pair in self.pairs:
            judgement, overall = self.judgements.get(pair.id), self.overall.get(pair.id)
            for dimension in DIMENSIONS:
                rating = judgement.rating(dimension) if judgement else None
                if rating is not None:
                    found[dimension][pair.id] = rating
            if overall is not None and isinstance(overall.rating, Rating):
                found["overall"][pair.id] = overall.rating
        return found


def load_material(source: Path, audio_root: Path | str | None = None) -> Material:
    """Read a run folder or a manifest of pairs.

    Raises:
        UserError: neither, or no pair in it can be played.
    """
    material = _of_run(Run.open(source)) if source.is_dir() else _of_manifest(source, audio_root)
    if not material.pairs:
        why = next(iter(material.left_out.values()), "it has no pairs")
        raise UserError(f"{source}: nothing can be reviewed ({why}); check --audio-root")
    return material


def _of_manifest(path: Path, audio_root: Path | str | None) -> Material:
    from trace_eval.extracting import audio_folder

    manifest = read_manifest(path, audio_root, spill_to(audio_folder(None)))
    pairs, left_out = _playable(manifest.pairs)
    left_out |= {problem.pair or problem.where: problem.what for problem in manifest.problems}
    database = path.with_name(f"{path.name}.{DATABASE}")
    return Material(path, pairs, left_out, database=database)


def _of_run(run: Run) -> Material:
    failed = {source: record.error for source, record in run.clips().items() if record.error}
    pairs, left_out = _playable(list(run.pairs()), failed)
    left_out |= {problem.pair or problem.where: problem.what for problem in run.problems()}
    return Material(
        run.folder,
        pairs,
        left_out,
        run.judgements(),
        run.overall(),
        _transcripts(run, pairs),
        run.path(DATABASE),
    )


def _playable(
    pairs: list[Pair], failed: Mapping[str, str | None] | None = None
) -> tuple[tuple[Pair, ...], dict[str, str]]:
    left_out: dict[str, str] = {}
    for problem in check_audio(pairs):
        left_out.setdefault(problem.pair or problem.where, str(problem))
    for pair in pairs:
        for recording in (pair.instruction, pair.a, pair.b):
            if recording.has_audio and (error := (failed or {}).get(recording.source_id)):
                left_out.setdefault(pair.id, error)
    return tuple(pair for pair in pairs if pair.id not in left_out), left_out


def _transcripts(run: Run, pairs: tuple[Pair, ...]) -> dict[str, tuple[str | None, str | None]]:
    texts: dict[str, str] = {}
    for blueprint in run.blueprints():
        text = getattr(blueprint.transcript, "text", None)  # an absent group has no text
        if text:
            texts[blueprint.clip] = text
    clips = {source: record.clip for source, record in run.clips().items()}

    def said(source: str) -> str | None:
        return texts.get(clips.get(source) or "")

    return {p.id: (said(p.a.source_id), said(p.b.source_id)) for p in pairs}
