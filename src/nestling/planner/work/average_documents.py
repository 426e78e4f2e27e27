"""What a collection's documents look like on average: how many, how large, and what is known of the values at each path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import prod

from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.primitives import BUCKET_START, Bucket, BucketWindow, CollectionKind, Copy, Form, Holder, Reference
from nestling.ir.statistics import UNKNOWN_ROWS, RelationshipStatistics, Statistics, value_of
from nestling.ir.storage.bounds import ELEMENT_BYTES, FRAMING_BYTES, UNKNOWN_BYTES
from nestling.ir.storage.layout import Node, NodeKind, Role, StoredCollection
from nestling.ir.storage.names import is_within, join, stored_name
from nestling.planner.known.array_elements import ArrayElements, elements_of
from nestling.planner.known.bucket_fill import events_in_bucket, rows_in_bucket, windows_of_series
from nestling.planner.known.busy_parents import longer
from nestling.planner.known.childless import childless
from nestling.planner.known.distinct import distinct_of, rows_of
from nestling.planner.known.tree_walks import rows_on_the_way
from nestling.planner.known.values import PathStatistics, attribute_known
from nestling.planner.work.archives import as_parted

FEW_ORPHANS = 0.01
"""The share of rows taken to be in overflow pages, orphans or archives where nothing says how many."""
FIRST_ELEMENT = "0"
"""An array's first element: what is known at its path is in which share of the arrays it is missing."""


@dataclass(frozen=True, slots=True)
class AverageDocuments:
    """Documents of a collection: their number, bytes and fields on average; `arrays` are elements of one array, by
    path, `array_bytes` the bytes of all of them, `bias` how much longer it is where one of its elements
    is than on average. `cold`: the share of the documents the cache does not hold.
    """

    count: float
    bytes: float
    fields: float
    known: Mapping[str, PathStatistics]
    arrays: Mapping[str, float]
    array_bytes: Mapping[str, float] = field(default_factory=dict)
    bias: Mapping[str, float] = field(default_factory=dict)
    cold: float = 0.0

    def holding(self, path: str, share: float) -> AverageDocuments:
        """The documents as they are on average when found by one of their elements: those with many are found more often.

        `share` of the documents is found; where it is all of them, they are as they were.
        """
        grown = {at: times ** (1 - share) for at, times in self.bias.items() if is_within(path, at)}
        if not grown:
            return self
        arrays = {at: count * grown.get(at, 1.0) for at, count in self.arrays.items()}
        more, above = 0.0, 1.0
        for at in sorted(grown, key=len):
            more += self.array_bytes.get(at, 0.0) * (grown[at] - 1) * above
            above *= grown[at]
        return replace(self, arrays=arrays, bytes=self.bytes + more)

    def read_bytes(self, mentioned: frozenset[str]) -> float:
        """The bytes of one document that are read; arrays that the plan does not use are skipped."""
        outermost = [path for path in self.array_bytes if not any(path.startswith(f"{at}.") for at in self.array_bytes)]
        skipped = [path for path in outermost if not any(is_within(at, path) for at in mentioned)]
        return max(ELEMENT_BYTES, self.bytes - sum(self.array_bytes[path] for path in skipped))


NO_DOCUMENTS = AverageDocuments(0.0, 0.0, 0.0, {}, {})


def documents_of(store: StoredCollection, design: Design, statistics: Statistics) -> AverageDocuments:
    """The documents of a store; those of several kinds in one collection are mixed by their numbers."""
    statistics = as_parted(store, statistics)
    counts = [_count(root, store, design.model, statistics) for root in store.roots]
    kinds = zip(store.roots, counts, strict=True)
    found = [_of_node(root, "", 1.0, design, statistics, count) for root, count in kinds]
    total = sum(counts)
    shares = [count / total if total else 1 / len(counts) for count in counts]
    known: dict[str, PathStatistics] = {}
    arrays: dict[str, float] = {}
    array_bytes: dict[str, float] = {}
    bias: dict[str, float] = {}
    for share, part in zip(shares, found, strict=True):
        for path, each in part.known.items():
            known[path] = replace(each, missing=1 - share * (1 - each.missing)) if share < 1 else each
        arrays |= {path: share * elements for path, elements in part.arrays.items()}
        bias |= part.bias
        array_bytes |= {path: share * size for path, size in part.array_bytes.items()}
    constants = sum(len(name) + FRAMING_BYTES + UNKNOWN_BYTES for name, _ in store.collection.constants)
    size = constants + sum(share * part.bytes for share, part in zip(shares, found, strict=True))
    fields = sum(share * part.fields for share, part in zip(shares, found, strict=True))
    return AverageDocuments(total, size, fields, known, arrays, array_bytes, bias)


