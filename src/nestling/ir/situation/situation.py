"""A reading made ready for deciding: per relationship its fan-out and footprint, per entity its parents, size and blobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from nestling.ir.model import Cardinality, Entity, ManyToMany, Model, Relationship
from nestling.ir.reading import Reading
from nestling.ir.situation.fan_out import FanOut, fan_out
from nestling.ir.situation.footprint import Footprint, footprints
from nestling.ir.situation.thresholds import Thresholds
from nestling.ir.statistics import Statistics
from nestling.ir.storage.bounds import ELEMENT_BYTES, FRAMING_BYTES, UNKNOWN_BYTES
from nestling.ir.storage.collations import goes_by_collation
from nestling.ir.storage.names import stored_name
from nestling.ir.types import FILES
from nestling.ir.workload import Access, Requirements, Statement


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything a strategy asks about a reading. Sizes are in bytes; `blobs` are attributes that go to GridFS."""

    reading: Reading
    thresholds: Thresholds
    parents: Mapping[str, tuple[Relationship, ...]]  # by child entity
    children: Mapping[str, tuple[Relationship, ...]]  # by parent entity
    fan_outs: Mapping[str, FanOut]
    footprints: Mapping[str, Footprint]
    linked: Mapping[str, ManyToMany]  # relationship -> the many-to-many it belongs to
    row_bytes: Mapping[str, float]
    blobs: Mapping[str, tuple[str, ...]]
    statements_of: Mapping[str, tuple[Statement, ...]]  # by entity, those that touch it
    joined_by: Mapping[str, tuple[Statement, ...]]  # by relationship, those that join along it

    @property
    def model(self) -> Model:
        """The model decided on."""
        return self.reading.model

    @property
    def statistics(self) -> Statistics:
        """What is known about the data."""
        return self.reading.statistics

    @property
    def requirements(self) -> Requirements:
        """The application's requirements."""
        return self.reading.workload.requirements

    @property
    def has_workload(self) -> bool:
        """Whether any statement is known."""
        return bool(self.reading.workload.statements)

    def elements(self, link: Relationship) -> float:
        """Children of one parent that a document must have room for, as `nestling.ir.storage.bounds` counts them."""
        if link.cardinality is Cardinality.ONE_TO_ONE:
            return 1.0
        return self.fan_outs[link.name].largest or self.fan_outs[link.name].mean or 1.0

    def elements_expected(self, link: Relationship) -> float:
        """Children of one parent with the growth expected."""
        return max(self.fan_outs[link.name].projected or 0.0, self.elements(link))

    def lacking_share(self, link: Relationship) -> float | None:
        """Share of child rows without a parent; None if unknown."""
        known = self.statistics.relationship(link.name)
        child = self.model.entity(link.child)
        nullable = any(child.attribute(name).nullable for name in link.child_attributes)
        dangling = known.dangling.value if known.dangling is not None else 0.0 if link.required else None
        unset = known.orphans.value if known.orphans is not None else None if nullable else 0.0
        if dangling is None or unset is None:
            return None
        if dangling + unset == 0:
            return 0.0
        count = self.statistics.entity(link.child).count
        return None if count is None else (dangling + unset) / max(count.value, 1.0)

    def may_be_respelled(self, link: Relationship) -> bool:
        """Whether child rows spell their parent's key differently, or writes may: rows are combined only for exactly equal keys.

        If the source enforces the foreign key, a write of such a row is refused.
        """
        known = self.statistics.relationship(link.name).respelled
        is_found = known is not None and known.value > 0
        return is_found or (not link.enforced and goes_by_collation(self.model, link))

    def may_be_alike(self, name: str) -> bool:
        """Whether two rows of the entity may be equal, so that rows belonging to them cannot be distinguished."""
        entity, known = self.model.entity(name), self.statistics.entity(name)

        def is_there(attribute: str) -> bool:
            share = known.attribute(attribute).null_share
            return entity.always_has(attribute) or (share is not None and share.value == 0)

        return not entity.key and not any(all(map(is_there, group)) for group in entity.uniques)

    def is_total(self, link: Relationship) -> bool:
        """Whether every child row has a parent, by the model and not contradicted by counts."""
        known = self.statistics.relationship(link.name)
        return self.model.is_total(link) and not any(q is not None and q.value for q in (known.dangling, known.orphans))


