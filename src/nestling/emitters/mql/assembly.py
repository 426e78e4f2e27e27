"""Documents of another design as one aggregation over the rows of an entity's home."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias, cast

from nestling.ir.migration import AssembledPart, Assembly, HomePlace
from nestling.ir.model import Model
from nestling.ir.paths.access_path import column_field
from nestling.ir.primitives import Form
from nestling.ir.programs.command import Aggregation
from nestling.ir.programs.compiled import Mql

Source: TypeAlias = Callable[[str], str]
"""From an attribute to where its value is, as an expression."""
_VALUE = "v"
_PART = "part "


def assembled(made: Assembly, model: Model, home: Aggregation, places: Sequence[HomePlace]) -> Aggregation:
    """The aggregation that makes documents from an entity's rows. `places`: where these are; `home`: the query for all."""
    source, rows = _rows(made, model, home, places)
    missing = _without(made, source, model)
    return _then(rows, *missing, *_lookups(made, model, source), {"$replaceWith": _document(made, source)})


def gathered_rows(kept: HomePlace, home: Aggregation) -> Aggregation:
    """The aggregation that stores an entity's rows at a place."""
    columns = {path: f"${column_field(home.columns.index(name))}" for name, path in kept.paths.items()}
    return _then(home, {"$replaceWith": columns})


def _without(made: Assembly, source: Source, model: Model) -> tuple[Mql, ...]:
    """The stages that exclude rows for which something exists."""
    if made.without is None:
        return ()
    lookup = _lookup(source, model, made.without, len(made.parts))
    return lookup, {"$match": {f"{_PART}{len(made.parts)}": []}}


def gathered(part: AssembledPart, model: Model, home: Aggregation, places: Sequence[HomePlace]) -> Aggregation:
    """The aggregation that makes the rows of a gathered part, each with its element if that has parts of its own."""
    source, rows = _rows(part.body, model, home, places)
    row = {path: source(attribute) for attribute, path in part.home.paths.items()}
    element = {_VALUE: _document(part.body, source)} if part.body.parts else {}
    return _then(rows, *_lookups(part.body, model, source), {"$replaceWith": row | element})


def _rows(made: Assembly, model: Model, home: Aggregation, places: Sequence[HomePlace]) -> tuple[Source, Aggregation]:
    """The query of rows, and where attributes are after it.

    Where rows are plain documents, their collection is joined before anything else is done, which the server does fastest.
    """
    plain = made.rows or (places[0] if len(places) == 1 and places[0].is_plain else None)
    if plain is not None:
        return _fields(plain, ""), replace(plain.query, stages=())
    return _columns(made, model), home


def _then(query: Aggregation, *stages: Mql) -> Aggregation:
    return replace(query, stages=(*query.stages, *stages))


def _lookups(made: Assembly, model: Model, source: Source) -> tuple[Mql, ...]:
    return tuple(_lookup(source, model, part, number) for number, part in enumerate(made.parts))


def _columns(made: Assembly, model: Model) -> Source:
    """Attributes as columns of rows."""
    names = model.entity(made.entity).attribute_names
    return lambda name: f"${column_field(names.index(name))}"


def _fields(place: HomePlace, prefix: str) -> Source:
    """Attributes as fields of documents."""
    return lambda name: f"${prefix}{place.paths[name]}"


def _document(made: Assembly, source: Source) -> Mql:
    """The document of a row, its parts joined; fields whose value is missing are left out."""
    document: Mql = {}
    if made.id:
        is_whole = not made.id[0][0]
        document["_id"] = source(made.id[0][1]) if is_whole else {name: source(a) for name, a in made.id}
    document |= {name: {"$literal": value} for name, value in made.constants}
    for name, attribute in made.fields:
        value = source(attribute)
        document[name] = {"$ifNull": [value, "$$REMOVE"]} if attribute in made.never_null else value
    return document | {part.field: _held(part, number) for number, part in enumerate(made.parts)}


def _held(part: AssembledPart, number: int) -> object:
    """The children in a document, from the lookup's result."""
    field: object = f"${_PART}{number}"
    if not _is_joined_plainly(part):
        return {"$first": field} if part.form is Form.OBJECT else _unwrapped(part, field, f"$$this.{_VALUE}")
    source = _fields(part.home, "$this.")
    element: object = f"$$this.{_VALUE}" if part.body.parts else _document(part.body, source)
    if part.form is Form.OBJECT:
        return {"$first": {"$map": {"input": field, "in": element}}}
    ordered = {"$sortArray": {"input": field, "sortBy": {part.home.paths[name]: way for name, way in part.order}}}
    if part.form is Form.SCALARS:
        return _unwrapped(part, ordered, source(part.body.fields[0][1]))
    return {"$map": {"input": ordered, "in": element}}


def _unwrapped(part: AssembledPart, array: object, value: str) -> object:
    """Unwrap bare values if that is the form; a missing value becomes null."""
    if part.form is not Form.SCALARS:
        return array
    return {"$map": {"input": array, "in": {"$ifNull": [value, None]}}}


def _is_joined_plainly(part: AssembledPart) -> bool:
    """Whether the join returns the children as stored, to be shaped afterwards, which is fastest."""
    return part.home.is_plain and len(part.child) == 1


def _lookup(source: Source, model: Model, part: AssembledPart, number: int) -> Mql:
    """The children by the first attribute that links them, then by the others."""
    lookup: Mql = {
        "from": part.home.query.collection,
        "localField": source(part.parent[0])[1:],
        "foreignField": part.home.paths[part.child[0]],
        "as": f"{_PART}{number}",
    }
    if _is_joined_plainly(part):
        return {"$lookup": lookup}
    lookup["pipeline"] = list(_stages(model, part))
    if len(part.parent) > 1:
        lookup["let"] = {f"p{place}": source(name) for place, name in enumerate(part.parent)}
    return {"$lookup": lookup}


def _stages(model: Model, part: AssembledPart) -> Iterator[Mql]:
    """The stages within the join that make elements of the children."""
    source = _columns(part.body, model)
    yield from (cast(Mql, dict(stage)) for stage in part.home.query.stages)
    if len(part.child) > 1:
        same = [{"$eq": [source(name), f"$$p{place}"]} for place, name in enumerate(part.child)]
        yield {"$match": {"$expr": {"$and": same}}}
    if part.order and part.form is not Form.OBJECT:
        yield {"$sort": {source(name)[1:]: way for name, way in part.order}}
    is_bare = part.form is Form.SCALARS
    element: object = {_VALUE: source(part.body.fields[0][1])} if is_bare else _document(part.body, source)
    yield {"$replaceWith": f"${_VALUE}" if part.body.parts else element}
