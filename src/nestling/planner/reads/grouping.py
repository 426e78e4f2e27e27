"""GROUP BY and DISTINCT."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from nestling.ir.free_names import free_name
from nestling.ir.paths.row_steps import NUMBER, Compute, GroupRows, Layout
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import AggregateCall
from nestling.ir.statements.expression import Column, Expression
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.collations import BESIDE_EXACT
from nestling.planner.reads.determined import telling
from nestling.planner.reads.first_documents import of_first_bucket
from nestling.planner.reads.gaps import read_gap
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rewrites.summary import Summed, summed
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.subqueries import lifted_all, lifted_in
from nestling.planner.reads.traverse import expressions, mapped, mentioned, rewritten

KEY = "_id"


def lower_group(relation: a.GroupBy, context: LoweringContext) -> Lowered:
    """One document for each group, with its keys under `_id` and the used aggregates next to it."""
    from nestling.planner.reads.lower import lower

    _refuse_collations(relation.collations)
    wanted = [item for item in relation.aggregates if (relation.alias, item.name) in context.used]
    found = summed(relation, wanted, context) if context.may(Rewrite.SUMMARY) else None
    if found is not None:
        return _from_buckets(relation, found, context)
    return _grouped(relation, wanted, lower(relation.input, context), context)


def _from_buckets(relation: a.GroupBy, found: Summed, context: LoweringContext) -> Lowered:
    """The groups of buckets, with the columns that groups of events have."""
    rows = _grouped(found.group, found.group.aggregates, found.rows, context)
    paths = {(relation.alias, key.name): rows.layout.path(_key_column(found.group, key)) for key in relation.keys}
    computed: dict[Column, Expression] = {}
    for name, value in found.values:
        if isinstance(value, Column):
            paths[relation.alias, name] = rows.layout.path(value)
        else:
            computed[Column(relation.alias, name, value.type)] = value
    return replace(rows, layout=rows.layout | Layout.of(paths)).computed(computed, context)


def _key_column(group: a.GroupBy, key: a.Named) -> Column:
    """The column a key becomes."""
    return Column(group.alias, key.name, key.expression.type)


def _grouped(
    relation: a.GroupBy, wanted: Sequence[a.NamedAggregate], rows: Lowered, context: LoweringContext
) -> Lowered:
    keys, rows = lifted_all([key.expression for key in relation.keys], rows, context)
    aggregates = list[AggregateCall]()
    for item in wanted:
        aggregate, rows = lifted_in(item.aggregate, rows, context)
        aggregates.append(aggregate)
    if not keys:
        rows = replace(rows, step=of_first_bucket(rows.step, context.seen(rows.layout), aggregates, context))
    keys, aggregates, rows = _with_last_computed(keys, aggregates, rows, context)
    key_names = unique_names([key.name for key in relation.keys], frozenset())
    wishes = [item.name for item in wanted]
    names = unique_names(wishes, frozenset({KEY, *(name + NUMBER for name in unique_names(wishes, frozenset({KEY})))}))
    step = GroupRows(
        rows.step,
        tuple(zip(key_names, keys, strict=True)),
        tuple(zip(names, aggregates, strict=True)),
        context.seen(rows.layout),
        relation.collations,
        _following(key_names, [key.expression for key in relation.keys], relation.input, context),
    )
    paths = {(relation.alias, key.name): f"{KEY}.{name}" for key, name in zip(relation.keys, key_names, strict=True)}
    paths |= {(relation.alias, item.name): name for item, name in zip(wanted, names, strict=True)}
    return Lowered(step, Layout.of(paths), frozenset(names) | {KEY})


def _following(
    names: Sequence[str], keys: Sequence[Expression], relation: a.Relation, context: LoweringContext
) -> frozenset[str]:
    """Return the names of the keys whose values follow from the other keys."""
    told = telling(keys, relation, context.design.model)
    return frozenset(name for number, name in enumerate(names) if number not in told)


def _with_last_computed(
    keys: list[Expression], aggregates: list[AggregateCall], rows: Lowered, context: LoweringContext
) -> tuple[list[Expression], list[AggregateCall], Lowered]:
    """Move values that were computed last and are used once into the grouping: nothing else needs them."""
    seen, step = context.seen(rows.layout), rows.step
    if not isinstance(step, Compute):
        return keys, aggregates, rows
    values = dict(step.fields)
    asked = [*keys, *(each for item in aggregates for each in expressions(item))]
    uses = Counter(seen.path(column) for each in asked for column in mentioned(each) if column in seen)
    if any(uses[path] > 1 for path in values):
        return keys, aggregates, rows

    def change(each: Expression) -> Expression | None:
        return values.get(seen.path(each)) if isinstance(each, Column) and each in seen else None

    found = replace(rows, step=step.source, layout=rows.layout | step.layout)
    return (
        [rewritten(each, change) for each in keys],
        [mapped(each, lambda part: rewritten(part, change)) for each in aggregates],
        found,
    )


def lower_distinct(relation: a.Distinct, context: LoweringContext) -> Lowered:
    """Equal rows once: grouped by all their columns."""
    from nestling.planner.reads.lower import lower

    rows = lower(relation.input, context)
    _refuse_collations(relation.collations)
    columns = relation.columns
    names = unique_names([column.name for column in columns], frozenset())
    seen = context.seen(rows.layout)
    keys, following = tuple(zip(names, columns, strict=True)), _following(names, columns, relation.input, context)
    step = GroupRows(rows.step, keys, (), seen, relation.collations, following)
    paths = {(c.alias, c.name): f"{KEY}.{name}" for c, name in zip(columns, names, strict=True)}
    if not columns:
        raise read_gap("DISTINCT of no columns")
    return Lowered(step, Layout.of(paths), frozenset({KEY}))


def unique_names(wishes: list[str], taken: frozenset[str]) -> list[str]:
    """A field name for each wish that no path has trouble with, no two the same."""
    names: list[str] = []
    for wish in wishes:
        base = "".join(c if c.isalnum() or c == "_" else "_" for c in wish) or "key"
        names.append(free_name(base, {*names, *taken}))
    return names


def _refuse_collations(collations: tuple[Collation, ...]) -> None:
    for collation in collations:
        if collation is not Collation.BINARY:
            what = (
                f"regardless of case and accents, {BESIDE_EXACT}"
                if collation is Collation.UNICODE_CI
                else f"by {collation}"
            )
            raise read_gap(f"grouping by texts {what}")
