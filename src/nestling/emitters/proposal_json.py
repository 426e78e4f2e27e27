"""A proposal as JSON, in the shape that docs/json.md says under `design`; costs are seconds of work a second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from nestling.ir.design import Design
from nestling.ir.indexes.planned_index import PlannedIndex
from nestling.ir.indexes.planned_indexes import built_besides
from nestling.ir.noun_json import Json
from nestling.ir.primitives import Form, Holder
from nestling.ir.proposal import Costs, Proposal
from nestling.ir.storage.layout import Node, NodeKind, StoredCollection


def proposal_json(proposal: Proposal) -> Json:
    """The whole proposal as plain data, ready for `json.dumps`."""
    design, besides = proposal.design, built_besides(proposal.design)
    return {
        "strategy": proposal.strategy,
        "collections": {store.name: _collection(design, store, besides) for store in design.stores},
        "decisions": _decisions(proposal),
        "weighed": [asdict(each) for each in proposal.weighed],
        **_costs(proposal.costs),
        "left_out": list(proposal.left_out),
        "notes": list(proposal.notes),
        "in_part": list(proposal.in_part),
        "gaps": [asdict(gap) for gap in proposal.gaps],
    }


def _decisions(proposal: Proposal) -> list[Json]:
    return [
        {
            "relationship": made.relationship,
            "choice": str(made.choice),
            "patterns": list(made.patterns),
            "reasons": [asdict(reason) for reason in made.reasons],
            "alternatives": [
                {"choice": str(other.choice), "text": other.text, "cost": other.cost, "checked": other.checked}
                for other in made.alternatives
            ],
            "flips": [asdict(flip) for flip in made.flips],
        }
        for made in proposal.decisions
    ]


def _costs(costs: Costs | None) -> Json:
    if costs is None:
        return {
            "cost": None,
            "bound": None,
            "optimality_gap": None,
            "threshold": None,
            "seconds": None,
            "profile": None,
            "statements": {},
            "rates": {},
            "dearer": {},
        }
    return {
        "cost": costs.cost,
        "bound": costs.bound,
        "optimality_gap": costs.gap,
        "threshold": costs.threshold,
        "seconds": costs.seconds,
        "profile": costs.profile,
        "statements": dict(costs.statements),
        "rates": dict(costs.rates),
        "dearer": {each.statement: {"seconds": each.seconds, "rate": each.rate_per_second} for each in costs.dearer},
    }


def _collection(design: Design, store: StoredCollection, besides: Sequence[PlannedIndex]) -> Json:
    indexes = [
        {
            "keys": dict(index.keys),
            "unique": index.unique,
            "any_case": index.any_case,
            "serves": list(index.serves),
        }
        for index in design.indexes
        if index.collection == store.name
    ]
    return {
        "root": store.roots[0].entity,
        "role": str(store.role),
        "id": list(store.id),
        "fields": _fields(design, store.roots),
        "indexes": indexes,
        "built_besides": [
            {"keys": dict(index.keys), "unique": index.unique, "reasons": list(index.reasons)}
            for index in besides
            if index.collection == store.name
        ],
    }


def _fields(design: Design, nodes: Sequence[Node]) -> Json:
    """The fields of one level; a variant collection shows those of all its members."""
    fields: Json = {}
    for node in nodes:
        for stored in node.stored:
            kind = design.model.entity(node.entity).attribute(stored.attribute).type
            _put(fields, stored.path, {"attribute": stored.attribute, "type": str(kind)})
        if node.kind is not NodeKind.GROUP:
            _put_kept(fields, node)
        for child in node.children:
            _put_child(design, fields, child)
    return fields


def _put_kept(fields: Json, node: Node) -> None:
    for pairs in node.body.pairs:
        _put(fields, pairs.field, {"pairs": list(pairs.attributes)})
    for reference in node.body.references:
        if reference.holder is Holder.PARENT:
            _put(fields, reference.field, {"relationship": reference.relationship, "ids": True})
    for copy in node.body.copies:
        along = [hop.relationship for hop in copy.path]
        if copy.form is Form.INLINE:
            for each in copy.attributes:
                _put(fields, each.path, {"copy_of": along, "attribute": each.attribute})
        else:
            _put(fields, copy.name, {"copy_of": along, "as": str(copy.form)})
    for computed in node.body.computed:
        _put(fields, computed.field, {"computed": str(computed.function)})


def _put_child(design: Design, fields: Json, child: Node) -> None:
    relationship = child.embedding.relationship if child.embedding is not None else None
    if child.form is Form.INLINE:
        fields.update(_fields(design, (child,)))
    elif child.form is Form.SCALARS:
        stored = child.stored[0].attribute
        _put(fields, child.field, {"relationship": relationship, "as": str(child.form), "attribute": stored})
    else:
        inner: Json = {"relationship": relationship, "as": str(child.form), "fields": _fields(design, (child,))}
        _put(fields, child.field, inner)


def _put(fields: Json, path: str, value: Json) -> None:
    """Put a value under a dotted path, opening the sub-documents on the way."""
    head, _, rest = path.partition(".")
    if not rest:
        fields[head] = value
        return
    at = fields.setdefault(head, {"fields": {}})
    inner = at.setdefault("fields", {}) if isinstance(at, dict) else {}
    _put(inner, rest, value)
