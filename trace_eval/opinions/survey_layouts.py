"""Records of survey tools and arenas as one record per opinion, under our names.

A layout is a row of :data:`LAYOUTS`. What differs in the names of its columns alone is
none: those names stand in :mod:`trace_eval.data.names`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from trace_eval.opinions import arenas, listening_tests, survey_forms, survey_tools
from trace_eval.opinions.survey_cells import Records, SurveyRecord, SurveyTable


class SurveyLayout(NamedTuple):
    """One layout of many records."""

    fits: Callable[[SurveyTable], bool]  # of the first records
    # adds what a reader must know of it to the notes
    ours: Callable[[SurveyTable, list[str]], Iterator[SurveyRecord]]


def unfolded(records: Records, notes: list[str]) -> Records:
    """Unfold records to one per opinion; ``notes`` takes what was read or left out."""
    table = SurveyTable.of(records)
    for layout in LAYOUTS:
        if layout.fits(table.start):
            table = SurveyTable.of(list(layout.ours(table, notes)))
    return table.records


def fits_any(first: SurveyTable) -> bool:
    """Whether the first records of a table are of one of these layouts."""
    for layout in LAYOUTS:
        if layout.fits(first):
            return True
    return False


#: Each is tried in turn; several may fit one table (a batch with a column of flags).
LAYOUTS: tuple[SurveyLayout, ...] = (
    SurveyLayout(survey_tools.is_studio, survey_tools.studio),
    SurveyLayout(survey_tools.is_qualtrics, survey_tools.qualtrics),
    SurveyLayout(survey_tools.is_batch, survey_tools.batch),
    SurveyLayout(survey_forms.has_empty_raters, survey_forms.named_raters),
    SurveyLayout(survey_forms.has_flags, survey_forms.flags),
    SurveyLayout(survey_forms.is_form, survey_forms.form),
    SurveyLayout(arenas.is_arena, arenas.arena),
    SurveyLayout(arenas.has_loser, arenas.won),
    SurveyLayout(arenas.has_sides, arenas.sides),
    SurveyLayout(listening_tests.is_beaqle, listening_tests.beaqle),
    SurveyLayout(listening_tests.is_paired, listening_tests.paired),
    SurveyLayout(listening_tests.is_graded, listening_tests.graded),
    SurveyLayout(listening_tests.is_comparison, listening_tests.comparison),
    SurveyLayout(listening_tests.is_wide_comparison, listening_tests.wide_comparison),
)
