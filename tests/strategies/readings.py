"""Small readings for the strategies' tests: entities with integer keys, relationships, fan-outs and statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nestling.ir.model import Attribute, Cardinality, Entity, ManyToMany, Model, OnDelete, Relationship
from nestling.ir.reading import Reading
from nestling.ir.statistics import (
    AttributeStatistics,
    EntityStatistics,
    Quantity,
    RelationshipStatistics,
    Statistics,
    measured,
)
from nestling.ir.types import INTEGER, TEXT
from nestling.ir.workload import Access, AttributeFilter, Operator, Requirements, Statement, StatementKind, Workload


def entity(
    name: str, *attributes: str, key: Sequence[str] = ("id",), uniques: Sequence[tuple[str, ...]] = ()
) -> Entity:
    """Attributes ending in `id` are integers, others text; a `?` at the end makes one nullable."""
    made = []
    for each in dict.fromkeys((*key, *attributes)):
        plain = each.rstrip("?")
        made.append(Attribute(plain, INTEGER if plain.endswith("id") else TEXT, nullable=each.endswith("?")))
    return Entity(name, tuple(made), tuple(key), tuple(uniques))


def relationship(
    parent: str,
    child: str,
    *,
    by: str = "",
    one: bool = False,
    required: bool = True,
    on_delete: OnDelete = OnDelete.RESTRICT,
    name: str = "",
) -> Relationship:
    """The child refers to the parent's `id` by `<parent>_id`."""
    cardinality = Cardinality.ONE_TO_ONE if one else Cardinality.ONE_TO_MANY
    columns = (by or f"{parent}_id",)
    return Relationship(
        name or f"{parent}_{child}", parent, child, ("id",), columns, cardinality, required, parent, child, on_delete
    )


def fan_out(maximum: float | None = None, **others: float) -> RelationshipStatistics:
    """Measured fan-out; `grows=1` is declared."""
    known = {name: measured(value) for name, value in others.items() if name != "grows"}
    grows = Quantity(others["grows"]) if "grows" in others else None
    return RelationshipStatistics(
        maximum=None if maximum is None else measured(maximum),
        grows=grows,
        **known,
    )


def rows(count: float, *, growth: float | None = None, **widths: float) -> EntityStatistics:
    """A row count, new rows a day, and average bytes of attributes."""
    attributes = tuple((name, AttributeStatistics(measured(width))) for name, width in widths.items())
    return EntityStatistics(measured(count), None if growth is None else Quantity(growth), attributes)


def reading(
    entities: Sequence[Entity],
    relationships: Sequence[Relationship] = (),
    *,
    many_to_many: Sequence[ManyToMany] = (),
    counts: Mapping[str, EntityStatistics] | None = None,
    fan_outs: Mapping[str, RelationshipStatistics] | None = None,
    statements: Sequence[Statement] = (),
    requirements: Requirements | None = None,
) -> Reading:
    """A reading; entities have 1,000 rows unless said otherwise."""
    known = {each.name: rows(1000) for each in entities} | dict(counts or {})
    return Reading(
        Model("test", tuple(entities), tuple(relationships), tuple(many_to_many)),
        Workload(tuple(statements), requirements or Requirements()),
        Statistics(tuple(known.items()), tuple((fan_outs or {}).items())),
    )


def select(name: str, *accesses: Access, rate: float = 1.0) -> Statement:
    """A SELECT with the given footprint."""
    return Statement(name, "SELECT", StatementKind.SELECT, rate, accesses=accesses)


def write(name: str, *accesses: Access, rate: float = 1.0) -> Statement:
    """An UPDATE with the given footprint."""
    return Statement(name, "UPDATE", StatementKind.UPDATE, rate, accesses=accesses)


def read(entity_name: str, *equal: str, via: str | None = None, joined: tuple[str, ...] = ()) -> Access:
    """An entity read, filtered by equality on the given attributes, or reached by a join."""
    filters = tuple(AttributeFilter(each, Operator.EQUALITY) for each in equal)
    return Access(entity_name, StatementKind.SELECT, filters=filters, via=via, joined=joined)


def change(entity_name: str, *equal: str, via: str | None = None) -> Access:
    """An entity updated."""
    filters = tuple(AttributeFilter(each, Operator.EQUALITY) for each in equal)
    return Access(entity_name, StatementKind.UPDATE, filters=filters, via=via)
