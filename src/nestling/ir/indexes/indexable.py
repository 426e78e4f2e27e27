"""Which attributes MongoDB can index together."""

from __future__ import annotations

from collections.abc import Iterable

from nestling.ir.model import Entity
from nestling.ir.types import COMPOSITE, TypeName
from nestling.ir.workload import AttributeFilter, Operator


def is_array(entity: Entity, name: str) -> bool:
    """Whether an index on the attribute has an entry for each element of its values, and finds rows by these."""
    return entity.attribute(name).type.name is TypeName.ARRAY


def leads(entity: Entity, condition: AttributeFilter) -> bool:
    """Whether a condition names entries of an index on its attribute: values, or elements where these are arrays."""
    by_elements = condition.operator is Operator.CONTAINS
    return condition.operator.leads and by_elements == is_array(entity, condition.attribute)


def can_index(entity: Entity, names: Iterable[str], *, by_elements: bool = False) -> bool:
    """Whether an index can be on these attributes. `by_elements`: an array may be among them, as rows are found by its elements;
    the server takes one at most.
    """
    of_parts = {name for name in names if entity.attribute(name).type.name in COMPOSITE}
    return not of_parts or (by_elements and len(of_parts) == 1 and is_array(entity, *of_parts))
