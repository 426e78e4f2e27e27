"""A collation of the whole read: MongoDB compares all texts of an operation alike, so where all agree it may ask for that.

SQLite's NOCASE and RTRIM are computed in each comparison; what neither case nor accents decide only the server can compare.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from nestling.common.trees import nodes_in, rebuilt
from nestling.ir.design import Design
from nestling.ir.indexes.case_lookups import case_lookups
from nestling.ir.model import Model
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import AggregateFunction, Relation, SortKey, WindowFunction
from nestling.ir.statements.expression import (
    And,
    Call,
    CaseRule,
    Coerce,
    Collation,
    Column,
    Compare,
    Comparison,
    Expression,
    Function,
    InList,
    InSubquery,
    Like,
    Literal,
    Not,
    Parameter,
    Rules,
)
from nestling.ir.statements.operands import SUBQUERIES, conjuncts, operands
from nestling.ir.storage.layout import NodeKind, Place, Role
from nestling.ir.types import INTEGER, NEVER_TEXT, OF_DIGITS, TEXT, TEXTS, TypeName
from nestling.planner.reads.determined import telling
from nestling.planner.reads.traverse import everything, expressions, subqueries

_KEYS_IN_ORDER = frozenset({Function.JSON_MERGE, Function.JSON_SET})


def with_one_collation(relation: Relation, design: Design) -> tuple[Relation, Collation]:
    """The relation with its collation taken out, when all its texts are compared by one only the server knows.

    The keys documents are found by must be compared by it too, or two that differ in case would be taken for one. What follows
    from other keys of a group is compared by whichever suits the rest.
    """
    if not any(
        isinstance(each, a.GroupBy) and Collation.UNICODE_CI in each.collations for each in everything(relation)
    ):
        return _with_one(relation, design)
    found, collation = _with_one(rebuilt(relation, _following(Collation.UNICODE_CI, design.model)), design)
    if collation is Collation.UNICODE_CI:
        return found, collation
    return _with_one(rebuilt(relation, _following(Collation.BINARY, design.model)), design)


def has_two_collations(relation: Relation, design: Design) -> bool:
    """Whether texts that only the server compares stand in it beside others: no operation of it reads both."""
    found, collation = with_one_collation(relation, design)
    return collation is not Collation.UNICODE_CI and Collation.UNICODE_CI in set(_rules(found))


def _following(rule: Collation, model: Model) -> Callable[[object], object | None]:
    """Groups whose keys are compared by the rule where they follow from others: these decide which rows are of one group."""

    def change(value: object) -> object | None:
        if not isinstance(value, a.GroupBy) or Collation.UNICODE_CI not in value.collations:
            return None
        keys, rules = [key.expression for key in value.keys], value.collations
        are_texts = [*map(_may_be_text, keys)]
        sure = {place for place, each in enumerate(rules) if each is Collation.BINARY or not are_texts[place]}
        kept = telling(keys, value.input, model, sure)
        chosen = tuple(rule if are_texts[place] and place not in kept else each for place, each in enumerate(rules))
        return replace(value, input=rebuilt(value.input, change), collations=chosen)

    return change


def _with_one(relation: Relation, design: Design) -> tuple[Relation, Collation]:
    if Collation.UNICODE_CI not in (found := set(_rules(relation))):
        in_any_case = _in_any_case(relation, design) if Collation.NOCASE in found else None
        return (relation, Collation.BINARY) if in_any_case is None else (in_any_case, Collation.NOCASE)
    said, scanned = relation, [*_scanned(relation)]
    if Collation.BINARY in found and len(scanned) == 1:
        said = rebuilt(relation, _said_exactly)
        found = set(_rules(said))
    if found != {Collation.UNICODE_CI} or not keys_agree(design, scanned):
        return rebuilt(relation, _of_labels), Collation.BINARY
    return rebuilt(said, _without), Collation.UNICODE_CI


def _in_any_case(relation: Relation, design: Design) -> Relation | None:
    """The relation for a read with the collation of the indexes in `case_lookups`; None where none of them serves it.

    That collation takes more for equal than NOCASE, so an expression says the rest.
    """
    scanned = [*_scanned(relation)]
    entity = design.model.entity(scanned[0]) if len(scanned) == 1 else None
    groups = case_lookups(design, entity) if entity is not None else ()
    if entity is None or not groups or not _is_alone(design.places[entity.name]) or _orders_keys(relation):
        return None
    asked = {name for each in everything(relation) if isinstance(each, a.Filter) for name in _equal(each.predicate)}
    if not any(asked >= set(group) for group in groups):
        return None
    said = rebuilt(rebuilt(relation, _said_of_case), _said_exactly)
    return rebuilt(said, _without) if set(_rules(said)) == {Collation.UNICODE_CI} else None


def _orders_keys(relation: Relation) -> bool:
    """Whether keys of JSON are put in order, which a collation would be asked for, too."""
    return any(isinstance(each, Call) and each.function in _KEYS_IN_ORDER for each in nodes_in(relation))


def _equal(predicate: Expression) -> Iterator[str]:
    """The columns that a condition, or a part joined by AND, has equal to a constant."""
    for each in conjuncts(predicate):
        if isinstance(each, Compare) and each.operator is Comparison.EQUAL:
            yield from (
                one.name
                for one, other in ((each.left, each.right), (each.right, each.left))
                if isinstance(one, Column) and _is_constant(other)
            )


def _said_of_case(value: object) -> object | None:
    """Equality under NOCASE: what the collation of the read takes for equal, and is so in small letters too."""
    match value:
        case Compare(Comparison.EQUAL, left, right, Collation.NOCASE) if all(map(_is_plain, (left, right))):
            small = (Call(Function.LOWER, (side,), TEXT, Rules.SQLITE) for side in (left, right))
            return And((replace(value, collation=Collation.UNICODE_CI), to_the_letter(*small)))
        case _:
            return None


def _is_plain(expression: Expression) -> bool:
    return isinstance(expression, Column) or _is_constant(expression)


def _is_constant(expression: Expression) -> bool:
    inner = expression.operand if isinstance(expression, Coerce) else expression
    return isinstance(inner, Literal | Parameter)


def to_the_letter(one: Expression, other: Expression) -> Expression:
    """That two texts are the same, whatever the collation of the read: one begins with the other, and is no longer."""
    begins = Compare(Comparison.EQUAL, Call(Function.POSITION, (one, other), INTEGER, Rules.MYSQL), Literal(1, INTEGER))
    left, right = (Call(Function.BYTE_LENGTH, (text,), INTEGER, Rules.MYSQL) for text in (one, other))
    return And((begins, Compare(Comparison.EQUAL, left, right)))


def keys_agree(design: Design, scanned: Sequence[str]) -> bool:
    """Whether rows of these entities, one for each time they are read, are put together by no text compared to the letter."""
    if len(scanned) == 1 and _is_alone(design.places[scanned[0]]):
        return True
    names = {node.entity for name in scanned for place in design.places[name] for node in place.nodes} | set(scanned)
    listed = {link for name in scanned for place in design.places[name] for link in place.node.listed}
    names |= {design.model.relationship(link).parent for link in listed}
    return all(_agrees(design.model, name, names) for name in names)


def _is_alone(places: Sequence[Place]) -> bool:
    """Whether each row is a document, and a document all of it."""
    (first, *others) = places
    whole = first.store.role is Role.HOME and first.node.kind is NodeKind.ROOT and first.copy is None
    return whole and not others and not first.node.listed and not first.store.collection.splits


def _agrees(model: Model, name: str, others: Collection[str]) -> bool:
    """Whether all texts are compared alike that tell its rows, or link them to those of the others."""
    entity = model.entity(name)
    up = [link.child_attributes for link in model.parents_of(name) if link.parent in others]
    down = [link.parent_attributes for link in model.children_of(name) if link.child in others]
    keys = {attribute for group in (entity.key, *up, *down) for attribute in group}
    texts = [each for each in map(entity.attribute, keys) if each.type.name in TEXTS]
    return all(each.collation is Collation.UNICODE_CI for each in texts)


def _scanned(relation: Relation) -> Iterator[str]:
    """The entities it reads, each as often as it does."""
    for each in everything(relation):
        if isinstance(each, a.Scan):
            yield each.entity
        for expression in expressions(each):
            for inner in subqueries(expression):
                yield from _scanned(inner.relation)


def _rules(relation: Relation) -> Iterator[Collation]:
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
    yield from (key.collation for key in keys if _may_be_text(key.expression))


def _of_texts(compared: Sequence[Expression], rules: Sequence[Collation]) -> Iterator[Collation]:
    for place, expression in enumerate(compared):
        rule = rules[place] if rules else Collation.BINARY
        if _may_be_text(expression) and not (rule is Collation.BINARY and _is_told_alike(expression)):
            yield rule


def _labels(expression: Expression) -> tuple[str, ...]:
    """Those of an enum."""
    return expression.type.values if expression.type.name is TypeName.ENUM else ()


def _is_told_alike(expression: Expression) -> bool:
    """Whether every collation tells its values apart: the labels of an enum in plain letters, each another one in any case."""
    labels = _labels(expression)
    return bool(labels) and all(map(str.isascii, labels)) and len({*map(str.casefold, labels)}) == len(labels)


def _of_aggregate(aggregate: a.AggregateCall) -> Iterator[Collation]:
    yield from _of_keys(aggregate.order)
    compares = aggregate.distinct or aggregate.function in (AggregateFunction.MIN, AggregateFunction.MAX)
    if compares and aggregate.argument is not None and _may_be_text(aggregate.argument):
        yield aggregate.collation


def _of_window(window: WindowFunction) -> Iterator[Collation]:
    yield from _of_keys(window.order)
    yield from _of_texts(window.partition, window.partition_collations)
    extreme = window.function in (AggregateFunction.MIN, AggregateFunction.MAX)
    if extreme and window.arguments and _may_be_text(window.arguments[0]):
        yield window.collation


def _of_expression(expression: Expression) -> Iterator[Collation]:
    match expression:
        case Compare(left=left, right=Literal(), collation=Collation.BINARY) if _labels(left):
            pass  # the place of an enum's value: its labels are never equal
        case Compare(left=left, right=right) if _may_be_text(left) and _may_be_text(right):
            yield expression.collation
        case InList(operand=operand, collation=Collation.BINARY) if _labels(operand):
            pass
        case InList(operand=operand) if _may_be_text(operand):
            yield expression.collation
        case InSubquery(operands=left) if any(map(_may_be_text, left)):
            yield expression.collation
        case Like(case=CaseRule.EXACT | CaseRule.BYTES):
            yield Collation.BINARY
        case _:
            pass
    for inner in operands(expression):
        yield from _of_expression(inner)
    if isinstance(expression, SUBQUERIES):
        yield from _rules(expression.relation)


def _may_be_text(expression: Expression) -> bool:
    if isinstance(expression, Literal):
        return isinstance(expression.value, str)
    if isinstance(expression, Call) and expression.function is Function.ROW:
        return any(map(_may_be_text, expression.arguments))
    return expression.type.name not in NEVER_TEXT | OF_DIGITS or bool(getattr(expression, "mixed", False))


def _said_exactly(value: object) -> object | None:
    """Equality of texts to the letter, as no collation changes it."""
    match value:
        case Compare(Comparison.EQUAL | Comparison.NOT_EQUAL as operator, left, right, Collation.BINARY):
            are_texts = all(side.type.name is TypeName.TEXT for side in (left, right))
            same = to_the_letter(left, right)
            return (same if operator is Comparison.EQUAL else Not(same)) if are_texts else None
        case _:
            return None


def _of_labels(value: object) -> object | None:
    """An enum beside constants: which of its labels each is in any case is known, and that compared to the letter."""
    match value:
        case Compare(Comparison.EQUAL | Comparison.NOT_EQUAL, left, right) if _are_plain(left, (right,)):
            return replace(value, right=_label(left, right), collation=Collation.BINARY)
        case InList(operand=operand, items=items) if _are_plain(operand, items):
            return replace(value, items=tuple(_label(operand, each) for each in items), collation=Collation.BINARY)
        case _:
            return None


def _are_plain(enum: Expression, constants: Sequence[Expression]) -> bool:
    """Whether all are texts in plain letters that no collation takes for another one but for their case."""
    texts = [each.value for each in constants if isinstance(each, Literal) and isinstance(each.value, str)]
    plain = all(text.isascii() and text == text.rstrip() for text in texts)
    return _is_told_alike(enum) and plain and len(texts) == len(constants)


def _label(enum: Expression, constant: Expression) -> Expression:
    """The label a constant is in another case; itself where it is none."""
    assert isinstance(constant, Literal)
    folded = str(constant.value).casefold()
    return next((Literal(label, TEXT) for label in _labels(enum) if label.casefold() == folded), constant)


def _without(value: object) -> object | None:
    """No collation where it is that of the whole read."""
    return Collation.BINARY if value is Collation.UNICODE_CI else None
