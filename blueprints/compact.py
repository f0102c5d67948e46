"""The blueprint in few tokens, for prompts: one line per group, a legend once per prompt.

It carries what :func:`blueprints.render_paper` carries, and also pauses, clipping, peak,
bandwidth, semitones, slopes, voicing, syllables, tempo, doubts about the transcript, and
words from :mod:`blueprints.norms`. What reads well can still be short: contours are whole
numbers without sign or decimals (one token each; ``-3.42`` is four), an unknown step is one
dot, and fields are told apart by their names, because a comma is a token too.
"""

from __future__ import annotations

from collections.abc import Collection

from blueprints.blueprint import GROUPS, Blueprint
from blueprints.features import feature_groups
from blueprints.notation import label
from blueprints.records import Absent, Extension, Status

#: Of a clip of which no group was asked for.
NOTHING = "absent: everything"


def render_compact(bp: Blueprint, *, drop: Collection[str] = ()) -> str:
    """Render one clip as a few lines of text; explain them once with the legend.

    Args:
        bp: the blueprint of one clip.
        drop: feature groups that leave no trace (names of groups, or ``properties``).

    Returns:
        Lines ``group: values``, in the order of ``blueprints.GROUPS``, and at the end one
        line for all groups that are absent but those that nobody asked for. Text from outside the
        library (the transcript, labels) is quoted and escaped, so that it cannot start a line of
        its own.

    Raises:
        UserError: ``drop`` names no feature group.
    """
    gone = feature_groups(drop, bp.extensions)
    lines: list[str] = []
    absent: dict[str, list[str]] = {}
    for name in (*GROUPS, *sorted(bp.extensions.keys() - GROUPS.keys())):
        if name in gone:
            continue
        group = bp.group(name)
        if isinstance(group, Absent):
            if group.status is Status.NOT_REQUESTED:
                continue
            absent.setdefault(group.status.value, []).append(label(name))
        elif not isinstance(group, Extension) or group.shown:
            lines.append(f"{label(name)}: {group.render(bp.clip_s)}")
    if absent:
        parts = (f"{', '.join(names)} ({status})" for status, names in absent.items())
        lines.append(f"absent: {'; '.join(parts)}")
    return "\n".join(lines) or NOTHING
