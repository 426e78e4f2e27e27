"""Rows that stand in a write as its other table, `FROM (VALUES (1, 'a'), (2, 'b')) AS t (id, name)`, and their keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from uuid import UUID

from nestling.ir.statements.algebra import Project, Relation, Values
from nestling.ir.statements.expression import (
    ANY,
    Cast,
    Column,
    Compare,
    Expression,
    InList,
    Literal,
    Negate,
    Parameter,
    Raw,
)
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.types import Type

_KEYS = (bool, int, str, date, UUID)


def as_rows(relation: Relation) -> Relation:
    """The rows of VALUES without a projection that only renames their columns, such as that of a WITH."""
    if not isinstance(relation, Project) or not isinstance(relation.input, Values):
        return relation
    rows, places = relation.input, list[int]()
    known = [(each.alias, each.name) for each in rows.columns]
    for output in relation.outputs:
        shown = output.expression
        if not isinstance(shown, Column) or (shown.alias, shown.name) not in known:
            return relation
        places.append(known.index((shown.alias, shown.name)))
    return Values(relation.alias, relation.columns, tuple(tuple(row[place] for place in places) for row in rows.rows))


def keys_of(rows: Values, conditions: Sequence[Expression], *, untyped: bool = False) -> dict[str, Expression]:
    """By column, the expression of the same type that conditions say it equals exactly.

    `untyped`: also those whose type nothing declares, as they are parameters.
    """
    found: dict[str, Expression] = {}
    for condition in conditions:
        if not isinstance(condition, Compare) or condition.operator is not Comparison.EQUAL:
            continue
        for one, other in ((condition.left, condition.right), (condition.right, condition.left)):
            column = _uncast(one)
            is_told = column.type.name is other.type.name or (untyped and column.type == ANY)
            is_plain = condition.collation is Collation.BINARY and is_told
            if isinstance(column, Column) and column.alias == rows.alias and is_plain:
                found[column.name] = other
    return found


def are_distinct(rows: Values, names: Sequence[str]) -> bool:
    """Whether these columns have constants of one kind, and no two rows the same ones; NULLs are never the same."""
    keys = list[tuple[object, ...]]()
    for cells in _cells(rows, names):
        constants = [_constant(cell) for cell in cells]
        if not all(isinstance(each, Literal) for each in constants):
            return False
        key = tuple(each.value for each in constants if isinstance(each, Literal))
        if None not in key:
            keys.append(tuple(part.rstrip(" ") if isinstance(part, str) else part for part in key))
    kinds = {tuple(map(type, key)) for key in keys}
    are_known = all(issubclass(kind, _KEYS) and kind is not datetime for each in kinds for kind in each)
    return bool(names) and len(kinds) <= 1 and are_known and len({*keys}) == len(keys)


def parameters_among(rows: Values, names: Sequence[str]) -> tuple[str, ...]:
    """The parameters in these columns, where all else in them is constant."""
    cells = [_constant(cell) for row in _cells(rows, names) for cell in row]
    if not all(isinstance(each, Literal | Parameter) for each in cells):
        return ()
    return tuple(dict.fromkeys(each.name for each in cells if isinstance(each, Parameter)))


def with_types(rows: Values, name: str, kind: Type, kept: Callable[[Expression], Expression]) -> Values:
    """The rows with parameters of which nothing else tells the type in this column as what they are for keeps them."""
    places = [place for place, each in enumerate(rows.columns) if each.name == name and each.type == ANY]
    if not places:
        return rows
    columns = tuple(replace(each, type=kind, mixed=False) if each.name == name else each for each in rows.columns)
    cells = (tuple(kept(cell) if place in places else cell for place, cell in enumerate(row)) for row in rows.rows)
    return replace(rows, columns=columns, rows=tuple(cells))


def listed(rows: Values, conditions: Sequence[Expression]) -> Iterator[InList]:
    """What follows of the rows' keys for what they are equal to, by which an index may find it: `account.id IN (1, 2)`."""
    for name, other in keys_of(rows, conditions).items():
        items = tuple(_constant(cell) for (cell,) in _cells(rows, [name]))
        if isinstance(other, Column) and all(isinstance(each, Literal) and each.type == other.type for each in items):
            yield InList(other, items)


def _cells(rows: Values, names: Sequence[str]) -> Iterator[tuple[Expression, ...]]:
    places = [place for place, column in enumerate(rows.columns) if column.name in names]
    for row in rows.rows:
        yield tuple(row[place] for place in places)


def _constant(cell: Expression) -> Expression:
    match cell:
        case Negate(operand=Literal(value=int(number), type=kind)):
            return Literal(-number, kind)
        case _:
            return cell


def _uncast(expression: Expression) -> Expression:
    """The column itself, also where it is cast to the type it has."""
    match expression:
        case Raw(operand=inner):
            return _uncast(inner)
        case Cast(operand=inner, type=kind) if inner.type == kind:
            return _uncast(inner)
        case _:
            return expression
