"""Beginning a review, or continuing the one in its database."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from blueprints import Advice, UserError, counted
from trace_eval.data.files import utf8_name
from trace_eval.data.rubrics.load import load_protocol
from trace_eval.data.rubrics.protocols import PairProtocol, Protocol
from trace_eval.review.forms import form_of
from trace_eval.review.material import DATABASE, load_material
from trace_eval.review.options import QueueOptions, ReviewOptions
from trace_eval.review.queue import make_plan, stored_plan
from trace_eval.review.session import Review
from trace_eval.review.store import Store
from trace_eval.runs.folders import hashed_place, plain_place

#: Folder of the tasks for Label Studio, where a review is kept.
TASKS = "export-label-studio"


def open_review(
    source: Path,
    provided: Mapping[str, Any] | None = None,
    options: ReviewOptions | None = None,
) -> Review:
    """Begin a review, or continue the one in the database.

    Ratings of items that were changed since they were rated are set aside, and advice
    says so.

    The user asked for ``provided`` fields of :class:`QueueOptions`; a review that was
    begun keeps its own where they are left out.

    Raises UserError for nothing to review, or an option out of range or not that of the
    review.
    """
    provided, options = provided or {}, options or ReviewOptions()
    if options.rubric and options.protocol:
        raise UserError(
            "--rubric, --protocol: a rubric is a protocol; give --protocol alone"
        )
    review = _opened(source, provided, options)
    changed = review.follow(listen=True)
    if changed:
        unit = review.form.unit
        warnings.warn(
            f"{source}: {counted(len(changed), unit)} ({changed[0]!r} first) changed since"
            " they were rated; the ratings from before are set aside, and raters are asked"
            " again",
            Advice,
            stacklevel=2,
        )
    return review


def open_for_export(source: Path, folder: Path | None) -> tuple[Review, Path]:
    """Begin or continue a review whose tasks are exported, and name their folder.

    Raises:
        UserError: as of :func:`open_review`.
    """
    review = open_review(source)
    return review, folder or review.material.corrections.with_name(TASKS)


def _opened(
    source: Path, provided: Mapping[str, Any], options: ReviewOptions
) -> Review:
    protocol = load_protocol(options.protocol) if options.protocol else None
    material = load_material(source, options.audio_root, options.rubric, protocol)
    by_rubric = material.rubric is not None and not protocol
    if by_rubric:
        _refuse_ignored(provided, options)
    else:
        _refuse_foreign(material.protocol, provided, options)
    if material.home is None:
        own = options.database.parent if options.database else _own_place(source)
        material = replace(material, home=own)
    database = options.database or material.corrections.with_name(DATABASE)
    if material.rubric and by_rubric:
        store = Store(database, material.rubric.name)
        return Review(material, store, make_plan(material, QueueOptions(**provided)))
    store = Store(database, form_of(material.protocol).name)
    plan = stored_plan(store, material, provided)
    return Review(
        material=material,
        store=store,
        plan=plan,
        show_judge=options.show_judge,
        allow_unplayed=options.allow_unplayed,
    )


def _own_place(source: Path) -> Path:
    """Return the folder of the review of an input that is no run, and claim it.

    It lies in the working folder, as runs do: nothing is written beside an input.
    """
    name = str(utf8_name(source.resolve()))
    plain = plain_place(name, "review")
    with closing(Store(plain / DATABASE)) as store:
        owner = store.set_first("input", name)
    if owner == name:
        return plain
    if not Path(owner).exists():
        database = shlex.quote(str(plain / DATABASE))
        warnings.warn(
            f"{source}: gets a review of its own, because that in {plain} is of {owner},"
            f" which is gone; if it was moved here, go on with --db {database}",
            Advice,
            stacklevel=4,
        )
    return hashed_place(plain, name)


def _refuse_ignored(provided: Mapping[str, Any], options: ReviewOptions) -> None:
    """Raise UserError for an option of pairs where single answers are reviewed."""
    ignored: list[str] = []
    for name in ("show_judge", "allow_unplayed"):
        if getattr(options, name):
            ignored.append(name)
    ignored.extend(name for name in provided if name != "budget")
    if ignored:
        raise UserError(
            f"{', '.join(ignored)}: belong to reviews of pairs; leave them out"
        )


def _refuse_foreign(
    protocol: Protocol, provided: Mapping[str, Any], options: ReviewOptions
) -> None:
    """Raise UserError for an option that means nothing to a protocol."""
    foreign = []
    if not isinstance(protocol, PairProtocol):
        foreign = [name for name in ("random_share", "confidence") if name in provided]
    if not isinstance(protocol, PairProtocol) or protocol.first_impression is None:
        foreign += ["overall_first"] if provided.get("overall_first") else []
    if not isinstance(protocol, PairProtocol) or not protocol.is_hcot:
        foreign += ["show_judge"] if options.show_judge else []
    if foreign:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in foreign)
        raise UserError(
            f"{names}: means nothing to protocol {protocol.name}; leave it out"
        )
