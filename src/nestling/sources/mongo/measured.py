"""The numbers of facts as statistics of a model: rows, widths, different values, and how many rows lie in or refer to one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from nestling.ir.facts import CollectionFacts, PathFacts, Quantiles
from nestling.ir.facts.nodes import NodeForm
from nestling.ir.model import Model
from nestling.ir.statistics import (
    AttributeStatistics,
    EntityStatistics,
    Quantity,
    RelationshipStatistics,
    Statistics,
    distinct_of_all,
    inferred,
    measured,
)
from nestling.sources.mongo.entities import EntityOf, StoredAttribute
from nestling.sources.mongo.relations import Entities, owner, relationship
from nestling.sources.mongo.survey import Survey

FRAMES = {"string": 5, "binData": 5}
"""Bytes of a value that are its length, not its content."""


def statistics(model: Model, survey: Survey, found: Entities) -> Statistics:
    """The statistics measured for the model's entities and relationships."""
    entities = tuple((entity.name, _entity(entity)) for entity in found.values())
    links = dict(_embedded(model, found)) | dict(_linked(model, survey, found))
    return Statistics(entities, tuple(links.items()))


def _entity(entity: EntityOf) -> EntityStatistics:
    rows, exact = _rows(entity)
    known = tuple((each.name, _attribute(each, entity)) for each in entity.stored if each.column.path.documents)
    return EntityStatistics(measured(rows, None if exact else _sampled(entity.seen.collection)), attributes=known)


def _scale(collection: CollectionFacts) -> float:
    """Documents there are for each that was read."""
    if collection.sample is None or collection.storage is None or collection.sample.exact:
        return 1.0
    return collection.storage.documents / max(collection.sample.documents, 1)


def _sampled(collection: CollectionFacts) -> int:
    return collection.sample.documents if collection.sample is not None else 0


def _rows(entity: EntityOf) -> tuple[float, bool]:
    collection, node = entity.seen.collection, entity.seen.node
    exact = collection.sample is None or collection.sample.exact
    if entity.seen.kind:
        return float(entity.seen.documents), True
    if node.path is None:
        return float(collection.storage.documents if collection.storage is not None else 0), True
    present = float(node.path.present if node.path.documents else 0)
    if node.form is NodeForm.OBJECT:
        present = float(node.path.count("object") if node.path.documents else 0)
    return round(present * (1.0 if node.path.exact else _scale(collection))), exact


def _attribute(stored: StoredAttribute, entity: EntityOf) -> AttributeStatistics:
    """How many have it may be counted of all documents; what it is like is of those that were read."""
    path, collection = stored.column.path, entity.seen.collection
    is_whole = collection.sample is None or collection.sample.exact
    rows = None if is_whole else round(path.present / (_scale(collection) if path.exact else 1.0))
    frame = FRAMES.get(path.types[0][0], 0) if path.types else 0
    widths = path.widths
    missing = (path.missing + path.count("null")) / max(path.parents, 1)
    return AttributeStatistics(
        average_bytes=_quantity(widths.mean - frame, rows) if widths is not None else None,
        maximum_bytes=_quantity(widths.max - frame, rows) if widths is not None else None,
        distinct=_distinct(stored, entity, rows),
        null_share=_quantity(missing, None if path.exact else rows),
    )


def _distinct(stored: StoredAttribute, entity: EntityOf, looked_at: int | None) -> Quantity | None:
    path = stored.column.path
    if entity.key == (stored.name,):
        return inferred(_rows(entity)[0])
    if not path.distinct:
        return None
    if looked_at is None:
        return measured(min(path.distinct, path.present))
    found = min(path.distinct, looked_at)
    return measured(distinct_of_all(found, max(looked_at, 1), _rows(entity)[0]), looked_at)


def _quantity(value: float, rows: int | None) -> Quantity:
    return measured(max(value, 0.0), rows)


def _embedded(model: Model, found: Entities) -> Iterator[tuple[str, RelationshipStatistics]]:
    for entity in found.values():
        if entity.above is None:
            continue
        link = relationship(model, entity.above.name, entity.name, tuple(entity.implied.values()))
        if link is not None:
            yield link.name, _fan_out_of(entity)


def _fan_out_of(entity: EntityOf) -> RelationshipStatistics:
    node, collection = entity.seen.node, entity.seen.collection
    if entity.seen.kind:
        total = collection.storage.documents if collection.storage is not None else entity.seen.documents
        share = entity.seen.documents / max(total, 1)
        return RelationshipStatistics(
            mean=measured(share), maximum=measured(1), dangling=measured(0), orphans=measured(0)
        )
    if node.form is NodeForm.OBJECT:
        path = node.path
        share = path.count("object") / max(path.parents, 1) if path is not None else 0.0
        rows = None if path is None or path.exact else path.parents
        return RelationshipStatistics(
            mean=measured(share, rows), maximum=measured(1, rows), dangling=measured(0), orphans=measured(0)
        )
    array = collection.path(*node.steps[:-1])
    lengths = array.lengths if array is not None else None
    if array is None or lengths is None:
        return RelationshipStatistics()
    return _of_lengths(array, lengths)


def _of_lengths(array: PathFacts, lengths: Quantiles) -> RelationshipStatistics:
    """The numbers of elements over all documents that could hold the array: one without it has none."""
    share = lengths.count / max(array.parents, lengths.count, 1)
    rows = None if array.exact else array.parents
    return RelationshipStatistics(
        mean=measured(lengths.mean * share, rows),
        p50=_quantile(lengths, 0.5, share, rows),
        p95=_quantile(lengths, 0.95, share, rows),
        p99=_quantile(lengths, 0.99, share, rows),
        maximum=measured(lengths.max, rows),
        dangling=measured(0),
        orphans=measured(0),
    )


def _quantile(lengths: Quantiles, level: float, share: float, rows: int | None) -> Quantity:
    """A quantile over all documents, of which a share has an array; measured if all have one, otherwise inferred.

    Of arrays below the middle only their greatest possible length is known.
    """
    if level <= 1.0 - share:
        return measured(0, rows)
    known = {0.0: lengths.p50, 0.5: lengths.p50, 0.95: lengths.p95, 0.99: lengths.p99, 1.0: lengths.max}
    if share == 1.0:
        return measured(known[level], rows)
    within = (level - (1.0 - share)) / share
    (low, shorter), (high, longer) = next(ends for ends in pairwise(known.items()) if within <= ends[1][0])
    return inferred(round(shorter + (longer - shorter) * (within - low) / (high - low)))


def _linked(model: Model, survey: Survey, found: Entities) -> Iterator[tuple[str, RelationshipStatistics]]:
    for each in survey.links:
        child, target = owner(each, survey, found), found.get((each.target, each.target_node))
        columns = child.names(each.columns) if child is not None else None
        link = relationship(model, target.name, child.name, columns) if child and target and columns else None
        if link is None:
            continue
        rows = None if each.whole else each.checked
        spread: dict[str, Quantity] = {}
        if each.fan_out is not None:
            names = ("mean", "p50", "p95", "p99", "maximum")
            spread = {name: measured(value, rows) for name, value in zip(names, each.fan_out, strict=True)}
        lacking = {"dangling": measured(each.dangling, rows), "orphans": measured(each.orphans, rows)}
        yield link.name, RelationshipStatistics(**spread, **lacking)
