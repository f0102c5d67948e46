"""Human review: a form for each rubric, a screening queue, and what came of it.

The parts below need no web packages; :mod:`trace_eval.review.server` needs the extra
``review``.
"""
