"""Screens: one pass over the holders and one over the sources, to learn that all is well – or which sources to look at closely.

Holders and sources meet in a group for each value they are linked by. In a group all holders must hold the same, and that must be
what the source implies. This takes no lookups, and no index. It is for what a source row, or a group of them, implies alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from nestling.ir.access_path import (
    Comparator,
    Comparison,
    DocumentOf,
    Expression,
    FieldPath,
    Filter,
    IfMissing,
    Literal,
    NullAsMissing,
    Project,
    Step,
    Union,
)
from nestling.ir.algebra import Aggregate, AggregateFunction
from nestling.ir.compiled import OutputColumn, ReadPlan
from nestling.ir.design import Design
from nestling.ir.drift import SCREEN_KEY, Screen
from nestling.ir.expression import ANY, Column, Compare, IsNull, Not, conjunction
from nestling.ir.expression import Comparison as Operator
from nestling.ir.freshness import Level
from nestling.ir.layout import Place
from nestling.ir.model import Model
from nestling.ir.names import join
from nestling.ir.primitives import Computed, Copy
from nestling.ir.row_steps import GroupRows, Layout
from nestling.ir.rows import Function, Hop
from nestling.ir.types import TypeName
from nestling.ir.upkeep import Upkeep
from nestling.planner.checks.required import must_lead
from nestling.planner.reads import ReadGap
from nestling.planner.reads.correlate import equal_columns, stored_path
from nestling.planner.reads.lower import lower
from nestling.planner.reads.rows import Rows
from nestling.planner.reads.traverse import used
from nestling.planner.upkeep import implied, upkeeps_of
from nestling.planner.upkeep.computed import aggregated_by_link
from nestling.planner.upkeep.copied import copied_values
from nestling.planner.upkeep.derive import far, is_to_one, near
from nestling.planner.upkeep.holder import holder_rows
from nestling.planner.upkeep.source import HOLDER, alias_of, alone, column, columns_at, homes_context

_HELD, _IMPLIED = "held", "implied"
_LEAST, _MOST, _LEAST_IMPLIED = "least held", "most held", "least implied"


@dataclass(frozen=True, slots=True)
class _Sources:
    """Source rows: what links them to holders, what each implies, and what is implied where there is none."""

    step: Step
    link: tuple[Expression, ...]
    implied: Expression
    nothing: Expression


def screen_of(upkeep: Upkeep, design: Design, paths: Sequence[str]) -> Screen | None:
    """The screen of a copy of one row, or of an aggregate, whose values are at `paths`.

    None where there is none, or where an index makes it as fast to look closely at once.
    """
    with suppress(ReadGap):
        match upkeep.what:
            case Copy(closure=False) as copy if is_to_one(design.model, copy) and not copy.form.to_many:
                return _screened(
                    design, upkeep.place, copy.path[0], _held(upkeep, paths), _copied(design, upkeep, copy)
                )
            case Computed(step=1) as computed if _is_exact(design.model, computed) and not _is_served(design, computed):
                return _screened(
                    design, upkeep.place, computed.path[0], _held(upkeep, paths), _aggregated(design, computed)
                )
    return None


def shared_screen(design: Design, place: Place, hop: Hop) -> Screen | None:
    """The screen of a copy along a reference that must lead to a row: it tells of references that do not, too."""
    for upkeep in upkeeps_of(design):
        copy = upkeep.what
        if upkeep.place == place and isinstance(copy, Copy) and _tells_of_missing(design, upkeep, copy, hop):
            with suppress(ReadGap):
                found = implied(upkeep, design, with_found=True)
                return screen_of(upkeep, design, [path for path, _ in found.values])
    return None


def _tells_of_missing(design: Design, upkeep: Upkeep, copy: Copy, hop: Hop) -> bool:
    """Whether a copy's screen must tell of holders whose source is missing: their reference by one attribute must lead to it."""
    if upkeep.freshness.level is Level.SNAPSHOT or copy.path != (hop,) or not hop.up:
        return False
    link = design.model.relationship(hop.relationship)
    return len(link.child_attributes) == 1 and must_lead(design, upkeep.place, link)


def existence_screen(design: Design, place: Place, hop: Hop) -> Screen | None:
    """The screen of a reference that must lead to a row."""
    there = Literal({"there": True})
    with suppress(ReadGap):
        relation, keys = alone(design.model, (hop,)), columns_at(design.model, (hop,), far(design.model, hop))
        rows = lower(relation, homes_context(design, (*used(relation), *keys)))
        sources = _Sources(rows.step, _paths(rows, keys), there, Literal({"there": False}))
        return _screened(design, place, hop, there, sources, linked=True)
    return None


def _held(upkeep: Upkeep, paths: Sequence[str]) -> Expression:
    place = upkeep.place
    return DocumentOf(tuple((str(n), FieldPath(join(place.path, path))) for n, path in enumerate(paths)))


