"""The table of rooms: which there are, lowest first, and whom each imports."""

from __future__ import annotations

#: The rooms, lowest first, and after the colon all that a room imports: each of them
#: stands above it. A new import between rooms is a line changed here, and one that is
#: gone leaves it. A module belongs to the room with the longest matching name, so
#: ``judges`` is what lies loose in that folder. Rooms without a package's name lie in
#: ``trace_eval``.
TABLE = """
blueprints:
fusion:
extractors: blueprints
data: blueprints extractors fusion
conversations: blueprints data extractors
estimate:
show: blueprints data estimate
judges.options: blueprints data
judges: blueprints data fusion
extracting: blueprints data extractors
judges: blueprints data fusion
judges.beside: blueprints extractors
judges.claims: blueprints data fusion judges judges.beside
judges.rules: blueprints conversations data extractors fusion judges judges.beside
opinions: blueprints data fusion
judges.ask: blueprints data extractors judges judges.claims judges.options
judges.combine: blueprints data fusion judges judges.ask
judges.read: data fusion judges judges.ask judges.combine judges.options
judges.views: blueprints conversations data extractors fusion judges judges.ask judges.beside judges.options judges.read judges.rules
judges.lexical: blueprints data extractors fusion judges judges.combine judges.views
judges.scorer: blueprints data extractors judges judges.lexical judges.views
judges.reward: blueprints data extractors fusion judges judges.ask judges.combine judges.options judges.read judges.scorer judges.views
judges.registry: blueprints data extractors fusion judges judges.ask judges.combine judges.options judges.read judges.reward judges.scorer judges.views
runs: blueprints conversations data extracting extractors fusion judges judges.ask judges.combine judges.options judges.registry opinions estimate
stats: blueprints data fusion opinions show estimate
decide: blueprints data extracting extractors fusion judges.ask judges.registry opinions runs show stats estimate
turns: blueprints conversations data extracting show estimate
datasets: blueprints data fusion estimate
report: blueprints conversations data decide extractors fusion judges.beside opinions runs show stats estimate turns
review: blueprints conversations data decide extracting extractors fusion opinions runs show stats estimate turns
compare: blueprints data opinions report runs show stats estimate turns
api: blueprints compare data datasets decide extracting extractors fusion judges.options judges.registry opinions report runs show stats turns
commands: api blueprints compare data datasets decide extracting extractors fusion judges.options judges.registry judges.scorer report review runs show stats turns
__main__: commands
"""  # noqa: E501

#: ``import trace_eval`` re-exports from everywhere, on first use.
FACADE = "trace_eval"

_OUTSIDE = ("fusion", "blueprints", "extractors")


def _full(room: str) -> str:
    return room if room in _OUTSIDE else f"{FACADE}.{room}"


def _rooms() -> dict[str, set[str]]:
    rooms = {}
    for line in TABLE.strip().splitlines():
        name, _, imported = line.partition(":")
        rooms[_full(name)] = set(map(_full, imported.split()))
    return rooms


#: Room -> the rooms that it imports.
ROOMS = _rooms()


def room_of(module: str) -> str:
    """Return the room that a module lies in."""
    return max(
        (r for r in (*ROOMS, FACADE) if f"{module}.".startswith(f"{r}.")), key=len
    )


def short(room: str) -> str:
    """Shorten a room's name as the table has it."""
    return room.removeprefix(f"{FACADE}.")