def _count(root: Node, store: StoredCollection, model: Model, statistics: Statistics) -> float:
    rows = rows_of(root.entity, statistics)
    match store.role:
        case Role.ORPHANS if store.embedding is not None:
            link = statistics.relationship(store.embedding.relationship)
            return value_of(link.orphans, 0.0) + value_of(link.dangling, 0.0)
        case Role.ORPHANS:
            return rows * FEW_ORPHANS
        case Role.PAGES if store.embedding is not None and store.embedding.overflow is not None:
            return max(1.0, rows * FEW_ORPHANS / store.embedding.overflow.bound)
        case _:
            return rows / _events(root, model, statistics) if root.kind is NodeKind.GROUP else rows


def _events(group: Node, model: Model, statistics: Statistics) -> float:
    """Rows in one bucket or page."""
    bucket, rows = group.bucket, rows_of(group.entity, statistics)
    if bucket is None:
        overflow = group.embedding.overflow if group.embedding is not None else None
        return float(overflow.bound) if overflow is not None else 1.0
    return events_in_bucket(
        rows,
        _series(group, bucket, model, statistics),
        limit=bucket.limit,
        window_days=bucket.window.unit.days if bucket.window is not None else None,
        rows_per_day=value_of(statistics.entity(group.entity).growth_per_day, 0.0),
    )


def _series(group: Node, bucket: Bucket, model: Model, statistics: Statistics) -> float:
    """How many series there are."""
    return prod(distinct_of(group.entity, attribute, model, statistics) for attribute in bucket.by)


def _beginnings(
    group: Node, bucket: Bucket, window: BucketWindow, model: Model, statistics: Statistics
) -> PathStatistics:
    """What is known of where buckets begin: they lie as the times of their events do, one for all of a window."""
    windows = windows_of_series(
        rows_of(group.entity, statistics),
        _series(group, bucket, model, statistics),
        window_days=window.unit.days,
        rows_per_day=value_of(statistics.entity(group.entity).growth_per_day, 0.0),
    )
    times = attribute_known(group.entity, window.attribute, model, statistics)
    return PathStatistics(windows, times.missing, 8.0, values=times.values, step=1 / windows)


MOST_NATIVE_EVENTS = 1_000
"""Events of one series that the server keeps in one bucket of a time series collection at most."""


def native_events(store: StoredCollection, model: Model, statistics: Statistics) -> float:
    """Events in one of the server's own buckets of a time series collection; 1 for any other collection."""
    if store.options.kind is not CollectionKind.TIME_SERIES:
        return 1.0
    entity, meta = store.roots[0].entity, store.options.meta
    rows = rows_of(entity, statistics)
    series = distinct_of(entity, meta, model, statistics) if meta is not None else 1.0
    return rows_in_bucket(rows / max(min(series, rows), 1.0), MOST_NATIVE_EVENTS)


def _of_node(
    node: Node, at: str, each: float, design: Design, statistics: Statistics, parents: float
) -> AverageDocuments:
    """One document of a node at path `at`, of which a document of the collection holds `each`."""
    known: dict[str, PathStatistics] = {}
    arrays: dict[str, float] = {}
    array_bytes: dict[str, float] = {}
    bias: dict[str, float] = {}
    size, fields = ELEMENT_BYTES, 0.0
    for path, value in _values(node, design, statistics):
        known[join(at, path) if path else at] = replace(value, each=value.each * each)
        size += value.each * value.bytes + len(path.rsplit(".", 1)[-1]) + FRAMING_BYTES
        fields += 1
        if value.each != 1.0:
            arrays[join(at, path)] = value.each
            array_bytes[join(at, path)] = value.each * value.bytes * each
    if node.bucket is not None and node.bucket.window is not None:
        known[join(at, BUCKET_START)] = _beginnings(node, node.bucket, node.bucket.window, design.model, statistics)
    known |= {join(at, path): value for path, value in _paired(node, design, statistics)}
    for child in node.children:
        inside = join(at, child.field) if child.field else at
        per_parent = fan_out(child, node, design.model, statistics, parents)
        part = _of_node(child, inside, each * per_parent, design, statistics, parents * per_parent)
        known |= part.known
        if node.bucket is not None and node.bucket.window is not None:
            time = join(inside, child.path_of(node.bucket.window.attribute) or "")
            known |= {time: replace(known[time], window=join(at, BUCKET_START))} if time in known else {}
        arrays |= part.arrays
        array_bytes |= part.array_bytes
        bias |= part.bias
        if child.form.to_many:
            arrays[inside] = per_parent
            known[join(inside, FIRST_ELEMENT)] = PathStatistics(
                missing=_empty(child, per_parent, design, statistics), bytes=0.0, each=0.0
            )
            bias[inside] = _bias(child, statistics)
            array_bytes[inside] = each * per_parent * part.bytes
        else:
            known[inside] = PathStatistics(missing=1 - min(per_parent, 1.0), bytes=part.bytes, each=each)
        size += per_parent * part.bytes + len(child.field) + FRAMING_BYTES
        fields += per_parent * part.fields
    return AverageDocuments(1.0, size, fields, known, arrays, array_bytes, bias)


