"""What is said of a design in short."""

from __future__ import annotations

from nestling.emitters.design_summary import lacking
from nestling.ir.model import Attribute, Cardinality, Entity, Model, Relationship
from nestling.ir.reading import Reading
from nestling.ir.statistics import EntityStatistics, Statistics, measured
from nestling.ir.types import Type, TypeName
from nestling.ir.workload import Workload
from nestling.pipeline import design


def test_one_to_one_lacks_no_fan_out() -> None:
    """How many children a parent has is told by the cardinality there; of others it is asked for."""
    number = Attribute("id", Type(TypeName.INTEGER), nullable=False)
    other = Attribute("vehicle_id", Type(TypeName.INTEGER), nullable=False)
    car = Entity("car", (number,), ("id",))
    trip = Entity("trip", (number, other), ("id",))
    is_car = Relationship("is_car", "vehicle", "car", ("id",), ("id",), cardinality=Cardinality.ONE_TO_ONE)
    made = Relationship("made", "vehicle", "trip", ("id",), ("vehicle_id",))
    model = Model("fleet", (Entity("vehicle", (number,), ("id",)), car, trip), (is_car, made))
    (said,) = lacking(design(Reading(model, Workload()), "tree"))
    assert "is not known for made: design from" in said


def test_entities_without_relationships_are_told_of() -> None:
    """An application that declares no foreign keys gets as many collections as it has tables, and is told why."""
    number = Attribute("id", Type(TypeName.INTEGER), nullable=False)
    every = tuple(Entity(name, (number,), ("id",)) for name in ("host", "graph", "poller"))
    (said,) = lacking(design(Reading(Model("cacti", every), Workload()), "tree"))
    assert said.startswith("no relationship among 3 entities is known, so each has a collection of its own: declare")
    assert not [*lacking(design(Reading(Model("one", every[:1]), Workload()), "tree"))]


def test_empty_tables_tell_no_fan_out() -> None:
    """Who designs from a database without rows is not told to design from the database."""
    number = Attribute("id", Type(TypeName.INTEGER), nullable=False)
    other = Attribute("author", Type(TypeName.INTEGER), nullable=False)
    made = Relationship("made", "author", "book", ("id",), ("author",))
    model = Model("library", (Entity("author", (number,), ("id",)), Entity("book", (number, other), ("id",))), (made,))
    counts = tuple((name, EntityStatistics(measured(0))) for name in ("author", "book"))
    (said,) = lacking(design(Reading(model, Workload(), Statistics(counts)), "tree"))
    assert "is not known for made, as their parents' tables are empty: design from a database in use, or" in said
