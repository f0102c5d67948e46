"""Rating single answers by people: a rubric page, feedback codes, and the correction loop."""

from trace_eval.review.scoring.export import write_score_exports
from trace_eval.review.scoring.session import ScoreReview, open_score_review

__all__ = ["ScoreReview", "open_score_review", "write_score_exports"]
