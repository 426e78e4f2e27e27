"""Facts about all documents of a collection that is too large to read: a sample finds the paths, one `$group` measures them.

It counts types, array lengths, and the largest text, array and document; a second pass measures only what the sample did not
predict. For the inside of arrays, and for quantiles, the sample remains the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pymongo.database import Database

from nestling.executors.facts.path_tree import LARGEST_INTEGER, SMALLEST_FRACTION
from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.ir.facts import ELEMENT, CollectionFacts, PathFacts, Quantiles, text_forms
from nestling.ir.facts.steps import is_plain

_T = TypeVar("_T")
MOST_PATHS = 200
"""Paths measured for a collection; those in most documents come first."""
_SIZED = {"string": "$strLenBytes", "binData": "$binarySize"}
_OVERHEAD_BYTES = 5
WIDE_BYTES = 65_536
"""The size of a document from which on its widest values are measured."""


def with_measures(collection: CollectionFacts, database: Database[FoundDocument], asking: Asking) -> CollectionFacts:
    """The collection with the results of a pass over all its documents; unchanged if the server runs out of time."""
    sample = collection.sample.documents if collection.sample else 0
    paths = [path for path in collection.paths if ELEMENT not in path.steps and is_plain(path.steps)]
    chosen = sorted(paths, key=lambda path: (-path.documents, path.steps))[:MOST_PATHS]
    group: FoundDocument = {"n": {"$sum": 1}, "x": {"$max": {"$bsonSize": "$$ROOT"}}}
    for place, path in enumerate(chosen):
        always = len(path.types) == 1 and path.documents == sample
        group |= _exceptions(place, path) if always else _types_counted(place, path)
        group |= _lengths_counted(place, path)
        group |= {} if always else _forms_counted(place, path)
    what = f"a pass over all documents of {collection.namespace}"
    rows = asking.aggregate(database, collection.name, what, [{"$group": {"_id": None} | group}])
    if not rows:
        return collection
    odd = _again(chosen, rows[0])
    more = asking.aggregate(database, collection.name, what, [{"$group": {"_id": None} | odd}]) if odd else []
    if odd and not more:
        return collection
    return _merged(collection, chosen, rows[0] | (more[0] if more else {}))


def _is(path: PathFacts, name: str) -> FoundDocument:
    return {"$eq": [{"$type": f"${path.field}"}, name]}


def _exceptions(place: int, path: PathFacts) -> FoundDocument:
    """For a path with one type in the sample: how many documents differ, usually none."""
    return {f"o{place}": {"$sum": {"$cond": [_is(path, path.types[0][0]), 0, 1]}}}


def _types_counted(place: int, path: PathFacts) -> FoundDocument:
    kinds = [*(name for name, _ in path.types), "missing"]
    return {f"t{place}_{name}": {"$sum": {"$cond": [_is(path, name), 1, 0]}} for name in kinds}


def _forms_counted(place: int, path: PathFacts) -> FoundDocument:
    """How many texts among values of other types represent such values, counted exactly for the conversion."""
    value = f"${path.field}"
    if {name for name, _ in path.types} <= {"string", "null"}:
        return {}
    counted = {}
    for name, pattern in text_forms.COUNTED.items():
        fits: FoundDocument = {"$regexMatch": {"input": value, "regex": rf"^(?:{pattern})\z"}}
        counted[f"f{place}_{name}"] = {"$cond": [_is(path, "string"), fits, False]}
    counted[f"e{place}"] = {"$eq": [value, ""]}
    if path.count("bool"):
        counted[f"f{place}_{text_forms.BIT}"] = {"$in": [value, [0, 1]]}
    if path.count("double"):
        counted[f"f{place}_{text_forms.INEXACT}"] = {"$and": [_is(path, "double"), {"$not": [_is_written(value)]}]}
        decimal = {"$convert": {"input": value, "to": "decimal", "onError": value}}
        counted[f"f{place}_{text_forms.FRACTION}"] = {"$and": [_is(path, "double"), {"$ne": [decimal, value]}]}
    return {name: {"$sum": {"$cond": [condition, 1, 0]}} for name, condition in counted.items()}


def _is_written(value: str) -> FoundDocument:
    """Whether a text can hold a double exactly (`tree` asks the same)."""
    decimal = {"$convert": {"input": value, "to": "decimal", "onError": None}}
    same = {"$eq": [{"$convert": {"input": decimal, "to": "double", "onError": None}}, value]}
    size = {"$abs": value}
    is_whole = {"$eq": [{"$convert": {"input": value, "to": "long", "onError": None}}, value]}
    in_digits = {"$and": [same, {"$gte": [size, SMALLEST_FRACTION]}, {"$lt": [size, LARGEST_INTEGER]}]}
    return {"$or": [is_whole, in_digits]}


def _lengths_counted(place: int, path: PathFacts) -> FoundDocument:
    if not path.count("array"):
        return {}
    length = {"$cond": [{"$isArray": f"${path.field}"}, {"$size": f"${path.field}"}, 0]}
    return {f"l{place}": {"$sum": length}, f"m{place}": {"$max": length}}


def _again(chosen: list[PathFacts], row: Mapping[str, Any]) -> FoundDocument:
    """The query of a second pass: what the sample did not predict, and the widths of values in wide documents."""
    group: FoundDocument = {}
    for place, path in enumerate(chosen):
        if row.get(f"o{place}"):
            group |= _types_counted(place, path) | _forms_counted(place, path)
        if row.get(f"o{place}") or (f"o{place}" not in row and _unknown(place, path, row)):
            group[f"k{place}"] = {"$addToSet": {"$type": f"${path.field}"}}
        for name, size in _SIZED.items() if row["x"] > WIDE_BYTES else ():
            if path.count(name):
                group[f"w{place}_{name}"] = {"$max": {"$cond": [_is(path, name), {size: f"${path.field}"}, 0]}}
    return group


def _unknown(place: int, path: PathFacts, row: Mapping[str, Any]) -> int:
    """How many values have a type the sample did not show."""
    return int(row["n"] - row[f"t{place}_missing"] - sum(row[f"t{place}_{name}"] for name, _ in path.types))


def _merged(collection: CollectionFacts, chosen: list[PathFacts], row: Mapping[str, Any]) -> CollectionFacts:
    documents = int(row["n"])
    types = {path.steps: _types(place, path, row) for place, path in enumerate(chosen)}
    places = {path.steps: place for place, path in enumerate(chosen)}

    def of(path: PathFacts) -> PathFacts:
        if path.steps not in places:
            return path
        parents = dict(types.get(path.steps[:-1], ())).get("object", 0) if len(path.steps) > 1 else documents
        return _path(path, places[path.steps], types[path.steps], parents, row)

    sizes = collection.sizes
    if sizes is not None:
        mean = collection.storage.mean_bytes if collection.storage else sizes.mean
        sizes = replace(sizes, count=documents, mean=mean, max=float(row["x"]))
    return replace(collection, sizes=sizes, paths=tuple(of(path) for path in collection.paths))


def _types(place: int, path: PathFacts, row: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    """Types with their counts. Of several types the sample did not show, all but the first count once."""
    if f"t{place}_missing" not in row:
        return ((path.types[0][0], int(row["n"])),)
    known = {name: int(row[f"t{place}_{name}"]) for name, _ in path.types}
    new = sorted(set(row.get(f"k{place}", ())) - known.keys() - {"missing"})
    for kind in new[1:]:
        known[kind] = 1
    if new:
        known[new[0]] = _unknown(place, path, row) - len(new) + 1
    return tuple(sorted((name, count) for name, count in known.items() if count))


def _path(
    path: PathFacts, place: int, types: tuple[tuple[str, int], ...], parents: int, row: Mapping[str, Any]
) -> PathFacts:
    present = sum(count for _, count in types)
    scale = present / max(path.present, 1)
    is_text = f"e{place}" in row and not {"array", "object"} & dict(types).keys()
    lengths = path.lengths
    if lengths is not None:
        arrays = dict(types).get("array", 0)
        mean = row[f"l{place}"] / max(arrays, 1)
        lengths = replace(lengths, count=arrays, mean=mean, max=float(row[f"m{place}"] or 0))
    return replace(
        path,
        types=types,
        parents=parents,
        documents=present,
        size_bytes=round(path.size_bytes * scale),
        widths=_widths(path.widths, place, row),
        lengths=lengths,
        empty=row.get(f"e{place}", 0) if is_text else round(path.empty * scale),
        dateless=round(path.dateless * dict(types).get("string", 0) / max(path.count("string"), 1)),
        subtypes=_shares(path.subtypes, path.count("binData"), dict(types).get("binData", 0)),
        forms=_forms(place, path, dict(types).get("string", 0), row),
        exact=True,
    )


def _forms(place: int, path: PathFacts, texts: int, row: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    """What texts represent, counted where it matters, otherwise by the shares of the sample."""
    names = (*text_forms.COUNTED, text_forms.BIT, text_forms.INEXACT, text_forms.FRACTION)
    if f"e{place}" not in row:
        return _shares(path.forms, path.count("string"), texts)
    return tuple(sorted((name, int(found)) for name in names if (found := row.get(f"f{place}_{name}"))))


def _shares(counts: tuple[tuple[_T, int], ...], sampled: int, values: int) -> tuple[tuple[_T, int], ...]:
    """Counts among so many values, in the shares of the sample."""
    scale = values / max(sampled, 1)
    return tuple((name, max(round(count * scale), 1)) for name, count in counts if values)


def _widths(widths: Quantiles | None, place: int, row: Mapping[str, Any]) -> Quantiles | None:
    found = [row.get(f"w{place}_{name}") or 0 for name in _SIZED]
    most = max(found)
    if widths is None or not most:
        return widths
    return replace(widths, max=max(widths.max, float(most + _OVERHEAD_BYTES)))
