"""Events in buckets: a new one goes where there is room, or opens the next page; what leaves may close one."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.paths.access_path import CollectionScan, Step, Unwind
from nestling.ir.paths.row_steps import Constants, GroupRows, Layout, Shape, Where
from nestling.ir.paths.write_path import (
    Cell,
    Constant,
    DeleteDocuments,
    Each,
    FieldMatch,
    Increment,
    InsertOne,
    Items,
    Pull,
    Push,
    Set,
    SubDocument,
    Test,
    UpdateDocuments,
    WriteStep,
    WrittenValue,
)
from nestling.ir.primitives import BUCKET_END, BUCKET_START, PAGE, Bucket
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.rows import AggregateKind
from nestling.ir.statements.algebra import AggregateCall, AggregateFunction
from nestling.ir.statements.expression import ANY, TRUE, Arithmetic, Case, Column, Compare, Expression, IsNull, Literal
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.operators import ArithmeticOperator, Comparison
from nestling.ir.storage.layout import Node, Place
from nestling.ir.storage.names import stored_name
from nestling.ir.types import INTEGER, Type
from nestling.planner.known.bucket_fill import room_in
from nestling.planner.upkeep.bucket_summary import summary_aggregates
from nestling.planner.upkeep.bucket_window import window_end, window_start
from nestling.planner.writes.draft.cells import ID, Cells
from nestling.planner.writes.draft.fetch import cell, fetch
from nestling.planner.writes.places.address import element_matches
from nestling.planner.writes.places.conditional_steps import cell_types
from nestling.planner.writes.places.new_document import constants, element

_START, _END, _PAGE = BUCKET_START, BUCKET_END, PAGE


def removed(design: Design, place: Place, row: Cells) -> Iterator[WriteStep]:
    """Take an event out of its bucket, whose `_id` is known; an empty bucket is deleted."""
    where, node = (FieldMatch("_id", Cell(ID)),), place.node
    pull = Pull(node.field, element_matches(node, row.of(row.entity.identity), row))
    yield UpdateDocuments(place.store.name, where, (pull, Increment("count", Constant(-1))))
    yield DeleteDocuments(place.store.name, (*where, FieldMatch("count", Constant(1), Test.LESS)))
    yield from _summarised(design, place, {ID: ANY}, {"_id": (ID, ANY)}, f"buckets of removed {row.entity.name}")


def added(design: Design, place: Place, row: Cells) -> Iterator[WriteStep]:
    """Put an event into a bucket of its owner and window that has room, else into a new one."""
    bucket = place.nodes[0].bucket
    assert bucket is not None
    types = cell_types(design, row)
    if bucket.window is None:
        yield from _stored(design, place, bucket, row, types)
        return
    start, end = _window(row, bucket)
    timed = types | {_START: start.type, _END: end.type}
    name = f"{row.entity.name} with its window"
    yield fetch(name, _constants(types, {_START: start, _END: end}), tuple(types))
    yield Each(name, tuple(_stored(design, place, bucket, row, timed)))


def _stored(design: Design, place: Place, bucket: Bucket, row: Cells, types: dict[str, Type]) -> Iterator[WriteStep]:
    node, group, store = place.node, place.nodes[0], place.store
    owner = tuple((group.path_of(name) or name, row[name]) for name in bucket.by)
    where = [FieldMatch(path, value) for path, value in owner]
    held = {path: (row.column(name), types[row.column(name)]) for (path, _), name in zip(owner, bucket.by, strict=True)}
    if bucket.window is not None:
        where.append(FieldMatch(_START, Cell(_START)))
        held[_START] = (_START, types[_START])
    push = Push(node.field, element(design, node, row), _order(node, bucket, row))
    name = f"next bucket of {row.entity.name}"
    opened = (
        fetch(name, _next_page(store.name, held, types), tuple(types)),
        Each(name, (InsertOne(store.name, _bucket_document(design, place, bucket, row)),)),
    )
    yield UpdateDocuments(
        store.name, (*where, room_in(bucket)), (push, Increment("count", Constant(1))), otherwise=opened
    )
    yield from _summarised(design, place, types, held, f"buckets of {row.entity.name}")


def _bucket_document(design: Design, place: Place, bucket: Bucket, row: Cells) -> SubDocument:
    group = place.nodes[0]
    begin: list[tuple[str, WrittenValue]] = [(_START, Cell(_START))] if bucket.window is not None else []
    end: list[tuple[str, WrittenValue]] = [(_END, Cell(_END))] if bucket.window is not None else []
    page: tuple[str, WrittenValue] = (_PAGE, Cell(_PAGE))
    key = SubDocument((*((stored_name(name), row[name]) for name in bucket.by), *begin, page))
    header = tuple((group.path_of(name) or name, row[name]) for name in bucket.by)
    events = Items((element(design, place.node, row),))
    return SubDocument(
        (
            ("_id", key),
            *constants(place.store),
            *header,
            *begin,
            *end,
            page,
            ("count", Constant(1)),
            *_first_summary(bucket, row),
            (place.node.field, events),
        )
    )


def _first_summary(bucket: Bucket, row: Cells) -> tuple[tuple[str, WrittenValue], ...]:
    """AggregateKind one event; counts of an attribute follow."""
    return tuple(
        (
            item.field,
            Constant(0) if item.function is AggregateKind.COUNT or item.attribute is None else row[item.attribute],
        )
        for item in bucket.summary
    )


def _order(node: Node, bucket: Bucket, row: Cells) -> tuple[tuple[str, int], ...]:
    wanted = [bucket.window.attribute] if bucket.window is not None else []
    wanted += row.entity.identity
    paths = [node.path_of(name) for name in dict.fromkeys(wanted)]
    return tuple((path, 1) for path in paths if path is not None)


# --- windows ---------------------------------------------------------------------------------------------------------


def _window(row: Cells, bucket: Bucket) -> tuple[Expression, Expression]:
    """The beginning of the window the row lies in, and the first instant after it; NULL where it has no date."""
    assert bucket.window is not None
    attribute = row.entity.attribute(bucket.window.attribute)
    start = window_start(cell(row.column(attribute.name), attribute.type), bucket.window)
    return start, window_end(start, bucket.window)


def _constants(types: dict[str, Type], made: dict[str, Expression]) -> ReadPlan:
    fields = {name: cell(name, kind) for name, kind in types.items()} | made
    return _plan(Constants(((),)), fields, Layout())


# --- pages and summaries ---------------------------------------------------------------------------------------------


def _next_page(collection: str, held: dict[str, tuple[str, Type]], types: dict[str, Type]) -> ReadPlan:
    page = Column("", _PAGE, INTEGER)
    step = Where(CollectionScan(collection), *_same(held, {_PAGE: page}))
    last = AggregateCall(AggregateFunction.MAX, page, INTEGER)
    grouped = GroupRows(step, (), (("last", last),), Layout.of({("", _PAGE): _PAGE}))
    found = Column("", "last", INTEGER)
    following = Arithmetic(ArithmeticOperator.ADD, found, Literal(1, INTEGER), INTEGER)
    number = Case(((IsNull(found), Literal(1, INTEGER)),), following, INTEGER)
    fields: dict[str, Expression] = {name: cell(name, kind) for name, kind in types.items()}
    fields[_PAGE] = number
    return _plan(grouped, fields, Layout.of({("", "last"): "last"}))


def _same(held: dict[str, tuple[str, Type]], others: dict[str, Column]) -> tuple[Expression, Layout]:
    """Documents whose fields are what columns of the row at hand are, NULL included."""
    columns = {path: Column("bucket", path, kind) for path, (_, kind) in held.items()}
    equal = [Compare(Comparison.SAME, columns[path], cell(name, kind)) for path, (name, kind) in held.items()]
    entries = {("bucket", path): path for path in held} | {("", name): name for name in others}
    return conjunction(*equal) or TRUE, Layout.of(entries)


def _summarised(
    design: Design, place: Place, types: dict[str, Type], held: dict[str, tuple[str, Type]], name: str
) -> Iterator[WriteStep]:
    """Compute the summary of the owner's buckets anew."""
    bucket = place.nodes[0].bucket
    assert bucket is not None
    if not bucket.summary:
        return
    step: Step = Unwind(Where(CollectionScan(place.store.name), *_same(held, {})), place.node.field)
    summary, columns = summary_aggregates(design, place)
    aggregates = [(f"summary_{position}", aggregate) for position, (_, aggregate) in enumerate(summary)]
    key = Column("bucket", "_id", ANY)
    grouped = GroupRows(step, ((ID, key),), tuple(aggregates), columns | Layout.of({("bucket", "_id"): "_id"}))
    fields: dict[str, Expression] = {ID: Column("", ID, ANY)}
    fields |= {made: Column("", made, aggregate.type) for made, aggregate in aggregates}
    layout = Layout.of({("", ID): f"_id.{ID}"} | {("", made): made for made, _ in aggregates})
    yield fetch(name, _plan(grouped, fields, layout), tuple(types))
    changes = tuple(Set(item.field, Cell(f"summary_{n}")) for n, item in enumerate(bucket.summary))
    yield Each(name, (UpdateDocuments(place.store.name, (FieldMatch("_id", Cell(ID)),), changes),))


def _plan(step: Step, fields: dict[str, Expression], layout: Layout) -> ReadPlan:
    shaped = Shape(step, tuple(fields.items()), layout)
    return ReadPlan(shaped, tuple(OutputColumn(name, name, value.type) for name, value in fields.items()))
