"""What a session asks: one judge, several judges and rubrics at once, or judges fused into one."""

from trace_eval.judges.panel.panel import Key, Panel

__all__ = ["Key", "Panel"]
