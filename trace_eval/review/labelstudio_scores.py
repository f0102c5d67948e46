"""Label Studio tasks of single answers, which are rated on a rubric's scale."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from blueprints import UserError
from trace_eval.data.items import Single
from trace_eval.review import labelstudio_format as studio
from trace_eval.review import shown
from trace_eval.review.forms import NO_SCORE, ReviewScoreForm
from trace_eval.review.labelstudio_format import LabelStudioResult
from trace_eval.review.labelstudio_tasks import Imported, Tasks
from trace_eval.review.store import Remark

#: Names in the interface: the words that are shown, and the score.
WORDS, SCORE = "shown", "score"

#: Player of the answer, or of the whole call.
ANSWER = "answer"

#: What the player of a call is called.
CALL = "Call: the user above, the agent below"

#: What plays where other tasks have a recording.
SILENCE = "silence"


class ScoreTasks(Tasks):
    """What the rubric shows of an answer, and a choice on its scale."""

    @cached_property
    def form(self) -> ReviewScoreForm:
        """The questions."""
        assert isinstance(self.review.form, ReviewScoreForm)
        return self.review.form

    @property
    def singles(self) -> list[Single]:
        """The answers, as corrected so far."""
        return [item for item in self.review.items if isinstance(item, Single)]

    @cached_property
    def offered(self) -> dict[str, str]:
        """Label of the scale -> its words, the best first; at last no score."""
        points = self.form.rubric.points
        labels = [f"{label:g}" for label in self.form.rubric.numbers.labels]
        return {x: f"{x}: {points[x]}" for x in labels[::-1]} | {NO_SCORE: "no score"}

    def players(self, item: Single) -> dict[str, str]:
        """Name of a player -> id of its recording."""
        roles = {role.replace("-", "_"): role for role in item.recordings()}
        if item.answer.conversation is not None:
            roles = {ANSWER: ANSWER}  # the whole call
        results = {name: self.clips.clip_id(item.id, role) for name, role in roles.items()}
        return {name: clip for name, clip in results.items() if clip in self.clips}

    @cached_property
    def heard(self) -> list[str]:
        """The players of the interface, which is one for all tasks."""
        return list(dict.fromkeys(n for item in self.singles for n in self.players(item)))

    def sounds(self, item: Single) -> Sequence[str]:
        """Recordings, or the whole call."""
        return list(self.players(item).values())

    def data(self, item: Single) -> dict[str, str]:
        """Words and players; one that an item has nothing for is silent, and says so."""
        playing = self.players(item)
        results = {WORDS: self.words(item)}
        for name in self.heard:
            title = CALL if item.answer.conversation else name.replace("_", " ").capitalize()
            results[name] = self.url(playing.get(name, SILENCE))
            results[f"{name}_note"] = title if name in playing else f"({title}: no sound)"
        return results

    def words(self, item: Single) -> str:
        """What the app shows of it, in one text."""
        rubric, call = self.form.rubric, item.answer.conversation
        if call is not None:
            return shown.transcript(call)
        parts = [*shown.asked(item, rubric), ("Rationale", shown.rationale(item, rubric))]
        parts.append(("Answer", item.answer.text))
        lines = [f"{who}: {text}" if who else text for who, text in parts if text]
        return "\n\n".join(lines) or "(listen)"

    def interface(self) -> list[str]:
        """Words, players, and what is asked."""
        rubric = self.form.rubric
        split = [ANSWER] if any(item.answer.conversation for item in self.singles) else []
        lines = [
            studio.header(rubric.title),
            studio.header(" ".join(rubric.question.split()), size=6),
        ]
        lines.append(f'  <Text name="{WORDS}" value="${WORDS}"/>')
        for name in self.heard:
            lines += [studio.header(f"${name}_note"), studio.player(name, name in split)]
        # The keys that choices have on the review's pages.
        keys = {choice: choice for choice in self.offered if len(choice) == 1} | {NO_SCORE: "n"}
        scale = studio.choices(SCORE, WORDS, self.offered, keys)
        return [*lines, *scale, studio.comment(WORDS)]

    def read(self, rater: str, item: Single, results: Sequence[LabelStudioResult]) -> Imported:
        """The score of the answer."""
        question = self.form.questions(item)[0]
        choice = studio.chosen(SCORE, results, self.offered)
        if choice is None:
            raise UserError(f"no choice for {SCORE}; finish the annotation")
        store = self.review.store
        view = store.start(rater, item.id, 0, "ab")
        kept, before = self.form.stored(question, choice, "ab"), store.answers(view)
        if (was := before.get(question.key, kept)) != kept:
            was = was.removesuffix(".0")
            changed = f"{question.key}: {choice} now, {was} when it was read before; that stays"
            return Imported(0, 1, (changed,))
        remark = Remark(comment=studio.comment_of(results))
        new = store.answer(view, question.key, kept, None, remark, "hidden")
        return Imported(int(new), int(not new))
