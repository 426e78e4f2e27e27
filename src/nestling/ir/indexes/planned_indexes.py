"""The indexes of a design: those it names and those it needs anyway, as few as possible; and impossible ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.indexes.bucket_indexes import bucket_purpose
from nestling.ir.indexes.embedded_uniques import Kept, kept_inside
from nestling.ir.indexes.needed_indexes import identity_index, needed_indexes
from nestling.ir.indexes.planned_index import PlannedIndex
from nestling.ir.once import once
from nestling.ir.primitives import CollectionKind, Index
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.clause import ClauseOperator, imply
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.array_paths import array_paths
from nestling.ir.storage.collations import identity_is_collated, index_collation, is_followed
from nestling.ir.storage.layout import StoredCollection
from nestling.ir.storage.names import is_within, join

KEYS_PER_INDEX = 32
INDEXES_PER_COLLECTION = 63  # the server's 64 without the one on `_id`


def planned_indexes(design: Design) -> tuple[PlannedIndex, ...]:
    """Every index to create, by collection in design order; impossible ones are in `index_gaps`."""
    return _planned(design)[0]


def named_indexes(design: Design) -> tuple[PlannedIndex, ...]:
    """The indexes that the design names, without others: all that exist if it describes a live database.

    Only an `_id` of texts has its index as the source compares it, which is the server's own there.
    """
    found: list[PlannedIndex] = []
    for store in design.stores:
        own = [_named(design, index) for index in design.indexes if index.collection == store.name]
        own += [identity_index(store)] if identity_is_collated(design, store) else []
        merged = _merged(next(_by_comparison(design, index)) for index in own)
        found += [index for number, index in enumerate(merged) if _gap(design, store, index, number) is None]
    return tuple(found)


def built_besides(design: Design) -> tuple[PlannedIndex, ...]:
    """The planned indexes that the design does not name: they keep keys unique, and references and upkeep fast."""
    return tuple(index for index in planned_indexes(design) if not index.named)


def unweighed(design: Design) -> tuple[PlannedIndex, ...]:
    """The planned indexes that were not weighed against statements: unnamed ones, and those that buckets always have."""
    of_buckets = [each for each in design.indexes if bucket_purpose(design, each) is not None]
    serving = {(each.collection, each.keys) for each in design.indexes if each.serves}

    def is_told(index: PlannedIndex) -> bool:
        begun = (each.keys for each in of_buckets if each.collection == index.collection)
        is_of_buckets = any(index.keys[: len(keys)] == keys for keys in begun)
        return not index.named or (is_of_buckets and (index.collection, index.keys) not in serving)

    return tuple(filter(is_told, planned_indexes(design)))


def index_gaps(design: Design) -> tuple[Gap, ...]:
    """The keys and references that the server cannot index or check."""
    return _planned(design)[1]


@once
def _planned(design: Design) -> tuple[tuple[PlannedIndex, ...], tuple[Gap, ...]]:
    wanted: dict[str, list[PlannedIndex]] = {store.name: [] for store in design.stores}
    for index in (*(_named(design, each) for each in design.indexes), *needed_indexes(design)):
        wanted[index.collection] += _by_comparison(design, index)
    kept: list[PlannedIndex] = []
    gaps: list[Gap] = []
    for store in design.stores:
        found = _without_covered(_merged(_aligned(wanted[store.name])))
        for number, index in enumerate(found):
            gap = _gap(design, store, index, number)
            gaps.extend([gap] if gap else [])
            kept.extend([] if gap else [index])
    return tuple(kept), (*gaps, *_unchecked_keys(design))


def _by_comparison(design: Design, index: PlannedIndex) -> Iterator[PlannedIndex]:
    """The index as the source compares its texts, and also an exact one if unchanged values lead to documents."""
    if index.collation is not Collation.BINARY:
        yield index
        return
    store, paths = design.store(index.collection), [path for path, _ in index.keys]
    collation = index_collation(design, store, paths, unique=index.unique)
    yield replace(index, collation=collation, sparse=_is_sparse(design, store, index))
    if collation is not Collation.BINARY and paths[0] != "_id" and is_followed(design, store, paths):
        reasons = tuple(f"{reason}, exactly" for reason in index.reasons)
        yield replace(index, unique=False, reasons=reasons, named=False)


def _is_sparse(design: Design, store: StoredCollection, index: PlannedIndex) -> bool:
    """Whether it is unique over array elements that all have its fields: `$elemMatch` can use no other partial index."""
    present = {each.name for each in index.partial if each.comparison is ClauseOperator.PRESENT}
    paths = {path for path, _ in index.keys}
    return (
        index.unique
        and len(index.partial) == len(present)
        and present == paths
        and _leads_into_array(design, store, index)
    )


def _named(design: Design, index: Index) -> PlannedIndex:
    purpose = bucket_purpose(design, index)
    reasons = tuple(f"serves {name}" for name in index.serves) or (purpose[1] if purpose else "named by the design",)
    about = frozenset((purpose[0],)) if purpose else frozenset[str]()
    expires = index.expire_after_seconds
    rule = Collation.UNICODE_CI if index.any_case else Collation.BINARY
    return PlannedIndex(
        index.collection, index.keys, reasons, index.unique, index.partial, expires, rule, named=True, about=about
    )


def _gap(design: Design, store: StoredCollection, index: PlannedIndex, number: int) -> Gap | None:
    """Why the server cannot have an index, or None."""
    on = ", ".join(path for path, _ in index.keys)
    if store.options.kind is CollectionKind.TIME_SERIES and index.unique:
        return Gap(GapKind.NOTYET, f"a time series collection cannot have a unique index ({on})", store.name)
    if store.options.kind is CollectionKind.TIME_SERIES and index.expire_after_seconds is not None:
        return Gap(
            GapKind.NOTYET, f"a time series collection expires by its own setting, not by an index ({on})", store.name
        )
    if store.options.kind is CollectionKind.TIME_SERIES and _leads_into_array(design, store, index):
        return Gap(GapKind.NOTYET, f"a time series collection cannot have an index over arrays ({on})", store.name)
    if len(index.keys) > KEYS_PER_INDEX:
        return Gap(
            GapKind.NEVER, f"an index has at most {KEYS_PER_INDEX} fields, not {len(index.keys)} ({on})", store.name
        )
    if number >= INDEXES_PER_COLLECTION:
        return Gap(
            GapKind.NEVER, f"a collection has at most {INDEXES_PER_COLLECTION + 1} indexes; left out: {on}", store.name
        )
    return None


def _leads_into_array(design: Design, store: StoredCollection, index: PlannedIndex) -> bool:
    """Whether a field of the index may be in an array, except for a time series' own tag."""
    arrays = tuple(path for path in array_paths(store, design.model) if path != store.options.meta)
    return any(is_within(path, array) for path, _ in index.keys for array in arrays)


