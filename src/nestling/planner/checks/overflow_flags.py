"""Overflow flags, compared with the existence of pages."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.drift import Check, DriftKind
from nestling.ir.paths.access_path import (
    CollectionScan,
    FieldPath,
    FixedValue,
    HasElements,
    PathExpression,
    ProjectDocuments,
)
from nestling.ir.paths.row_steps import Add, Correlate, Keep
from nestling.ir.primitives import Embedding, Overflow
from nestling.ir.reading import Gap
from nestling.ir.storage.layout import NodeKind, Place
from nestling.ir.storage.names import join, stored_name
from nestling.planner.checks.comparison import compared_read, mending_update, way_to
from nestling.planner.reads import ReadGap
from nestling.planner.upkeep.holder import holder_rows, locators
from nestling.planner.upkeep.source import HOLDER, column, homes_context

_PAGE = "page"
_FIRST_PAGE = 2
"""The array in the parent is page 1."""


def overflow_checks(design: Design) -> Iterator[Check | Gap]:
    """A check for every array that may have further pages, at every place of its parent."""
    for places in design.places.values():
        for place in places:
            if place.copy is None and place.node.kind is not NodeKind.GROUP:
                for embedding in place.node.body.embeddings:
                    if embedding.overflow is not None:
                        yield _or_gap(design, place, embedding, embedding.overflow)


def _or_gap(design: Design, place: Place, embedding: Embedding, overflow: Overflow) -> Check | Gap:
    try:
        return _check(design, place, embedding, overflow)
    except ReadGap as error:
        return error.at(join(place.store.name, place.path, overflow.flag))


def _check(design: Design, place: Place, embedding: Embedding, overflow: Overflow) -> Check:
    link = design.model.relationship(embedding.relationship)
    keys = [column(design.model, link.parent, HOLDER, name) for name in link.parent_attributes]
    rows = holder_rows(place, keys, homes_context(design, keys))
    number, pages = rows.fresh("first page"), rows.fresh("pages")
    numbered = Add(rows.step, ((number, FixedValue(_FIRST_PAGE)),))
    parts = [(stored_name(name), rows.layout.path(key)) for name, key in zip(link.child_attributes, keys, strict=True)]
    there = ProjectDocuments(CollectionScan(overflow.collection), (("there", FixedValue(value=True)),))
    found = Correlate(numbered, there, pages, Keep.TOGETHER, identity=(*parts, (_PAGE, number)))
    told = locators(design, place)
    expected: PathExpression = HasElements(FieldPath(pages))
    read, values = compared_read(
        found, place, told, ((overflow.flag, expected, FieldPath(join(place.path, overflow.flag))),)
    )
    return Check(
        join(place.store.name, place.path, overflow.flag),
        DriftKind.OVERFLOW,
        place.store.name,
        read,
        values,
        way_to(place, told),
        mending_update(place, told, values),
    )
