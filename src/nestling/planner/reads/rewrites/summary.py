"""Groups of a bucketed entity's rows are summed up from the buckets, which know their number of events and their summaries.

Where the grouping is at least as coarse as the buckets: by attributes the buckets are made by, and by what is the same for a
whole window (its day, where a bucket is an hour). Conditions must be about these too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from nestling.ir.paths.access_path import CollectionScan
from nestling.ir.paths.row_steps import Layout
from nestling.ir.primitives import Bucket, Summary, WindowUnit
from nestling.ir.rows import AggregateKind
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import AggregateCall, AggregateFunction, NamedAggregate
from nestling.ir.statements.expression import Arithmetic, Call, Column, Expression, Literal
from nestling.ir.statements.operands import conjunction, has_subquery, nullable, operands
from nestling.ir.statements.operators import ArithmeticOperator, Division, Function
from nestling.ir.storage.layout import Node, NodeKind, Place, Role
from nestling.ir.types import FLOAT, INTEGER, MACHINE_NUMBERS, ORDERED_ALIKE, Type, TypeName
from nestling.planner.reads.rewrites.computed import or_zero
from nestling.planner.reads.rewrites.links import scan_of
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.scan import top_fields

_COUNT = Column("", "events of a bucket", INTEGER, nullable=False)
_FORMATS = {
    WindowUnit.MINUTE: frozenset("YmdjwWHM"),
    WindowUnit.HOUR: frozenset("YmdjwWH"),
    WindowUnit.DAY: frozenset("YmdjwW"),
    WindowUnit.MONTH: frozenset("Ym"),
}
_MONTHS = frozenset({"year", "quarter", "month"})
_DAYS = _MONTHS | {"week", "day", "dow", "doy"}
_UNITS = {
    WindowUnit.MINUTE: _DAYS | {"hour", "minute"},
    WindowUnit.HOUR: _DAYS | {"hour"},
    WindowUnit.DAY: _DAYS,
    WindowUnit.MONTH: _MONTHS,
}


@dataclass(frozen=True, slots=True)
class Summed:
    """Rows of buckets to be grouped instead of events, and what the group's aggregates are in terms of the new ones."""

    group: a.GroupBy
    rows: Lowered
    values: tuple[tuple[str, Expression], ...]


def summed(group: a.GroupBy, wanted: Sequence[NamedAggregate], context: LoweringContext) -> Summed | None:
    """The grouping of buckets that gives the same rows; None when the buckets do not know enough."""
    scan, predicates = scan_of(group.input)
    places = context.design.places.get(scan.entity, ()) if scan is not None else ()
    if scan is None or len(places) != 1 or not _is_of_buckets(places[0]):
        return None
    header = places[0].nodes[0]
    assert header.bucket is not None
    known = _Known(header, header.bucket, scan)
    asked = [key.expression for key in group.keys] + predicates
    if not all(known.is_coarse(each) for each in asked):
        return None
    alias = f"buckets of {group.alias}"
    aggregates = list[NamedAggregate]()
    values = list[tuple[str, Expression]]()
    for item in wanted:
        value = known.value(item.aggregate, alias, aggregates, keyed=bool(group.keys))
        if value is None:
            return None
        values.append((item.name, value))
    rows = Lowered(CollectionScan(places[0].store.name), known.layout(), top_fields(places[0].store))
    rows = rows.where(conjunction(*predicates), context)
    return Summed(replace(group, alias=alias, aggregates=tuple(aggregates)), rows, tuple(values))


def _is_of_buckets(place: Place) -> bool:
    return place.nodes[0].kind is NodeKind.GROUP and place.store.role is Role.HOME and len(place.nodes) == 2


