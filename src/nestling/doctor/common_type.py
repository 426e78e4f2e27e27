"""The type to which all values of a field of several types can be converted without changing their meaning."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from nestling.doctor.converting import number
from nestling.doctor.name_kinds import names_a_code, names_an_id
from nestling.ir.facts import PathFacts, text_forms
from nestling.ir.facts.path import NUMBERS

NEARLY_ALL = 0.9
"""The share of texts that must be numbers for the field to become one of numbers."""
LEAST_AMOUNTS = 3
"""Fewest texts with two decimals from which they count as amounts."""
_BY_TEXT = ("date", "objectId", "bool", "number")
"""Types whose texts are converted to them, the preferred first."""
_AS_TEXT = frozenset({"number"})
"""Types whose values mean the same as texts; an ObjectId would no longer find what it refers to, and a boolean is no word."""


def one_type(path: PathFacts, kinds: Mapping[str, int], allowed: Collection[str] = ()) -> str:
    """The type to convert the others to; "" if none suits any of them. `kinds`: counts by type, most frequent first.

    Codes, such as postal codes, become texts; so do whole numbers among more texts, if the name is that of an id. Other texts
    that are nearly all numbers become numbers: as texts they could no longer be summed and sorted. Texts that are nearly all
    words for booleans become booleans; so do the numbers 0 and 1, if fewer than half of the values are such. Booleans become
    numbers only among more numbers, others than 0 and 1. Digits after a leading zero are not numbers. Otherwise a type that
    accepts all values is preferred to the most frequent one, which may accept only some. A number is not a date: it does not
    say whether it counts seconds or milliseconds. A type `allowed` by the collection's validator is preferred to all others.
    """
    only = [kind for kind in kinds if kind in allowed]
    if len(only) == 1:
        return only[0] if _takes_some(path, kinds, only[0]) else ""
    if _are_codes(path, kinds):
        return "string"
    if _are_booleans(path, kinds):
        return "bool"
    if _are_numbers(path, kinds):
        return "number"
    main = next(iter(kinds))
    told = [kind for kind in _BY_TEXT if kind in kinds]
    targets = [kind for kind in told if not (kind == "number" and (main == "string" or not _are_counts(path, kinds)))]
    if "number" in kinds and "bool" in targets:
        targets.remove("bool")
    if "string" in kinds and (main == "string" or "code" in dict(path.forms)):
        targets.append("string")
    for target in targets:
        if all(_taken(path, kind, target, count) == count for kind, count in kinds.items() if kind != target):
            return target
    is_lost = main == "number" and not _are_counts(path, kinds)
    return main if _takes_some(path, kinds, main) and not is_lost else ""


def _takes_some(path: PathFacts, kinds: Mapping[str, int], target: str) -> bool:
    """Whether a type takes some values of each other one."""
    return all(_taken(path, kind, target, count) for kind, count in kinds.items() if kind != target)


def _are_codes(path: PathFacts, kinds: Mapping[str, int]) -> bool:
    """Whether texts and numbers are codes, by their name, or ids of which most are texts and the others whole numbers."""
    if kinds.keys() != {"number", "string"}:
        return False
    is_whole = not path.count("double", "decimal") and not dict(path.forms).get("amount")
    are_more = kinds["string"] > kinds["number"] and is_whole and names_an_id(path.steps)
    return (names_a_code(path.steps) or are_more) and _taken(path, "number", "string", kinds["number"]) > 0


def _are_booleans(path: PathFacts, kinds: Mapping[str, int]) -> bool:
    """Whether the texts among booleans are nearly all words for booleans, and the numbers, the fewer, all 0 or 1."""
    if "bool" not in kinds or len(kinds) == 1 or not kinds.keys() <= {"bool", "string", "number"}:
        return False
    numbers = kinds.get("number", 0)
    are_bits = 2 * numbers < sum(kinds.values()) and _taken(path, "number", "bool", numbers) == numbers
    are_words = "string" not in kinds or 0 < NEARLY_ALL * _written(path) <= _texts(path, "bool")
    return are_bits and are_words


def _are_counts(path: PathFacts, kinds: Mapping[str, int]) -> bool:
    """Whether the numbers are not booleans in another form: there are no booleans, or fewer, and other numbers than 0 and 1."""
    numbers, booleans = kinds.get("number", 0), kinds.get("bool", 0)
    return not booleans or (numbers > booleans and _taken(path, "number", "bool", numbers) < numbers)


def is_guessed(path: PathFacts, kinds: Mapping[str, int], target: str) -> bool:
    """Whether another type would do as well, so that the type to convert to follows from names and shares."""
    if target == "bool" and "number" in kinds:
        return True
    return target in ("number", "string") and {"number", "string"} <= kinds.keys() and _texts(path, "number") > 0


def _are_numbers(path: PathFacts, kinds: Mapping[str, int]) -> bool:
    """Whether the texts among numbers are nearly all numbers, and all other values become numbers too."""
    if not {"number", "string"} <= kinds.keys() or "code" in dict(path.forms) or not _are_counts(path, kinds):
        return False
    others = ((kind, count) for kind, count in kinds.items() if kind not in ("number", "string"))
    are_taken = all(_taken(path, kind, "number", count) == count for kind, count in others)
    return are_taken and 0 < NEARLY_ALL * _written(path) <= _texts(path, "number")


def types_after(path: PathFacts, kinds: Collection[str], target: str) -> tuple[str, ...]:
    """The types of the field after values of `kinds` are converted, as validators name them, including those that may remain.

    In a sample it is unknown whether all are converted.
    """
    found = dict.fromkeys("number" if name in NUMBERS else name for name, _ in path.types)
    stay = [
        kind
        for kind in found
        if kind not in kinds or not path.exact or _taken(path, kind, target, _times(path, kind)) < _times(path, kind)
    ]
    return tuple(dict.fromkeys((*stay, target)))


def are_amounts(path: PathFacts) -> bool:
    """Whether all texts are numbers with two decimals, among numbers: amounts, in which a final zero means nothing."""
    return path.count(*NUMBERS) > 0 and LEAST_AMOUNTS <= _written(path) <= dict(path.forms).get("amount", 0)


def zoneless(path: PathFacts) -> int:
    """The number of texts that are dates without a time zone."""
    return dict(path.forms).get("zoneless", 0)


def _written(path: PathFacts) -> int:
    """How many texts say something."""
    return path.count("string") - (0 if path.count("array", "object") else path.empty)


def _times(path: PathFacts, kind: str) -> int:
    return path.count(*NUMBERS) if kind == "number" else path.count(kind)


def _taken(path: PathFacts, kind: str, target: str, count: int) -> int:
    """How many values of a type the server converts to another type without changing their meaning."""
    if kind == "string":
        return min(_texts(path, target), count)
    if target == "string":
        return count - (numbers_left(path) if kind == "number" else 0) if kind in _AS_TEXT else 0
    if (kind, target) == ("number", "bool"):
        return min(dict(path.forms).get(text_forms.BIT, 0), count)
    return count if (kind, target) == ("bool", "number") else 0


def _texts(path: PathFacts, target: str) -> int:
    """How many texts are values of another type; for numbers only those in the usual notation."""
    forms = dict(path.forms)
    if target != "number":
        return forms.get(target, 0) if target in _BY_TEXT else 0
    if number(path) != "double":
        return forms.get("decimal", 0)
    return forms.get("amount" if are_amounts(path) else "double", 0)


def numbers_left(path: PathFacts) -> int:
    """The number of numbers that no text represents exactly."""
    return min(dict(path.forms).get(text_forms.INEXACT, 0), path.count("double"))


def texts_left(path: PathFacts, target: str, texts: int) -> tuple[int, int]:
    """How many texts remain: numbers that would be written differently, and texts that are not values of the type."""
    made = min(_texts(path, target), texts)
    alike = min(max(dict(path.forms).get(target, 0), made), texts)
    return alike - made, texts - alike
