"""Checks of keys and unique groups that several rows share, where no unique index covers all rows of an entity.

A screen groups the rows of the documents in question with all rows of the entity by the values of the group; only where a group
has several rows are they looked up one by one. Rows whose home is copies of them are each counted once, so that a key has several
where its copies contradict each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from nestling.ir.design import Design
from nestling.ir.drift import ID_COLUMN, SCREEN_KEY, Check, ComparedValue, DriftKind, Screen
from nestling.ir.model import Entity
from nestling.ir.paths.access_path import (
    Comparator,
    DocumentComparison,
    DocumentOf,
    FieldPath,
    FilterDocuments,
    FixedValue,
    PathExpression,
    ProjectDocuments,
    Step,
    Union,
)
from nestling.ir.paths.row_steps import GroupRows, Keep, Layout, Slice
from nestling.ir.primitives import CollectionKind
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.algebra import AggregateCall, AggregateFunction, Relation, filtered
from nestling.ir.statements.expression import ANY, Column, Compare, IsNull, Literal, Not
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.storage.layout import Place
from nestling.ir.storage.names import join, stored_name
from nestling.ir.types import INTEGER, TEXTS
from nestling.planner.checks.comparison import FOUND, found_read, values_of, way_to
from nestling.planner.reads import ReadGap
from nestling.planner.reads.correlate import stored_path
from nestling.planner.reads.lower import lower
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.traverse import used
from nestling.planner.upkeep.copies import looked_up
from nestling.planner.upkeep.holder import holder_rows, locators
from nestling.planner.upkeep.source import HOLDER, alias_of, column, homes_context, scan
from nestling.planner.writes.constraints import sharing, unguarded

_THERE, _HELD, _ALL = "there", "held", "all"


def duplicate_checks(design: Design) -> Iterator[Check | Gap]:
    """A check for every place of rows, for each group of attributes that no two rows share and no index keeps so."""
    for entity in design.model.entities:
        places = [place for place in design.places[entity.name] if place.copy is None]
        for group in unguarded(design, entity):
            for place in places:
                if len(places) > 1 or not _is_alone(design, place, group):
                    name = f"{join(place.store.name, place.path)} ({', '.join(group)})"
                    yield _or_gap(name, partial(_check, name, design, place, group))
                    if Collation.UNICODE_CI in _collations(entity, group):
                        names = ", ".join(f"`{each}`" for each in group)
                        what = f"whether rows have {names} equal except for case and accents"
                        yield Gap(GapKind.NOTIMPL, what, name)
        copied = [place for place in design.places[entity.name] if place.copy is not None]
        if copied and entity.key:
            yield _contradictions_or_gap(design, copied[0], entity)


def _contradictions_or_gap(design: Design, place: Place, entity: Entity) -> Check | Gap:
    assert place.copy is not None
    path = join(place.path, place.copy.name)
    name = f"{join(place.store.name, path)} ({', '.join(entity.key)})"
    return _or_gap(name, partial(_contradictions, name, design, place.store.name, path, entity))


def _contradictions(name: str, design: Design, collection: str, path: str, entity: Entity) -> Check:
    """A check for keys with contradictory copies, if these are the only home of the rows."""
    key = [column(design.model, entity.name, HOLDER, name) for name in entity.key]
    rows = lower(scan(design.model, entity.name, HOLDER), homes_context(design, key))
    counted = (_ALL, AggregateCall(AggregateFunction.COUNT, None, INTEGER))
    grouped = GroupRows(rows.step, tuple((_link(n), each) for n, each in enumerate(key)), (counted,), rows.layout)
    several = FilterDocuments(grouped, DocumentComparison(FieldPath(_ALL), Comparator.GREATER, FixedValue(1)))
    told = tuple((stored_name(each.name), FieldPath(f"_id.{_link(n)}")) for n, each in enumerate(key))
    value: PathExpression = told[0][1] if len(told) == 1 else DocumentOf(told)
    fields = ((ID_COLUMN, value), (FOUND, value))
    return Check(
        name,
        DriftKind.DUPLICATE,
        collection,
        ReadPlan(ProjectDocuments(several, fields), tuple(OutputColumn(each, each, ANY) for each, _ in fields)),
        (ComparedValue(path, "", FOUND),),
        next_move=f"make all copies of one `{entity.name}` agree: these rows are stored nowhere else",
        is_walked=False,
    )


def _is_alone(design: Design, place: Place, group: Sequence[str]) -> bool:
    """Whether the values identify a document, and it holds at most one such row."""
    if any(node.form.to_many for node in place.nodes[1:]):
        return False
    levels = [place.source(name, len(place.nodes) - 1) for name in group]
    root = design.model.entity(place.nodes[0].entity)
    return set(root.key) <= {name for level, name in levels if level == 0} and bool(root.key)


def _or_gap(name: str, made: Callable[[], Check]) -> Check | Gap:
    try:
        return made()
    except ReadGap as error:
        return error.at(name)


def _check(name: str, design: Design, place: Place, group: tuple[str, ...]) -> Check:
    model = design.model
    entity = model.entity(place.node.entity)
    own = [column(model, entity.name, HOLDER, each) for each in group]
    relation = _others(design, entity, own)
    context = homes_context(design, (*own, *used(relation)))
    rows = _told(place, own, context)

    def inner(step: Step, _: Layout) -> Step:
        # without a limit: a server that stops a lookup early keeps what it read before the match, and reads it again for the next
        return ProjectDocuments(Slice(step, None, Literal(1, INTEGER)), ((_THERE, FixedValue(value=True)),))

    rows, field = looked_up(rows, relation, Keep.TOGETHER, context, inner)
    told = locators(design, place)
    several = FilterDocuments(rows.step, DocumentComparison(FieldPath(field), Comparator.NOT_EQUAL, FixedValue([])))
    paths = [path for each in group if (path := place.node.path_of(each)) is not None]
    return Check(
        name,
        DriftKind.DUPLICATE,
        place.store.name,
        found_read(several, place, told, values_of(rows, own)),
        (ComparedValue(", ".join(paths), "", FOUND),),
        way_to(place, told),
        next_move=f"keep one of the rows of `{entity.name}` with the same {', '.join(group)}, and change or delete the others",
        screen=_screen(design, place, entity, own),
        is_walked=place.store.options.kind is not CollectionKind.TIME_SERIES,
    )


def _others(design: Design, entity: Entity, own: Sequence[Column]) -> Relation:
    """All rows that share the current row's values, including itself.

    Values that are equal only by a server's collation are not searched for, because no index of keys supports that.
    """
    every = scan(design.model, entity.name, alias_of(1))
    if Collation.UNICODE_CI not in _collations(entity, [each.name for each in own]):
        return filtered(every, sharing(design, entity, every, [{each.name: each for each in own}]))
    theirs = {each.name: each for each in every.columns}
    same = (Compare(Comparison.EQUAL, theirs[each.name], each, Collation.BINARY) for each in own)
    return filtered(every, conjunction(*same))


def _collations(entity: Entity, group: Sequence[str]) -> set[Collation]:
    """How texts of the group are compared at the source."""
    return {each.collation for each in map(entity.attribute, group) if each.type.name in TEXTS}


def _told(place: Place, own: Sequence[Column], context: LoweringContext) -> Lowered:
    """The rows at the place that have all the values."""
    rows = holder_rows(place, own, context)
    return rows.where(conjunction(*(Not(IsNull(each)) for each in own)), context)


def _screen(design: Design, place: Place, entity: Entity, own: Sequence[Column]) -> Screen | None:
    """The values that several rows share, one of them at the place; None if the server would group differently from SQL."""
    if _collations(entity, [each.name for each in own]) - {Collation.BINARY, Collation.UNICODE_CI}:
        return None
    alias = alias_of(1)
    all_own = [column(design.model, entity.name, alias, each.name) for each in own]
    context = homes_context(design, own)
    here = _told(place, own, context)
    every = lower(scan(design.model, entity.name, alias), homes_context(design, all_own))
    both = Union((_counted(here, own, _HELD), _counted(every, all_own, _ALL)))
    number = {name: Column("", name, INTEGER) for name in (_HELD, _ALL)}
    links = {name: Column("", name, ANY, nullable=False) for name in map(_link, range(len(own)))}
    layout = Layout.of({("", name): name for name in (*links, *number)})
    counts = tuple((name, AggregateCall(AggregateFunction.COUNT, each, INTEGER)) for name, each in number.items())
    grouped = GroupRows(both, tuple(links.items()), counts, layout)
    step: Step = FilterDocuments(grouped, DocumentComparison(FieldPath(_HELD), Comparator.GREATER, FixedValue(0)))
    step = FilterDocuments(step, DocumentComparison(FieldPath(_ALL), Comparator.GREATER, FixedValue(1)))
    shared = DocumentOf(tuple((str(n), FieldPath(f"_id.{each}")) for n, each in enumerate(links)))
    step = ProjectDocuments(step, ((SCREEN_KEY, shared),))
    plan = ReadPlan(step, (OutputColumn(SCREEN_KEY, SCREEN_KEY, ANY),))
    return Screen(plan, tuple(stored_path(place, each, context) for each in own))


def _counted(rows: Lowered, columns: Sequence[Column], name: str) -> Step:
    """The values of each row, and a count of rows.

    Each value is in a separate field: grouping by documents made of them is eight times as slow.
    """
    values = tuple((_link(n), FieldPath(rows.layout.path(each))) for n, each in enumerate(columns))
    return ProjectDocuments(rows.step, (*values, (name, FixedValue(1))))


def _link(place: int) -> str:
    return f"link {place}"
