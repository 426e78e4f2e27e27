"""Times in a zone and the instants they are. The server knows the zones by the names PostgreSQL knows them by."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.comparison import is_wide
from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.functions.arguments import constant
from nestling.emitters.mql.sql.functions.time_values import changed_wide, instant
from nestling.emitters.mql.sql.nulls import bind
from nestling.ir.statements.expression import Call
from nestling.ir.statements.operators import Function, Rules

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_UTC = "UTC"
_CLOCK = "%Y-%m-%dT%H:%M:%S.%L"
_DIGITS = 26
"""Characters of a moment of microseconds before the sign of its zone."""


def zone_time(node: Call, r: Renderer) -> MqlValue:
    """A time in another zone. In UTC both forms are stored alike; only texts of times finer than a BSON date get a sign."""
    zone, time = constant(node.arguments[0], r), node.arguments[1]
    if is_wide(time):
        in_zone = node.function is Function.TIME_IN_ZONE
        if zone != _UTC:
            return changed_wide(r.value(time), lambda x: moved(node, x, r), "" if in_zone else "Z")
        return bind(
            {"time": r.value(time)},
            lambda x: {
                "$cond": [
                    {"$lte": [x, None]},
                    None,
                    {"$substrCP": [x, 0, _DIGITS]} if in_zone else {"$concat": [x, "Z"]},
                ]
            },
        )
    return moved(node, instant(time, r), r)


def moved(node: Call, time: MqlValue, r: Renderer) -> MqlValue:
    """Shift a BSON date into or out of the node's zone."""
    zone = constant(node.arguments[0], r)
    if zone == _UTC:
        return time
    if node.function is Function.TIME_IN_ZONE and node.rules is Rules.MYSQL:
        return bind({"instant": time}, lambda x: _of_mysql(x, _shown(x, zone)))
    if node.function is Function.TIME_IN_ZONE:
        return _shown(time, zone)
    return {"$dateFromString": {"dateString": {"$dateToString": {"date": time, "format": _CLOCK}}, "timezone": zone}}


def _shown(time: MqlValue, zone: MqlValue) -> MqlValue:
    return {"$dateFromString": {"dateString": {"$dateToString": {"date": time, "format": _CLOCK, "timezone": zone}}}}


_FIRST = datetime(1970, 1, 1, 0, 0, 1)  # noqa: DTZ001 - naive means UTC in BSON
_AFTER_LAST = datetime(2038, 1, 19, 3, 14, 8)  # noqa: DTZ001


def _of_mysql(instant: MqlValue, shown: MqlValue) -> MqlValue:
    """MySQL does not convert a moment outside the range of TIMESTAMP. The range differs between its versions."""
    late = failure("versions of MySQL differ on CONVERT_TZ of a time after 2038", {"$toString": instant})
    branches = [
        {"case": {"$lt": [instant, _FIRST]}, "then": instant},
        {"case": {"$gte": [instant, _AFTER_LAST]}, "then": late},
    ]
    return {"$switch": {"branches": branches, "default": shown}}


ZONES = {Function.TIME_IN_ZONE: zone_time, Function.TIME_OF_ZONE: zone_time}
