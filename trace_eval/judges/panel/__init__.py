"""What a session asks: one judge, several judges and rubrics at once, or judges fused into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.panel.fused import FusedPanel
    from trace_eval.judges.panel.panel import Key, Panel
else:
    __getattr__ = names_on_use(__name__)

__all__ = ["FusedPanel", "Key", "Panel"]
