"""TTL indexes (D5): the server removes rows that are older than they must be kept, where nothing else would be left wrong."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Aggregate, Cold, CopiedAttribute, FirstChildren, Part
from nestling.ir.model import Entity
from nestling.ir.outline import Outline
from nestling.ir.primitives import CollectionKind, Index
from nestling.ir.situation.situation import Situation
from nestling.ir.storage.layout import Place
from nestling.ir.time_units import SECONDS_PER_DAY
from nestling.ir.types import TIMES


def expiry(situation: Situation, outline: Outline, entity: Entity, place: Place, notes: list[str]) -> Iterator[Index]:
    """The index that removes an entity's old rows, if a retention is required; a note if it must not exist."""
    days = dict(situation.requirements.retention_days).get(entity.name)
    if days is None:
        return
    path, unknown = _time_path(entity, place)
    why = _objection(situation, outline, entity, place) or unknown
    if why:
        notes.append(
            f"`{entity.name}`: no TTL index removes rows after {days:g} days: {why}; delete them with a statement"
        )
        return
    notes.append(f"`{entity.name}`: the server removes rows whose `{path}` is {days:g} days old")
    yield Index(place.store.name, ((path, 1),), expire_after_seconds=round(days * SECONDS_PER_DAY))


def _time_path(entity: Entity, place: Place) -> tuple[str, str]:
    """The field with a document's age, or "", and why there is none, or ""."""
    bucket = place.store.collection.bucket
    if bucket is not None:
        return ("bucket_end", "") if bucket.window is not None else ("", "its buckets are by number and have no time")
    found = [a for a in entity.attributes if a.type.name in TIMES and a.type.fraction_digits <= 3]
    certain = [a for a in found if not a.nullable] or found
    if len(certain) != 1:
        return "", f"it has {len(certain)} dates and nothing says which one counts" if certain else "it has no date"
    path = place.node.path_of(certain[0].name)
    if path == "_id":
        return "", "its date is its `_id`, whose index cannot be changed"
    return (path, "") if path else ("", "it has no field for its date")


def _objection(situation: Situation, outline: Outline, entity: Entity, place: Place) -> str:
    """What would be wrong if rows just disappeared; "" if nothing would."""
    if len(place.nodes) > 1 and place.store.collection.bucket is None:
        return "they are embedded"
    if place.store.options.kind is CollectionKind.TIME_SERIES:
        return "a time series collection has its own option for expiry"
    referring = [link.child for link in situation.children[entity.name]]
    if referring:
        return f"rows of {', '.join(sorted(set(referring)))} refer to them"
    if any(_rests_on(situation, part, entity.name) for part in outline.kept) or _is_mirrored(
        situation, outline, entity
    ):
        return "copies or computed values elsewhere depend on them"
    return ""


def _rests_on(situation: Situation, part: Part, entity: str) -> bool:
    match part:
        case Aggregate(relationship) | FirstChildren(relationship):
            return situation.model.relationship(relationship).child == entity
        case CopiedAttribute(_, path):
            return path[-1].target(situation.model) == entity
        case Cold(name):
            return name == entity
        case _:
            return False


def _is_mirrored(situation: Situation, outline: Outline, entity: Entity) -> bool:
    return any(situation.model.relationship(side).child == entity.name for side in outline.mirrored.values())
