"""People and their pets in numbers that are easy to compute with: every value as frequent as the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from nestling.ir.design import Design
from nestling.ir.distribution import Distribution
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.paths.work import Work
from nestling.ir.primitives import Collection, Document, Embedding, Form, Holder, Index, Reference
from nestling.ir.statements.algebra import Query
from nestling.ir.statistics import AttributeStatistics, EntityStatistics, Quantity, RelationshipStatistics, Statistics
from nestling.ir.types import DATE, INTEGER, TEXT
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from nestling.planner.work import estimate
from nestling.planner.work.cold_reads import ColdShares

PEOPLE, PETS_EACH, CITIES, RANKS, BIO_BYTES = 10_000, 3, 100, 1_000, 400
A_CITY = PEOPLE / CITIES
"""People of one city."""
PETS = PEOPLE * PETS_EACH
WITH_NICK, UNDATED = 0.6, 0.1

MODEL = Model(
    "town",
    (
        Entity(
            "person",
            (
                Attribute("id", INTEGER, nullable=False),
                Attribute("city", INTEGER, nullable=False),
                Attribute("rank", INTEGER, nullable=False),
                Attribute("nick", TEXT),
                Attribute("bio", TEXT, nullable=False),
                Attribute("joined", DATE),
            ),
            ("id",),
        ),
        Entity(
            "pet",
            (
                Attribute("id", INTEGER, nullable=False),
                Attribute("owner", INTEGER, nullable=False),
                Attribute("kind", INTEGER, nullable=False),
            ),
            ("id",),
        ),
    ),
    (Relationship("owns", "person", "pet", ("id",), ("owner",), required=True),),
)


def _known(
    distinct: float, *, size: float = 8.0, null: float = 0.0, values: Distribution | None = None
) -> AttributeStatistics:
    return AttributeStatistics(
        average_bytes=Quantity(size), distinct=Quantity(distinct), null_share=Quantity(null), values=values
    )


STATISTICS = Statistics(
    (
        (
            "person",
            EntityStatistics(
                Quantity(PEOPLE),
                attributes=(
                    ("id", _known(PEOPLE)),
                    ("city", _known(CITIES)),
                    ("rank", _known(RANKS, values=Distribution(tuple(range(0, RANKS + 1, 100))))),
                    ("nick", _known(PEOPLE * WITH_NICK, null=1 - WITH_NICK)),
                    ("bio", _known(PEOPLE, size=BIO_BYTES)),
                    ("joined", _known(10_000, null=UNDATED, values=Distribution((date(2000, 1, 1), date(2020, 1, 1))))),
                ),
            ),
        ),
        (
            "pet",
            EntityStatistics(
                Quantity(PETS), attributes=(("id", _known(PETS)), ("owner", _known(PEOPLE)), ("kind", _known(10)))
            ),
        ),
    ),
    (("owns", RelationshipStatistics(mean=Quantity(PETS_EACH))),),
)

OF_PEOPLE = Collection("person", Document("person"), id=("id",))
OF_PETS = Collection("pet", Document("pet", references=(Reference("owns", Holder.CHILD),)), id=("id",))


def apart(*indexes: Index) -> Design:
    """Each entity a collection."""
    return Design(MODEL, (OF_PEOPLE, OF_PETS), indexes)


def inside(*indexes: Index) -> Design:
    """Pets in an array of their owners."""
    pets = Embedding("pets", "owns", Form.ARRAY, Document("pet"))
    return Design(MODEL, (Collection("person", Document("person", embeddings=(pets,)), id=("id",)),), indexes)


def of_people(*keys: str) -> Index:
    """An index on people."""
    return Index("person", tuple((key, 1) for key in keys))


def grown(times: float) -> Statistics:
    """As many times the people and their pets, with as many different values as before."""
    counted = ((name, each, each.count) for name, each in STATISTICS.entities)
    more = ((name, replace(each, count=Quantity(count.value * times))) for name, each, count in counted if count)
    return replace(STATISTICS, entities=tuple(more))


def work(
    sql: str,
    design: Design,
    values: Mapping[str, object] | None = None,
    statistics: Statistics = STATISTICS,
    cold: Mapping[str, float] | None = None,
) -> Work:
    """The estimate for a read; `cold`: by entity, the share of its rows the cache does not hold."""
    query = translate(sql, MODEL, "sqlite")
    assert isinstance(query, Query)
    return estimate(plan_read(query, design), design, statistics, values, cold=ColdShares(cold or {}))


def people(condition: str, *indexes: Index, values: Mapping[str, object] | None = None, what: str = "bio") -> Work:
    """The estimate for reading the people of whom something holds, in an order if it says one."""
    return work(f"SELECT {what} FROM person {condition}", apart(*indexes), values)
