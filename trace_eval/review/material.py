"""The items of a run or a manifest that can be reviewed, with the judge's ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType

from blueprints import UserError, counted
from fusion import DIMENSIONS, Dimension, Rating
from trace_eval.conversations.items import (
    conversations_folder,
    conversations_manifest,
    holds_conversations,
    one_conversation,
)
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.data.conversation import Conversation
from trace_eval.data.items import FEEDBACK_CODES, Pair, Single
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.data.manifests import Manifest, read_items, read_manifest
from trace_eval.data.recordings import check_audio
from trace_eval.data.records import spill_into
from trace_eval.data.rubrics.listening import Listening
from trace_eval.data.rubrics.load import load_protocol, load_rubric
from trace_eval.data.rubrics.protocols import PairProtocol, Protocol, listening_of
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.system_folders import systems_in
from trace_eval.data.tables import SUFFIXES
from trace_eval.review.forms import HCOT
from trace_eval.review.together import Page, Reviewed, pages_of
from trace_eval.runs.run import Run
from trace_eval.runs.unchanged import refuse_changed

#: What mends a run whose recordings were replaced.
_JUDGE_AGAIN = "judge again into a new --out, and review that"

#: What mends a run whose recordings are gone.
_MISSING_OF_RUN = (
    "put them where they were judged, or review its manifest with --audio-root"
)

#: Name of the review's database in a run folder, and of the corrections of its items.
DATABASE = "review.sqlite"
CORRECTIONS = "corrections.jsonl"


@dataclass(frozen=True)
class Material:
    """The items that can be reviewed, and the protocol by which.

    They are pairs, single answers, or pages of answers that are rated together.
    """

    source: Path
    pairs: tuple[Pair, ...] = ()
    singles: tuple[Single, ...] = ()  # in the order of the queue, before any correction
    pages: tuple[Page, ...] = ()
    protocol: Protocol = field(default_factory=lambda: load_protocol(HCOT))
    left_out: Mapping[str, str] = field(default_factory=dict)
    judgements: Mapping[str, Judgement] = field(default_factory=dict)
    overall: Mapping[str, Overall] = field(default_factory=dict)
    # Pair id -> (of A, of B), where the run knows them.
    transcripts: Mapping[str, tuple[str | None, str | None]] = field(
        default_factory=dict
    )
    home: Path | None = None  # the folder that keeps the review; None: not chosen yet

    @property
    def rubric(self) -> ScoreRubric | None:
        """The rubric of single answers; None: pairs are reviewed."""
        return self.protocol if isinstance(self.protocol, ScoreRubric) else None

    @property
    def listening(self) -> Listening:
        """How people rate by its protocol."""
        return listening_of(self.protocol)

    @property
    def items(self) -> tuple[Reviewed, ...]:
        """What raters see at a time, in the order in which it came."""
        return self.pairs or self.pages or self.singles

    @cached_property
    def by_id(self) -> dict[str, Pair]:
        """Pair id -> pair."""
        return {pair.id: pair for pair in self.pairs}

    @cached_property
    def pages_by_id(self) -> dict[str, Page]:
        """Question -> its page."""
        return {page.id: page for page in self.pages}

    @property
    def corrections(self) -> Path:
        """The file of corrections, of single answers and of events."""
        assert self.home is not None, "opening a review chooses its folder"
        return self.home / CORRECTIONS

    @property
    def judged(self) -> bool:
        """True when there is a judge whose accuracy can be estimated."""
        return bool(self.judgements)

    def judge_ratings(self) -> dict[Dimension | str, dict[str, Rating]]:
        """Return the judge's ratings by dimension (or ``overall``) and pair id."""
        ratings: dict[Dimension | str, dict[str, Rating]] = {}
        for name in DIMENSIONS:
            ratings[name] = self._typed(
                {
                    pair: judgement.rating(name)
                    for pair, judgement in self.judgements.items()
                }
            )
        ratings["overall"] = self._typed(
            {pair: one.rating for pair, one in self.overall.items()}
        )
        return ratings

    def _typed(self, labels: Mapping[str, object]) -> dict[str, Rating]:
        """Return the labels of our pairs that are typed ratings."""
        ratings: dict[str, Rating] = {}
        for pair, label in labels.items():
            if pair in self.by_id and isinstance(label, Rating):
                ratings[pair] = label
        return ratings