@dataclass(frozen=True, slots=True)
class _Known:
    """What the documents of buckets say about the events of a scan."""

    header: Node
    bucket: Bucket
    scan: a.Scan

    def layout(self) -> Layout:
        """The columns of the scan that a bucket has, its number of events and its summaries."""
        paths = {(self.scan.alias, name): self.header.path_of(name) or name for name in self.bucket.by}
        if self.bucket.window is not None:
            paths.setdefault((self.scan.alias, self.bucket.window.attribute), "bucket_start")
        paths[_COUNT.alias, _COUNT.name] = "count"
        return Layout.of(paths | {("", f"bucket {item.field}"): item.field for item in self.bucket.summary})

    def is_coarse(self, expression: Expression) -> bool:
        """Whether it is the same for all events of a bucket, said with what the bucket has."""
        if isinstance(expression, Column):
            return expression.alias != self.scan.alias or expression.name in self.bucket.by
        if has_subquery(expression):
            return False
        return self._is_of_window(expression) or all(map(self.is_coarse, operands(expression)))

    def _is_of_window(self, expression: Expression) -> bool:
        window = self.bucket.window
        match expression:
            case Call(function=Function.FORMAT_TIME, arguments=(Column() as column, Literal(value=str(text)))):
                fits = window is not None and _FORMATS[window.unit].issuperset(re.findall(r"%(.)", text))
            case Call(
                function=Function.TRUNCATE_TIME | Function.TIME_PART,
                arguments=(Literal(value=unit), Column() as column),
            ):
                fits = window is not None and unit in _UNITS[window.unit]
            case Call(function=Function.DATE_OF, arguments=(Column() as column,)):
                fits = window is not None and "day" in _UNITS[window.unit]
            case _:
                return False
        return fits and self._is_window(column)

    def _is_window(self, column: Column) -> bool:
        """Whether it is the attribute the windows are of, whose values are dates all."""
        window, kind = self.bucket.window, column.type
        if window is None or column.alias != self.scan.alias or column.name != window.attribute or column.mixed:
            return False
        return kind.name is TypeName.DATE or (kind.name is TypeName.TIMESTAMP and kind.fraction_digits <= 3)

    def value(
        self, asked: AggregateCall, alias: str, aggregates: list[NamedAggregate], *, keyed: bool
    ) -> Expression | None:
        """The aggregate's value from aggregates over buckets, which are added; None when there are none for it."""
        if asked.filter is not None or (asked.distinct and asked.function not in _EXTREMES):
            return None

        def add(function: AggregateFunction, column: Column, kind: Type) -> Column:
            name = f"{function} {len(aggregates)}"
            aggregates.append(NamedAggregate(name, AggregateCall(function, column, kind)))
            return Column(alias, name, kind)

        match asked.function:
            case AggregateFunction.COUNT:
                counted = self._count(asked.argument)
                total = add(AggregateFunction.SUM, counted, INTEGER) if counted is not None else None
                return total if total is None or keyed else or_zero(total)
            case AggregateFunction.SUM | AggregateFunction.MIN | AggregateFunction.MAX:
                kept = self._summary(_SUMMARISED[asked.function], asked.argument)
                return add(asked.function, kept, asked.type) if kept is not None else None
            case AggregateFunction.AVG if asked.type.name in (TypeName.FLOAT, TypeName.DECIMAL):
                kept, counted = self._summary(AggregateKind.SUM, asked.argument), self._count(asked.argument)
                if kept is None or counted is None:
                    return None
                parts = add(AggregateFunction.SUM, kept, kept.type), add(AggregateFunction.SUM, counted, INTEGER)
                division = Division.REAL if asked.type == FLOAT else Division.DECIMAL
                return Arithmetic(ArithmeticOperator.DIVIDE, *parts, asked.type, division)
            case AggregateFunction.ANY_VALUE if asked.at is None and isinstance(asked.argument, Column):
                is_of_bucket = asked.argument.name in self.bucket.by and asked.argument.alias == self.scan.alias
                return add(asked.function, asked.argument, asked.type) if is_of_bucket else None
            case _:
                return None

    def _count(self, argument: Expression | None) -> Column | None:
        """How many of a bucket's events have a value."""
        if argument is None or (isinstance(argument, Column | Literal) and not nullable(argument)):
            return _COUNT
        found = self._field(AggregateKind.COUNT, argument)
        return Column("", f"bucket {found.field}", INTEGER) if found is not None else None

    def _summary(self, function: AggregateKind, argument: Expression | None) -> Column | None:
        found = self._field(function, argument)
        if found is None or not isinstance(argument, Column) or argument.mixed:
            return None
        kinds = MACHINE_NUMBERS if function is AggregateKind.SUM else ORDERED_ALIKE
        if argument.type.name not in kinds or argument.type.fraction_digits > 3:
            return None
        return Column("", f"bucket {found.field}", argument.type)

    def _field(self, function: AggregateKind, argument: Expression | None) -> Summary | None:
        if not isinstance(argument, Column) or argument.alias != self.scan.alias:
            return None
        wanted = (function, argument.name)
        return next((item for item in self.bucket.summary if (item.function, item.attribute) == wanted), None)


_EXTREMES = (AggregateFunction.MIN, AggregateFunction.MAX)
_SUMMARISED = {
    AggregateFunction.SUM: AggregateKind.SUM,
    AggregateFunction.MIN: AggregateKind.MIN,
    AggregateFunction.MAX: AggregateKind.MAX,
}
