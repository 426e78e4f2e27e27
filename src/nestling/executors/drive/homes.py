"""Whether designs hold the same rows: the fingerprints of what their home views yield."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pymongo.database import Database

from nestling.executors.canonical import canonical_encoder
from nestling.executors.fingerprint import Fingerprint, RawRow, fingerprint
from nestling.executors.read import read_raw, read_rows
from nestling.ir.command import Aggregation
from nestling.ir.model import Entity, Model
from nestling.ir.values import Policy


def homes(database: Database[Any], model: Model, queries: Mapping[str, Aggregation]) -> dict[str, Fingerprint]:
    """The fingerprint of every entity's rows as they are stored; raises `RebuildError`."""
    return {entity.name: fingerprint(read_raw(database, queries[entity.name])) for entity in model.entities}


def unlike(
    one: tuple[Database[Any], Mapping[str, Aggregation], Mapping[str, Fingerprint]],
    other: tuple[Database[Any], Mapping[str, Aggregation], Mapping[str, Fingerprint]],
    model: Model,
) -> list[str]:
    """Entities of which two designs hold different rows; the same value stored in another way is no difference."""
    found = []
    for entity in model.entities:
        if not one[2][entity.name].differing(other[2][entity.name]):
            continue
        left, right = (fingerprint(_plain(side[0], side[1][entity.name], entity)) for side in (one, other))
        if left.differing(right):
            found.append(entity.name)
    return found


def _plain(database: Database[Any], query: Aggregation, entity: Entity) -> Iterator[RawRow]:
    encode = canonical_encoder(entity.attribute_names, entity, Policy())
    return (encode(row) for row in read_rows(database, query, entity))
