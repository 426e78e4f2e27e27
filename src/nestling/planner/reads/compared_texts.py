"""How a relation compares its texts: by which collations, and how to test for equality regardless of the read's collation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import AggregateFunction, Relation, SortKey, WindowFunction
from nestling.ir.statements.expression import (
    SPELLED,
    And,
    Call,
    Compare,
    Expression,
    InList,
    InSubquery,
    Like,
    Literal,
    Not,
)
from nestling.ir.statements.operands import SUBQUERIES, operands
from nestling.ir.statements.operators import CaseRule, Collation, Comparison, Function, Rules
from nestling.ir.types import INTEGER, NEVER_TEXT, OF_DIGITS, TypeName
from nestling.planner.reads.traverse import everything, expressions, subqueries


def scanned(relation: Relation) -> Iterator[str]:
    """Yield the entities that a relation reads, each as often as it does."""
    for each in everything(relation):
        if isinstance(each, a.Scan):
            yield each.entity
        for expression in expressions(each):
            for inner in subqueries(expression):
                yield from scanned(inner.relation)


def collations_of(relation: Relation) -> Iterator[Collation]:
    """The collation of every comparison of texts."""
    for each in everything(relation):
        yield from _of_relation(each)
        for expression in expressions(each):
            yield from _of_expression(expression)


def _of_relation(relation: Relation) -> Iterator[Collation]:
    match relation:
        case a.Sort(keys=keys):
            yield from _of_keys(keys)
        case a.GroupBy(keys=named, collations=rules):
            yield from _of_texts([key.expression for key in named], rules)
            for item in relation.aggregates:
                yield from _of_aggregate(item.aggregate)
        case a.SetOperation(operator=a.SetOperator.UNION, all=True):
            return  # which compares nothing
        case a.Distinct(collations=rules) | a.SetOperation(collations=rules):
            yield from _of_texts(relation.columns, rules)
        case a.Recursive(all=False):
            yield from _of_texts(relation.columns, ())
        case a.Window(functions=functions):
            for function in functions:
                yield from _of_window(function.window)
        case _:
            return


def _of_keys(keys: Sequence[SortKey]) -> Iterator[Collation]:
    yield from (key.collation for key in keys if may_be_text(key.expression))


def _of_texts(compared: Sequence[Expression], rules: Sequence[Collation]) -> Iterator[Collation]:
    for place, expression in enumerate(compared):
        rule = rules[place] if rules else Collation.BINARY
        if may_be_text(expression) and not (rule is Collation.BINARY and is_told_alike(expression)):
            yield rule


def labels_of(expression: Expression) -> tuple[str, ...]:
    """The labels of an enum."""
    return expression.type.values if expression.type.name is TypeName.ENUM else ()


def is_told_alike(expression: Expression) -> bool:
    """Whether every collation distinguishes its values: labels of an enum in ASCII that also differ regardless of case."""
    labels = labels_of(expression)
    return bool(labels) and all(map(str.isascii, labels)) and len({*map(str.casefold, labels)}) == len(labels)


def _of_aggregate(aggregate: a.AggregateCall) -> Iterator[Collation]:
    yield from _of_keys(aggregate.order)
    compares = aggregate.distinct or aggregate.function in (AggregateFunction.MIN, AggregateFunction.MAX)
    if compares and aggregate.argument is not None and may_be_text(aggregate.argument):
        yield aggregate.collation


def _of_window(window: WindowFunction) -> Iterator[Collation]:
    yield from _of_keys(window.order)
    yield from _of_texts(window.partition, window.partition_collations)
    extreme = window.function in (AggregateFunction.MIN, AggregateFunction.MAX)
    if extreme and window.arguments and may_be_text(window.arguments[0]):
        yield window.collation


def _of_expression(expression: Expression) -> Iterator[Collation]:
    match expression:
        case Compare(left=left, right=Literal(), collation=Collation.BINARY) if labels_of(left):
            pass  # the place of an enum's value: its labels are never equal
        case Compare(left=left, right=right) if may_be_text(left) and may_be_text(right):
            yield expression.collation
        case InList(operand=operand, collation=Collation.BINARY) if labels_of(operand):
            pass
        case InList(operand=operand) if may_be_text(operand):
            yield expression.collation
        case InSubquery(operands=left) if any(map(may_be_text, left)):
            yield expression.collation
        case Like():
            yield from _of_like(expression)
        case _:
            pass
    for inner in operands(expression):
        yield from _of_expression(inner)
    if isinstance(expression, SUBQUERIES):
        yield from collations_of(expression.relation)


def _of_like(pattern: Like) -> Iterator[Collation]:
    match pattern:
        case Like(case=case) if case in SPELLED:
            yield Collation.UNICODE_CI
        case Like(operand=Call(function=Function.LOWER | Function.UPPER, rules=Rules.POSTGRESQL), case=CaseRule.EXACT):
            return  # letters of the text itself, by a regular expression, which has no collation
        case Like(case=CaseRule.EXACT | CaseRule.BYTES):
            yield Collation.BINARY
        case _:
            return


def may_be_text(expression: Expression) -> bool:
    """Whether it may be a text, or hold one."""
    if isinstance(expression, Literal):
        return isinstance(expression.value, str)
    if isinstance(expression, Call) and expression.function is Function.ROW:
        return any(map(may_be_text, expression.arguments))
    return expression.type.name not in NEVER_TEXT | OF_DIGITS or bool(getattr(expression, "mixed", False))


def to_the_letter(one: Expression, other: Expression) -> Expression:
    """Test exact equality, whatever the collation of the read: one text begins with the other and has the same length."""
    begins = Compare(Comparison.EQUAL, Call(Function.POSITION, (one, other), INTEGER, Rules.MYSQL), Literal(1, INTEGER))
    left, right = (Call(Function.BYTE_LENGTH, (text,), INTEGER, Rules.MYSQL) for text in (one, other))
    return And((begins, Compare(Comparison.EQUAL, left, right)))


def said_exactly(value: object) -> object | None:
    """Exact equality of texts, which no collation changes."""
    match value:
        case Compare(Comparison.EQUAL | Comparison.NOT_EQUAL as operator, left, right, Collation.BINARY):
            are_texts = all(side.type.name is TypeName.TEXT for side in (left, right))
            same = to_the_letter(left, right)
            return (same if operator is Comparison.EQUAL else Not(same)) if are_texts else None
        case _:
            return None


def without_collation(value: object) -> object | None:
    """Remove a collation that is the one of the whole read."""
    return Collation.BINARY if value is Collation.UNICODE_CI else None
