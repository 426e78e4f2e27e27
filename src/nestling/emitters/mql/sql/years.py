"""Computed years in MySQL's YEAR form: the server's counterpart of `strict_year`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.failures import failure
from nestling.emitters.mql.sql.nulls import bind
from nestling.ir.statements.expression import AttributeCast, Cast
from nestling.ir.types import INTEGER, TypeName
from nestling.ir.value_forms.two_digit_years import CENTURY, FIRST_YEAR, LAST_CENTURY_FROM, LAST_YEAR, full_year

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_THIS, _LAST = full_year(1) - 1, full_year(CENTURY - 1) - CENTURY + 1


def year(node: AttributeCast, r: Renderer) -> MqlValue:
    """The year for a number. Two digits get a century; the statement fails on a number that is not a year."""
    if node.operand.type.name is TypeName.FLOAT:  # of which MySQL drops the fraction, and rounds that of a decimal
        number: MqlValue = {"$toLong": {"$trunc": r.value(node.operand)}}
    else:
        number = r.value(Cast(node.operand, INTEGER, node.rules))
    return bind({"year": number}, lambda x: _full(x, failure("a value cannot be stored as a YEAR", {"$toString": x})))


def _full(number: MqlValue, failing: MqlValue) -> MqlValue:
    branches = [
        ({"$lte": [number, None]}, None),
        (_is_between(number, FIRST_YEAR, LAST_YEAR), number),
        ({"$eq": [number, 0]}, number),
        (_is_between(number, 1, LAST_CENTURY_FROM - 1), {"$add": [number, _THIS]}),
        (_is_between(number, LAST_CENTURY_FROM, CENTURY - 1), {"$add": [number, _LAST]}),
    ]
    return {"$switch": {"branches": [{"case": when, "then": then} for when, then in branches], "default": failing}}


def _is_between(number: MqlValue, least: int, most: int) -> MqlValue:
    return {"$and": [{"$gte": [number, least]}, {"$lte": [number, most]}]}
