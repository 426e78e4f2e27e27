"""The purpose of indexes over buckets that a design names although no statement was considered for them."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.primitives import Bucket, Index
from nestling.ir.storage.layout import Node, Role
from nestling.ir.time_units import SECONDS_PER_DAY


def bucket_purpose(design: Design, index: Index) -> tuple[str, str] | None:
    """The entity whose events are in the buckets, and the purpose of the index; None for other indexes."""
    header = next(iter(_headers(design, index.collection)), None)
    if index.serves or header is None or header.bucket is None:
        return None
    entity = header.entity
    if index.expire_after_seconds is not None:
        days = index.expire_after_seconds / SECONDS_PER_DAY
        return entity, f"removes buckets of `{entity}` whose `{index.keys[0][0]}` is {days:g} days old"
    paths = tuple(path for path, _ in index.keys)
    key = design.model.entity(entity).key
    if key and set(paths) == {_path(header, header.bucket, name) for name in key}:
        return entity, f"finds `{entity}` by its key, so that no row is added twice: {', '.join(key)}"
    if paths[: len(header.bucket.by)] == tuple(_path(header, header.bucket, name) for name in header.bucket.by):
        return entity, f"finds the buckets of `{entity}` in order"
    return None


def _headers(design: Design, collection: str) -> list[Node]:
    stores = (each for each in design.stores if each.name == collection and each.role in (Role.HOME, Role.ARCHIVE))
    return [root for store in stores for root in store.roots if root.bucket is not None]


def _path(header: Node, bucket: Bucket, name: str) -> str:
    """Where the buckets have an attribute of their events."""
    events = header.children[0]
    return (header.path_of(name) or name) if name in bucket.by else f"{bucket.field}.{events.path_of(name) or name}"
