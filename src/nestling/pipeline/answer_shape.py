"""Determines how far a statement fixes its answer: its order, what a LIMIT may leave out, and where SQL leaves a choice."""

from __future__ import annotations

from itertools import takewhile

from nestling.executors.drive import AnswerShape
from nestling.ir.model import Model
from nestling.ir.statements import algebra as a
from nestling.ir.statements.expression import Column
from nestling.ir.statements.operators import Collation
from nestling.pipeline.answer_choice import Choices, orders_texts


def shape_of(sql: str, model: Model, dialect: str) -> AnswerShape:
    """Return how far a statement fixes its answer. For a write the shape is empty."""
    from nestling.planner.sql import translate

    asked = translate(sql, model, dialect)
    return shape(asked, model) if isinstance(asked, a.Query) else AnswerShape()


def shape(asked: a.Query, model: Model) -> AnswerShape:
    """Read order, limit and columns from the topmost steps, and search everything below them for choices."""
    node, found = asked.relation, Choices(model)
    above: list[a.Project] = []
    limit: a.LimitOffset | None = None
    keys: tuple[a.SortKey, ...] = ()
    skipped = False
    while isinstance(node, a.Project | a.LimitOffset | a.Sort):
        match node:
            case a.Project() if limit is None and not keys:
                above.append(node)
            case a.LimitOffset() if limit is None:
                limit, skipped = node, node.offset is not None
            case a.Sort() if not keys:
                keys = node.keys
            case _:
                break
        node = node.input
    rows = found.of_rows(node)
    for project in reversed(above):
        found.of_rows(project)
    columns = [(column.alias, column.name) for column in asked.relation.columns]
    open_columns = {place: found.open[each] for place, each in enumerate(columns) if each in found.open}
    loose = {place: found.spelt[each] for place, each in enumerate(columns) if each in found.spelt}
    shown = [_place(key.expression, asked.relation) if not found.why(key.expression) else None for key in keys]
    places = [*takewhile(_is_shown, shown)]
    at_limit = found.of_limit(limit) if limit is not None else ""
    reasons = filter(None, (rows, at_limit, *open_columns.values(), *loose.values()))
    return AnswerShape(
        tuple(place for place in places if place is not None),
        whole=len(places) == len(keys),
        limited=bool(at_limit),
        skipped=skipped,
        collated=tuple(
            place
            for place, key in zip(places, keys, strict=False)
            if place is not None and key.collation is not Collation.BINARY
        ),
        loose=tuple(loose),
        open=tuple(open_columns),
        any_rows=bool(rows),
        inner_texts=orders_texts(node),
        choice="; ".join(dict.fromkeys(reasons)),
    )


def _is_shown(place: int | None) -> bool:
    return place is not None


def _place(expression: object, relation: a.Relation) -> int | None:
    """The column of the answer that shows an expression."""
    for place, column in enumerate(relation.columns):
        if isinstance(expression, Column) and (expression.alias, expression.name) == (column.alias, column.name):
            return place
    outputs = relation.outputs if isinstance(relation, a.Project) else ()
    return next((place for place, output in enumerate(outputs) if output.expression == expression), None)
