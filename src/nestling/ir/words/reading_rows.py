"""A reading in rows, for terminals and notebooks: entities, children per parent, statements."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.model import Entity
from nestling.ir.rate import full_rate
from nestling.ir.reading import Reading
from nestling.ir.statistics import Quantity


def entity_rows(reading: Reading) -> Iterator[tuple[object, ...]]:
    """(entity, rows and whether they are an estimate, average bytes of a row, key, attributes) for every entity."""
    for entity in reading.model.entities:
        count = reading.statistics.entity(entity.name).count
        key = ", ".join(entity.key) or "(none)"
        rows = f"about {whole(count):,}" if count is not None and count.is_estimate else whole(count)
        yield entity.name, rows, row_bytes(reading, entity), key, len(entity.attributes)


def relationship_rows(reading: Reading) -> Iterator[tuple[object, ...]]:
    """(relationship, cardinality, mean, p95 and maximum fan-out, children without a parent), many-to-many last."""
    for link in reading.model.relationships:
        known = reading.statistics.relationship(link.name)
        without = [quantity.value for quantity in (known.orphans, known.dangling) if quantity is not None]
        mean = known.mean.value if known.mean is not None else None
        lost = int(sum(without)) if without else None
        yield link.name, str(link.cardinality), mean, whole(known.p95), whole(known.maximum), lost
    for both in reading.model.many_to_many:
        yield both.name, "N:M", None, None, None, None


def statement_rows(reading: Reading) -> Iterator[tuple[object, ...]]:
    """(statement, rate, kind, entities it accesses) for every statement of the workload."""
    for each in reading.workload.statements:
        entities = ", ".join(dict.fromkeys(access.entity for access in each.accesses))
        yield each.name, full_rate(each.rate_per_second), str(each.kind), entities


def row_bytes(reading: Reading, entity: Entity) -> int | None:
    """Average bytes of a row's values; None where nobody counted."""
    known = reading.statistics.entity(entity.name)
    widths = [known.attribute(name).average_bytes for name in entity.attribute_names]
    return round(sum(width.value for width in widths if width is not None)) if any(widths) else None


def whole(quantity: Quantity | None) -> int | None:
    """A count as one."""
    return int(quantity.value) if quantity is not None else None
