"""Documents of another design as one aggregation over the rows of an entity's home."""

from __future__ import annotations

from typing import cast

from nestling.emitters.mql.expression import Mql
from nestling.ir.access_path import column_field
from nestling.ir.command import Aggregation
from nestling.ir.migration import AssembledPart, Assembly
from nestling.ir.model import Model
from nestling.ir.primitives import Form

_VALUE = "v"
_PART = "part "


def assembled(made: Assembly, model: Model, home: Aggregation) -> tuple[Mql, ...]:
    """The stages that make the documents of the rows `home` yields, its own stages first."""
    stages = [cast(Mql, dict(stage)) for stage in home.stages]
    return (*stages, *_lookups(made, model), {"$replaceWith": _document(made, model)})


def _document(made: Assembly, model: Model) -> Mql:
    """The document of a row, its parts joined; fields whose value is missing are left out."""
    document: Mql = {}
    if made.id:
        only = made.id[0][1] if not made.id[0][0] else None
        parts: Mql = {name: _value(made, model, attribute) for name, attribute in made.id}
        document["_id"] = parts if only is None else _value(made, model, only)
    document |= {name: {"$literal": value} for name, value in made.constants}
    document |= {name: _value(made, model, attribute) for name, attribute in made.fields}
    return document | {part.field: _held(part, number) for number, part in enumerate(made.parts)}


def _value(made: Assembly, model: Model, attribute: str) -> str:
    return f"${column_field(model.entity(made.entity).attribute_names.index(attribute))}"


def _held(part: AssembledPart, number: int) -> object:
    field = f"${_PART}{number}"
    match part.form:
        case Form.SCALARS:
            return {"$map": {"input": field, "in": {"$ifNull": [f"$$this.{_VALUE}", None]}}}
        case Form.OBJECT:
            return {"$first": field}
        case _:
            return field


def _lookups(made: Assembly, model: Model) -> list[Mql]:
    return [_lookup(made, model, part, number) for number, part in enumerate(made.parts)]


def _lookup(made: Assembly, model: Model, part: AssembledPart, number: int) -> Mql:
    """The children by the first attribute that links them, then by the others."""
    child = model.entity(part.body.entity)
    names = child.attribute_names
    stages = [cast(Mql, dict(stage)) for stage in part.home.query.stages]
    others = list(zip(part.child, part.parent, strict=True))[1:]
    if others:
        pairs = ((f"${column_field(names.index(name))}", f"$$p{place}") for place, (name, _) in enumerate(others))
        stages.append({"$match": {"$expr": {"$and": [{"$eq": list(pair)} for pair in pairs]}}})
    if part.form is not Form.OBJECT:
        stages.append({"$sort": {column_field(names.index(name)): way for name, way in part.order}})
    stages += _lookups(part.body, model)
    if part.form is Form.SCALARS:
        stages.append({"$replaceWith": {_VALUE: _value(part.body, model, part.body.fields[0][1])}})
    else:
        stages.append({"$replaceWith": _document(part.body, model)})
    lookup: Mql = {
        "from": part.home.query.collection,
        "localField": _value(made, model, part.parent[0])[1:],
        "foreignField": part.home.paths[part.child[0]],
        "pipeline": stages,
        "as": f"{_PART}{number}",
    }
    if others:
        lookup["let"] = {f"p{place}": _value(made, model, parent) for place, (_, parent) in enumerate(others)}
    return {"$lookup": lookup}
