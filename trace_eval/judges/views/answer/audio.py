"""The sound of a single answer: one recording, or a dialogue joined into one.

The turns of a dialogue follow each other with the rubric's gap, and what is longer than
its crop is cut there (arXiv 2506.05984: 2 s of silence, the first 60 s).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import JsonValue

from blueprints import UserError
from trace_eval.data.answers import Recording
from trace_eval.data.items import Single
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.judges.ask.message import Message, MessagePart, Text
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.views.answer.prompt import Fence, SingleView
from trace_eval.judges.views.examples.ratings import read_rated_examples
from trace_eval.judges.views.examples.solved import (
    Examples,
    Solved,
    SolvedTurn,
    example_messages,
)
from trace_eval.judges.views.sound.encode import Sending, Waveform, sound_of
from trace_eval.judges.views.sound.layout import (
    Sound,
    check_length,
    dialogue_items,
    is_silent,
    single_items,
)
from trace_eval.judges.views.sound.signals import load_signals, signals_sha256
from trace_eval.judges.views.text.fencing import neutralise
from trace_eval.judges.views.text.tasks import ABOUT, common

#: Answers whose layout is remembered while their samples are rendered; samples are not
#: kept.
_REMEMBERED = 256


class Prepared(NamedTuple):
    """An answer ready to be sent: its recordings joined, and their hashes."""

    waveform: Waveform
    silent: bool  # nothing can be heard in any of them
    clips: tuple[str, ...]


class AudioView(SingleView):
    """The answer's sound, for judges that listen."""

    reads = frozenset({"audio"})
    about = ABOUT["audio"]

    def __init__(
        self, rubric: ScoreRubric, options: JudgeOptions, one_of_several: bool = False
    ) -> None:
        """Load the examples and the signals.

        Args:
            rubric, options: what is asked, and how.
            one_of_several: other rubrics are rated beside this one.

        Raises:
            UserError: the examples or the signals cannot be used.
        """
        self._prepared: OrderedDict[str, Prepared] = OrderedDict()
        self._examples = _examples(rubric, options, one_of_several)
        signals = load_signals(options.signals) if self._examples.shown else {}
        self._signals_sha256 = signals_sha256(signals)
        self._sending = Sending(options, signals)
        self.about = " ".join([AudioView.about, *self._about_examples(rubric)])
        super().__init__(rubric, options)

    def _about_examples(self, rubric: ScoreRubric) -> list[str]:
        """Say what the judge must know of the examples before it hears them."""
        if not self._examples.shown:
            return []
        notes = ["Solved examples come first."]
        if self._sending.signals:
            notes.append(ABOUT["inserted"])
        scores = {example.score for example in self._examples.shown}
        labels = {float(label) for label in rubric.numbers.labels}
        if not scores <= labels:
            notes.append(ABOUT["means"])
        return notes

    def missing_answer(self, case: Case) -> str | None:
        if not case.single.answer_roles:
            return "the answer has no recording to listen to"
        return None

    def is_silent(self, case: Case) -> bool:
        return self.prepare(case).silent

    def texts(self, case: Case) -> list[str]:
        return self._speakers(case.single)

    def parts(self, case: Case, fence: Fence) -> Sequence[str | MessagePart]:
        """Return one audio part, behind the speakers' names where the item has some."""
        audio = self.prepare(case).waveform.part()
        return [*self._lines(case, fence), common().names["audio"], audio]

    def _lines(self, case: Case, fence: Fence) -> list[str]:
        speakers = self._speakers(case.single)
        if not any(speakers):
            return []
        lines = [f"turn {n}: {name}" for n, name in enumerate(speakers, start=1)]
        return [fence("speakers", "\n".join(lines))]

    def caveats(self, case: Case, prepared: Prepared) -> list[str]:
        """Tell what a crop takes away, and which example has the same instruction."""
        notes = []
        if (lost := prepared.waveform.lost_s) > 0:
            crop = self._rubric.crop_s or 0
            notes.append(
                f"cropped: the judge heard the first {crop:g} s, {lost:.1f} s are lost"
            )
        if same := self._examples.shares(case.single.instruction.text or ""):
            notes.append(f"the instruction is that of example {same!r}")
        return notes

    def cropped(self, case: Case, prepared: Prepared) -> bool:
        """Tell whether the recording goes on after what was sent."""
        return prepared.waveform.lost_s > 0

    # --- solved examples --------------------------------------------------------------

    def prefix(self, question: str) -> Sequence[Message]:
        """Write the turns of the examples, with what was written beside their sound."""
        turns = [self._solved(example) for example in self._examples.shown]
        return example_messages(self._sending, turns, question)

    def _solved(self, example: Solved) -> SolvedTurn:
        unit, gap_s = example.unit, self._rubric.gap_s
        case = Case(example.item)
        beside, put = self.beside(case)
        waveform = self._sending.waveform(
            dialogue_items(unit.answers, gap_s), unit.sounds
        )
        signals = self._sending.signals
        return SolvedTurn(
            joined=lambda head: single_items(unit, head, signals, gap_s),
            sounds=unit.sounds,
            apart=lambda: [Text(common().names["audio"]), waveform.part(kept=True)],
            written=tuple(beside + self._lines(case, put)),
            solution=example.solutions[self._rubric.key],
        )

    def example_of(self, case: Case, prepared: Prepared) -> str | None:
        same = self._examples.holds(prepared.clips)
        if same is None:
            return None
        return (
            f"its recording is that of example {same!r}, whose score the judge was"
            " shown"
        )

    def parameters(self) -> dict[str, JsonValue]:
        """Return examples and signals by their content; nothing without examples."""
        if not self._examples.shown:
            return {}
        return {
            "examples": self._examples.sha256,
            "shots": len(self._examples.shown),
            "signals": self._signals_sha256,
        }

    def observed(self) -> dict[str, JsonValue]:
        warnings: list[JsonValue] = list(self._examples.warnings)
        return {"example_warnings": warnings} if warnings else {}

    def _speakers(self, item: Single) -> list[str]:
        turns = item.answer.spoken_turns.values()
        return [neutralise(turn.speaker or "") for turn in turns]

    def prepare(self, case: Case) -> Prepared:
        """Decode once to know lengths and hashes; the samples are let go."""
        by_role = case.single.recordings()
        recordings = [by_role[role] for role in case.single.answer_roles]
        sources = [recording.source_id for recording in recordings]
        key = "\x00".join([case.single.id, *sources])
        if prepared := self._prepared.get(key):
            return prepared
        sounds: list[Sound] = []
        silences: list[bool] = []
        for recording in recordings:
            sound, silent = self._sound(case, recording)
            sounds.append(sound)
            silences.append(silent)
        items = dialogue_items(sounds, self._rubric.gap_s)
        prepared = Prepared(
            waveform=self._sending.waveform(items, sounds, self._rubric.crop_s),
            silent=all(silences),
            clips=tuple(sound.sha256 for sound in sounds),
        )
        self._prepared[key] = prepared
        if len(self._prepared) > _REMEMBERED:
            self._prepared.popitem(last=False)
        return prepared

    def _sound(self, case: Case, recording: Recording) -> tuple[Sound, bool]:
        """Return a recording by its hash, and whether it is silent.

        Raises:
            AudioError: it cannot be decoded, or is too short, or too long for what is
                sent of it.
        """
        clip = case.decode(recording)
        sent_s = clip.seconds
        if self._rubric.crop_s is not None:
            sent_s = min(sent_s, self._rubric.crop_s)
        check_length(sent_s, self.options.max_clip_seconds, "the recording")
        return sound_of(clip, lambda: case.decode(recording)), is_silent(clip.mono)


def _examples(
    rubric: ScoreRubric, options: JudgeOptions, one_of_several: bool
) -> Examples:
    if options.examples:
        return read_rated_examples(
            options.examples, rubric, options.shots, one_of_several
        )
    if options.shots:
        raise UserError(
            f"shots: {options.shots} examples, and no -J examples=FILE to use"
        )
    changed = options.changed()
    for name in ("concat", "signals"):
        if name in changed:
            raise UserError(
                f"{name}: says how the examples of a rating are joined, and there are"
                " none; name them by -J examples, or leave it out"
            )
    return Examples()
