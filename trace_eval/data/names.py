"""What tables' columns may be called: manifests, prompts, labels, scores.

Of several accepted names in one record the first counts; capitals, spaces, hyphens,
underscores and a remark in brackets at the end do not. ``--column`` names others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import Any

from fusion import DIMENSIONS

Names = tuple[str, ...]

#: What a column holds -> its accepted names, ours first.
NAMES: dict[str, Names] = {
    "id": ("id", "pair_id", "item_id", "pair", "item", "index", "uid", "utt_id", "utterance_id"),
    "instruction_id": ("instruction_id", "question_id", "prompt_id", "data_ID"),
    "instruction_text": ("instruction_text", "instruction", "prompt", "question_text", "question",
                         "query", "user_prompt"),
    "instruction_audio": ("instruction_audio", "instruction_path", "audio_instruction",
                          "question_audio", "query_audio", "prompt_path", "question_file_name"),
    "a": ("a", "a_audio", "audio_a", "audio1_path", "audio1"),
    "b": ("b", "b_audio", "audio_b", "audio2_path", "audio2"),
    "a_system": ("a_system", "system_a", "model_a", "model1"),
    "b_system": ("b_system", "system_b", "model_b", "model2"),
    "a_reference": ("a_reference", "reference_a"),
    "b_reference": ("b_reference", "reference_b"),
    "a_conversation": ("a_conversation",),
    "b_conversation": ("b_conversation",),
    "voice_audio": ("voice_audio", "voice_path", "prompt_audio"),
    **{f"label_{name}": (f"label_{name}", name) for name in (*DIMENSIONS, "overall")},
    "label_preference": ("label_preference", "preference", "winner", "preferred", "outcome", "cmos",
                         "human_preference", "choice", "vote", "preferred_system",
                         "preferred_model", "choice_answer"),
    "match": ("match", "label_match"),
    "category": ("category",),
    "language": ("language",),
    "system": ("system", "model"),
    "candidate": ("candidate", "candidate_answer", "response"),
    "audio": ("audio", "audio_path", "candidate_audio", "file_name", "audio_filepath"),
    "reference": ("reference", "references", "correct_answer", "reference_answer", "gold",
                  "expected_answer"),
    "turns": ("turns",),
    "conversation": ("conversation",),
    "context": ("context", "scene"),
    "rationale": ("rationale",),
    "transcription": ("transcription",),
    "split": ("split",),
    "scores": ("scores", "ratings"),
    "feedback": ("feedback",),
    "rater": ("rater", "annotator", "rater_id", "annotator_id", "listener", "listener_id",
              "worker_id", "participant_id", "participant", "email", "email_address", "e_mail",
              "e_mail_adresse", "session_uuid", "prolific_id", "prolific_pid", "respondent",
              "completed_by", "assessor", "labeler", "evaluator"),
    "judge": ("judge",),
    "repeat": ("repeat", "sample"),
    "order": ("order",),
    "rubric": ("rubric",),
    "trap": ("trap",),
    "score": ("score", "value", "rating", "rating_score", "stimuli_rating"),
    "mos": ("mos",),
    "variance": ("variance",),
    "score_a": ("score_a", "score1"),
    "score_b": ("score_b", "score2"),
    "truth_score_a": ("truth_score_a", "groundtruth1"),
    "truth_score_b": ("truth_score_b", "groundtruth2"),
}  # fmt: skip

#: Names of answers that mean something else in other files: they count only where they
#: hold a recording and the record has none of the usual names.
OTHER_NAMES: dict[str, Names] = {
    "a": ("response_a", "answer_a", "a_path", "path_a", "a_file_name", "output_a", "wav_a",
          "file_a", "wav1", "file1", "path1"),
    "b": ("response_b", "answer_b", "b_path", "path_b", "b_file_name", "output_b", "wav_b",
          "file_b", "wav2", "file2", "path2"),
    "audio": ("file", "path", "wav", "file_path", "wav_path", "audio_file", "recording"),
}  # fmt: skip

#: All of those.
SOUND_NAMES: frozenset[str] = frozenset(chain.from_iterable(OTHER_NAMES.values()))

#: Names that count only where a table has no other name of what they hold.
WEAK = frozenset((
    "item_id", "prompt_id", "question_id", "model", "trial_id", "stimuli", "participant", "email",
    "email_address", "e_mail", "session_uuid", "prolific_id", "prolific_pid", "respondent",
    "completed_by", "assessor", "labeler", "evaluator",
))  # fmt: skip

#: A recording by which a table without ids calls its items, e.g. one of a listening
#: test. A table may have several of these names: the first one counts.
RECORDING: Names = ("recording", "stem", "file_name", "file", "clip", "stimulus", "wav")

#: Columns of the better and of the worse answer, as data for RLHF and DPO have them.
BETTER = (
    "chosen",
    "chosen_audio",
    "chosen_path",
    "chosen_audio_path",
    "chosen_file_name",
)
WORSE = (
    "rejected",
    "rejected_audio",
    "rejected_path",
    "rejected_audio_path",
    "rejected_file_name",
)

#: Place in a pair -> the accepted names of the flat column that holds it.
PAIR: dict[tuple[str, ...], Names] = {
    ("id",): NAMES["id"],
    ("instruction", "audio"): NAMES["instruction_audio"],
    ("instruction", "text"): NAMES["instruction_text"],
    **{
        (side, what): NAMES[side if what == "audio" else f"{side}_{what}"]
        for what in ("audio", "system", "reference", "conversation")
        for side in "ab"
    },
    ("voice", "audio"): NAMES["voice_audio"],
    **{
        ("labels", name): NAMES[f"label_{name}"]
        for name in (*DIMENSIONS, "overall", "preference")
    },
    ("labels", "match"): NAMES["match"],
    **{(name,): NAMES[name] for name in ("category", "language", "instruction_id")},
}

#: Fields of a prompt; its id is what its recordings are called.
PROMPT: Mapping[str, Names] = {
    "id": NAMES["id"] + ("name", "stem", "file_name", "file") + NAMES["instruction_id"],
    "instruction_text": NAMES["instruction_text"] + ("text", "sentence"),
    "instruction_audio": NAMES["instruction_audio"] + ("audio", "audio_path"),
}


def _select(*fields: str, **own: str) -> dict[str, Names]:
    """Map a kind of table's fields to names; ``own``: what it calls another field."""
    return {name: NAMES[name] for name in fields} | {
        name: tuple(dict.fromkeys((name, *NAMES[field]))) for name, field in own.items()
    }


