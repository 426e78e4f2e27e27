"""What is said of a design in short."""

from __future__ import annotations

from nestling.emitters.design_summary import lacking
from nestling.ir.model import Attribute, Cardinality, Entity, Model, Relationship
from nestling.ir.reading import Reading
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
