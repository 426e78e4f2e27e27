"""How far a statement fixes its answer: its order, what a LIMIT may leave out, and texts of which any spelling is right."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.executors.drive import Shape
from nestling.ir import algebra as a
from nestling.ir.expression import Collation, Column
from nestling.ir.model import Model
from nestling.planner.reads.traverse import everything, expressions, mentioned, subqueries

_ENDS = (a.AggregateFunction.MIN, a.AggregateFunction.MAX)


def shape_of(sql: str, model: Model, dialect: str) -> Shape:
    """How far a statement fixes its answer."""
    from nestling.planner.sql import translate

    asked = translate(sql, model, dialect)
    return _shape(asked.relation) if isinstance(asked, a.Query) else Shape()


def _shape(relation: a.Relation) -> Shape:
    """What of the topmost steps sorts, limits and shows; a limit further down leaves only the number of rows."""
    shown: a.Project | None = None
    keys: tuple[a.SortKey, ...] = ()
    limited = skipped = False
    node = relation
    while isinstance(node, a.Project | a.Limit | a.Sort):
        match node:
            case a.Project():
                shown = shown or node
            case a.Limit():
                limited, skipped = True, skipped or node.offset is not None
            case a.Sort():
                keys = keys or node.keys
        node = node.input
    if any(isinstance(below, a.Limit | a.Window) for below in everything(node)):
        return Shape(limited=True)
    places = [_place(key.expression, shown) for key in keys]
    known = tuple(place for place in places if place is not None)
    loose = _loose(relation)
    return Shape(
        known,
        whole=len(known) == len(places),
        limited=limited,
        skipped=skipped,
        loose=tuple(place for place, column in enumerate(relation.columns) if (column.alias, column.name) in loose),
        chosen_inside=any(map(_has_limit, _subqueries(relation))),
    )


def _place(expression: object, shown: a.Project | None) -> int | None:
    """The column of the answer that shows an expression."""
    if shown is None:
        return None
    for place, output in enumerate(shown.outputs):
        named = isinstance(expression, Column) and (expression.alias, expression.name) == (shown.alias, output.name)
        if named or output.expression == expression:
            return place
    return None


def _subqueries(relation: a.Relation) -> Iterator[a.Relation]:
    """The relations of subqueries in its expressions, those inside others too."""
    for node in everything(relation):
        for expression in expressions(node):
            for inner in subqueries(expression):
                yield inner.relation
                yield from _subqueries(inner.relation)


def _has_limit(relation: a.Relation) -> bool:
    return any(isinstance(node, a.Limit) for node in everything(relation))


def _loose(relation: a.Relation) -> set[tuple[str, str]]:
    """Columns of texts that are put together in any order, or that stand for all texts equal to them whatever their case."""
    found: set[tuple[str, str]] = set()
    for inner in _subqueries(relation):
        found |= _loose(inner)
    for node in reversed([*everything(relation)]):
        match node:
            case a.Group():
                found |= {(node.alias, each.name) for each in node.aggregates if _is_loose(each.aggregate)}
                keys = zip(node.keys, node.collations, strict=False)
                found |= {(node.alias, key.name) for key, collation in keys if collation is not Collation.BINARY}
                found |= _from(node.alias, node.keys, found)
            case a.Distinct():
                columns = zip(node.columns, node.collations, strict=False)
                found |= {(column.alias, column.name) for column, each in columns if each is not Collation.BINARY}
            case a.Project():
                found |= _from(node.alias, node.outputs, found)
            case a.SetOperation():
                inputs = (node.left.columns, node.right.columns)
                for column, *below in zip(node.columns, *inputs, strict=True):
                    if any((each.alias, each.name) in found for each in below):
                        found.add((column.alias, column.name))
            case _:
                pass
    return found


def _is_loose(aggregate: a.Aggregate) -> bool:
    if aggregate.function is a.AggregateFunction.CONCAT:
        return not aggregate.order
    return aggregate.function in _ENDS and aggregate.collation is not Collation.BINARY


def _from(alias: str, outputs: tuple[a.Named, ...], loose: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Outputs made of loose columns."""
    return {
        (alias, each.name)
        for each in outputs
        if any((column.alias, column.name) in loose for column in mentioned(each.expression))
    }