#: Fields of a single answer.
SINGLE: Mapping[str, Names] = _select(
    "id",
    "reference",
    "candidate",
    "audio",
    "turns",
    "conversation",
    "system",
    "context",
    "rationale",
    "transcription",
    "category",
    "language",
    "split",
    "scores",
    "feedback",
    question_id="instruction_id",
    question="instruction_text",
    question_audio="instruction_audio",
)


#: Those of a table of labels or judgements of pairs that have no other name.
_UNALIASED = [
    *(
        f"{name}_{side}"
        for name in ("duration", "loudness", "mos", "tokens")
        for side in "ab"
    ),
    "confidence",
    "entropy",
    "consistent",
    "p_a",
    "margin",
    "inclusion",
    "seconds",
    *(f"margin_{name}" for name in DIMENSIONS),
]

#: What tells the instructions of a table of labels apart where they have no ids. A
#: column "question" may be what annotators were asked.
WORDING: Names = ("instruction_text", "instruction", "prompt", "query", "user_prompt")

#: Fields of a table of labels or judgements of pairs.
LABELS: Mapping[str, Names] = {
    **_select(
        "instruction_id",
        "category",
        "repeat",
        "order",
        "system",
        "match",
        "score_a",
        "score_b",
        "truth_score_a",
        "truth_score_b",
        clip_a="a",
        clip_b="b",
        preference="label_preference",
        **{name: f"label_{name}" for name in (*DIMENSIONS, "overall")},
    ),
    "id": NAMES["id"] + ("trial_id",),
    "system_a": ("system_a",) + NAMES["a_system"] + ("choice_reference",),
    "system_b": ("system_b",) + NAMES["b_system"] + ("choice_non_reference",),
    "recording": RECORDING,
    "wording": WORDING,
    "rater": NAMES["rater"] + NAMES["judge"],
    **{name: (name,) for name in _UNALIASED},
    "trap": NAMES["trap"],
}

#: Fields of a table of scores or ratings of single answers.
SCORES: Mapping[str, Names] = {
    "id": NAMES["id"] + ("trial_id",) + RECORDING,
    **_select(
        "rater",
        "judge",
        "score",
        "mos",
        "variance",
        "rubric",
        "trap",
        "split",
        repeat="repeat",
        question_id="instruction_id",
    ),
    "system": NAMES["system"] + ("rating_stimulus", "stimuli"),
    "wording": WORDING,
}


