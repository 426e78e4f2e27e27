"""Times in a zone and the instants they are. The server knows the zones by the names PostgreSQL knows them by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.comparison import is_wide
from nestling.emitters.mql.sql.constants import Mql
from nestling.emitters.mql.sql.functions.arguments import constant
from nestling.emitters.mql.sql.functions.time_values import instant
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.emitters.mql.sql.nulls import bind
from nestling.ir.expression import Call, Function

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_UTC = "UTC"
_CLOCK = "%Y-%m-%dT%H:%M:%S.%L"
_DIGITS = 26
"""Characters of a moment of microseconds before the sign of its zone."""


def zone_time(node: Call, r: Renderer) -> Mql:
    """In UTC both are stored alike, but for a sign behind those finer than a BSON date."""
    zone, time = constant(node.arguments[0], r), node.arguments[1]
    if is_wide(time):
        if zone != _UTC:
            raise rendering_gap("a timestamp finer than a millisecond in another time zone than UTC")
        in_zone = node.function is Function.TIME_IN_ZONE
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


def moved(node: Call, time: Mql, r: Renderer) -> Mql:
    """A BSON date as the other it is by the node's zone."""
    zone = constant(node.arguments[0], r)
    if zone == _UTC:
        return time
    if node.function is Function.TIME_IN_ZONE:
        return {
            "$dateFromString": {"dateString": {"$dateToString": {"date": time, "format": _CLOCK, "timezone": zone}}}
        }
    return {"$dateFromString": {"dateString": {"$dateToString": {"date": time, "format": _CLOCK}}, "timezone": zone}}


ZONES = {Function.TIME_IN_ZONE: zone_time, Function.TIME_OF_ZONE: zone_time}
