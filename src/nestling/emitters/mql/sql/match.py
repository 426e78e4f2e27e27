"""Predicates as `$match` documents: the query language where it means the same, so that indexes serve; else `$expr`.

The query language compares within a class (numbers with numbers, texts with texts), takes a missing field for null, and looks
into arrays. So only plain fields are named in it, and a range only where the field's class is certain.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from nestling.emitters.mql.sql.array_conditions import elements
from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.field_conditions import Match, comparison, field_is, in_list, null_test, outside
from nestling.emitters.mql.sql.json_paths import narrowed
from nestling.emitters.mql.sql.nulls import both
from nestling.emitters.mql.sql.predicates import OPERATORS, is_strict_range
from nestling.emitters.mql.sql.text_conditions import begins, like, matches, unlike
from nestling.ir.statements.expression import (
    And,
    Call,
    Column,
    Compare,
    Expression,
    InList,
    IsNull,
    Like,
    Literal,
    Not,
    Or,
)
from nestling.ir.statements.operands import conjuncts
from nestling.ir.statements.operators import Comparison, Function
from nestling.ir.types import TypeName

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

NO_DOCUMENT: Match = {"_id": {"$in": []}}
"""A condition that no document meets. With a constant, such as `{$expr: false}`, the server reads all of them (6.0.5)."""
_TESTS: Mapping[Comparison, Callable[[int, int], bool]] = {
    Comparison.EQUAL: operator.eq,
    Comparison.NOT_EQUAL: operator.ne,
    Comparison.LESS: operator.lt,
    Comparison.LESS_OR_EQUAL: operator.le,
    Comparison.GREATER: operator.gt,
    Comparison.GREATER_OR_EQUAL: operator.ge,
}


def match(predicate: Expression, r: Renderer) -> Match:
    """A `$match` document for the predicate being TRUE; empty when it always is."""
    conditions: list[Match] = []
    computed: list[MqlValue] = []
    for part in _conjuncts(predicate):
        known = _decided(part)
        found = _condition(part, r) if known is None else None
        if found is not None:
            conditions.append(found)
            continue
        truth = r.truth(part) if known is None else known
        if truth is False:
            return NO_DOCUMENT
        if truth is not True:
            computed.append(truth)
            conditions += [narrow] if (narrow := narrowed(part, r)) is not None else []
    if computed:
        conditions += [{"$expr": each} for each in _parted(both(*computed))]
    return _all_of(conditions)


def _decided(predicate: Expression) -> bool | None:
    """Whether a condition on constants, such as `1 = 0` of a filter that is switched off, is met; None for any other."""
    match predicate:
        case Literal(value=bool() as value):
            return value
        case Compare(operator=comparison, left=Literal(value=int() as left), right=Literal(value=int() as right)):
            test = _TESTS.get(comparison)
            return test(left, right) if test is not None else None
        case Not(operand=inner):
            known = _decided(inner)
            return None if known is None else not known
        case And(operands=parts) | Or(operands=parts):
            decisive, each = isinstance(predicate, Or), [_decided(part) for part in parts]
            if decisive in each:
                return decisive
            return None if None in each else not decisive
        case _:
            return None


def _parted(asked: MqlValue) -> list[MqlValue]:
    """Split plain comparisons into those on a lookup's variables only, and those on its documents.

    The server evaluates the first before it plans. It finds an index for a single comparison in an `$expr` of its own, but not
    for one in an `$and` that once had several (6.0.5).
    """
    parts = asked["$and"] if isinstance(asked, dict) and "$and" in asked else None
    if not isinstance(parts, list) or not all(map(_is_plain, parts)):
        return [asked]
    of_variables = [each for each in parts if not any(map(_is_path, _sides(each)))]
    of_documents = [each for each in parts if each not in of_variables]
    return [both(*each) for each in (of_variables, of_documents) if each]


def _is_plain(asked: MqlValue) -> bool:
    """Whether it compares paths, variables and NULL, which never fails."""
    is_comparison = isinstance(asked, dict) and len(asked) == 1 and set(asked) <= set(OPERATORS.values())
    return is_comparison and all(
        each is None or (isinstance(each, str) and each.startswith("$")) for each in _sides(asked)
    )


def _sides(comparison: MqlValue) -> list[MqlValue]:
    assert isinstance(comparison, dict)
    (sides,) = comparison.values()
    assert isinstance(sides, list)
    return sides


def _is_path(value: MqlValue) -> bool:
    return isinstance(value, str) and not value.startswith("$$")


def _conjuncts(predicate: Expression) -> Iterator[Expression]:
    """The parts that must all be TRUE; NOT over an OR has such parts too."""
    for each in conjuncts(predicate):
        match each:
            case Not(operand=Or(operands=parts)):
                for part in parts:
                    yield from _conjuncts(Not(part))
            case Not(operand=Not(operand=inner)):
                yield from _conjuncts(inner)
            case _:
                yield each


def _all_of(conditions: list[Match]) -> Match:
    """One document where no two conditions share a key, or share a field but no operator."""
    merged: Match = {}
    rest = [condition for condition in conditions if not _merge(merged, condition)]
    if not rest:
        return merged
    return {"$and": [merged, *rest]}


def _merge(merged: Match, condition: Match) -> bool:
    for key, value in condition.items():
        held = merged.get(key)
        if held is not None and not (isinstance(held, dict) and isinstance(value, dict) and not set(held) & set(value)):
            return False
        if key.startswith("$") and held is not None:
            return False
    for key, value in condition.items():
        merged[key] = {**cast("Match", merged[key]), **cast("Match", value)} if key in merged else value
    return True


def _condition(predicate: Expression, r: Renderer) -> Match | None:  # noqa: C901 - one case for each form
    """The predicate in the query language; None if only `$expr` is exact."""
    match predicate:
        case Or(operands=parts):
            return _any_of(parts, r)
        case Not(operand=And(operands=parts)):
            return _any_of(tuple(Not(part) for part in parts), r)
        case Compare(operator=Comparison.EQUAL, left=left, right=right, collation=collation):
            return comparison(predicate, r) or begins(left, (right,), collation, r)
        case Compare():
            return comparison(predicate, r)
        case Not(operand=Compare() as compare) if is_strict_range(compare):
            return outside(compare, r)
        case Not(operand=Compare() as compare):
            return comparison(replace(compare, operator=compare.operator.opposite), r)
        case IsNull(operand=operand):
            return null_test(operand, r, is_null=True)
        case Not(operand=IsNull(operand=operand)):
            return null_test(operand, r, is_null=False)
        case InList():
            return in_list(predicate, r, negated=False) or begins(
                predicate.operand, predicate.items, predicate.collation, r
            )
        case Not(operand=InList() as listed):
            return in_list(listed, r, negated=True)
        case Like():
            return like(predicate, r)
        case Not(operand=Like() as pattern):
            return unlike(pattern, r)
        case Call(function=Function.GLOB | Function.MATCHES | Function.MATCHES_ANY_CASE):
            return matches(predicate, r)
        case Call(function=Function.ANY_ELEMENT | Function.CONTAINS | Function.OVERLAPS):
            return elements(predicate, r)
        case Column() if predicate.type.name is TypeName.BOOLEAN:
            return field_is(predicate, True, r)
        case Not(operand=Column() as column) if column.type.name is TypeName.BOOLEAN:
            return field_is(column, False, r)
        case _:
            return None


def _any_of(parts: tuple[Expression, ...], r: Renderer) -> Match | None:
    """An OR is worth the query language only if every branch is in it: one that is not reads all documents anyway."""
    asked = [part for part in parts if _decided(part) is not False]
    found = [_branch(part, r) for part in asked]
    if any(one is None for one in found):
        return None
    return {"$or": found}


def _branch(part: Expression, r: Renderer) -> Match | None:
    conditions = [_condition(inner, r) for inner in _conjuncts(part)]
    if not any(conditions):
        return None
    return match(part, r)
