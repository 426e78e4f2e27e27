"""Sizes of a design's documents and arrays, from the distribution of fan-out rather than its mean (A12).

An attribute takes its average bytes plus its name and 7 bytes of BSON framing (type, terminator, and a length or a number); an
unknown one is assumed to take `UNKNOWN_BYTES`. An array has its largest known fan-out: the maximum if known, or else the
highest known quantile. Nested arrays multiply, which is an upper bound. A relationship *declared* to grow has no bound.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.common.errors import Problem
from nestling.ir.design import Design
from nestling.ir.statistics import Origin, RelationshipStatistics, Statistics
from nestling.ir.storage.layout import Node, NodeKind, Role, StoredCollection
from nestling.ir.workload import Requirements

UNKNOWN_BYTES = 16.0
FRAMING_BYTES = 7.0
ELEMENT_BYTES = 8.0  # a sub-document's own length, terminator and array position


def mistakes_in_size(design: Design, statistics: Statistics, requirements: Requirements) -> Iterator[Problem]:
    """Documents that can pass the document bound and arrays that can pass the array bound."""
    for store in design.stores:
        for root in store.roots:
            elsewhere = frozenset(a for split in store.collection.splits if split.gridfs for a in split.attributes)
            size = node_bytes(root, statistics, elsewhere=elsewhere)
            if size > requirements.document_bound_bytes and store.role in (Role.HOME, Role.ARCHIVE):
                yield _too_large(store, root, size, statistics, requirements)
        if store.role is Role.HOME:
            for node in store.nodes():
                yield from _array_mistakes(store, node, statistics, requirements)


def node_bytes(node: Node, statistics: Statistics, *, elsewhere: frozenset[str] = frozenset()) -> float:
    """Upper bound, in bytes, of one document of a node with everything embedded in it.

    Of the attributes in `elsewhere` (files in GridFS) only a pointer is stored, which weighs like an unknown value.
    """
    entity = statistics.entity(node.entity)
    size = ELEMENT_BYTES
    for field in node.stored:
        width = None if field.attribute in elsewhere else entity.attribute(field.attribute).average_bytes
        size += (width.value if width is not None else UNKNOWN_BYTES) + len(field.path) + FRAMING_BYTES
    return size + sum(elements(child, statistics) * node_bytes(child, statistics) for child in node.children)


def elements(node: Node, statistics: Statistics) -> float:
    """The most documents of a node that one parent holds, as far as is known (1 if nothing is)."""
    embedding = node.embedding
    if not node.form.to_many:
        return 1.0
    if embedding is None:
        return 1.0
    if embedding.slots is not None:
        return float(embedding.slots.count)
    count = largest_fan_out(statistics.relationship(embedding.relationship)) or 1.0
    return min(count, float(embedding.overflow.bound)) if embedding.overflow is not None else count


def largest_fan_out(known: RelationshipStatistics) -> float | None:
    """The maximum, else the highest quantile known."""
    for quantity in (known.maximum, known.p999, known.p99, known.p95, known.mean):
        if quantity is not None:
            return quantity.value
    return None


def _array_mistakes(
    store: StoredCollection, node: Node, statistics: Statistics, requirements: Requirements
) -> Iterator[Problem]:
    embedding = node.embedding
    if embedding is None or node.kind is NodeKind.GROUP or not node.form.to_many:
        return
    if embedding.overflow is not None or embedding.slots is not None:
        return
    known = statistics.relationship(embedding.relationship)
    where = ("collections", store.name, "embeddings", embedding.field)
    if known.grows is not None and known.grows.value and known.grows.origin is Origin.DECLARED:
        what = f"`{embedding.field}` grows without bound"
        yield Problem(what=what, path=where, next_move="reference it, or give it an overflow or a bucket")
    bound, count = requirements.array_bound, elements(node, statistics)
    if bound is not None and count > bound:
        what = f"`{embedding.field}` reaches {count:,.0f} elements; the bound is {bound:,}"
        yield Problem(what=what, path=where, next_move=f"reference it, or `overflow: {{bound: {bound}, …}}`")


def _too_large(
    store: StoredCollection, root: Node, size: float, statistics: Statistics, requirements: Requirements
) -> Problem:
    heaviest = max(
        root.children,
        key=lambda child: elements(child, statistics) * node_bytes(child, statistics),
        default=None,
    )
    why = ""
    if heaviest is not None and heaviest.embedding is not None:
        why = f": up to {elements(heaviest, statistics):,.0f} × {node_bytes(heaviest, statistics):,.0f} bytes in"
        why += f" `{heaviest.field}`"
    bound = requirements.document_bound_bytes
    what = f"a document of `{store.name}` can reach {size:,.0f} bytes; the bound is {bound:,}{why}"
    return Problem(what=what, path=("collections", store.name), next_move="reference, bucket, split or limit it")
