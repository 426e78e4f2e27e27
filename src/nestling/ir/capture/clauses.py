"""The clauses of commands without their values: filters, sort orders, updates, stages of pipelines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from bson import Regex

from nestling.ir.capture.folded_names import folded
from nestling.ir.capture.masks import Masked, at_most_twice, different, expression, value

LOGICAL = ("$and", "$or", "$nor")
_LISTS = ("$in", "$nin", "$all")
_VALUES = ("$set", "$setOnInsert", "$inc", "$mul", "$min", "$max", "$bit")
_MOST_STAGES = 100
REGEX = "?regex"
BEGINS = f"{REGEX}^"
"""A pattern held against the beginning of texts that minds their case: an index serves it as a range."""

_BEGINNING = re.compile(r"(\^|\\A)([^\\\[\](){}.*+?|^$]|\\[^A-Za-z0-9]|\\Q)(?![*?{])")
"""A pattern of whose texts an index finds those that begin alike: after its anchor, a character that has to be there."""


def condition(found: object) -> Masked:
    """A filter: fields in the order of their names, equality written out, `$and` of different fields taken apart."""
    if not isinstance(found, Mapping):
        return {}
    masked: dict[str, Masked] = {}
    for name, test in found.items():
        match name:
            case "$and" if isinstance(test, list):
                _conjunction(masked, [condition(each) for each in test])
            case "$or" | "$nor" if isinstance(test, list):
                _conjunction(masked, [{name: at_most_twice(condition(each) for each in test)}])
            case "$expr":
                _conjunction(masked, [{name: expression(test)}])
            case "$comment":
                pass
            case _ if str(name).startswith("$"):
                masked[name] = "?object" if isinstance(test, Mapping) else value(test)
            case _:
                _add(masked, folded(str(name)), tests(test))
    return dict(sorted(masked.items()))


def _add(masked: dict[str, Masked], path: str, found: Masked) -> None:
    """Put a field's tests beside those it has already; of an operator that it has, they stay in an `$and`."""
    known = masked.get(path, {})
    if known.keys() & found.keys():
        _conjunction(masked, [{path: found}])
    else:
        masked[path] = {**known, **found}


def _conjunction(masked: dict[str, Masked], parts: list[Masked]) -> None:
    """Put the parts into one document where no name stands twice; what does stays an `$and`."""
    rest = []
    for part in parts:
        if any(name in masked for name in part):
            rest.append(part)
        else:
            masked.update(part)
    if rest:
        masked["$and"] = at_most_twice([*masked.pop("$and", []), *rest])


def tests(found: object) -> Masked:
    """The tests of a field: `{operator: …}`."""
    if isinstance(found, Regex):
        return {"$regex": _pattern(found, "")}
    if not isinstance(found, Mapping) or not any(str(name).startswith("$") for name in found):
        return {"$eq": value(found)}
    flags = str(found.get("$options", ""))
    return {str(name): _operand(str(name), each, flags) for name, each in found.items() if name != "$options"}


def _operand(name: str, found: object, flags: str) -> Masked:
    if name in _LISTS and isinstance(found, list):
        return different(_listed(each) for each in found)
    if name == "$not":
        return tests(found)
    if name == "$elemMatch" and isinstance(found, Mapping):
        inner = any(str(each).startswith("$") and each not in LOGICAL for each in found)
        return tests(found) if inner else condition(found)
    if name == "$exists":
        return bool(found)
    return _pattern(found, flags) if name == "$regex" else value(found)


def _listed(found: object) -> Masked:
    """A value of a list, a pattern, or what some element passes."""
    if isinstance(found, Regex):
        return _pattern(found, "")
    return tests(found) if isinstance(found, Mapping) and set(found) == {"$elemMatch"} else value(found)


def _pattern(found: object, flags: str) -> str:
    """`?regex`, with `^` when it says how a text begins and `i` when it ignores case."""
    text = found.pattern if isinstance(found, Regex) else found
    text = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    own = found.flags if isinstance(found, Regex) else 0
    ignores = "i" if "i" in flags or "(?i)" in text or own & re.IGNORECASE else ""
    by_lines = "m" in flags or own & re.MULTILINE
    begins = _BEGINNING.match(text) and "|" not in text and not by_lines
    return REGEX + ("^" if begins else "") + ignores


