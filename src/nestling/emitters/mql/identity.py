"""Conditions on the parts of a compound `_id`: all parts become one `_id`, the first few a range of `_id`s.

Only in this form is the index on `_id` used, and for an OR only if each of its sides has it. A range of the next part narrows
the range of `_id`s. The conditions on the parts are kept and imply it: parts are compared inside a document as by themselves,
but only within one type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bson.max_key import MaxKey

from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder
from nestling.ir.programs.compiled import Mql


def by_identity(match: Mql, identity: Sequence[str]) -> Mql:
    """The `$match` document with the parts at the paths `identity` (`_id.order`, `_id.line`) said as `_id`, where known."""
    if not identity or "_id" in match:
        return match
    conditions = _conditions(match)
    known: Mql = {}
    for path in identity:
        value = conditions.get(path, _NONE)
        if value is _NONE:
            break
        known[path.removeprefix("_id.")] = value
    if not known:
        return _by_identities(match, identity)
    if len(known) == len(identity):
        rest = _without(match, {f"_id.{name}": value for name, value in known.items()})
        return {"_id": {"$eq": known}, **rest}
    return {"_id": _range(match, known, identity[len(known) :]), **match}


def _by_identities(match: Mql, identity: Sequence[str]) -> Mql:
    """The conditions with each side of their OR said as `_id`, if all can be: whole ones as one list."""
    sides = match.get("$or")
    if not isinstance(sides, list):
        return match
    said = [by_identity(side, identity) for side in sides]
    if not all("_id" in side for side in said):
        return match
    whole = [
        asked["$eq"] for side in said if isinstance(asked := side["_id"], Mapping) and [*side, *asked] == ["_id", "$eq"]
    ]
    if len(whole) == len(said):
        return {"_id": {"$in": whole}, **_but(match, "$or")}
    return {**match, "$or": said}


def _but(match: Mql, name: str) -> Mql:
    return {each: condition for each, condition in match.items() if each != name}


def _range(match: Mql, known: Mql, others: Sequence[str]) -> Mql:
    """The `_id`s with these parts, and with the next one as far as its bounds are known."""
    bounds, first = _bounds(match, others[0]), others[0].removeprefix("_id.")
    least = next((bounds[each] for each in ("$gt", "$gte") if each in bounds), _NONE)
    lower = known if least is _NONE else {**known, first: least}
    if "$lt" in bounds:
        return {"$gte": lower, "$lt": {**known, first: bounds["$lt"]}}
    beyond = {second.removeprefix("_id."): MaxKey() for second in others[1:2]}
    upper = {first: bounds["$lte"], **beyond} if "$lte" in bounds else {first: MaxKey()}
    return {"$gte": lower, "$lte": {**known, **upper}}


_NONE = object()
_COMPARISONS = ("$gt", "$gte", "$lt", "$lte")


def _conditions(match: Mql) -> Mql:
    """Path to the one value it must have."""
    found: Mql = {}
    parts = match.get("$and")
    for each in (match, *(parts if isinstance(parts, list) else ())):
        for path, condition in each.items():
            if not path.startswith("$") and (value := _only_value(condition)) is not _NONE:
                found.setdefault(path, value)
    return found


def _bounds(match: Mql, path: str) -> Mql:
    """The comparisons of a path with one value."""
    found: Mql = {}
    parts = match.get("$and")
    for each in (match, *(parts if isinstance(parts, list) else ())):
        condition = each.get(path)
        for operator, value in condition.items() if isinstance(condition, Mapping) else ():
            if operator in _COMPARISONS and _is_value(value):
                found.setdefault(operator, value)
    return found


def _only_value(condition: object) -> object:
    if isinstance(condition, Mapping):
        not_null = condition.get("$ne", _NONE) is None
        asked = set(condition) - ({"$ne"} if not_null else set())
        return condition["$eq"] if asked == {"$eq"} and _is_value(condition["$eq"]) else _NONE
    return condition if _is_value(condition) else _NONE


def _is_value(value: object) -> bool:
    return isinstance(value, ConvertedPlaceholder) or not isinstance(value, Mapping | list | None)


def _without(match: Mql, known: Mql) -> Mql:
    """The conditions without those on these values."""
    rest: Mql = {}
    for path, condition in match.items():
        if path == "$and" and isinstance(condition, list):
            if left := [inner for part in condition if (inner := _without(part, known))]:
                rest[path] = left
        elif path not in known or _only_value(condition) != known[path] or _also_not_null(condition):
            rest[path] = condition
    return rest


def _also_not_null(condition: object) -> bool:
    """Whether it also refuses NULL, which a value that is given later may be."""
    return isinstance(condition, Mapping) and "$ne" in condition
