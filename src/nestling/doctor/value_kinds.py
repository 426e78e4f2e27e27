"""The types of a field's values, as queries distinguish them."""

from __future__ import annotations

from nestling.ir.facts import PathFacts, text_forms
from nestling.ir.facts.binary_kinds import binary_of
from nestling.ir.facts.path import NULL_TYPES, NUMBERS
from nestling.ir.value_forms.json_documents import JSON_TEXT_SUBTYPE, TEXT_AS_FOUND_SUBTYPE, UNDECODABLE_TEXT_SUBTYPE

_KEPT_FOR = {
    UNDECODABLE_TEXT_SUBTYPE: ("string",),
    JSON_TEXT_SUBTYPE: ("object", "array", "string"),
    TEXT_AS_FOUND_SUBTYPE: ("string", "date"),
}
"""Types whose values nestling stores as binary with its own subtype, because BSON or a driver would change them."""


def kinds_of(path: PathFacts) -> dict[str, int]:
    """Counts by type, most frequent first: all numbers are one type, null does not count, and empty texts come last.

    Several subtypes of binary values are several types. Texts of dates that no BSON date can represent do not count next to
    dates, as they cannot be stored otherwise. Nor do nestling's own forms next to what they stand for.
    """
    kinds: dict[str, int] = _subtypes(path)
    told = "binData" if kinds else ""
    beside = path.count("date") and path.dateless and path.dateless == path.count("string")
    for name, times in path.types:
        own = _kept_as_binary(path) if name == "binData" else 0
        if name not in (*NULL_TYPES, told) and not (beside and name == "string") and times > own:
            kind = "number" if name in NUMBERS else name
            kinds[kind] = kinds.get(kind, 0) + times - own
    return dict(sorted(kinds.items(), key=lambda item: (is_empty(path, item[0]), -item[1], item[0])))


def _subtypes(path: PathFacts) -> dict[str, int]:
    """Binary values by subtype, if there are several; nestling's own forms do not count."""
    found = {binary_of(each): times for each, times in path.subtypes if not _is_kept(path, each)}
    return found if len(found) > 1 else {}


def _kept_as_binary(path: PathFacts) -> int:
    """How many binary values are texts and documents in a form of nestling's, among others that are texts and documents."""
    return sum(times for subtype, times in path.subtypes if _is_kept(path, subtype))


def _is_kept(path: PathFacts, subtype: int) -> bool:
    return path.count(*_KEPT_FOR.get(subtype, ())) > 0


def is_empty(path: PathFacts, kind: str) -> bool:
    """Whether all values of the type are empty texts, which mean nothing."""
    return kind == "string" and path.count("string") <= path.empty and not path.count("array", "object")


def unequal_numbers(path: PathFacts) -> tuple[int, int]:
    """The number of decimals, and the number of doubles that equal no decimal."""
    return path.count("decimal"), min(dict(path.forms).get(text_forms.FRACTION, 0), path.count("double"))
