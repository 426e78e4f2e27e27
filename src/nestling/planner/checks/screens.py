"""Screens: one pass over the holders and one over the sources shows that nothing differs, or which sources to compare in full.

Holders and sources meet in a group for each linking value. In a group all holders must hold the same value, and it must be the
one that the source implies. This needs no lookups and no index. It works for values that a single source row, or a group of
them, implies. Equal holders with the same link are merged first: a plain group of fields is by far the fastest operation of the
server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from nestling.ir.design import Design
from nestling.ir.drift import SCREEN_KEY, Screen
from nestling.ir.freshness import Level
from nestling.ir.model import Model
from nestling.ir.paths.access_path import (
    CollectionScan,
    Comparator,
    DocumentComparison,
    DocumentOf,
    FieldPath,
    FilterDocuments,
    FixedValue,
    IfMissing,
    InOrder,
    NullAsMissing,
    PathExpression,
    ProjectDocuments,
    Step,
    Union,
)
from nestling.ir.paths.row_steps import GroupRows, Layout
from nestling.ir.primitives import Computed, Copy
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.rows import AggregateKind, Hop
from nestling.ir.statements.algebra import AggregateCall, AggregateFunction
from nestling.ir.statements.expression import ANY, Column, Compare, IsNull, Not
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.operators import Comparison
from nestling.ir.storage.layout import Place
from nestling.ir.storage.names import join
from nestling.ir.types import TypeName
from nestling.ir.upkeep import Upkeep
from nestling.planner.checks.comparison import field_order
from nestling.planner.checks.required_keys import must_lead
from nestling.planner.reads import ReadGap
from nestling.planner.reads.correlate import equal_columns, stored_path
from nestling.planner.reads.lower import lower
from nestling.planner.reads.rows import Lowered
from nestling.planner.reads.traverse import used
from nestling.planner.upkeep import implied_read, upkeeps_of
from nestling.planner.upkeep.computed import aggregated_by_link
from nestling.planner.upkeep.copies import copied_values
from nestling.planner.upkeep.holder import holder_rows
from nestling.planner.upkeep.source import HOLDER, alias_of, alone, column, columns_at, homes_context

_HELD, _IMPLIED = "held", "implied"
_LEAST, _MOST, _LEAST_IMPLIED = "least held", "most held", "least implied"


@dataclass(frozen=True, slots=True)
class _Sources:
    """Source rows: what links them to holders, what each implies, and what is implied without a source.

    `nothing` is None if all linked holders must find a source, and the others hold nothing.
    """

    step: Step
    link: tuple[PathExpression, ...]
    implied: tuple[PathExpression, ...]
    nothing: Mapping[str, object] | None


def screen_of(upkeep: Upkeep, design: Design, paths: Sequence[str]) -> Screen | None:
    """The screen of a copy of one row, or of an aggregate, whose values are at `paths`.

    None if there is none.
    """
    with suppress(ReadGap):
        match upkeep.what:
            case Copy(closure=False) as copy if copy.is_to_one(design.model) and not copy.form.to_many:
                sources = _copied(design, upkeep, copy)
                return _screened(design, upkeep.place, copy.path[0], paths, sources, order=field_order(copy))
            case Computed() as computed if _is_screened(design.model, computed):
                several = _beside(design, upkeep.place, computed)
                fields = [each.field for each in several]
                return _screened(design, upkeep.place, computed.path[0], fields, _aggregated(design, several))
    return None


def shared_screen(design: Design, place: Place, hop: Hop) -> Screen | None:
    """The screen of a copy along a reference that must lead to a row; it also finds dangling references."""
    for upkeep in upkeeps_of(design):
        copy = upkeep.what
        if upkeep.place == place and isinstance(copy, Copy) and _tells_of_missing(design, upkeep, copy, hop):
            with suppress(ReadGap):
                found = implied_read(upkeep, design, with_found=True)
                return screen_of(upkeep, design, [path for path, _ in found.values])
    return None


def _tells_of_missing(design: Design, upkeep: Upkeep, copy: Copy, hop: Hop) -> bool:
    """Whether a copy's screen also finds holders without a source: their single-attribute reference must lead to it."""
    if upkeep.freshness.level is Level.SNAPSHOT or copy.path != (hop,) or not hop.up:
        return False
    link = design.model.relationship(hop.relationship)
    return len(link.child_attributes) == 1 and must_lead(design, upkeep.place, link)