def load_material(
    source: Path,
    audio_root: Path | str | None = None,
    rubric: str | None = None,
    protocol: Protocol | None = None,
) -> Material:
    """Read a run folder or a manifest.

    The rubric rates the single answers of a manifest; of a run it is one of its own, by
    default its only one. A protocol says itself what it is for. Without both, and of no
    run of rate: pairs, by the HCoT protocol.

    Raises UserError for neither, for nothing that can be reviewed, or until a rubric is
    named.
    """
    holds_scores = Run(source).holds_scores
    if audio_root is not None and Run(source).exists:
        raise UserError(
            f"--audio-root: {source} is a run, which has the paths of its recordings;"
            f" {_MISSING_OF_RUN}"
        )
    if isinstance(protocol, PairProtocol) and (rubric or holds_scores):
        other = "--rubric" if rubric else str(source)
        raise UserError(
            f"protocol {protocol.name} is for pairs, and {other} is not; leave one out"
        )
    if isinstance(protocol, ScoreRubric):
        return _by_protocol(source, protocol, audio_root)
    if rubric or holds_scores:
        return _singles(source, rubric, audio_root)
    if source.is_dir() and not _holds_systems(source):
        material = _of_run(Run.open(source))
    else:
        manifest = _read(read_manifest, source, audio_root)
        pairs, left_out = _playable(manifest.pairs)
        material = Material(source, pairs, left_out=left_out | _problems(manifest))
    if not material.pairs:
        why = next(iter(material.left_out.values()), "it has no pairs")
        remedy = "check --audio-root"
        if source.is_dir() and Run(source).exists:
            why = why.removesuffix("; check the path or --audio-root")
            remedy = _MISSING_OF_RUN
        raise UserError(f"{source}: nothing can be reviewed ({why}); {remedy}")
    return material if protocol is None else replace(material, protocol=protocol)


def _by_protocol(
    source: Path, protocol: ScoreRubric, audio_root: Path | str | None
) -> Material:
    """Read single answers, of a manifest or of a run by whatever rubric."""
    listening = listening_of(protocol)
    home: Path | None = None
    if source.is_dir() and Run(source).holds_scores:
        run = Run.open(source)
        items: list[Single] = list(run.singles())
        refuse_changed(run, items, _JUDGE_AGAIN)
        left_out, home = _problems(run), run.folder
    elif source.suffix in SUFFIXES or holds_conversations(source):
        manifest = _manifest_of_singles(source, audio_root)
        items, left_out = manifest.singles, _problems(manifest)
    else:
        raise UserError(
            f"{source}: name a run of rate, or a manifest of single answers"
        )
    for problem in check_audio(items):
        left_out.setdefault(problem.pair or problem.where, str(problem))
    items = [item for item in items if item.id not in left_out]
    pages: list[Page] = []
    if listening.together:
        pages, without = pages_of(items, listening)
        left_out |= without
    if not (pages if listening.together else items):
        why = next(iter(left_out.values()), "it has no single answers")
        raise UserError(f"{source}: nothing can be rated by {protocol.name} ({why})")
    return Material(
        source,
        singles=() if listening.together else tuple(items),
        pages=tuple(pages),
        protocol=protocol,
        left_out=left_out,
        home=home,
    )


def _holds_systems(folder: Path) -> bool:
    """Whether a folder holds a folder of recordings per system, and no run."""
    return not Run(folder).exists and systems_in(folder) is not None


def _manifest_of_singles(source: Path, audio_root: Path | str | None) -> Manifest:
    if holds_conversations(source):
        return conversations_manifest(
            source, options=ReadOptions(kept=conversations_folder())
        )
    return _read(read_items, source, audio_root)


def _singles(
    source: Path, rubric: str | None, audio_root: Path | str | None
) -> Material:
    """Order by the variance of the judge's scores, then by flags, then as given.

    High variances and flagged items come first.
    """
    variances: dict[str, float | None] = {}
    left_out: dict[str, str] = {}
    home: Path | None = None
    if source.is_dir():
        run = Run.open(source)
        rubrics = run.rubrics()
        if not rubric and len(rubrics) == 1:
            (rubric,) = rubrics
        if rubric not in rubrics:
            raise UserError(
                f"{source}: rated by {', '.join(rubrics)}; name one with --rubric"
            )
        chosen, items = rubrics[rubric], list(run.singles())
        refuse_changed(run, items, _JUDGE_AGAIN)
        for (item_id, rated_by), outcome in run.score_outcomes().items():
            if rated_by == rubric:
                variances[item_id] = outcome.variance
        home = run.folder
    elif rubric and (source.suffix in SUFFIXES or holds_conversations(source)):
        chosen = load_rubric(rubric)
        manifest = _manifest_of_singles(source, audio_root)
        items, left_out = manifest.singles, _problems(manifest)
    else:
        raise UserError(
            f"{source}: name a run of rate, or a manifest of single answers with"
            " --rubric"
        )
    if chosen.unit == "turn":
        items = [item for item in items if item.answer.agent_turns]
    if not items:
        why = next(iter(left_out.values()), "it has none of its kind")
        raise UserError(f"{source}: no items to review by {chosen.name} ({why})")

    def urgency(item: Single) -> tuple[float, int]:
        return variances.get(item.id) or 0.0, _flags(item)

    return Material(
        source,
        singles=tuple(sorted(items, key=urgency, reverse=True)),
        protocol=chosen,
        left_out=left_out,
        home=home,
    )


