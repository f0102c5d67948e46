"""The table of rooms: which there are, lowest first, and whom each imports."""

from __future__ import annotations

#: The rooms, lowest first, and after the colon all that a room imports: each of them stands
#: above it. A new import between rooms is a line changed here, and one that is gone leaves it.
#: A module belongs to the room with the longest matching name, so ``judges`` is what lies loose
#: in that folder. Rooms without a package's name lie in ``trace_eval``.
TABLE = """
blueprints:
fusion:
extractors: blueprints
judges.waveforms: blueprints extractors
data: blueprints extractors fusion
conversations: blueprints data extractors
stats.estimate: blueprints data
entities: data
static:
judges.presets:
judges.options: blueprints data judges.presets
measures: blueprints data
rubrics: blueprints data fusion
scores: blueprints data fusion
judges.scorer: blueprints data extractors scores
judges.base: blueprints data fusion rubrics
options: blueprints extractors fusion judges.options
extracting: blueprints data extractors options
judges.chat: blueprints data extractors judges.base judges.options
judges: blueprints data fusion judges.chat judges.options rubrics
judges.rules: blueprints conversations data extractors fusion judges.base rubrics
judges.text: blueprints conversations data extractors judges judges.base judges.chat judges.options measures rubrics
judges.views: blueprints conversations data extractors judges.base judges.chat judges.options judges.text rubrics
judges.naturalness: blueprints data judges judges.text rubrics
judges.rating: blueprints data extractors fusion judges judges.base judges.chat judges.options judges.text judges.views rubrics scores
judges.panel: blueprints data judges.base judges.chat judges.rating rubrics scores
judges.audio: blueprints conversations data extractors fusion judges judges.base judges.chat judges.naturalness judges.options judges.text judges.waveforms rubrics
judges.views.audio: blueprints data extractors judges.audio judges.base judges.chat judges.options judges.text judges.views judges.waveforms rubrics
judges.words: blueprints data extractors fusion judges.base judges.rating judges.scorer judges.views rubrics scores
judges.reward: blueprints data extractors fusion judges judges.base judges.chat judges.naturalness judges.options judges.scorer judges.text judges.waveforms rubrics
judges.registry: blueprints fusion judges judges.audio judges.base judges.chat judges.options judges.panel judges.presets judges.rating judges.reward judges.text judges.views.audio judges.words rubrics
judges.listing: blueprints data judges.base judges.options judges.registry rubrics
judges.doctor: blueprints data fusion judges.audio judges.base judges.chat judges.options judges.registry rubrics
opinions: blueprints data fusion
runs: blueprints conversations data extracting extractors fusion judges.base judges.chat judges.options judges.panel judges.registry measures opinions options rubrics
stats: blueprints data extractors fusion judges.naturalness judges.waveforms opinions rubrics runs scores static stats.estimate
turns: blueprints conversations data entities extracting options stats stats.estimate
datasets: blueprints data fusion measures stats stats.estimate
select: blueprints data extracting extractors fusion judges judges.chat judges.options judges.registry measures opinions options runs stats
report: blueprints conversations data extractors fusion judges.text measures rubrics runs static stats stats.estimate
review: blueprints conversations data extracting extractors fusion opinions rubrics runs static stats turns
compare: blueprints data fusion opinions report rubrics runs stats stats.estimate
api: blueprints compare data extracting extractors fusion judges.doctor judges.listing judges.options judges.registry opinions options report rubrics runs stats stats.estimate
gate: blueprints compare conversations data runs stats stats.estimate turns
drill: blueprints data extracting extractors fusion judges.base judges.registry options runs stats stats.estimate
commands: api blueprints compare data datasets drill extracting extractors fusion gate judges.options judges.registry judges.scorer opinions options report review rubrics runs select stats stats.estimate turns
__main__: commands
"""  # noqa: E501

#: ``import trace_eval`` re-exports from everywhere, on first use.
FACADE = "trace_eval"

_OUTSIDE = ("fusion", "blueprints", "extractors")


def _full(room: str) -> str:
    return room if room in _OUTSIDE else f"{FACADE}.{room}"


#: Room -> the rooms that it imports.
ROOMS = {
    _full(name): {_full(other) for other in others.split()}
    for name, _, others in (line.partition(":") for line in TABLE.strip().splitlines())
}


def room_of(module: str) -> str:
    """The room that a module lies in."""
    return max((r for r in (*ROOMS, FACADE) if f"{module}.".startswith(f"{r}.")), key=len)


def short(room: str) -> str:
    """A room's name as the table has it."""
    return room.removeprefix(f"{FACADE}.")
