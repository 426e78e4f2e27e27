"""Where a statement's answer hangs on the order of texts that its source orders otherwise than MongoDB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from nestling.ir.model import Model
from nestling.ir.paths.row_steps import ColumnId
from nestling.ir.statements import algebra as a
from nestling.ir.statements.expression import Column, Compare, Expression, InSubquery, Literal
from nestling.ir.statements.operands import bare, operands
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.write import Insert, Update, Write
from nestling.ir.statistics import Statistics
from nestling.ir.types import TypeName
from nestling.planner.reads.traverse import expressions, inputs, mentioned, subqueries

_EXTREMES = (a.AggregateFunction.MIN, a.AggregateFunction.MAX)


def notes_on_order(statement: a.Query | Write, model: Model, statistics: Statistics) -> tuple[str, ...]:
    """A note for each attribute whose texts it orders, or compares by `<`, where that may answer otherwise than at the source.

    One that has no such text concerns only a comparison with a constant that has more than letters and digits.
    """
    found = _Found(model, statistics)
    match statement:
        case a.Query(relation=relation) | Insert(source=relation):
            found.relation(relation)
        case _:
            found.relation(statement.target)
            assigned = statement.assignments if isinstance(statement, Update) else ()
            for expression in (statement.predicate, *(each.expression for each in assigned)):
                if expression is not None:
                    found.expression(expression)
    return tuple(found.notes)


@dataclass(slots=True)
class _Found:
    """The notes so far, each once, and the attributes that columns hold."""

    model: Model
    statistics: Statistics
    origins: dict[ColumnId, frozenset[tuple[str, str]]] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    def relation(self, relation: a.Relation) -> None:
        """Everything in a relation, from the bottom up."""
        for below in inputs(relation):
            self.relation(below)
        self._name(relation)
        for expression in expressions(relation):
            self.expression(expression)
        for ordered, collation in _ordered_by(relation):
            self._ordered(ordered, collation)

    def expression(self, expression: Expression) -> None:
        """Everything in an expression, its subqueries first."""
        for inner in subqueries(expression):
            self.relation(inner.relation)
        self._take_comparison(expression)

    def _take_comparison(self, expression: Expression) -> None:
        if isinstance(expression, Compare) and expression.operator.is_order:
            for one, other in ((expression.left, expression.right), (expression.right, expression.left)):
                self._ordered(one, expression.collation, beside=other)
        if isinstance(expression, InSubquery) and expression.operator.is_order:
            for one in (*expression.operands, *expression.relation.columns):
                self._ordered(one, expression.collation)
        for each in operands(expression):
            self._take_comparison(each)

    def _name(self, relation: a.Relation) -> None:
        """Which attributes' texts are in the columns that a relation makes."""
        match relation:
            case a.Scan(entity=entity, alias=alias, columns=columns):
                self.origins |= {(alias, each.name): frozenset({(entity, each.name)}) for each in columns}
            case a.Project(alias=alias, outputs=named):
                self.origins |= {(alias, each.name): self._texts_in(each.expression) for each in named}
            case a.GroupBy(alias=alias, keys=named, aggregates=aggregates):
                self.origins |= {(alias, each.name): self._texts_in(each.expression) for each in named}
                self.origins |= {(alias, each.name): self._texts_in(each.aggregate.argument) for each in aggregates}
            case a.Window(alias=alias, functions=functions):
                for each in functions:
                    self.origins[alias, each.name] = frozenset().union(*map(self._texts_in, each.window.arguments))
            case a.SetOperation(alias=alias, columns=columns, left=one, right=other):
                self._name_both(alias, columns, one, other)
            case a.Recursive(alias=alias, columns=columns, base=one, step=other):
                self._name_both(alias, columns, one, other)
            case _:
                pass

    def _name_both(self, alias: str, columns: Sequence[Column], one: a.Relation, other: a.Relation) -> None:
        for column, left, right in zip(columns, one.columns, other.columns, strict=True):
            self.origins[alias, column.name] = self._texts_in(left) | self._texts_in(right)

    def _texts_in(self, expression: Expression | None) -> frozenset[tuple[str, str]]:
        """The attributes a text is made of."""
        if expression is None or expression.type.name is not TypeName.TEXT:
            return frozenset()
        columns = (self.origins.get((each.alias, each.name), frozenset()) for each in mentioned(expression))
        return frozenset().union(*columns)

    def _ordered(self, expression: Expression, collation: Collation, *, beside: Expression | None = None) -> None:
        """Where a statement names another collation, that is the order of both."""
        for entity, name in sorted(self._texts_in(expression)):
            unlike = self.statistics.entity(entity).attribute(name).ordered_otherwise
            if unlike is None or self.model.entity(entity).attribute(name).collation is not collation:
                continue
            if unlike.value:
                self.notes[_note(entity, name, "characters in some of its values")] = None
            elif (constant := _odd(beside)) is not None:
                self.notes[_note(entity, name, f"characters in '{constant}'")] = None


def _ordered_by(relation: a.Relation) -> Iterator[tuple[Expression, Collation]]:
    """What a relation itself puts in order, or takes the first or last of."""
    match relation:
        case a.Sort(keys=keys):
            yield from _keys(keys)
        case a.GroupBy(aggregates=named):
            for each in (item.aggregate for item in named):
                yield from _keys(each.order)
                if each.function in _EXTREMES and each.argument is not None:
                    yield each.argument, each.collation
        case a.Window(functions=named_windows):
            for window in (item.window for item in named_windows):
                yield from _keys(window.order)
                if window.function in _EXTREMES:
                    yield window.arguments[0], window.collation
        case _:
            return


def _keys(keys: Sequence[a.SortKey]) -> Iterator[tuple[Expression, Collation]]:
    yield from ((key.expression, key.collation) for key in keys)


def _odd(constant: Expression | None) -> str | None:
    """A text that has more than letters of A to Z, digits and blanks."""
    inner = bare(constant) if constant is not None else None
    if not isinstance(inner, Literal) or not isinstance(inner.value, str):
        return None
    plain = inner.value.isascii() and inner.value.replace(" ", "a").isalnum()
    return None if plain or not inner.value else inner.value


def _note(entity: str, attribute: str, what: str) -> str:
    return (
        f"`{entity}.{attribute}` is sorted as in MongoDB: the source's collation sorts {what} differently, so"
        " the answer may differ; if the statement names a collation `…_bin`, both sort alike"
    )
