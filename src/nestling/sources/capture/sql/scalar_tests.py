"""Tests of one value as conditions of SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nestling.ir.capture.clauses import BEGINS, REGEX
from nestling.ir.capture.masks import NULL_SHAPE
from nestling.ir.model import Attribute
from nestling.ir.storage.bson_classes import bson_classes
from nestling.ir.types import MAY_BE_ARRAYS
from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.field_values import NotExpressible, RowAttribute, ScalarValue
from nestling.sources.capture.sql.predicates import ALWAYS, NEVER, CapturedCondition, CapturedTest, every, some

ANY_BOUND = "?minmax"
ENDS_OF_BEGINNING = {"$gte": "from", "$lt": "before"}
"""Texts that begin alike are a range: from that beginning to before the first text behind them all."""
_COMPARED = {"$eq": ("=", "<>"), "$gt": (">", "<="), "$gte": (">=", "<"), "$lt": ("<", ">="), "$lte": ("<=", ">")}
_POSITIVE = {"$ne": "$eq", "$nin": "$in"}
_CLASSES = {f"?{name}": name for name in ("number", "string", "date", "bool", "objectId", "binData")}
"""BSON types by the words for their values."""
_COMPARED_ALIKE = frozenset({*_COMPARED, "$ne"})
_RANGES = ("$gt", "$gte", "$lt", "$lte")
NOT_TOLD_APART = "`{}` on `{}` does not distinguish null from a missing field, which are both NULL in SQL"
BOUNDS = "a bound that is MinKey or MaxKey is taken to include every value"


@dataclass(frozen=True, slots=True)
class OneOfAll:
    """One of the values of an `$all`, by its place in the list; `words`: what the values are."""

    place: int
    words: tuple[str, ...]


def tested(draft: StatementDraft, value: ScalarValue, path: str, name: str, operand: Any) -> CapturedCondition:
    """A test of one value, `$ne` and `$nin` without their negation; raises NotExpressible."""
    if name == "$exists":
        if value.may_be_null:
            draft.notes.append(NOT_TOLD_APART.format(name, path))
        return there(value)
    if operand in (NULL_SHAPE, ANY_BOUND) and name in _COMPARED_ALIKE:
        return _compared_with_none(draft, value, path, name, operand)
    match name:
        case "$eq" | "$ne" | "$gt" | "$gte" | "$lt" | "$lte":
            return _compared(draft, value, path, name, operand)
        case "$all" if isinstance(operand, OneOfAll):
            for word in operand.words:
                check_type(draft, value, path, word)
            return _binary(draft, value, "=", "<>", draft.parameters.new(value.name, f"{path} {name} {operand.place}"))
        case "$in" | "$nin":
            return _listed(draft, value, path, name, operand)
        case "$regex":
            return _pattern(draft, value, path, operand)
        case "$mod":
            return _remainder(draft, value, path)
        case _:
            raise NotExpressible(f"`{name}` on `{path}`")


def _compared_with_none(
    draft: StatementDraft, value: ScalarValue, path: str, name: str, operand: Any
) -> CapturedCondition:
    """A comparison with null, or with a bound below or above all values."""
    check_no_array(draft, value, path)
    if operand == NULL_SHAPE:
        return NEVER if name in ("$gt", "$lt") else missing(value)
    if name in ("$eq", "$ne"):
        return NEVER
    draft.notes.append(BOUNDS)
    return ALWAYS


def there(value: ScalarValue) -> CapturedCondition:
    """The value is not missing."""
    return CapturedTest((f"{value.text} IS NOT NULL",), (f"{value.text} IS NULL",))


def missing(value: ScalarValue) -> CapturedCondition:
    """The value is missing."""
    return CapturedTest((f"{value.text} IS NULL",), (f"{value.text} IS NOT NULL",))


def requires_value(name: str, operand: Any) -> bool:
    """Whether a test is false of what is missing."""
    if name == "$in":
        return NULL_SHAPE not in operand
    return (name in _COMPARED and operand not in (NULL_SHAPE, ANY_BOUND)) or name in ("$regex", "$mod")


def asks_for_any(name: str, operand: Any) -> bool:
    """Whether a test only asks that a value is there."""
    return (name == "$exists" and bool(operand)) or (name == "$ne" and operand == NULL_SHAPE)


def plain(operand: Any, path: str) -> str:
    """The word for a single value; raises NotExpressible."""
    if not isinstance(operand, str) or operand.startswith(REGEX):
        raise NotExpressible(f"`{path}` compared with a document, list or pattern")
    return operand


def classes_of(draft: StatementDraft, value: ScalarValue, word: object = "") -> set[str | None]:
    """The BSON types that a value may have; `word`: what a shape says of it, if it is no field. None among them: any."""
    if isinstance(word, bool | int):
        return {"bool" if isinstance(word, bool) else "number"}
    attribute = attribute_of(draft, value)
    return bson_classes(attribute) if attribute is not None else {_CLASSES.get(str(word))}


def check_type(draft: StatementDraft, value: ScalarValue, path: str, word: str, *, in_order: bool = False) -> None:
    """Raise NotExpressible if MongoDB compares the attribute with such a value in another way than SQL does."""
    check_no_array(draft, value, path)
    attribute, given = attribute_of(draft, value), _CLASSES.get(word)
    if attribute is None or given is None:
        return
    known = bson_classes(attribute)
    if None in known:
        return
    if given not in known:
        kind = word.removeprefix("?")
        raise NotExpressible(
            f"`{path}` ({attribute.type}) compared with a {kind}: values of different BSON types are never equal"
        )
    if in_order and len(known) > 1 and not draft.design.model.strict_types:
        raise NotExpressible(f"a range of `{path}`, which has values of several types")


def check_no_array(draft: StatementDraft, value: ScalarValue, path: str) -> None:
    """Raise NotExpressible for an attribute whose values may be arrays, of which MongoDB tests each element."""
    attribute = attribute_of(draft, value)
    if attribute is not None and any(each.name in MAY_BE_ARRAYS for each in (attribute.type, *attribute.also)):
        raise NotExpressible(f"a test of `{path}`, whose values may be arrays ({attribute.type})")


def attribute_of(draft: StatementDraft, value: ScalarValue) -> Attribute | None:
    """The attribute of the model that a value is; None for what is calculated."""
    if not isinstance(value, RowAttribute) or not value.row.entity:
        return None
    return draft.design.model.entity(value.row.entity).attribute(value.attribute)


def _compared(draft: StatementDraft, value: ScalarValue, path: str, name: str, operand: Any) -> CapturedCondition:
    check_type(draft, value, path, plain(operand, path), in_order=name in _RANGES)
    holds, fails = _COMPARED[_POSITIVE.get(name, name)]
    if name in _POSITIVE:
        right = draft.parameters.new(value.name, f"{path} {name}")
    else:
        right = draft.parameters.compared(value.name, path, name)
    return _binary(draft, value, holds, fails, right)


def _listed(draft: StatementDraft, value: ScalarValue, path: str, name: str, operand: Any) -> CapturedCondition:
    words = no_documents(operand)
    check_no_array(draft, value, path)
    given = [word for word in words if word != NULL_SHAPE]
    for word in given:
        check_type(draft, value, path, word)
    parts = [missing(value)] if NULL_SHAPE in words else []
    if given:
        names = draft.parameters.listed(value.name, f"{path} {name}", draft.list_length(f"{path} {name}"))
        listed = ", ".join(names)
        parts.insert(0, _with_null(value, f"{value.text} IN ({listed})", f"{value.text} NOT IN ({listed})"))
    return some(parts)


def no_documents(operand: Any) -> list[str]:
    """The words of a list of single values; raises NotExpressible for any other."""
    words = operand if isinstance(operand, list) else [operand]
    if any(not isinstance(word, str) or word.startswith(REGEX) or word == ANY_BOUND for word in words):
        raise NotExpressible("a list of documents, patterns or bounds")
    return words


def _pattern(draft: StatementDraft, value: ScalarValue, path: str, operand: Any) -> CapturedCondition:
    check_type(draft, value, path, "?string", in_order=True)
    if operand == BEGINS:
        draft.notes.append(f"the pattern on `{path}` becomes a range condition on its prefix")
        parts = []
        for way, word in ENDS_OF_BEGINNING.items():
            bound = draft.parameters.compared(f"{value.name}_{word}", path, way, is_value=False)
            parts.append(_binary(draft, value, *_COMPARED[way], bound))
        return every(parts)
    any_case = "" if str(operand).endswith("i") else ", which ignores the case of A to Z"
    draft.notes.append(f"the pattern on `{path}` becomes LIKE{any_case}")
    return _binary(
        draft,
        value,
        "LIKE",
        "NOT LIKE",
        draft.parameters.compared(f"{value.name}_pattern", path, "$regex", is_value=False),
    )


def _remainder(draft: StatementDraft, value: ScalarValue, path: str) -> CapturedCondition:
    check_type(draft, value, path, "?number")
    attribute = attribute_of(draft, value)
    if attribute is not None and attribute.also:
        raise NotExpressible(f"`$mod` of `{path}`, which has values of several types")
    by = draft.parameters.new("divisor", f"{path} $mod 0")
    return _binary(draft, value, f"% {by} =", f"% {by} <>", draft.parameters.new("remainder", f"{path} $mod 1"))


def _binary(draft: StatementDraft, value: ScalarValue, operator: str, opposite: str, right: str) -> CapturedCondition:
    """A comparison, and the opposite one; if there are values of several types, both may be false of one."""
    holds, attribute = f"{value.text} {operator} {right}", attribute_of(draft, value)
    is_mixed = attribute is not None and len(bson_classes(attribute)) > 1 and operator != "="
    return _with_null(value, holds, f"NOT {holds}" if is_mixed else f"{value.text} {opposite} {right}")


def _with_null(value: ScalarValue, holds: str, fails: str) -> CapturedCondition:
    """A test that a missing value does not pass."""
    return CapturedTest((holds,), (fails, f"{value.text} IS NULL") if value.may_be_null else (fails,))