def fan_out(child: Node, parent: Node, model: Model, statistics: Statistics, parents: float) -> float:
    """Elements of one array of `child`, or the share of documents that hold it."""
    if parent.kind is NodeKind.GROUP:
        return _events(parent, model, statistics)
    embedding = child.embedding
    if embedding is None:
        return 1.0
    if embedding.slots is not None:
        return float(embedding.slots.count)
    mean = mean_fan_out(statistics.relationship(embedding.relationship), child.entity, statistics, parents)
    return min(mean, float(embedding.overflow.bound)) if embedding.overflow is not None else mean


def mean_fan_out(link: RelationshipStatistics, child: str, statistics: Statistics, parents: float) -> float:
    """Children of one parent on average."""
    if link.mean is not None:
        return link.mean.value
    rows = statistics.entity(child).count
    return rows.value / parents if rows is not None and parents else 1.0


def _empty(child: Node, mean: float, design: Design, statistics: Statistics) -> float:
    """The share of arrays without an element; of fixed slots and of what is in groups each has some."""
    embedding = child.embedding
    if embedding is None or embedding.slots is not None:
        return 0.0
    return childless(design.model.relationship(embedding.relationship), mean, statistics)


def _bias(child: Node, statistics: Statistics) -> float:
    """How much longer an array is where one of its elements is than on average."""
    return 1.0 if child.embedding is None else longer(statistics.relationship(child.embedding.relationship))


def _values(node: Node, design: Design, statistics: Statistics) -> Iterator[tuple[str, PathStatistics]]:
    """Every field of a node's own documents: its path there, and what is known of its values."""
    for stored in node.stored:
        known = attribute_known(node.entity, stored.attribute, design.model, statistics)
        elements = elements_of(node.entity, stored.attribute, design.model, statistics)
        yield stored.path, known if elements is None else _of_elements(known, elements)
    for pairs in node.body.pairs:
        values = [attribute_known(node.entity, attribute, design.model, statistics) for attribute in pairs.attributes]
        there = sum(1 - value.missing for value in values)
        size = sum((1 - value.missing) * value.bytes for value in values) / there if there else UNKNOWN_BYTES
        yield pairs.field, PathStatistics(bytes=size + 3 * FRAMING_BYTES + UNKNOWN_BYTES, each=there)
    for reference in node.body.references:
        if reference.holder is Holder.PARENT:
            yield reference.field, _ids(reference, design, statistics)
    for copy in node.body.copies:
        yield from _copied(copy, design, statistics)
    for computed in node.body.computed:
        yield computed.field, PathStatistics(bytes=8.0)


def _of_elements(known: PathStatistics, elements: ArrayElements) -> PathStatistics:
    """An array as the server's indexes take it: so many values at one path."""
    each = max(elements.each, 1.0)
    return replace(known, distinct=elements.distinct, bytes=known.bytes / each, each=each, values=None)


def _paired(node: Node, design: Design, statistics: Statistics) -> Iterator[tuple[str, PathStatistics]]:
    """What is known of each value in a list of pairs, under the list and its name."""
    for pairs in node.body.pairs:
        for name in pairs.attributes:
            known = attribute_known(node.entity, name, design.model, statistics)
            yield join(pairs.field, stored_name(name)), known


def _ids(reference: Reference, design: Design, statistics: Statistics) -> PathStatistics:
    link = design.model.relationship(reference.relationship)
    child = statistics.entity(link.child)
    key = design.model.entity(link.child).key
    size = sum(value_of(child.attribute(name).average_bytes, UNKNOWN_BYTES) for name in key) + FRAMING_BYTES
    size += sum(value_of(child.attribute(copied.attribute).average_bytes, UNKNOWN_BYTES) for copied in reference.copied)
    known, parents = statistics.relationship(reference.relationship), rows_of(link.parent, statistics)
    return PathStatistics(
        value_of(child.count, UNKNOWN_ROWS), 0.0, size, mean_fan_out(known, link.child, statistics, parents)
    )


def _copied(copy: Copy, design: Design, statistics: Statistics) -> Iterator[tuple[str, PathStatistics]]:
    entity = copy.path[-1].target(design.model)
    rows = rows_on_the_way(copy.path[0].relationship, statistics) if copy.closure else 1.0
    for hop in copy.path:
        link = design.model.relationship(hop.relationship)
        if not hop.to_one(design.model):
            rows *= mean_fan_out(
                statistics.relationship(hop.relationship), link.child, statistics, rows_of(link.parent, statistics)
            )
    rows = min(rows, copy.limit) if copy.limit is not None else rows
    values = [
        (each.path, attribute_known(entity, each.attribute, design.model, statistics)) for each in copy.attributes
    ]
    if not copy.form.to_many:
        prefix = "" if copy.form is Form.INLINE else copy.name
        yield from ((join(prefix, path), value) for path, value in values)
        return
    size = ELEMENT_BYTES + sum(value.bytes + len(path) + FRAMING_BYTES for path, value in values)
    distinct = values[0][1].distinct if copy.form is Form.SCALARS else None
    yield copy.name, PathStatistics(distinct, bytes=size, each=rows)
    for path, value in values if copy.form is Form.ARRAY else ():
        yield join(copy.name, path), replace(value, bytes=0.0, each=rows)
