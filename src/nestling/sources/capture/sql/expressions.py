"""Aggregation expressions as expressions of SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nestling.ir.capture.masks import NULL_SHAPE
from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.elements import elements, only
from nestling.sources.capture.sql.entity_rows import token
from nestling.sources.capture.sql.field_values import (
    DocumentTree,
    FieldValue,
    Many,
    NotExpressible,
    RowAttribute,
    ScalarValue,
    Sql,
    Unmapped,
)
from nestling.sources.capture.sql.paths import PathTarget, find, value_under
from nestling.sources.capture.sql.predicates import (
    ALWAYS,
    NEVER,
    CapturedCondition,
    CapturedTest,
    every,
    negated,
    some,
    text_of,
)
from nestling.sources.capture.sql.scalar_tests import check_no_array, classes_of

REMOVED = "$$REMOVE"
_COMPARED = {
    "$eq": ("=", "<>"),
    "$ne": ("<>", "="),
    "$gt": (">", "<="),
    "$gte": (">=", "<"),
    "$lt": ("<", ">="),
    "$lte": ("<=", ">"),
}
_FLIPPED = {"$eq": "$eq", "$ne": "$ne", "$gt": "$lt", "$gte": "$lte", "$lt": "$gt", "$lte": "$gte"}
_TRUTHS = frozenset({"$and", "$or", "$not", "$in", *_COMPARED})
ONE_NULL = "null and missing fields are both NULL in SQL"
TWO_MISSING = (
    "a comparison of two fields that may be missing: in MongoDB two missing fields are equal, null is more than missing"
)
_BETWEEN = {"$add": "+", "$subtract": "-", "$multiply": "*", "$divide": "/", "$mod": "%", "$concat": "||"}
_FUNCTIONS = {
    "$abs": "ABS",
    "$toUpper": "UPPER",
    "$toLower": "LOWER",
    "$round": "ROUND",
    "$ceil": "CEIL",
    "$floor": "FLOOR",
    "$strLenCP": "LENGTH",
}
_CASTS = {
    "$toInt": "INTEGER",
    "$toLong": "BIGINT",
    "$toDouble": "DOUBLE PRECISION",
    "$toDecimal": "DECIMAL",
    "$toString": "TEXT",
}
_ROOT = ("$$ROOT", "$$CURRENT")

NamedValues = dict[str, FieldValue]
"""What variables stand for: `let` of a `$lookup`."""


def value(draft: StatementDraft, document: FieldValue, found: Any, names: NamedValues | None = None) -> FieldValue:
    """The value of an expression; raises NotExpressible."""
    match found:
        case str() if found.startswith("$"):
            return _path(document, found, names or {})
        case str():
            return Sql("NULL") if found == NULL_SHAPE else Sql(draft.parameters.new("value"), may_be_null=False)
        case bool():
            return Sql("TRUE" if found else "FALSE", may_be_null=False)
        case int():
            return Sql(str(found), may_be_null=False)
        case dict() if len(found) == 1 and next(iter(found)).startswith("$"):
            (name, operand), *_ = found.items()
            return _operator(draft, document, name, operand, names or {})
        case dict():
            return DocumentTree({name: value(draft, document, inner, names) for name, inner in found.items()})
        case _:
            raise NotExpressible("a list as a value")


def scalar(draft: StatementDraft, document: FieldValue, found: Any, names: NamedValues | None = None) -> ScalarValue:
    """The single value that an expression is; raises NotExpressible for anything else."""
    made = value(draft, document, found, names)
    match made:
        case RowAttribute() | Sql():
            return made
        case DocumentTree() if made.row is not None and made.key:
            return Sql(token(made.row, made.key), made.key)
        case Unmapped(why):
            raise NotExpressible(why)
        case _:
            raise NotExpressible("a document or array where SQL needs a single value")


def _path(document: FieldValue, path: str, names: NamedValues) -> FieldValue:
    if path in _ROOT:
        return document
    if path.startswith("$$"):
        name, _, rest = path[2:].partition(".")
        if name in ("ROOT", "CURRENT"):
            return value_under(document, rest)
        if name not in names:
            raise NotExpressible(f"the variable `{name}`")
        return value_under(names[name], rest)
    return value_under(document, path[1:])


def _operator(draft: StatementDraft, document: FieldValue, name: str, operand: Any, names: NamedValues) -> FieldValue:
    def text(each: Any) -> str:
        return scalar(draft, document, each, names).text

    operands = operand if isinstance(operand, list) else [operand]
    if name in _TRUTHS:
        return Sql(text_of(truth(draft, document, {name: operand}, names)), _name(draft, document, operands, names))
    if (made := _simple(name, operands, text)) is not None:
        return Sql(made, _name(draft, document, operands, names))
    match name:
        case "$literal":
            return value(draft, document, operand if isinstance(operand, str) else "?number", names)
        case "$ifNull":
            return _first_there(draft, document, operands, names)
        case "$cond" | "$switch":
            return _conditional(operand, text)
        case "$size":
            return _size(draft, document, operands[0], names)
        case "$first" | "$last" | "$arrayElemAt":
            return _only(draft, document, operands, names)
        case _:
            raise NotExpressible(f"`{name}` in an expression")


def _simple(name: str, operands: list[Any], text: Callable[[Any], str]) -> str | None:
    """Operators whose operands are expressed one by one; None for the others."""
    if name in _BETWEEN:
        return "(" + f" {_BETWEEN[name]} ".join(map(text, operands)) + ")"
    if name in _FUNCTIONS:
        return f"{_FUNCTIONS[name]}({', '.join(map(text, operands))})"
    return f"CAST({text(operands[0])} AS {_CASTS[name]})" if name in _CASTS else None


def truth(
    draft: StatementDraft, document: FieldValue, found: Any, names: NamedValues | None = None
) -> CapturedCondition:
    """Whether an expression is true; raises NotExpressible."""
    if isinstance(found, bool | int):
        return ALWAYS if found else NEVER
    name = next(iter(found)) if isinstance(found, dict) and len(found) == 1 else ""
    if name not in _TRUTHS:
        text = scalar(draft, document, found, names).text
        return CapturedTest((text,), (f"NOT {text}", f"{text} IS NULL"))
    operand = found[name]
    operands = operand if isinstance(operand, list) else [operand]
    match name:
        case "$and":
            return every(truth(draft, document, each, names) for each in operands)
        case "$or":
            return some(truth(draft, document, each, names) for each in operands)
        case "$not":
            return negated(truth(draft, document, operands[0], names))
        case "$in":
            return _member(draft, document, operands, names or {})
        case _:
            return _comparison(draft, document, name, operands, names or {})


def _comparison(
    draft: StatementDraft, document: FieldValue, name: str, operands: list[Any], names: NamedValues
) -> CapturedCondition:
    """A comparison: what is missing is less than null, and null is less than any value."""
    first, second = operands
    for one, other, flipped in ((first, second, False), (second, first, True)):
        if other == NULL_SHAPE:
            return _with_null(draft, scalar(draft, document, one, names), _FLIPPED[name] if flipped else name)
    left, right = _named_alike(draft, document, first, second, names)
    _check_types(draft, name, (left, first), (right, second))
    if left.may_be_null and right.may_be_null:
        draft.notes.append(TWO_MISSING)
    less, more = (f"{side.text} IS NULL" if side.may_be_null else "" for side in (left, right))
    holds, fails = (f"{left.text} {operator} {right.text}" for operator in _COMPARED[name])
    only_less = f"({less} AND {right.text} IS NOT NULL)" if less and more else less
    only_more = f"({more} AND {left.text} IS NOT NULL)" if less and more else more
    match name:
        case "$eq":
            return _test([holds], [fails, less, more])
        case "$ne":
            return _test([holds, less, more], [fails])
        case "$lt":
            return _test([holds, only_less], [fails, more])
        case "$lte":
            return _test([holds, less], [fails, only_more])
        case "$gt":
            return _test([holds, only_more], [fails, less])
        case _:
            return _test([holds, more], [fails, only_less])


def _check_types(draft: StatementDraft, name: str, *sides: tuple[ScalarValue, Any]) -> None:
    """Raise NotExpressible for values of several BSON types, which MongoDB orders by their types."""
    both: set[str | None] = set()
    for side, found in sides:
        check_no_array(draft, side, side.name)
        both |= classes_of(draft, side, found)
    if None not in both and len(both) > 1:
        raise NotExpressible(f"`{name}` in an expression, of values of several BSON types")


def _test(holds: list[str], fails: list[str]) -> CapturedCondition:
    return CapturedTest(tuple(filter(None, holds)), tuple(filter(None, fails)))


def _with_null(draft: StatementDraft, tested: ScalarValue, name: str) -> CapturedCondition:
    """A comparison with null, from which a missing field differs."""
    if tested.may_be_null and name not in ("$gt", "$lte"):
        draft.notes.append(f"`{name}` of null in an expression: {ONE_NULL}")
    missing, there = f"{tested.text} IS NULL", f"{tested.text} IS NOT NULL"
    is_missing = CapturedTest((missing,), (there,))
    return is_missing if name in ("$eq", "$lte", "$lt") else negated(is_missing)


def _named_alike(
    draft: StatementDraft, document: FieldValue, first: Any, second: Any, names: NamedValues
) -> tuple[ScalarValue, ScalarValue]:
    """Both sides of a comparison; a parameter is named after what it is compared with."""
    sides: list[ScalarValue] = []
    for one, other in ((first, second), (second, first)):
        is_word = isinstance(one, str) and one.startswith("?")
        if is_word and not (isinstance(other, str) and other.startswith("?")):
            with_one = scalar(draft, document, other, names)
            sides.append(Sql(draft.parameters.new(with_one.name), may_be_null=False))
        else:
            sides.append(scalar(draft, document, one, names))
    return sides[0], sides[1]


def _name(draft: StatementDraft, document: FieldValue, operands: list[Any], names: NamedValues) -> str:
    """What a calculation is called: as the first column in it."""
    for each in operands:
        if isinstance(each, str) and each.startswith("$"):
            return scalar(draft, document, each, names).name
    return "value"


def _member(draft: StatementDraft, document: FieldValue, operands: list[Any], names: NamedValues) -> CapturedCondition:
    tested = scalar(draft, document, operands[0], names)
    if not isinstance(operands[1], list):
        raise NotExpressible("`$in` with an array from the document")
    parts = [_with_null(draft, tested, "$eq")] if NULL_SHAPE in operands[1] else []
    given = [each for each in operands[1] if each != NULL_SHAPE]
    if given:
        listed = ", ".join(_listed(draft, document, tested, given, names))
        fails = [f"{tested.text} NOT IN ({listed})", f"{tested.text} IS NULL" if tested.may_be_null else ""]
        parts.insert(0, _test([f"{tested.text} IN ({listed})"], fails))
    return some(parts)


def _listed(
    draft: StatementDraft, document: FieldValue, tested: ScalarValue, given: list[Any], names: NamedValues
) -> list[str]:
    """The values of a list: parameters if they are unknown, and then any number of them."""
    words = [each for each in given if isinstance(each, str) and each.startswith("?")]
    own = classes_of(draft, tested)
    if any(None not in own | (each := classes_of(draft, Sql(""), word)) and not own & each for word in given):
        raise NotExpressible("`$in` in an expression, of values of several BSON types")
    known = [scalar(draft, document, each, names).text for each in given if each not in words]
    number = max(draft.list_length(tested.name), len(words)) if words else 0
    return [*known, *(draft.parameters.new(tested.name) for _ in range(number))]


def _first_there(draft: StatementDraft, document: FieldValue, operands: list[Any], names: NamedValues) -> FieldValue:
    """`$ifNull`; with null or nothing at its end, the value itself."""
    kept = [each for each in operands if each not in (NULL_SHAPE, REMOVED)] or operands[:1]
    if len(kept) == 1:
        return value(draft, document, kept[0], names)
    made = [scalar(draft, document, each, names) for each in kept]
    return Sql(f"COALESCE({', '.join(each.text for each in made)})", made[0].name, may_be_null=made[-1].may_be_null)


def _conditional(operand: Any, text: Callable[[Any], str]) -> Sql:
    if isinstance(operand, dict) and "branches" in operand:
        branches, otherwise = (
            [(each["case"], each["then"]) for each in operand["branches"]],
            operand.get("default", NULL_SHAPE),
        )
    else:
        test, then, otherwise = (
            (operand[name] for name in ("if", "then", "else")) if isinstance(operand, dict) else operand
        )
        branches = [(test, then)]
    last = "" if otherwise in (NULL_SHAPE, REMOVED) else f" ELSE {text(otherwise)}"
    return Sql(f"CASE {' '.join(f'WHEN {text(test)} THEN {text(then)}' for test, then in branches)}{last} END")


def _size(draft: StatementDraft, document: FieldValue, operand: Any, names: NamedValues) -> Sql:
    """How many elements an array has."""
    array = _array(document, operand, names)
    if array.rest or not isinstance(array.value, Many) or array.value.own:
        raise NotExpressible("`$size` of something other than an array of rows")
    query, _ = elements(draft, array.value)
    return Sql(f"({query.text([('count', 'COUNT(*)')], draft.design.model)})", "count", may_be_null=False)


def _only(draft: StatementDraft, document: FieldValue, operands: list[Any], names: NamedValues) -> FieldValue:
    """The only element of an array, or what it has under the rest of the path."""
    array = _array(document, operands[0], names)
    if not isinstance(array.value, Many) or operands[1:] not in ([], [0], [-1]):
        raise NotExpressible("an element of something other than an array of rows, or one in the middle of the array")
    return value_under(only(draft, array.value), array.rest)


def _array(document: FieldValue, operand: Any, names: NamedValues) -> PathTarget:
    """The place the path of an array leads to; a missing array counts as an empty one."""
    if isinstance(operand, dict) and set(operand) == {"$ifNull"}:
        operand = operand["$ifNull"][0]
    if not isinstance(operand, str) or not operand.startswith("$"):
        raise NotExpressible("a calculated array")
    return PathTarget(_path(document, operand, names)) if operand.startswith("$$") else find(document, operand[1:])