def order(found: object) -> Masked:
    """A sort order: `{path: 1 | -1}`; anything that is not a direction is 0."""
    if not isinstance(found, Mapping):
        return {}
    return {folded(str(path)): -1 if way == -1 else 1 if way == 1 else 0 for path, way in found.items()}


def change(found: object) -> Masked:
    """An update: operators with their paths, a pipeline, or the document that takes the old one's place."""
    if isinstance(found, list):
        return stages(found)
    if not isinstance(found, Mapping):
        return {}
    if not any(str(name).startswith("$") for name in found):
        return value(found)
    return {str(name): _changes(str(name), each) for name, each in sorted(found.items())}


def _changes(name: str, found: object) -> Masked:
    if not isinstance(found, Mapping):
        return value(found)
    return dict(sorted((folded(str(path)), _changed(name, each)) for path, each in found.items()))


def _changed(name: str, found: object) -> Masked:
    if name in _VALUES:
        return value(found)
    if name == "$rename":
        return folded(str(found))
    if name in ("$push", "$addToSet"):
        if isinstance(found, Mapping) and "$each" in found:
            each = found["$each"]
            inner = {"$each": different(map(value, each)) if isinstance(each, list) else value(each)}
            return inner | {key: order(found[key]) or value(found[key]) for key in ("$sort", "$slice") if key in found}
        return value(found)
    if name == "$pull":
        return condition(found) if isinstance(found, Mapping) and not _has_operators(found) else tests(found)
    if name == "$pullAll" and isinstance(found, list):
        return different(map(value, found))
    return True if name in ("$unset", "$currentDate") else value(found)


def _has_operators(found: Mapping[str, Any]) -> bool:
    return any(str(name).startswith("$") and name not in LOGICAL for name in found)


def stages(found: object) -> Masked:
    """The stages of a pipeline."""
    if not isinstance(found, list | tuple):
        return []
    return [_stage(each) for each in found[:_MOST_STAGES]]


def _stage(found: object) -> Masked:
    if not isinstance(found, Mapping):
        return {}
    return {str(name): _STAGES.get(str(name), expression)(body) for name, body in found.items()}


def limit(found: object) -> Masked:
    """The number of rows asked for; None unless it is a whole number above 0."""
    return int(found) if isinstance(found, int | float) and 1 <= abs(found) < 1e9 else 0


def _names(found: object) -> Masked:
    """Names in a stage, which stay."""
    if isinstance(found, list):
        return [folded(str(each)) for each in found]
    return folded(str(found)) if isinstance(found, str) else "?object"


def _unwind(found: object) -> Masked:
    body = found if isinstance(found, Mapping) else {"path": found}
    kept = {"path": folded(str(body.get("path", "")))}
    if isinstance(index := body.get("includeArrayIndex"), str):
        kept["includeArrayIndex"] = folded(index)
    return kept | ({"preserveNullAndEmptyArrays": True} if body.get("preserveNullAndEmptyArrays") else {})


def _joined(found: object) -> Masked:
    """`$lookup`, `$graphLookup`, `$unionWith`."""
    if not isinstance(found, Mapping):
        return {"coll": str(found)} if isinstance(found, str) else {}
    return {str(name): _join_part(str(name), body) for name, body in found.items()}


def _join_part(name: str, body: object) -> Masked:
    match name:
        case "from" | "coll":
            return str(body) if isinstance(body, str) else _names(body)
        case "as" | "localField" | "foreignField" | "connectFromField" | "connectToField" | "depthField":
            return _names(body)
        case "pipeline":
            return stages(body)
        case "restrictSearchWithMatch":
            return condition(body)
        case _:
            return expression(body)


def _facets(found: object) -> Masked:
    return {folded(str(name)): stages(each) for name, each in found.items()} if isinstance(found, Mapping) else {}


_STAGES: dict[str, Callable[[Any], Masked]] = {
    "$match": condition,
    "$sort": order,
    "$limit": limit,
    "$skip": value,
    "$unset": _names,
    "$count": _names,
    "$unwind": _unwind,
    "$lookup": _joined,
    "$graphLookup": _joined,
    "$unionWith": _joined,
    "$facet": _facets,
    "$out": _names,
}
