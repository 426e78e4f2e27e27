"""Subqueries of new values that read what the statement itself changes, if the source evaluates them at another time.

Here an UPDATE reads all its rows before it changes any, as in PostgreSQL and MariaDB; SQLite goes row by row. An INSERT of
several rows goes row by row here, and one with a SELECT reads everything first. PostgreSQL's subqueries see the rows as they
were. SQLite and MySQL evaluate a correlated subquery when its row's turn comes, and an uncorrelated one once.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.common.errors import name_list
from nestling.ir.design import Design
from nestling.ir.statements.algebra import (
    Distinct,
    Filter,
    GroupBy,
    Join,
    LimitOffset,
    Project,
    Relation,
    Scan,
    Sort,
    filtered,
)
from nestling.ir.statements.expression import Expression, InSubquery
from nestling.ir.statements.write import Conflict, Insert, SeenRows, Update
from nestling.planner.reads.subqueries import by_key
from nestling.planner.reads.traverse import everything, expressions, free_columns, single, subqueries, used
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.draft.scanned_entities import scanned
from nestling.planner.writes.foreign_keys.reachable_entities import changed_attributes


def refuse_rows_changed_before(design: Design, update: Update) -> None:
    """Raise the gap of an UPDATE whose new values depend on which of its rows have changed before."""
    one_row = by_key(filtered(update.target, update.predicate), design.model)
    if update.seen is SeenRows.BEFORE or one_row:
        return
    entity = update.target.entity
    changed = changed_attributes(design, entity, (each.attribute for each in update.assignments))
    found = {
        f"{name}.{attribute}"
        for each in update.assignments
        for inner in subqueries(each.expression)
        if free_columns(inner.relation) or _is_one_column(inner)
        for name, attribute in _read_by_row(inner.relation)
        if attribute in changed.get(name, ())
    }
    if found:
        raise write_gap(
            f"UPDATE that reads {name_list(sorted(found))}, which it changes, for each row of `{entity}`: SQLite goes row "
            "by row and sees earlier changes; read the rows and write each, or put the values in another table first"
        )


def refuse_asked_again(design: Design, insert: Insert, conflict: Conflict, rows: int | None) -> None:
    """Raise the gap of a DO UPDATE that reads what it changes. `rows`: number of rows, None for a SELECT."""
    is_one = rows == 1 if rows is not None else single(insert.source)
    if is_one or (rows is None and conflict.seen is SeenRows.BEFORE):
        return
    values = [each.expression for each in conflict.assignments]
    values += [conflict.predicate] if conflict.predicate is not None else []
    changed = changed_attributes(design, insert.entity, (each.attribute for each in conflict.assignments)).keys()
    by_row = rows is not None and conflict.seen is SeenRows.SO_FAR
    read = frozenset().union(*(_asked_once(each) if by_row else scanned(each) for each in values)) & changed
    if read:
        raise write_gap(
            f"several rows that change existing rows by what a subquery reads from {name_list(sorted(read))}, which the "
            "statement changes; write each row by itself, or read the value first and pass it as a parameter"
        )


def _read_by_row(relation: Relation) -> Iterator[tuple[str, str]]:
    """Yield the (entity, attribute) pairs that are read again for each row; uncorrelated subqueries do not count."""
    scans = dict(_scans(relation))
    return ((scans[each.alias], each.name) for each in used(relation) if each.alias in scans)


def _scans(relation: Relation) -> Iterator[tuple[str, str]]:
    for each in everything(relation):
        if isinstance(each, Scan):
            yield each.alias, each.entity
        for inner in _inside(each):
            if free_columns(inner):
                yield from _scans(inner)


def _is_one_column(inner: object) -> bool:
    """Whether it is IN over a whole column, which SQLite looks up row by row in that column's index, if there is one."""
    relation = inner.relation if isinstance(inner, InSubquery) else None
    return isinstance(relation, Project) and isinstance(relation.input, Scan)


def _asked_once(value: Expression) -> frozenset[str]:
    """The entities that a value's subqueries read other than again for each row."""
    found = frozenset[str]()
    for inner in subqueries(value):
        if not _is_asked_by_row(inner.relation):
            found |= scanned(inner)
        else:
            nested = (each for part in everything(inner.relation) for each in expressions(part))
            found = found.union(*map(_asked_once, nested))
    return found


def _is_asked_by_row(relation: Relation) -> bool:
    """Whether it asks about a row, and certainly keeps no rows from one to the next, as tables within FROM may."""
    if not free_columns(relation):
        return False
    outputs = 0
    while isinstance(relation, Project | Sort | LimitOffset | Distinct):
        outputs += isinstance(relation, Project)
        relation = relation.input
    relation = relation.input if isinstance(relation, GroupBy) else relation
    return outputs < 2 and all(isinstance(each, Scan | Filter | Join) for each in everything(relation))


def _inside(relation: Relation) -> Iterator[Relation]:
    return (inner.relation for each in expressions(relation) for inner in subqueries(each))