def situation(reading: Reading, thresholds: Thresholds) -> Situation:
    """Gather what is known, once; linear in the model, the workload and the statistics."""
    model = reading.model
    parents: dict[str, tuple[Relationship, ...]] = {entity.name: () for entity in model.entities}
    children = dict(parents)
    for link in model.relationships:
        parents[link.child] += (link,)
        children[link.parent] += (link,)
    blobs = {entity.name: _blobs(entity, reading, thresholds) for entity in model.entities}
    touching = _statements(reading, lambda access: access.entity, [entity.name for entity in model.entities])
    return Situation(
        reading=reading,
        thresholds=thresholds,
        parents=parents,
        children=children,
        fan_outs={link.name: fan_out(reading, link, thresholds, touching) for link in model.relationships},
        footprints=footprints(model, reading.workload),
        linked={name: link for link in reversed(model.many_to_many) for name in (link.left, link.right)},
        row_bytes={e.name: _row_bytes(e, reading.statistics, blobs[e.name]) for e in model.entities},
        blobs=blobs,
        statements_of=touching,
        joined_by=_statements(reading, lambda access: access.via, [link.name for link in model.relationships]),
    )


def _statements(
    reading: Reading, key: Callable[[Access], str | None], names: Iterable[str]
) -> Mapping[str, tuple[Statement, ...]]:
    """The statements by the key in their accesses; none for other names."""
    found: dict[str, list[Statement]] = {name: [] for name in names}
    for statement in reading.workload.statements:
        for name in dict.fromkeys(map(key, statement.accesses)):
            if name in found:
                found[name].append(statement)
    return {name: tuple(statements) for name, statements in found.items()}


def _row_bytes(entity: Entity, statistics: Statistics, blobs: tuple[str, ...]) -> float:
    """An upper bound for one row as a document: a name may be preceded by `_id.`, and a renamed field is slightly longer."""
    known = dict(statistics.entity(entity.name).attributes)
    size = ELEMENT_BYTES
    for name in entity.attribute_names:
        width = known[name].average_bytes if name in known and name not in blobs else None
        size += (width.value if width is not None else UNKNOWN_BYTES) + len(stored_name(name)) + 4 + FRAMING_BYTES
    return size


def _blobs(entity: Entity, reading: Reading, thresholds: Thresholds) -> tuple[str, ...]:
    """Attributes whose values do not fit into a document: the huge ones, then the widest until the row fits.

    Attributes in keys and joins stay: a document can only point to a file.
    """
    if not entity.key:
        return ()
    links = (link.child_attributes for link in reading.model.parents_of(entity.name))
    joined = {name for group in (entity.key, *entity.uniques, *links) for name in group}
    known = dict(reading.statistics.entity(entity.name).attributes)
    movable = [a.name for a in entity.attributes if a.type.name in FILES and a.name not in joined]
    maxima = {n: q.value for n in movable if n in known and (q := known[n].maximum_bytes) is not None}
    averages = {n: q.value for n in movable if n in known and (q := known[n].average_bytes) is not None}
    chosen = {name for name in movable if maxima.get(name, averages.get(name, 0.0)) > thresholds.blob_bytes}
    for name in sorted(averages, key=lambda name: (-averages[name], name)):
        if _row_bytes(entity, reading.statistics, tuple(chosen)) <= reading.workload.requirements.document_bound_bytes:
            break
        chosen.add(name)
    return tuple(name for name in entity.attribute_names if name in chosen)