def _flags(item: Single) -> int:
    """Count the feedback codes that annotators gave an item."""
    if item.labels is None:
        return 0
    flags = 0
    for codes in item.labels.feedback.values():
        flags += sum(code in FEEDBACK_CODES for code in codes)
    return flags


def _read(
    read: Callable[..., Manifest], source: Path, audio_root: Path | str | None
) -> Manifest:
    conversations = partial(
        one_conversation, options=ReadOptions(kept=conversations_folder())
    )
    return read(source, audio_root, spill_into(None), conversations=conversations)


def _problems(manifest: Manifest | Run) -> dict[str, str]:
    problems = manifest.problems() if isinstance(manifest, Run) else manifest.problems
    return {problem.pair or problem.where: problem.what for problem in problems}


def _of_run(run: Run) -> Material:
    errors: dict[str, str] = {}
    for source, record in run.clips().items():
        if record.error:
            errors[source] = record.error
    pairs, left_out = _playable(list(run.pairs()), errors)
    refuse_changed(run, pairs, _JUDGE_AGAIN)
    return Material(
        run.folder,
        pairs,
        left_out=left_out | _problems(run),
        judgements=run.judgements(),
        overall=run.overall(),
        transcripts=_transcripts(run, pairs),
        home=run.folder,
    )


def _playable(
    pairs: list[Pair], errors: Mapping[str, str] = MappingProxyType({})
) -> tuple[tuple[Pair, ...], dict[str, str]]:
    """Return the pairs that can be played, and why others cannot.

    Args:
        errors: of recordings that a run could not decode, by their sources.
    """
    left_out: dict[str, str] = {}
    for problem in check_audio(pairs):
        left_out.setdefault(problem.pair or problem.where, str(problem))
    for pair in pairs:
        for recording in (pair.instruction, pair.a, pair.b):
            if recording.has_audio and recording.source_id in errors:
                left_out.setdefault(pair.id, errors[recording.source_id])
    return tuple(pair for pair in pairs if pair.id not in left_out), left_out


def _transcripts(
    run: Run, pairs: tuple[Pair, ...]
) -> dict[str, tuple[str | None, str | None]]:
    texts: dict[str, str] = {}
    for blueprint in run.blueprints():
        text = getattr(blueprint.transcript, "text", "")  # an absent group has none
        if text:
            texts[blueprint.clip] = text
    text_of: dict[str, str] = {}
    for source, record in run.clips().items():
        if record.clip in texts:
            text_of[source] = texts[record.clip]
    transcripts: dict[str, tuple[str | None, str | None]] = {}
    for pair in pairs:
        text_a, text_b = text_of.get(pair.a.source_id), text_of.get(pair.b.source_id)
        transcripts[pair.id] = text_a, text_b
    return transcripts


def turn_lines(
    conversation: Conversation, first: int, last: int
) -> list[tuple[str | None, str]]:
    """Return (speaker, words) of turns; speakers have roles, not systems' names.

    Turns of which no words are known are one line, so that the player is not pushed off
    the screen.
    """
    roles = {speaker.name: speaker.role for speaker in conversation.speakers}
    turns = conversation.turns[first:last]
    if len(turns) > 1 and not any(turn.text or turn.heard for turn in turns):
        return [(None, f"({counted(len(turns), 'turn')}, no words known)")]
    lines: list[tuple[str | None, str]] = []
    for number, turn in enumerate(turns, start=first):
        words = turn.text or turn.heard or "(no words known)"
        lines.append((f"{number} {roles[turn.speaker]}", words))
    return lines


def transcript(conversation: Conversation) -> str:
    """Return the transcript, one turn per line."""
    turns = turn_lines(conversation, 0, len(conversation.turns))
    return "\n".join(f"{who}: {words}" if who else words for who, words in turns)


def shown_texts(item: Single, rubric: ScoreRubric) -> list[tuple[str | None, str]]:
    """Return (title, text) of question, scene and references that a rubric shows."""
    shown = set(rubric.inputs)
    texts: list[tuple[str | None, str]] = []
    if {"question", "instruction"} & shown and item.instruction.text:
        texts.append((None, item.instruction.text))
    if "context" in shown and item.context:
        texts.append(("Scene", item.context))
    if "reference" not in shown:
        return texts
    if len(item.reference) == 1:
        texts.append(("Reference", item.reference[0]))
    else:
        for number, reference in enumerate(item.reference, start=1):
            texts.append((f"Reference {number}", reference))
    return texts


def rationale(item: Single, rubric: ScoreRubric) -> str | None:
    """Say why the reference is right, where the rubric shows it."""
    return item.rationale if "rationale" in rubric.inputs else None