#: Fields of a table of turns.
TURNS: Mapping[str, Names] = {
    "conversation": ("conversation", "conversation_id", "call", "call_id", "session_id",
                     "dialogue_id", "dialog_id"),
    "speaker": ("speaker", "speaker_id", "talker"),
    "start": ("start", "start_s", "start_time", "start_sec", "begin"),
    "end": ("end", "end_s", "end_time", "end_sec"),
    "start_ms": ("start_ms", "start_time_ms"),
    "end_ms": ("end_ms", "end_time_ms"),
    "text": ("text", "transcript", "content", "utterance", "words"),
    **{name: (name,) for name in ("role", "kind", "heard", "audio", "system", "question_id")},
}  # fmt: skip

#: Who asks and who answers, as speakers of turns and messages are called.
USERS = frozenset(("user", "human", "prompter", "customer", "caller"))
AGENTS = frozenset(("assistant", "gpt", "model", "agent", "bot", "ai", "chatbot"))


def first_of(kind: Mapping[str, Names], have: Collection[str]) -> dict[str, str]:
    """Map each field to a table's column: the first of its accepted names."""
    accepted = frozenset(chain.from_iterable(kind.values()))
    columns = {column: column for column in have}
    for column, alias in folded(have, accepted).items():
        columns[alias] = column
    first: dict[str, str] = {}
    for field, names in kind.items():
        name = next((name for name in names if name in columns), None)
        if name is not None:
            first[field] = columns[name]
    return first


def fields_of(kind: Mapping[str, Names], have: Collection[str] = ()) -> dict[str, str]:
    """Map accepted names to fields; a ``WEAK`` one counts where no usual one stands."""
    accepted = frozenset(chain.from_iterable(kind.values()))
    alike = folded(have, accepted)
    present = accepted.intersection(have).union(alike.values())
    fields: dict[str, str] = {}
    for field, names in kind.items():
        weak = _weak_among(names)
        counting = [name for name in names if name not in weak]
        if present.isdisjoint(counting):
            counting += [name for name in names if name in present][:1]
        fields |= dict.fromkeys(counting, field)
    for column, name in alike.items():
        if name in fields:
            fields[column] = fields[name]
    return fields


def _weak_among(names: Names) -> frozenset[str]:
    """Return the names of a field that count only where no usual one stands."""
    weak = WEAK
    if RECORDING[0] in names:
        weak = weak.union(RECORDING)
    if names == WORDING:
        weak = weak.union(WORDING)
    return weak.difference(names[:1])


def folded(have: Collection[str], accepted: Collection[str]) -> dict[str, str]:
    """Map columns to the accepted names they match, ignoring case and punctuation.

    A column counts only where the table has no column of that very name, and no other
    one that is folded to it.
    """
    columns: dict[str, list[str]] = {}
    for column in have:
        if column not in accepted:
            columns.setdefault(bare(column), []).append(column)
    alike: dict[str, list[str]] = {}
    for name in sorted(accepted):
        alike.setdefault(bare(name), []).append(name)
    matched: dict[str, str] = {}
    for spelling, names in alike.items():
        matches = columns.get(spelling, [])
        if len(matches) == 1 and not any(name in have for name in names):
            matched[matches[0]] = names[0]
    return matched


def bare(name: str) -> str:
    """Reduce a name to what is compared, without a remark in brackets at its end."""
    for opening, closing in ("()", "[]"):
        if name.endswith(closing):
            name = name.partition(opening)[0] or name
    return re.sub(r"[\s_-]+", "", name.casefold())


def by_rank(
    record: Mapping[str, object], kind: Mapping[str, int]
) -> list[tuple[str, Any]]:
    """Sort the cells of a record by the order of accepted names."""
    return sorted(record.items(), key=lambda cell: kind.get(cell[0], 0))


def ranks(every: Iterable[Names]) -> dict[str, int]:
    """Map each accepted name to its place among those of its field."""
    return {alias: place for names in every for place, alias in enumerate(names)}


#: Every accepted name of a column, as :func:`bare` leaves it.
KNOWN = frozenset(
    bare(name)
    for kind in (NAMES, PROMPT, SINGLE, LABELS, SCORES, TURNS)
    for names in kind.values()
    for name in names
)
