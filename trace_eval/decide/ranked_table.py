"""The table that is ranked: its systems have names, its labels are fused."""

from __future__ import annotations

from blueprints import UserError
from fusion import DEFAULT_POLICY
from trace_eval.data.policies import WHOLE_PAIR, any_policy, load_policy
from trace_eval.opinions.opinions import SIDE_NAMES, Opinions
from trace_eval.stats.options import RankOptions
from trace_eval.stats.ranking.prepare import judge_table, separate_orders
from trace_eval.stats.ranking.report import Caveat


def with_names(
    source: Opinions, options: RankOptions
) -> tuple[Opinions, tuple[Caveat, ...]]:
    """Name systems by their places where no pair names any."""
    named = source.with_sides(options.systems or SIDE_NAMES)
    if named is None and options.systems is not None:
        raise UserError(
            f"--systems {','.join(options.systems)}: the pairs of {source.source} name"
            " their systems"
        )
    if named is None or options.systems is not None:
        return named or source, ()
    message = (
        "no pair names its systems: A and B are the answers' places; name them by"
        " --systems"
    )
    return named, (Caveat("all", f"{message} new,old"),)


def table_to_rank(source: Opinions, options: RankOptions) -> Opinions:
    """Return the table of labels to rank, fused by the policy asked for."""
    if options.orders == "separate":
        if options.keep_inconsistent:
            raise UserError(
                "--keep-inconsistent means nothing with --orders separate, which"
                " leaves nothing out"
            )
        if options.policy:
            name = options.policy
        elif source.policy in (None, WHOLE_PAIR):
            name = DEFAULT_POLICY
        else:
            name = str(source.policy)
        return separate_orders(source, any_policy(name), options.judge)
    if options.orders != "reconciled":
        raise UserError(f"--orders {options.orders!r}: use reconciled or separate")
    wanted = load_policy(options.policy) if options.policy else None
    return judge_table(source, options.judge, wanted)
