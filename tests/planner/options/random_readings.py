"""Random small readings: a few entities that refer to each other, statistics of any size, and statements of every kind.

Every part a candidate may have is proposed for some of them. The same seed is the same reading.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from nestling.ir.distribution import Distribution
from nestling.ir.freshness import Freshness, Level
from nestling.ir.model import Attribute, Cardinality, Entity, ManyToMany, Model, Relationship
from nestling.ir.reading import Reading
from nestling.ir.rows import AggregateKind
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statistics import AttributeStatistics, EntityStatistics, Quantity, RelationshipStatistics, Statistics
from nestling.ir.types import INTEGER, TEXT, Type, TypeName
from nestling.ir.workload import Access, AttributeFilter, Operator, Requirements, Statement, StatementKind, Workload

READ = StatementKind.SELECT
TEXTS = ("name", "note", "body")
WIDTHS = {"name": 20.0, "note": 60.0, "body": 900.0}
TIMES = Distribution(tuple(datetime.fromisoformat(f"{year}-01-01") for year in range(2016, 2027)))
RECENT = "2025-01-01"
SINCE = (AttributeFilter("at", Operator.RANGE),)


def random_reading(seed: int, *, statements: int = 5) -> Reading:
    """Two to four entities; half of the time two of them are linked many-to-many."""
    chance = random.Random(seed)
    model = _model(chance)
    made = tuple(
        statement
        for number in range(chance.randint(2, statements))
        for statement in [_statement(f"s{number}", model, chance)]
        if statement is not None
    )
    requirements = Requirements(freshness=tuple(_freshness(model, chance)))
    return Reading(model, Workload(made, requirements), _statistics(model, chance))


def _model(chance: random.Random) -> Model:
    names = [f"e{number}" for number in range(chance.randint(2, 3))]
    links = []
    for number, child in enumerate(names[1:], start=1):
        for parent in chance.sample(names[:number], chance.randint(1, number)):
            one = chance.random() < 0.15
            cardinality = Cardinality.ONE_TO_ONE if one else Cardinality.ONE_TO_MANY
            links.append(
                Relationship(f"{parent}_{child}", parent, child, ("id",), (f"{parent}_id",), cardinality, True)
            )
    entities = [_entity(name, [link for link in links if link.child == name]) for name in names]
    both: tuple[ManyToMany, ...] = ()
    if chance.random() < 0.4:
        left, right = chance.sample(names, 2)
        sides = [
            Relationship(f"{side}_pair", side, "pair", ("id",), (f"{side}_id",), Cardinality.ONE_TO_MANY, True)
            for side in (left, right)
        ]
        keys = tuple(Attribute(f"{side}_id", INTEGER, nullable=False) for side in (left, right))
        entities.append(Entity("pair", keys, (f"{left}_id", f"{right}_id")))
        links += sides
        both = (ManyToMany("pairs", "pair", sides[0].name, sides[1].name),)
    return Model("random", tuple(entities), tuple(links), both)


def _entity(name: str, links: list[Relationship]) -> Entity:
    unique = tuple(link.child_attributes for link in links if link.cardinality is Cardinality.ONE_TO_ONE)
    attributes = (
        Attribute("id", INTEGER, nullable=False),
        *(Attribute(each, TEXT) for each in TEXTS),
        Attribute("at", Type(TypeName.TIMESTAMP), nullable=False),
        *(Attribute(link.child_attributes[0], INTEGER, nullable=False) for link in links),
    )
    return Entity(name, attributes, ("id",), unique)


def _statistics(model: Model, chance: random.Random) -> Statistics:
    counts = {entity.name: float(round(10 ** chance.uniform(1, 5))) for entity in model.entities}
    for link in model.relationships:
        if link.cardinality is Cardinality.ONE_TO_ONE:
            counts[link.child] = min(counts[link.child], counts[link.parent])
    entities = tuple(
        (
            entity.name,
            EntityStatistics(
                Quantity(counts[entity.name]),
                attributes=tuple(
                    (name, AttributeStatistics(Quantity(WIDTHS.get(name, 8.0)), values=TIMES if name == "at" else None))
                    for name in entity.attribute_names
                ),
            ),
        )
        for entity in model.entities
    )
    links = tuple(
        (link.name, _fan_out(counts[link.child] / counts[link.parent], link, chance)) for link in model.relationships
    )
    return Statistics(entities, links)


def _fan_out(mean: float, link: Relationship, chance: random.Random) -> RelationshipStatistics:
    if link.cardinality is Cardinality.ONE_TO_ONE:
        return RelationshipStatistics(mean=Quantity(mean), maximum=Quantity(1.0))
    most = max(mean * chance.choice((2.0, 5.0, 500.0)), 1.0)
    return RelationshipStatistics(mean=Quantity(mean), p99=Quantity(max(mean * 2, 1.0)), maximum=Quantity(most))


def _freshness(model: Model, chance: random.Random) -> Iterator[tuple[str, Freshness]]:
    for entity in model.entities:
        if chance.random() < 0.3 and "name" in entity.attribute_names:
            yield f"{entity.name}.name", Freshness(chance.choice((Level.SNAPSHOT, Level.TRANSACTION)))


def _statement(name: str, model: Model, chance: random.Random) -> Statement | None:
    rate = round(10 ** chance.uniform(-2, 3), 4)
    if chance.random() < 0.3:
        return _write(name, model, chance, rate)
    made = chance.choice((_walk, _walk, _first_few, _counted, _series, _recent))(model, chance)
    if made is None:
        return None
    accesses, limit = made
    first = accesses[0]
    sql = f"SELECT * FROM {first.entity} WHERE at >= '{RECENT}'" if first.filters == SINCE else "SELECT 1"
    return Statement(name, sql, READ, rate, accesses=accesses, limit=limit)


def _write(name: str, model: Model, chance: random.Random, rate: float) -> Statement:
    entity = chance.choice(model.entities)
    texts = [each for each in TEXTS if each in entity.attribute_names]
    kinds = [StatementKind.INSERT, StatementKind.DELETE, *([StatementKind.UPDATE] * 2 if texts else [])]
    kind = chance.choice(kinds)
    found = (
        () if kind is StatementKind.INSERT else tuple(AttributeFilter(each, Operator.EQUALITY) for each in entity.key)
    )
    written = (chance.choice(texts),) if kind is StatementKind.UPDATE else ()
    return Statement(name, "UPDATE", kind, rate, accesses=(Access(entity.name, kind, written, found),))


Made = tuple[tuple[Access, ...], int | None]


def _walk(model: Model, chance: random.Random) -> Made | None:
    """From a key or a value along up to three relationships."""
    start = chance.choice(model.entities)
    first = chance.choice([each for each in ("id", "id", "name") if each in start.attribute_names] or [start.key[0]])
    found = [Access(start.name, READ, _shown(start, chance), (AttributeFilter(first, Operator.EQUALITY),))]
    here = start.name
    for _ in range(chance.randint(0, 3)):
        links = [link for link in model.relationships if here in (link.parent, link.child)]
        link = chance.choice(links)
        here = link.child if here == link.parent else link.parent
        found.append(Access(here, READ, _shown(model.entity(here), chance), via=link.name))
    return tuple(found), None


def _first_few(model: Model, chance: random.Random) -> Made | None:
    """The newest children of one parent."""
    link = chance.choice(model.relationships)
    child = model.entity(link.child)
    if "at" not in child.attribute_names:
        return None
    of_parent = (AttributeFilter(link.child_attributes[0], Operator.EQUALITY),)
    return (Access(child.name, READ, _shown(child, chance), of_parent, ("-at",)),), chance.choice((5, 20))


def _counted(model: Model, chance: random.Random) -> Made | None:
    """How many children a parent has, with the parent."""
    link = chance.choice(model.relationships)
    parent = model.entity(link.parent)
    by_key = tuple(AttributeFilter(each, Operator.EQUALITY) for each in parent.key)
    counted = Access(link.child, READ, via=link.name, aggregates=((AggregateKind.COUNT, None),))
    return (Access(parent.name, READ, _shown(parent, chance), by_key), counted), None


def _series(model: Model, chance: random.Random) -> Made | None:
    """The events of one parent in a span of time."""
    link = chance.choice(model.relationships)
    child = model.entity(link.child)
    if "at" not in child.attribute_names:
        return None
    found = (AttributeFilter(link.child_attributes[0], Operator.EQUALITY), AttributeFilter("at", Operator.RANGE))
    return (Access(child.name, READ, ("at", *_shown(child, chance)), found),), None


def _recent(model: Model, chance: random.Random) -> Made | None:
    """All rows of this year."""
    entity = chance.choice([each for each in model.entities if "at" in each.attribute_names])
    return (Access(entity.name, READ, ("at", *_shown(entity, chance)), SINCE),), None


def _shown(entity: Entity, chance: random.Random) -> tuple[str, ...]:
    texts = [each for each in TEXTS if each in entity.attribute_names]
    return tuple(sorted(chance.sample(texts, chance.randint(1, 2)))) if texts else entity.key


def with_constants(reading: Reading, seed: int) -> Reading:
    """The same where texts that are compared are `x`, as one row in fifty has, and writes give them that or another."""
    chance = random.Random(seed)
    lie = Distribution(common=(("y", 0.98), ("x", 0.02)))
    known = tuple(
        (name, replace(told, attributes=tuple((each, _lying(found, each, lie)) for each, found in told.attributes)))
        for name, told in reading.statistics.entities
    )
    statements = tuple(
        replace(each, accesses=tuple(_said(access, chance) for access in each.accesses))
        for each in reading.workload.statements
    )
    workload = replace(reading.workload, statements=statements)
    return replace(reading, workload=workload, statistics=Statistics(known, reading.statistics.relationships))


def _lying(known: AttributeStatistics, name: str, lie: Distribution) -> AttributeStatistics:
    return replace(known, distinct=Quantity(2.0), values=lie) if name in TEXTS else known


def _said(access: Access, chance: random.Random) -> Access:
    """An access whose statement compares and sets texts by constants."""
    compared = [each.attribute for each in access.filters if each.operator is Operator.EQUALITY]
    found = tuple(Clause(name, ClauseOperator.EQUAL, "x") for name in compared if name in TEXTS)
    written = access.attributes if access.kind is StatementKind.UPDATE else TEXTS
    values = [(name, chance.choice("xyy?")) for name in written if name in TEXTS]
    sets = tuple(Clause(name, ClauseOperator.EQUAL, value) for name, value in values if value != "?")
    return replace(access, constants=found, sets=sets if access.kind.writes else ())
