"""A date made of its year, month and day; the server takes what lies beyond a month or a year for a later date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.functions.arguments import over
from nestling.emitters.mql.sql.nulls import bind
from nestling.ir.statements.expression import Call
from nestling.ir.statements.operators import Function

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_MOST = (9999, 12, 31)
"""Of year, month and day; the least of each is 1."""


def _make_date(node: Call, r: Renderer) -> MqlValue:
    def body(*parts: MqlValue) -> MqlValue:
        year, month, day = parts
        near = [
            {"$and": [{"$gte": [part, 1]}, {"$lte": [part, most]}]} for part, most in zip(parts, _MOST, strict=True)
        ]
        made = {"$dateFromParts": {"year": year, "month": month, "day": day}}
        text = {"$concat": [{"$toString": year}, "-", {"$toString": month}, "-", {"$toString": day}]}

        def checked(date: MqlValue) -> MqlValue:
            return {"$cond": [{"$eq": [{"$dayOfMonth": date}, day]}, date, failure("there is no date", text)]}

        return bind({"date": {"$cond": [{"$and": near}, made, None]}}, checked)

    return over(node, r, body)


MADE_DATES = {Function.MAKE_DATE: _make_date}
