"""The blueprint in fewest tokens, for screening: words whole, measures as levels.

A measure within the norm is a word; outside it, the word stands behind its number. A contour is
a phrase. What that leaves out is said once in the legend, and in full by :func:`left_out`.
"""

from __future__ import annotations

from collections.abc import Collection

from blueprints.blueprint import GROUPS, Blueprint
from blueprints.compact import NOTHING
from blueprints.features import feature_groups
from blueprints.notation import label
from blueprints.records import Absent, Extension, Status


def render_brief(bp: Blueprint, *, drop: Collection[str] = ()) -> str:
    """Render one clip as a line of words and a line of measures; explain them by the legend.

    Args:
        bp: the blueprint of one clip.
        drop: feature groups that leave no trace (names of groups, or ``properties``).

    Raises:
        UserError: ``drop`` names no feature group.
    """
    gone = feature_groups(drop, bp.extensions)
    lines, parts, absent = [], [], []
    for name in (*GROUPS, *sorted(bp.extensions.keys() - GROUPS.keys())):
        group = bp.group(name)
        if name in gone or (isinstance(group, Extension) and not group.shown):
            continue
        if isinstance(group, Absent):
            if group.status is not Status.NOT_REQUESTED:
                absent.append(f"{label(name)} {group.status.value}")
        elif name == "transcript":
            lines.append(group.brief(bp.clip_s))
        else:
            parts.append(f"{label(name)} {group.brief(bp.clip_s)}")
    return "\n".join([*lines, "; ".join(parts + absent)]).strip() or NOTHING


def brief_legend(drop: Collection[str] = ()) -> str:
    """The legend of :func:`render_brief` for the same ``drop``.

    Raises:
        UserError: ``drop`` names no feature group.
    """
    gone = feature_groups(drop)
    message = ", ".join(
        units for name, model in GROUPS.items() if name not in gone and (units := model.brief_units)
    )
    return (
        "A blueprint: words as heard with the least certain, and levels. Without a number a level"
        f" is ordinary. Units: {message or 'none'}. Left out: ordinary values, courses in detail,"
        " times of words, what was not measured."
    )


def left_out(bp: Blueprint) -> list[str]:
    """What :func:`render_brief` leaves out of a clip, group by group."""
    lines = []
    for name in (*GROUPS, *sorted(bp.extensions.keys() - GROUPS.keys())):
        group = bp.group(name)
        if isinstance(group, Absent):
            if group.status is Status.NOT_REQUESTED:
                lines.append(f"{name}: was not measured")
        elif isinstance(group, Extension) and not group.shown:
            lines.append(f"{name}: means nothing in words")
        elif group.brief_without:
            lines.append(f"{name}: {group.brief_without}")
    return lines