def existence_screen(design: Design, place: Place, hop: Hop) -> Screen | None:
    """The screen of a reference that must lead to a row."""
    with suppress(ReadGap):
        relation, keys = alone(design.model, (hop,)), columns_at(design.model, (hop,), hop.far(design.model))
        rows = lower(relation, homes_context(design, (*used(relation), *keys)))
        sources = _Sources(rows.step, _paths(rows, keys), (), None)
        return _screened(design, place, hop, (), sources, linked=True)
    return None


def unmatched_ids(collection: str, homes: Sequence[str]) -> Screen:
    """The screen of documents whose `_id` a document of one of the homes must have, too."""
    there = tuple(ProjectDocuments(CollectionScan(name), (("_id", FieldPath("_id")),)) for name in homes)
    sources = _Sources(Union(there), (FieldPath("_id"),), (), None)
    step = _different(CollectionScan(collection), ["_id"], (), sources, ())
    return Screen(ReadPlan(step, (OutputColumn(SCREEN_KEY, SCREEN_KEY, ANY),)), ("_id",))


def _screened(
    design: Design,
    place: Place,
    hop: Hop,
    held: Sequence[str],
    sources: _Sources,
    *,
    linked: bool = False,
    order: tuple[str, ...] = (),
) -> Screen | None:
    """The values of holders at a place (`linked`: those with a reference), compared with those implied by sources a hop away.

    `order`: the fields of the sub-documents, whose order does not matter. None if the server does not link them as SQL does.
    """
    model, start = design.model, place.node.entity
    anchors = tuple(column(model, start, HOLDER, name) for name in hop.near(model))
    others = tuple(column(model, hop.target(model), alias_of(1), name) for name in hop.far(model))
    equal = (Compare(Comparison.EQUAL, b, a) for a, b in zip(anchors, others, strict=True))
    if any(equal_columns(each, alias_of(1)) is None for each in equal):
        return None
    context = homes_context(design, anchors)
    rows = holder_rows(place, anchors, context)
    rows = rows.where(conjunction(*(Not(IsNull(each)) for each in anchors)), context) if linked else rows
    links = [rows.layout.path(each) for each in anchors]
    step = _different(rows.step, links, [join(place.path, path) for path in held], sources, order)
    plan = ReadPlan(step, (OutputColumn(SCREEN_KEY, SCREEN_KEY, ANY),))
    return Screen(plan, tuple(stored_path(place, anchor, context) for anchor in anchors))


def _in_order(alike: Step, link: Sequence[str], value: Sequence[str], order: tuple[str, ...]) -> Step:
    """The value for each link, with its fields in the order in which sources imply them."""
    if not order:
        return alike
    links = ((each, FieldPath(f"_id.{each}")) for each in link)
    values = ((each, InOrder(FieldPath(f"_id.{each}"), order)) for each in value)
    return ProjectDocuments(alike, (("_id", DocumentOf((*links, *values))),))


def _paths(rows: Lowered, columns: Sequence[Column]) -> tuple[PathExpression, ...]:
    return tuple(FieldPath(rows.layout.path(each)) for each in columns)


def _different(
    step: Step, links: Sequence[str], held: Sequence[str], sources: _Sources, order: tuple[str, ...]
) -> Step:
    """The links of holders that hold something else than is implied, or whose sources do not agree."""
    link, value = [f"link {n}" for n in range(len(links))], [f"held {n}" for n in range(len(held))]
    alike = _in_order(_grouped(step, dict(zip((*link, *value), (*links, *held), strict=True))), link, value, order)
    if sources.nothing is None:
        found = _unmatched(alike, link, value, sources)
    else:
        at, there = (_document([FieldPath(f"_id.{each}") for each in names]) for names in (link, value))
        found = _differing_links(ProjectDocuments(alike, ((SCREEN_KEY, at), (_HELD, there))), sources, sources.nothing)
        return ProjectDocuments(found, ((SCREEN_KEY, FieldPath(f"_id.{SCREEN_KEY}")),))
    return ProjectDocuments(found, ((SCREEN_KEY, _document([FieldPath(f"_id.{each}") for each in link])),))


def _grouped(
    step: Step, keys: Mapping[str, str], aggregates: Mapping[str, tuple[AggregateFunction, str]] | None = None
) -> Step:
    """A document for each combination of the values at these paths, missing or not, with the extremes at others."""
    columns = {name: Column("", name, ANY, nullable=False) for name in (*keys, *(aggregates or ()))}
    layout = Layout.of(
        {("", name): path for name, path in keys.items()}
        | {("", name): path for name, (_, path) in (aggregates or {}).items()}
    )
    return GroupRows(
        step,
        tuple((name, columns[name]) for name in keys),
        tuple(
            (name, AggregateCall(function, columns[name], ANY)) for name, (function, _) in (aggregates or {}).items()
        ),
        layout,
    )


