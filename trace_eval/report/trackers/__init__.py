"""A run's figures for experiment trackers: MLflow, Weights & Biases, and plug-ins."""

from trace_eval.report.trackers.figures import Figures, figures_of
from trace_eval.report.trackers.registry import ENTRY_POINT_GROUP, send, trackers

__all__ = ["ENTRY_POINT_GROUP", "Figures", "figures_of", "send", "trackers"]