def _screened(
    design: Design, place: Place, hop: Hop, held: Expression, sources: _Sources, *, linked: bool = False
) -> Screen | None:
    """The holders at a place (`linked`: those that refer to something) and the sources a hop leads to, compared.

    None where the server does not link them as SQL does.
    """
    model, start = design.model, place.node.entity
    anchors = tuple(column(model, start, HOLDER, name) for name in near(model, hop))
    others = tuple(column(model, hop.target(model), alias_of(1), name) for name in far(model, hop))
    equal = (Compare(Operator.EQUAL, b, a) for a, b in zip(anchors, others, strict=True))
    if any(equal_columns(each, alias_of(1)) is None for each in equal):
        return None
    context = homes_context(design, anchors)
    rows = holder_rows(place, anchors, context)
    rows = rows.where(conjunction(*(Not(IsNull(each)) for each in anchors)), context) if linked else rows
    holders = Project(rows.step, ((SCREEN_KEY, _key(_paths(rows, anchors))), (_HELD, held)))
    implied = Project(sources.step, ((SCREEN_KEY, _key(sources.link)), (_IMPLIED, sources.implied)))
    step = _different(Union((holders, implied)), sources.nothing)
    plan = ReadPlan(step, (OutputColumn(SCREEN_KEY, SCREEN_KEY, ANY),))
    return Screen(plan, tuple(stored_path(place, anchor, context) for anchor in anchors))


def _key(parts: Sequence[Expression]) -> Expression:
    return DocumentOf(tuple((str(n), part) for n, part in enumerate(parts)))


def _paths(rows: Rows, columns: Sequence[Column]) -> tuple[Expression, ...]:
    return tuple(FieldPath(rows.layout.path(each)) for each in columns)


def _different(both: Step, nothing: Expression) -> Step:
    """The groups with a holder that holds something else than is implied, or whose sources do not agree."""
    columns = {name: Column("", name, ANY, nullable=False) for name in (SCREEN_KEY, _HELD, _IMPLIED)}
    aggregates = (
        (_LEAST, Aggregate(AggregateFunction.MIN, columns[_HELD], ANY)),
        (_MOST, Aggregate(AggregateFunction.MAX, columns[_HELD], ANY)),
        (_LEAST_IMPLIED, Aggregate(AggregateFunction.MIN, columns[_IMPLIED], ANY)),
        (_IMPLIED, Aggregate(AggregateFunction.MAX, columns[_IMPLIED], ANY)),
    )
    layout = Layout.of({("", name): name for name in columns})
    grouped = GroupRows(both, ((SCREEN_KEY, columns[SCREEN_KEY]),), aggregates, layout)
    implied = IfMissing(FieldPath(_IMPLIED), nothing)
    least = IfMissing(FieldPath(_LEAST_IMPLIED), nothing)
    wanted = DocumentOf((("least", implied), ("most", implied), ("implied", implied)))
    found = DocumentOf((("least", FieldPath(_LEAST)), ("most", FieldPath(_MOST)), ("implied", least)))
    held = Filter(grouped, Comparison(FieldPath(_LEAST), Comparator.NOT_EQUAL, Literal(None)))
    return Project(
        Filter(held, Comparison(wanted, Comparator.NOT_EQUAL, found)), ((SCREEN_KEY, FieldPath(f"_id.{SCREEN_KEY}")),)
    )


# --- what sources imply ----------------------------------------------------------------------------------------------


def _copied(design: Design, upkeep: Upkeep, copy: Copy) -> _Sources:
    model, relation = design.model, alone(design.model, copy.path)
    keys = columns_at(model, copy.path[:1], far(model, copy.path[0]))
    wanted = columns_at(model, copy.path, tuple(field.attribute for field in copy.attributes))
    rows = lower(relation, homes_context(design, (*used(relation), *keys, *wanted)))
    implied = DocumentOf(
        tuple((str(n), value) for n, value in enumerate(copied_values(copy, design, rows.layout, len(copy.path))))
    )
    nothing: Expression = Literal({})
    if _tells_of_missing(design, upkeep, copy, copy.path[0]):  # only NULL may lead nowhere
        nothing = DocumentOf((("missing", NullAsMissing(FieldPath(f"_id.{SCREEN_KEY}.0"))),))
    return _Sources(rows.step, _paths(rows, keys), implied, nothing)


def _aggregated(design: Design, computed: Computed) -> _Sources:
    rows, keys, value = aggregated_by_link(computed, design)
    nothing = {"0": 0} if computed.function is Function.COUNT else {}
    return _Sources(rows.step, _paths(rows, keys), DocumentOf((("0", value),)), Literal(nothing))


def _is_exact(model: Model, computed: Computed) -> bool:
    """Whether the aggregate does not depend on the order of the rows."""
    if computed.attribute is None or computed.function not in (Function.SUM, Function.AVG):
        return True
    attribute = model.entity(computed.path[-1].target(model)).attribute(computed.attribute)
    return attribute.type.name in (TypeName.INTEGER, TypeName.DECIMAL) and not attribute.also


def _is_served(design: Design, computed: Computed) -> bool:
    """Whether an index leads from a holder to its sources."""
    model, hop = design.model, computed.path[0]
    places = design.places[hop.target(model)]
    if hop.up or len(places) != 1 or places[0].copy is not None:
        return False
    first = column(model, hop.target(model), alias_of(1), far(model, hop)[0])
    path = stored_path(places[0], first, homes_context(design, (first,)))
    return any(each.collection == places[0].store.name and each.keys[0][0] == path for each in design.indexes)
