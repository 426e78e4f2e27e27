"""Commands that convert the values of a field to one type, for the MongoDB shell."""

from __future__ import annotations

from collections.abc import Sequence

from nestling.doctor.commands import find, here
from nestling.doctor.expiring import unless_outdated
from nestling.doctor.guards import NO_ARRAY, above_of, single
from nestling.doctor.setting import setting
from nestling.doctor.uuid_subtypes import rewriting, uuids_of
from nestling.ir.facts import ELEMENT, CollectionFacts, PathFacts, text_forms
from nestling.ir.facts.binary_kinds import OF_UUIDS, subtype_in
from nestling.ir.facts.path import NUMBERS
from nestling.ir.programs.compiled import Mql

UNCONVERTED_STAYS = "values that cannot be converted stay as they are; run the first command again to find them"

_TRIED = {"int": ("int", "long", "decimal"), "long": ("long", "decimal"), "string": ()}
"""The types tried in turn, if there are several."""


def asks_by_type(kinds: Sequence[str]) -> str:
    """What an application must do before values of these types are converted."""
    return (
        f"Afterwards, an application that queries the field for {' or '.join(kinds)} values finds nothing, and its"
        " next write brings such values back: first deploy a version that queries for both types and writes the new"
        " one."
    )


def finding(where: CollectionFacts, field: str, kinds: Sequence[str]) -> str:
    """The command that finds the values of these types in a collection."""
    uuids = [kind for kind in kinds if kind in OF_UUIDS]
    others = ["binData" if subtype_in(kind) is not None else kind for kind in kinds if kind not in OF_UUIDS]
    conditions = [*([_types([*dict.fromkeys(others)])] if others else []), *map(uuids_of, uuids)]
    return find(here(where), _any_of([{field: each} for each in conditions]))


def converting(
    where: CollectionFacts,
    field: str,
    kinds: Sequence[str],
    into: str,
    *,
    amounts: bool = False,
    zoneless: bool = False,
    width: int = 0,
) -> tuple[str, ...]:
    """The commands that convert values to this type; a value whose meaning would change stays as it is.

    So does a value that a TTL index would then delete. `amounts`: all texts of the field have two decimals. `zoneless`: some
    texts of dates have no time zone. `width`: numbers become texts of at least so many digits.
    """
    if into in OF_UUIDS:
        return (rewriting(where, field, OF_UUIDS[into], into),)
    made = converted(f"${field}", into, zoneless=zoneless, numbers="number" in kinds, width=width)
    if into == "date":
        made = unless_outdated(where, field, made)
    return setting(where, _which(field, kinds, into, amounts=amounts), field, made)


def converting_elements(
    where: CollectionFacts,
    steps: Sequence[str],
    kinds: Sequence[str],
    into: str,
    *,
    amounts: bool = False,
    zoneless: bool = False,
    width: int = 0,
) -> tuple[str, ...]:
    """The commands that convert the elements of an array, or a field of the documents in it, as `converting` does.

    Other elements do not change. None for arrays in arrays, deeper fields, and UUIDs.
    """
    place = list(steps).index(ELEMENT)
    array, field = ".".join(steps[:place]), ".".join(steps[place + 1 :])
    if len(steps) > place + 2 or steps[place + 1 :] == (ELEMENT,) or into in OF_UUIDS:
        return ()
    value = f"$$this.{field}" if field else "$$this"
    fits: list[Mql] = [{"$eq": [{"$type": value}, kind]} for kind in kinds if kind not in ("string", "number")]
    if "number" in kinds:
        fits.append({"$in": [value, [0, 1]]} if into == "bool" else {"$isNumber": value})
    if "string" in kinds:
        text = {"$cond": [{"$eq": [{"$type": value}, "string"]}, value, ""]}
        fits.append({"$regexMatch": {"input": text, "regex": f"^(?:{_form(into, amounts=amounts)})$"}})
    made = converted(value, into, zoneless=zoneless, numbers="number" in kinds, width=width)
    if field:
        made = {"$mergeObjects": ["$$this", {field: made}]}
    each = {"$cond": [{"$or": fits}, made, "$$this"]}
    which: Mql = {array: {"$elemMatch": _types(kinds)}}
    if field:
        which = {f"{array}.{field}": _types(kinds), array: {"$type": "array"}}
    which |= dict.fromkeys(above_of(array), NO_ARRAY)
    return setting(where, which, array, {"$map": {"input": f"${array}", "in": each}})


