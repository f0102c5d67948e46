"""Review by people: a form for each rubric, a screening queue, and what came of it.

The parts below need no web packages; :mod:`trace_eval.review.server` needs the extra
``review``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.review.estimate import Accuracy, estimate_accuracy
    from trace_eval.review.exports import ReviewFiles, write_exports
    from trace_eval.review.labelstudio import read_results, write_tasks
    from trace_eval.review.material import Material, load_material
    from trace_eval.review.options import QueueOptions, ReviewOptions, ServeOptions
    from trace_eval.review.queue import ReviewPlan, make_plan
    from trace_eval.review.results import accuracies, accuracy_lines, agreement
    from trace_eval.review.server import serve
    from trace_eval.review.session import Labelled, Review, open_review
    from trace_eval.review.store import Store
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "Accuracy",
    "Labelled",
    "Material",
    "QueueOptions",
    "Review",
    "ReviewFiles",
    "ReviewOptions",
    "ReviewPlan",
    "ServeOptions",
    "Store",
    "accuracies",
    "accuracy_lines",
    "agreement",
    "estimate_accuracy",
    "load_material",
    "make_plan",
    "open_review",
    "read_results",
    "serve",
    "write_exports",
    "write_tasks",
]
