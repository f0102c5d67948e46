"""A single answer for judges that cannot hear: by its words, or by its blueprints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from blueprints import Transcript
from extractors import guessed, unmeasured
from trace_eval.data.items import Item
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.judges.ask.message import MessagePart
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.views.answer.prompt import Fence, SingleView
from trace_eval.judges.views.pair.text import legend_of, rendered, technical_absence
from trace_eval.judges.views.text.fencing import neutralise, neutralise_blueprint
from trace_eval.judges.views.text.notes import words_note
from trace_eval.judges.views.text.tasks import ABOUT


def roles_of_words(item: Item) -> list[str]:
    """Name the recordings whose words are the answer's; none where it is written."""
    return [] if item.answers[0].text is not None else item.answer_roles


def missing_words(case: Case) -> str | None:
    """Say why the answer's words are missing: no transcript, or only a guessed one."""
    if case.single.answer.text is not None:
        return None
    for role, blueprint in case.answers.items():
        if absent := technical_absence(blueprint.transcript):
            absence = unmeasured("transcript", absent, why=True)
            return f"{role} has no transcript: it {absence}"
        if why := guessed(blueprint):
            return f"the recogniser guessed the words of {role}: {why}"
    return None


def recognised_words(case: Case) -> str:
    """Return the recognised words of the answer's recordings, as they are."""
    words = []
    for blueprint in case.answers.values():
        transcript = blueprint.transcript
        words.append(transcript.text if isinstance(transcript, Transcript) else "")
    return " ".join(words)


def words_of(case: Case) -> str:
    """Return the answer's words, harmless and on one line."""
    written = case.single.answer.text
    return neutralise(recognised_words(case) if written is None else written)


class TranscriptView(SingleView):
    """The answer's words."""

    takes_conversations = False  # one text is none
    about = ABOUT["transcript"]

    def answer_roles(self, item: Item) -> list[str]:
        return roles_of_words(item)

    def missing_answer(self, case: Case) -> str | None:
        return missing_words(case)

    def is_empty(self, case: Case) -> bool:
        """Say whether there are no words: an empty text, or nothing was recognised."""
        return not words_of(case)

    def texts(self, case: Case) -> list[str]:
        return [words_of(case)]

    def parts(self, case: Case, fence: Fence) -> Sequence[str | MessagePart]:
        shown = "Candidate answer\n" + fence("candidate", words_of(case))
        if case.single.answer.text is not None:
            return [shown]
        blueprints = case.answers.values()
        notes = [words_note("the answer", blueprint) for blueprint in blueprints]
        return [shown, *dict.fromkeys(filter(None, notes))]


class BlueprintView(SingleView):
    """The answer's blueprints, for judges that cannot hear."""

    def __init__(self, rubric: ScoreRubric, options: JudgeOptions) -> None:
        self.about = ABOUT["blueprint"]
        if legend := legend_of(options):
            self.about += f"\n\n{legend}"
        super().__init__(rubric, options)

    def missing_answer(self, case: Case) -> str | None:
        if not case.answers:
            return "the answer has no recording, and the rubric is about how it sounds"
        return None

    def texts(self, case: Case) -> list[str]:
        return list(self._rendered(case).values())

    def parts(self, case: Case, fence: Fence) -> Sequence[str | MessagePart]:
        """Return one blueprint, or one per turn with its speaker."""
        turns = case.single.answer.spoken_turns
        parts = []
        for role, text in self._rendered(case).items():
            title = role.removeprefix("answer/").replace("-", " ").capitalize()
            if role == "answer":
                title = "The answer's recording"
            name = turns[role].speaker if role in turns else None
            if speaker := neutralise(name or ""):
                title += f" ({speaker})"
            parts.append(f"{title}\n{fence(role, text)}".strip())
        if "transcript" not in self.options.drop:
            notes = [words_note(role, clip) for role, clip in case.answers.items()]
            parts += filter(None, notes)
        return parts

    def _rendered(self, case: Case) -> Mapping[str, str]:
        texts = {}
        for role, raw in case.answers.items():
            blueprint = neutralise_blueprint(raw)
            texts[role] = rendered(blueprint, self.options.rendering, self.options.drop)
        return texts