def converted(value: str, into: str, *, zoneless: bool, numbers: bool = False, width: int = 0) -> object:
    """The expression of a value as this type; the value itself where the server does not convert it.

    `numbers`: among what becomes a boolean are 0 and 1. `width`: as in `converting`.
    """
    if into == "bool":  # to the server every text but the empty one is true
        words = {"$in": [{"$toLower": value}, [*text_forms.TRUE]]}
        return {"$or": [{"$eq": [value, 1]}, words]} if numbers else words
    made: object = _padded(_as_text(value), width) if into == "string" else value
    for kind in reversed(_TRIED.get(into, (into,))):
        made = {"$convert": {"input": value, "to": kind, "onError": made}}
    if into == "date" and zoneless:  # a time zone given here is an error for texts that name one
        made = {"$dateFromString": {"dateString": value, "timezone": "UTC", "onError": made}}
    return made


def number(path: PathFacts) -> str:
    """The type that can hold every number of the path: decimals need decimal, and integers stay integers."""
    kinds = [name for name, _ in path.types if name in NUMBERS]
    return next((kind for kind in ("decimal", "double", "long") if kind in kinds), "int")


def _as_text(value: str) -> Mql:
    """A value as text. The server rounds doubles when it writes them: they become integers or decimals first, where these say
    the same, and lose the zeros the server appends.
    """
    integer = {"$convert": {"input": value, "to": "long", "onError": None}}
    decimal = {"$convert": {"input": value, "to": "decimal", "onError": None}}
    again = {"$convert": {"input": "$$decimal", "to": "double", "onError": None}}
    digits = {"$regexMatch": {"input": {"$toString": "$$decimal"}, "regex": "^-?[0-9]+[.][0-9]+$"}}
    fraction = {"$rtrim": {"input": {"$toString": "$$decimal"}, "chars": "0"}}
    cases = [
        {"case": {"$eq": ["$$integer", value]}, "then": {"$toString": "$$integer"}},
        {"case": {"$and": [{"$eq": [again, value]}, digits]}, "then": fraction},
    ]
    text = {"$switch": {"branches": cases, "default": value}}
    double = {"$let": {"vars": {"integer": integer, "decimal": decimal}, "in": text}}
    return {"$cond": [{"$eq": [{"$type": value}, "double"]}, double, {"$toString": value}]}


def _padded(made: Mql, width: int) -> Mql:
    """The text of a whole number with leading zeros; what is no such text is left as it is."""
    if not width:
        return made
    text = {"$cond": [{"$eq": [{"$type": "$$text"}, "string"]}, "$$text", ""]}
    short = {"$regexMatch": {"input": text, "regex": f"^[0-9]{{1,{width - 1}}}$"}}
    padded = {"$substrCP": [{"$concat": ["0" * width, "$$text"]}, {"$strLenCP": "$$text"}, width]}
    return {"$let": {"vars": {"text": made}, "in": {"$cond": [short, padded, "$$text"]}}}


def _which(field: str, kinds: Sequence[str], into: str, *, amounts: bool) -> Mql:
    """The values of these types; of texts only those written like a value of the new type.

    Values in arrays are excluded, because such an update would write every element.
    """
    apart: dict[str, Mql] = {"string": {"$regex": f"^(?:{_form(into, amounts=amounts)})$"}}
    apart |= {"number": {"$in": [0, 1]}} if into == "bool" else {}
    others = [kind for kind in kinds if kind not in apart]
    conditions = [condition for kind, condition in apart.items() if kind in kinds] + [_types(others)] * bool(others)
    return _any_of([single(field, condition) for condition in conditions])


def _any_of(conditions: list[Mql]) -> Mql:
    return conditions[0] if len(conditions) == 1 else {"$or": conditions}


def _form(into: str, *, amounts: bool) -> str:
    """The texts that are written like a value of the type."""
    known = {"date": text_forms.DATE, "objectId": text_forms.OBJECT_ID, "bool": text_forms.BOOL}
    return known.get(into) or text_forms.exact(into, amounts=amounts)


def _types(kinds: Sequence[str]) -> Mql:
    return {"$type": [*kinds]}
