"""Measures the data of each relationship: children per parent, dangling references, the depth of a tree.

The database counts the children of each parent, and then how often each count occurs. The quantiles of that small table are
exact, and cover all parents, including those without children.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.ir.quantile import quantile
from nestling.ir.statements.operators import Collation
from nestling.ir.statistics import RelationshipStatistics, inferred, measured
from nestling.ir.types import TEXTS, TIMES
from nestling.sources.sql.engines import engine_of
from nestling.sources.sql.row_sql import letters, matching

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nestling.ir.model import Attribute, Model, Relationship
    from nestling.sources.sql.engines import engine_of
    from nestling.sources.sql.measure import Connected
from nestling.sources.sql.row_sql import Tables

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}
GROWS_ABOVE = 20
"""Children of the largest parent from which a dated child counts as one that keeps coming (years of monthly events pass it)."""
SKEW = 3.0
"""The largest parent over the mean, likewise."""


@dataclass(frozen=True, slots=True)
class LinkMeasures:
    """One relationship: how many parents have how many children, and children without a parent."""

    fan_out: Mapping[int, int]  # children -> parents
    dangling: int
    orphans: int
    respelled: int = 0
    depth: int | None = None
    in_cycles: int = 0


def measure_link(
    tables: Tables, link: Relationship, database: Connected, *, parents: int, children: int
) -> LinkMeasures:
    """Measure a relationship whose tables have so many rows."""
    engine_of(tables.dialect).plan_joins(database, [tables.table(name) for name in (link.child, link.parent)])
    child, parent = tables.table(link.child).alias("c"), tables.table(link.parent).alias("p")
    keys = [child.c[name] for name in link.child_attributes]
    grouped = sa.select(*keys, sa.func.count().label("fan_out_")).where(*(key.is_not(None) for key in keys))
    groups = grouped.group_by(*keys).subquery("g")
    hit = sa.case((parent.c[link.parent_attributes[0]].is_(None), 0), else_=1)
    joined = groups.outerjoin(parent, matching(parent, link.parent_attributes, groups, link.child_attributes))
    size = groups.c["fan_out_"]
    found = database.all(sa.select(hit, size, sa.func.count()).select_from(joined).group_by(hit, size))
    fan_out: dict[int, int] = {}
    for is_hit, count, times in found:
        if is_hit:
            fan_out[int(count)] = int(times)
    fan_out[0] = parents - sum(fan_out.values())
    dangling = sum(int(count) * int(times) for is_hit, count, times in found if not is_hit)
    orphans = children - sum(int(count) * int(times) for _, count, times in found)
    depth, reached = _depth(tables, link, database) if link.is_self else (None, children)
    respelled = _respelled(tables, link, database)
    return LinkMeasures(dict(sorted(fan_out.items())), dangling, orphans, respelled, depth, children - reached)


def _respelled(tables: Tables, link: Relationship, database: Connected) -> int:
    """Child rows the database joins to a parent whose key is written otherwise."""
    model, pairs = tables.model, [*zip(link.parent_attributes, link.child_attributes, strict=True)]
    child, parent = tables.table(link.child).alias("c"), tables.table(link.parent).alias("p")
    texts = [
        (parent.c[theirs], child.c[own])
        for theirs, own in pairs
        if _may_be_respelled(model.entity(link.parent).attribute(theirs), tables.dialect)
        or _may_be_respelled(model.entity(link.child).attribute(own), tables.dialect)
    ]
    if not texts:
        return 0
    otherwise = sa.or_(*(letters(one, tables.dialect) != letters(other, tables.dialect) for one, other in texts))
    joined = child.join(parent, matching(parent, link.parent_attributes, child, link.child_attributes))
    return int(database.row(sa.select(sa.func.count()).select_from(joined).where(otherwise))[0])


def _may_be_respelled(attribute: Attribute, dialect: str) -> bool:
    """Whether texts that differ may be equal to the database."""
    engine = engine_of(dialect)
    return attribute.type.name in TEXTS and (
        engine.may_differ_in_letters or attribute.collation is not Collation.BINARY
    )


def _depth(tables: Tables, link: Relationship, database: Connected) -> tuple[int, int]:
    """Hops from a root to the deepest row, and rows reached: rows that no root reaches are in a cycle, so the walk ends."""
    engine_of(tables.dialect).allow_deep_recursion(database)
    names = link.parent_attributes
    row, parent, below = (tables.table(link.child).alias(alias) for alias in ("r", "p", "b"))
    has_parent = (
        sa.exists().select_from(parent).where(matching(parent, names, row, link.child_attributes)).correlate(row)
    )
    keys = [row.c[name].label(f"k{position}") for position, name in enumerate(names)]
    walk = sa.select(*keys, sa.literal_column("0").label("depth_")).where(~has_parent).cte("walk", recursive=True)
    on = sa.and_(*(below.c[c] == walk.c[f"k{position}"] for position, c in enumerate(link.child_attributes)))
    next_keys = [below.c[name] for name in names]
    walk = walk.union_all(
        sa.select(*next_keys, walk.c["depth_"] + sa.literal_column("1")).select_from(walk.join(below, on))
    )
    deepest, reached = database.row(sa.select(sa.func.max(walk.c["depth_"]), sa.func.count()))
    return int(deepest or 0), int(reached)


def link_statistics(link: Relationship, model: Model, found: LinkMeasures) -> RelationshipStatistics:
    """The measures as statistics."""
    parents = sum(found.fan_out.values())
    numbers: dict[str, Any] = {"dangling": measured(found.dangling), "orphans": measured(found.orphans)}
    if found.respelled:
        numbers["respelled"] = measured(found.respelled)
    if found.depth is not None:
        numbers["depth"] = measured(found.depth)
    if parents:
        total = sum(count * times for count, times in found.fan_out.items())
        numbers |= {
            "mean": measured(total / parents),
            "maximum": measured(max(c for c, t in found.fan_out.items() if t)),
        }
        numbers |= {name: measured(quantile(found.fan_out, share)) for name, share in QUANTILES.items()}
        numbers["grows"] = inferred(int(_grows(link, model, total / parents, int(numbers["maximum"].value))))
    return RelationshipStatistics(**numbers)


def _grows(link: Relationship, model: Model, mean: float, maximum: int) -> bool:
    """Whether parents seem to get children for ever: the child is dated, and the largest parent has many, far over the mean."""
    dated = any(attribute.type.name in TIMES for attribute in model.entity(link.child).attributes)
    return dated and maximum > GROWS_ABOVE and maximum > SKEW * mean
