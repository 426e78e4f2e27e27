"""Documents as applications leave them and filters on them: fields that are missing or null, sub-documents, arrays of values, of
documents and of documents with arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Any

from hypothesis import strategies as st

Filter = dict[str, Any]
Document = dict[str, Any]
DAYS = tuple(datetime(2024, 1, day) for day in (1, 2, 3))  # noqa: DTZ001 - as the driver reads it
TEXTS = ("a", "ab", "b", "x")
NUMBERS = (-1, 0, 1, 2, 3)
POOLS: dict[str, tuple[Any, ...]] = {
    "number": NUMBERS,
    "text": TEXTS,
    "day": DAYS,
    "bool": (True, False),
    "mixed": (1, 2, "a", "b"),
}
SCALARS = {
    "n": "number",
    "s": "text",
    "d": "day",
    "b": "bool",
    "m": "number",
    "mixed": "mixed",
    "addr.city": "text",
    "addr.zip": "number",
}
"""Paths to one value, and of what kind it is."""
ELEMENTS = {"qty": "number", "sku": "text", "subs.x": "number", "marks": "text", "size.w": "number", "size.h": "number"}
ARRAYS = {"tags": "text", "nums": "number"}
RANGES = ("$gt", "$gte", "$lt", "$lte")


def documents(seed: int, count: int, *, nothing: bool) -> list[Document]:
    """Documents; `nothing`: some fields are null, and some arrays empty."""
    chance = Random(seed)
    return [_document(chance, number, nothing=nothing) for number in range(count)]


def _document(chance: Random, number: int, *, nothing: bool) -> Document:
    lines = iter(range(number * 10, number * 10 + 10))

    def several(make: Callable[[], Any]) -> Callable[[], list[Any]]:
        return lambda: [make() for _ in range(chance.choice((0, 1, 1, 2, 3) if nothing else (1, 1, 2, 3)))]

    def one(kind: str) -> Callable[[], Any]:
        return lambda: chance.choice(POOLS[kind])

    def given(makers: dict[str, Callable[[], Any]]) -> Document:
        made: Document = {}
        for name, make in makers.items():
            lot = chance.random()
            if lot < 0.65:
                made[name] = make()
            elif lot < 0.8 and nothing:
                made[name] = None
        return made

    def element() -> Document:
        inner = given(
            {
                "qty": one("number"),
                "sku": one("text"),
                "subs": several(lambda: {"y": chance.randrange(3), **given({"x": one("number")})}),
                "marks": several(one("text")),
                "size": lambda: {"w": chance.choice(NUMBERS), **given({"h": one("number")})},
            }
        )
        return {"no": next(lines), **inner}

    return {"_id": number, "mark": "old"} | given(
        {
            **{name: one(kind) for name, kind in SCALARS.items() if "." not in name},
            "j": lambda: chance.choice((1, "a", [1, 2], [], {"a": 1})),
            "addr": lambda: {"city": chance.choice(TEXTS), **given({"zip": one("number")})},
            "items": several(element),
            "tags": several(one("text")),
            "nums": several(lambda: chance.choice((*NUMBERS, None)) if nothing else chance.choice(NUMBERS)),
        }
    )


@dataclass
class _Values:
    """The values of a filter: those at the same place are equal, as a capture keeps one sample for each place."""

    draw: st.DrawFn
    known: dict[tuple[str, str], Any] = field(default_factory=dict)

    def at(self, path: str, name: str, kind: str) -> Any:
        """The value a field is compared with; sometimes null or of another type."""
        if (path, name) not in self.known:
            lot = self.draw(st.integers(0, 19))
            pool = (
                POOLS[kind] if lot < 17 else (None,) if lot < 19 else POOLS[self.draw(st.sampled_from(sorted(POOLS)))]
            )
            self.known[path, name] = self.draw(st.sampled_from(pool))
        return self.known[path, name]

    def several(self, path: str, name: str, kind: str) -> list[Any]:
        """The values of a list."""
        if (path, name) not in self.known:
            found = self.draw(st.lists(st.sampled_from(POOLS[kind]), max_size=3, unique=True))
            self.known[path, name] = [*found, None] if self.draw(st.integers(0, 5)) == 0 else found
        return list(self.known[path, name])


@st.composite
def filters(draw: st.DrawFn) -> Filter:
    """A filter of a few fields and levels."""
    return _filter(draw, _Values(draw), 2)


@st.composite
def element_filters(draw: st.DrawFn) -> Filter:
    """A filter of fields in the elements of `items`."""
    values, paths = _Values(draw), sorted(f"items.{each}" for each in ELEMENTS)
    chosen = draw(st.lists(st.sampled_from(paths), min_size=1, max_size=2, unique=True))
    return {path: _tests(draw, values, path, ELEMENTS[path.removeprefix("items.")]) for path in chosen}


def _filter(draw: st.DrawFn, values: _Values, depth: int) -> Filter:
    made: Filter = {}
    for _ in range(draw(st.integers(1, 2))):
        kind = draw(st.sampled_from(("field", "field", "field", "array", "array", "several", "expression")))
        if kind == "several" and depth:
            name = draw(st.sampled_from(("$and", "$or", "$nor", "$nor")))
            made[name] = [_filter(draw, values, depth - 1) for _ in range(draw(st.integers(1, 2)))]
        elif kind == "expression":
            made["$expr"] = _expression(draw, 2)
        elif kind == "array":
            made |= _of_array(draw, values)
        else:
            path = draw(st.sampled_from((*sorted(SCALARS), "j")))
            made[path] = _tests(draw, values, path, SCALARS.get(path, "number"))
    return made


def _of_array(draw: st.DrawFn, values: _Values) -> Filter:
    path = draw(st.sampled_from(("items", *ARRAYS, *(f"items.{each}" for each in ELEMENTS), "items.subs", "addr")))
    if path == "addr":
        fields = ("city", "zip") if draw(st.booleans()) else ("city",)
        whole = {name: values.at(f"addr.{name}", "$eq", SCALARS[f"addr.{name}"]) for name in fields}
        test: Filter = draw(st.sampled_from(({"$eq": whole}, {"$ne": whole}, {"$exists": True}, {"$eq": None})))
    elif path in ("items", "items.subs") or (path in ARRAYS and draw(st.booleans())):
        test = _whole(draw, values, path)
    else:
        kind = ARRAYS.get(path) or ELEMENTS[path.removeprefix("items.")]
        test = _tests(draw, values, path, kind)
        if draw(st.integers(0, 5)) == 0:
            test = {"$all": values.several(path, "$all", kind)}
    return {path: _perhaps_negated(draw, test)}


def _whole(draw: st.DrawFn, values: _Values, path: str) -> Filter:
    """Tests of an array as a whole, or of one of its elements."""
    name = draw(st.sampled_from(("$exists", "$size", "$eq", "$ne", "null", "$elemMatch", "$elemMatch", "$elemMatch")))
    match name:
        case "$exists":
            return {name: draw(st.booleans())}
        case "$size":
            return {name: values.known.setdefault((path, name), draw(st.integers(0, 2)))}
        case "$eq" | "$ne":
            return {name: []}
        case "null":
            return {draw(st.sampled_from(("$eq", "$ne"))): None}
        case _ if path in ARRAYS:
            return {name: _tests(draw, values, path, ARRAYS[path])}
        case _:
            inner = {f"items.{each}": kind for each, kind in ELEMENTS.items()} if path == "items" else {}
            return {name: _element(draw, values, path, inner or {"items.subs.x": "number"})}


def _element(draw: st.DrawFn, values: _Values, path: str, inner: dict[str, str]) -> Filter:
    chosen = draw(st.lists(st.sampled_from(sorted(inner)), min_size=1, max_size=2, unique=True))
    made = {each[len(path) + 1 :]: _tests(draw, values, each, inner[each]) for each in chosen}
    if draw(st.integers(0, 4)) == 0:
        return {draw(st.sampled_from(("$or", "$nor"))): [{name: test} for name, test in made.items()]}
    return made


def _perhaps_negated(draw: st.DrawFn, test: Filter) -> Filter:
    return {"$not": test} if draw(st.integers(0, 3)) == 0 else test


def _tests(draw: st.DrawFn, values: _Values, path: str, kind: str) -> Filter:
    plain = ("$eq", "$ne", "$in", "$nin", "$exists")  # values of several types are in no order in SQLite
    name = draw(st.sampled_from((*plain, *(("$mod", "$regex", "range", "range") if kind != "mixed" else ()))))
    ranges = st.lists(st.sampled_from(RANGES), min_size=1, max_size=2, unique=True)
    found: Filter = {}
    for each in draw(ranges) if name == "range" else (name,):
        match each:
            case "$exists":
                found[each] = draw(st.booleans())
            case "$in" | "$nin":
                found[each] = values.several(path, each, kind)
            case "$mod":
                found[each] = values.known.setdefault((path, each), [2, draw(st.integers(0, 1))])
            case "$regex":
                found[each] = draw(st.sampled_from(("^a", "b")))
            case _:
                found[each] = values.at(path, each, kind)
    if draw(st.integers(0, 5)) == 0:
        found["$ne"] = None
    return _perhaps_negated(draw, found)


def _expression(draw: st.DrawFn, depth: int) -> Any:
    """An expression without parameters: of fields, null and the numbers that a capture keeps."""
    kind = draw(st.sampled_from(("compared", "compared", "$and", "$or", "$not", "$in") if depth else ("compared",)))
    if kind in ("$and", "$or"):
        return {kind: [_expression(draw, depth - 1) for _ in range(2)]}
    if kind == "$not":
        return {kind: [_expression(draw, depth - 1)]}
    one = draw(st.sampled_from(("$n", "$m", "$addr.zip")))
    if kind == "$in":
        return {kind: [one, [0, 1]]}
    name = draw(st.sampled_from(("$eq", "$ne", *RANGES)))
    other = draw(st.sampled_from(("$m", 0, 1, None)))
    return {name: [other, one] if draw(st.booleans()) else [one, other]}
