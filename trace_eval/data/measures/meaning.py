"""How near an answer's meaning is to that of its reference, beside the words in common.

Directions of :mod:`extractors.networks.minilm`; without its packages nothing of this is
used.
"""

from __future__ import annotations

from collections.abc import Mapping

from extractors import packaged

#: What is seen of the meaning of an answer; likenesses are cosines, -1 to 1.
MEANING: dict[str, str] = {
    "meaning": "likeness of candidate and reference",
    "meaning_squared": "its square",
    "answered": (
        "likeness of the question with the candidate and the question with the"
        " reference"
    ),
    "answered_squared": "its square",
    "reference_to_question": "likeness of reference and question",
    "candidate_to_question": "likeness of candidate and question",
    "candidate_to_rationale": "likeness of candidate and rationale",
    "meaning_recall": "likeness times the recall of words",
    "meaning_reference_length": "likeness times the length of the reference",
    "meaning_candidate_length": "likeness times the length of the candidate",
    "recall_reference_length": "recall of words times the length of the reference",
}

#: Said with every score that meaning went into.
CAVEAT = "lexical: compares words and the meaning of whole texts, and does not reason"


def unavailable() -> str | None:
    """Return why meaning is not measured here, with the remedy."""
    return packaged.problem(packaged.MINILM)


def meaning_features(
    question: str,
    reference: str,
    candidate: str,
    rationale: str,
    words: Mapping[str, float],
) -> dict[str, float]:
    """Compute :data:`MEANING` from texts and the features of their words.

    Raises:
        UserError: a package is missing.
    """
    from extractors.networks.minilm import direction

    answer, truth, asked = (
        direction(candidate),
        direction(reference),
        direction(question),
    )
    meaning = float(answer @ truth)
    answered = float(
        direction(f"{question} {candidate}") @ direction(f"{question} {reference}")
    )
    return {
        "meaning": meaning,
        "meaning_squared": meaning**2,
        "answered": answered,
        "answered_squared": answered**2,
        "reference_to_question": float(truth @ asked),
        "candidate_to_question": float(answer @ asked),
        "candidate_to_rationale": float(answer @ direction(rationale)),
        "meaning_recall": meaning * words["recall"],
        "meaning_reference_length": meaning * words["reference_length"],
        "meaning_candidate_length": meaning * words["candidate_length"],
        "recall_reference_length": words["recall"] * words["reference_length"],
    }
