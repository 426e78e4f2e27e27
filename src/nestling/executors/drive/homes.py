"""Compares the rows that designs hold, by the fingerprints of their home views."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pymongo.database import Database

from nestling.executors.fingerprint import Fingerprint, RawRow, fingerprint
from nestling.executors.read import read_raw, read_rows
from nestling.ir.model import Entity, Model
from nestling.ir.programs.command import Aggregation
from nestling.ir.value_forms.canonical import canonical_encoder
from nestling.ir.values import Policy


class HomeFingerprints(NamedTuple):
    """A design's database, the queries of its home views, and the fingerprints of their rows by entity."""

    database: Database[Any]
    queries: Mapping[str, Aggregation]
    fingerprints: Mapping[str, Fingerprint]


def homes(database: Database[Any], model: Model, queries: Mapping[str, Aggregation]) -> dict[str, Fingerprint]:
    """The fingerprint of every entity's stored rows. Raises `RebuildError`."""
    return {entity.name: fingerprint(read_raw(database, queries[entity.name])) for entity in model.entities}


def unlike(one: HomeFingerprints, other: HomeFingerprints, model: Model) -> list[str]:
    """The entities of which two designs hold different rows; a mere difference in storage does not count."""
    found = []
    for entity in model.entities:
        if not one.fingerprints[entity.name].differing(other.fingerprints[entity.name]):
            continue
        left, right = (fingerprint(_plain(side.database, side.queries[entity.name], entity)) for side in (one, other))
        if left.differing(right):
            found.append(entity.name)
    return found


def _plain(database: Database[Any], query: Aggregation, entity: Entity) -> Iterator[RawRow]:
    encode = canonical_encoder(entity.attribute_names, entity, Policy())
    return (encode(row) for row in read_rows(database, query, entity))