def _unchecked_keys(design: Design) -> Iterator[Gap]:
    """Keys of rows inside arrays: an index compares documents, not the elements of one."""
    for name, places in design.places.items():
        entity = design.model.entity(name)
        if entity.unique_groups and any(place.node.form.to_many for place in places if place.copy is None):
            place = next(place for place in places if place.node.form.to_many)
            is_between = all(kept_inside(entity, group, place) is not Kept.NOWHERE for group in entity.unique_groups)
            within = " within one document" if is_between else ""
            what = f"the server does not enforce unique keys of `{name}`{within}: its rows are in an array"
            yield Gap(GapKind.NEVER, what, join(place.store.name, place.path))


# --- one index instead of several ----------------------------------------------------------------------------------------


def _aligned(indexes: Sequence[PlannedIndex]) -> Iterator[PlannedIndex]:
    """The indexes, each that may have its fields in any order in that of one which begins with them, if possible a fixed one."""
    known = [each for each in indexes if not each.in_any_order]
    for index in indexes:
        own, size = set(index.keys), len(index.keys)
        alike = (each for each in known if each.collation is index.collation and not each.partial)
        found = next((each.keys[:size] for each in alike if set(each.keys[:size]) == own), index.keys)
        aligned = replace(index, keys=found) if index.in_any_order else index
        known += [aligned] if index.in_any_order else []
        yield aligned


def _merged(indexes: Iterable[PlannedIndex]) -> list[PlannedIndex]:
    """Indexes that differ in nothing but why they are there become one."""
    merged: dict[PlannedIndex, list[PlannedIndex]] = {}
    for index in indexes:
        merged.setdefault(_unexplained(index), []).append(index)
    return [_for_all(index, alike) for index, alike in merged.items()]


def _unexplained(index: PlannedIndex) -> PlannedIndex:
    """The index without its purpose."""
    return replace(index, reasons=(), named=False, about=frozenset(), in_any_order=False)


def _for_all(index: PlannedIndex, served: Iterable[PlannedIndex]) -> PlannedIndex:
    """The index, there for all that several are there for."""
    served = tuple(served)
    reasons = tuple(dict.fromkeys(reason for each in served for reason in each.reasons))
    about = frozenset(name for each in served for name in each.about)
    return replace(index, reasons=reasons, named=any(each.named for each in served), about=about)


def _without_covered(indexes: list[PlannedIndex]) -> list[PlannedIndex]:
    """Remove plain indexes that are the beginning of another one, and unique ones weaker than another on the same fields.

    The remaining one takes over their purposes.
    """
    serving = {index.name: [index] for index in indexes}
    kept = []
    for index in indexes:
        covering = [other for other in indexes if other is not index and _covers(other, index)]
        if covering:
            serving[max(covering, key=lambda other: (len(other.keys), -len(other.partial))).name].append(index)
        else:
            kept.append(index)
    return [_for_all(index, serving[index.name]) for index in kept]


def _of_all(index: PlannedIndex) -> PlannedIndex:
    """The index as one over all documents."""
    return replace(_unexplained(index), partial=(), sparse=False)


def _covers(other: PlannedIndex, index: PlannedIndex) -> bool:
    if index.unique and _of_all(other) == _of_all(index):
        return imply(index.partial, other.partial) and not imply(other.partial, index.partial)
    if index.unique or index.partial or index.expire_after_seconds is not None or other.partial:
        return False
    if other.collation is not index.collation:
        return False
    begins = other.keys[: len(index.keys)] == index.keys
    return begins and (len(other.keys) > len(index.keys) or other.unique or other.expire_after_seconds is not None)
