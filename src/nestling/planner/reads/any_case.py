"""Reads with a case-insensitive index: such a read compares all texts by the index's collation.

The collation treats more texts as equal than any of the comparisons that it serves. So the original comparisons are kept as
well, in a form that no collation affects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from nestling.common.trees import nodes_in, rebuilt
from nestling.ir.design import Design
from nestling.ir.indexes.case_lookups import CaseLookup, case_lookups
from nestling.ir.model import Entity
from nestling.ir.statements.algebra import Filter, Relation
from nestling.ir.statements.expression import (
    EACH_ITSELF,
    SPELLED,
    And,
    Call,
    Cast,
    Coerce,
    Column,
    Compare,
    Expression,
    InList,
    Like,
    Literal,
    Parameter,
)
from nestling.ir.statements.operands import conjunction, conjuncts, operands
from nestling.ir.statements.operators import CaseRule, Collation, Comparison, Function, Rules
from nestling.ir.types import TEXT
from nestling.planner.reads.agreeing_keys import is_alone
from nestling.planner.reads.compared_texts import (
    collations_of,
    is_told_alike,
    labels_of,
    said_exactly,
    scanned,
    to_the_letter,
    without_collation,
)
from nestling.planner.reads.traverse import everything

_KEYS_IN_ORDER = frozenset({Function.JSON_MERGE, Function.JSON_SET})
_HINTS = {function: rule for rule, function in SPELLED.items()}


def in_any_case(relation: Relation, design: Design) -> Relation | None:
    """Return the relation for a read with the collation of the indexes in `case_lookups`; None if none of them is useful."""
    entities = [*scanned(relation)]
    entity = design.model.entity(entities[0]) if len(entities) == 1 else None
    lookups = case_lookups(design, entity) if entity is not None else ()
    if entity is None or not lookups or not is_alone(design.places[entity.name]):
        return None
    return by_lookups(relation, entity, lookups)


def by_lookups(relation: Relation, entity: Entity, lookups: Iterable[CaseLookup]) -> Relation | None:
    """The relation for a read by one of these indexes whatever the case, of rows that are documents; None if none is useful.

    None of them is useful if the key finds the rows anyway.
    """
    parts = [part for each in everything(relation) if isinstance(each, Filter) for part in conjuncts(each.predicate)]
    is_served = any(_serves(each, parts) for each in lookups)
    if not is_served or _tells_one(entity, parts) or len([*scanned(relation)]) != 1:
        return None
    if _orders_keys(relation) or _takes_labels_for_one(relation):
        return None
    said = rebuilt(rebuilt(rebuilt(relation, _with_hints), _said_of_case), _said_exactly)
    return rebuilt(said, without_collation) if set(collations_of(said)) == {Collation.UNICODE_CI} else None


def _tells_one(entity: Entity, parts: Sequence[Expression]) -> bool:
    """Whether the key, or another group no two rows share, is equal to constants as any index compares them."""
    plain = {each.name for each in entity.attributes if each.collation is Collation.BINARY}
    equal = {name for part in parts for name in _equal(part)} & plain
    return entity.is_superkey(equal)


def _orders_keys(relation: Relation) -> bool:
    """Whether keys of JSON are put in order, which a collation would be asked for, too."""
    return any(isinstance(each, Call) and each.function in _KEYS_IN_ORDER for each in nodes_in(relation))


def _takes_labels_for_one(relation: Relation) -> bool:
    """Whether a collation may take two labels for one that an enum is compared with."""
    compared = (each for each in nodes_in(relation) if isinstance(each, Compare | InList))
    sides = (side for each in compared for side in operands(each))
    return any(labels_of(side) and not is_told_alike(side) for side in sides)


def _serves(lookup: CaseLookup, parts: list[Expression]) -> bool:
    """Whether all of its attributes are equal to constants, or their lower or upper case is."""
    hinted = {hint.operand.name for hint in map(_hint, parts) if hint is not None and isinstance(hint.operand, Column)}
    hinted |= {name for part in parts if _is_of_letters(part) for name in _equal(part)}
    equal = {name for part in parts for name in _equal(part)}
    return lookup.serves(equal, hinted)


def _is_of_letters(part: Expression) -> bool:
    """Whether the comparison itself ignores the case of A to Z, whatever the column's collation."""
    return isinstance(part, Compare) and part.collation is Collation.NOCASE


def _equal(part: Expression) -> Iterator[str]:
    """The column that is equal to a constant."""
    if isinstance(part, Compare) and part.operator is Comparison.EQUAL:
        for one, other in ((part.left, part.right), (part.right, part.left)):
            if isinstance(one, Column) and _is_constant(other):
                yield one.name


def _with_hints(value: object) -> object | None:
    """Add to filters on the case of a text a condition that an index supports."""
    if not isinstance(value, Filter):
        return None
    parts = conjuncts(value.predicate)
    hints = [hint for hint in map(_hint, parts) if hint is not None]
    predicate = conjunction(*hints, *parts) or value.predicate
    return replace(value, input=rebuilt(value.input, _with_hints), predicate=predicate)


def _hint(part: Expression) -> Like | None:
    """Return the indexable condition if the lower or upper case of a column equals a constant; None for other conditions."""
    match part:
        case Like(operand=Call() as text, pattern=given, escape=escape, case=CaseRule.EXACT) if escape == EACH_ITSELF:
            sides = [(text, given)]
        case Compare(Comparison.EQUAL, left, right, Collation.BINARY):
            sides = [(one, other) for one, other in ((left, right), (right, left)) if isinstance(one, Call)]
        case _:
            return None
    for text, given in sides:
        column = _column(text) if text.function in _HINTS and text.rules is Rules.POSTGRESQL else None
        inner = given.arguments[0] if isinstance(given, Call) and given.function is text.function else given
        if column is not None and _is_constant(inner):
            return Like(column, given, EACH_ITSELF, _HINTS[text.function])
    return None


def _column(text: Call) -> Column | None:
    """Return the column inside the function, possibly cast to a text."""
    (inner,) = text.arguments
    column = inner.operand if isinstance(inner, Cast) and inner.type == TEXT else inner
    return column if isinstance(column, Column) and not column.mixed and not column.type.is_char else None


def _said_of_case(value: object) -> object | None:
    """Express equality under NOCASE: equal by the read's collation, and also in lower case."""
    match value:
        case Compare(Comparison.EQUAL, left, right, Collation.NOCASE) if all(map(_is_plain, (left, right))):
            small = (Call(Function.LOWER, (side,), TEXT, Rules.SQLITE) for side in (left, right))
            return And((replace(value, collation=Collation.UNICODE_CI), to_the_letter(*small)))
        case _:
            return None


def _said_exactly(value: object) -> object | None:
    """Express exact equality, preceded by an indexable condition if it is on a column."""
    exactly = said_exactly(value)
    match value:
        case Compare(Comparison.EQUAL, left, right) if exactly is not None and all(map(_is_plain, (left, right))):
            assert isinstance(exactly, And)
            return And((replace(value, collation=Collation.UNICODE_CI), *exactly.operands))
        case _:
            return exactly


def _is_plain(expression: Expression) -> bool:
    return isinstance(expression, Column) or _is_constant(expression)


def _is_constant(expression: Expression) -> bool:
    inner = expression.operand if isinstance(expression, Coerce) else expression
    return isinstance(inner, Literal | Parameter)