def _unmatched(alike: Step, link: Sequence[str], value: Sequence[str], sources: _Sources) -> Step:
    """Values held for a link that no source implies; without a link, any value."""
    names = (*link, *value)
    pair = DocumentOf(tuple(zip(names, (*sources.link, *sources.implied), strict=True)))
    implied = ProjectDocuments(sources.step, (("_id", pair), (_IMPLIED, FixedValue(1))))
    met = _grouped(
        Union((alike, implied)), {name: f"_id.{name}" for name in names}, {_IMPLIED: (AggregateFunction.MAX, _IMPLIED)}
    )
    alone = FilterDocuments(met, DocumentComparison(FieldPath(_IMPLIED), Comparator.EQUAL, FixedValue(None)))
    linked, there = (
        (NullAsMissing(FieldPath(f"_id.{each}")) for each in link),
        (FieldPath(f"_id.{each}") for each in value),
    )
    return FilterDocuments(
        alone, DocumentComparison(_document((*linked, *there)), Comparator.NOT_EQUAL, FixedValue({}))
    )


def _differing_links(holders: Step, sources: _Sources, nothing: Mapping[str, object]) -> Step:
    """The links under which something else is held than is implied, or sources do not agree."""
    implied = ProjectDocuments(
        sources.step, ((SCREEN_KEY, _document(sources.link)), (_IMPLIED, _document(sources.implied)))
    )
    met = _grouped(
        Union((holders, implied)),
        {SCREEN_KEY: SCREEN_KEY},
        {
            _LEAST: (AggregateFunction.MIN, _HELD),
            _MOST: (AggregateFunction.MAX, _HELD),
            _LEAST_IMPLIED: (AggregateFunction.MIN, _IMPLIED),
            _IMPLIED: (AggregateFunction.MAX, _IMPLIED),
        },
    )
    most, least = (IfMissing(FieldPath(each), FixedValue(nothing)) for each in (_IMPLIED, _LEAST_IMPLIED))
    wanted, found = _document((most, FieldPath(_MOST))), _document((FieldPath(_LEAST), least))  # equal: all four are
    held = FilterDocuments(met, DocumentComparison(FieldPath(_LEAST), Comparator.NOT_EQUAL, FixedValue(None)))
    return FilterDocuments(held, DocumentComparison(wanted, Comparator.NOT_EQUAL, found))


def _document(parts: Sequence[PathExpression]) -> PathExpression:
    return DocumentOf(tuple((str(n), part) for n, part in enumerate(parts)))


# --- what sources imply ----------------------------------------------------------------------------------------------


def _copied(design: Design, upkeep: Upkeep, copy: Copy) -> _Sources:
    model, relation = design.model, alone(design.model, copy.path)
    keys = columns_at(model, copy.path[:1], copy.path[0].far(model))
    wanted = columns_at(model, copy.path, tuple(field.attribute for field in copy.attributes))
    rows = lower(relation, homes_context(design, (*used(relation), *keys, *wanted)))
    is_must = _tells_of_missing(design, upkeep, copy, copy.path[0])
    implied = copied_values(copy, design, rows.layout, len(copy.path))
    return _Sources(rows.step, _paths(rows, keys), implied, None if is_must else {})


def _beside(design: Design, place: Place, computed: Computed) -> tuple[Computed, ...]:
    """All values computed along the same path for the same holders: one screen covers them all."""
    there = (
        each.what for each in upkeeps_of(design) if each.place == place and each.freshness.level is not Level.SNAPSHOT
    )
    return tuple(
        each
        for each in there
        if isinstance(each, Computed) and each.path == computed.path and _is_screened(design.model, each)
    )


def _aggregated(design: Design, several: Sequence[Computed]) -> _Sources:
    rows, keys, values = aggregated_by_link(several, design)
    nothing = {str(n): 0 for n, each in enumerate(several) if each.function is AggregateKind.COUNT}
    return _Sources(rows.step, _paths(rows, keys), values, nothing)


def _is_screened(model: Model, computed: Computed) -> bool:
    """Whether the aggregate does not depend on the order of the rows, and is stored exactly."""
    return computed.step == 1 and _is_exact(model, computed)


def _is_exact(model: Model, computed: Computed) -> bool:
    if computed.attribute is None or computed.function not in (AggregateKind.SUM, AggregateKind.AVG):
        return True
    attribute = model.entity(computed.path[-1].target(model)).attribute(computed.attribute)
    return attribute.type.name in (TypeName.INTEGER, TypeName.DECIMAL) and not attribute.also
