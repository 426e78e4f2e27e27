"""GROUP BY and DISTINCT."""

from __future__ import annotations

from nestling.ir import algebra as a
from nestling.ir.algebra import Aggregate
from nestling.ir.expression import Collation, Expression
from nestling.ir.row_steps import GroupRows, Layout
from nestling.planner.reads.rows import Context, Rows, gap
from nestling.planner.reads.subqueries import lifted_all
from nestling.planner.reads.traverse import mapped

KEY = "_id"


def lower_group(relation: a.Group, context: Context) -> Rows:
    """A document for each group: its keys under `_id`, the aggregates that are used beside it."""
    from nestling.planner.reads.lower import lower

    rows = lower(relation.input, context)
    _refuse_collations(relation.collations)
    wanted = [item for item in relation.aggregates if (relation.alias, item.name) in context.used]
    keys, rows = lifted_all([key.expression for key in relation.keys], rows, context)
    aggregates = list[Aggregate]()
    for item in wanted:
        aggregate, rows = _lifted(item.aggregate, rows, context)
        aggregates.append(aggregate)
    key_names = unique_names([key.name for key in relation.keys], frozenset())
    names = unique_names([item.name for item in wanted], frozenset({KEY}))
    step = GroupRows(
        rows.step,
        tuple(zip(key_names, keys, strict=True)),
        tuple(zip(names, aggregates, strict=True)),
        context.seen(rows.layout),
        relation.collations,
    )
    paths = {(relation.alias, key.name): f"{KEY}.{name}" for key, name in zip(relation.keys, key_names, strict=True)}
    paths |= {(relation.alias, item.name): name for item, name in zip(wanted, names, strict=True)}
    return Rows(step, Layout.of(paths), frozenset(names) | {KEY})


def _lifted(aggregate: Aggregate, rows: Rows, context: Context) -> tuple[Aggregate, Rows]:
    current = rows

    def change(expression: Expression) -> Expression:
        nonlocal current
        (found,), current = lifted_all([expression], current, context)
        return found

    return mapped(aggregate, change), current


def lower_distinct(relation: a.Distinct, context: Context) -> Rows:
    """Equal rows once: grouped by all their columns."""
    from nestling.planner.reads.lower import lower

    rows = lower(relation.input, context)
    _refuse_collations(relation.collations)
    columns = relation.columns
    names = unique_names([column.name for column in columns], frozenset())
    seen = context.seen(rows.layout)
    step = GroupRows(rows.step, tuple(zip(names, columns, strict=True)), (), seen, relation.collations)
    paths = {(c.alias, c.name): f"{KEY}.{name}" for c, name in zip(columns, names, strict=True)}
    if not columns:
        raise gap("DISTINCT of no columns")
    return Rows(step, Layout.of(paths), frozenset({KEY}))


def unique_names(wishes: list[str], taken: frozenset[str]) -> list[str]:
    """A field name for each wish that no path has trouble with, no two the same."""
    names: list[str] = []
    for wish in wishes:
        base = "".join(c if c.isalnum() or c == "_" else "_" for c in wish) or "key"
        name, number = base, 1
        while name in names or name in taken:
            number += 1
            name = f"{base}_{number}"
        names.append(name)
    return names


def _refuse_collations(collations: tuple[Collation, ...]) -> None:
    for collation in collations:
        if collation is not Collation.BINARY:
            raise gap(f"grouping by texts under the collation {collation}")
