"""The time zone a server's sessions compute in, where statements on MongoDB compute in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.sql_dialects import POSTGRESQL

_ZONES = {
    True: "SELECT reset_val FROM pg_settings WHERE name = 'TimeZone'",
    False: "SELECT IF(@@global.time_zone = 'SYSTEM', @@system_time_zone, @@global.time_zone)",
}
"""PostgreSQL's and MySQL's; a session of ours has set its own already."""
_UTC = frozenset({"UTC", "UCT", "GMT", "ZULU", "UNIVERSAL", "GREENWICH", "+00:00"})


def zone_of_sessions(dialect: str, cursor: Any) -> Iterator[Gap]:
    """A gap if the sessions' time zone is not UTC."""
    is_postgresql = dialect == POSTGRESQL
    cursor.execute(_ZONES[is_postgresql])
    ((zone,),) = cursor.fetchall()
    if str(zone).upper().removeprefix("ETC/") in _UTC:
        return
    move = f"; write `… AT TIME ZONE '{zone}'` where that zone is meant" if is_postgresql else ""
    what = f"the source computes in the time zone `{zone}`, MongoDB in UTC"
    yield Gap(
        GapKind.INPUT,
        f"{what}: days, hours and texts derived from timestamps with time zone, or from now(), differ{move}",
    )
