"""The state of a lowered relation: the steps that yield its documents, and the path of each column in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from nestling.ir.design import Design
from nestling.ir.free_names import free_name
from nestling.ir.paths.access_path import Step
from nestling.ir.paths.row_steps import ColumnId, Compute, Layout, Where
from nestling.ir.paths.work import Work
from nestling.ir.statements.expression import Column, Expression
from nestling.ir.statistics import Statistics
from nestling.ir.storage.layout import Place
from nestling.ir.storage.names import stored_name
from nestling.ir.tolerance import Tolerated
from nestling.planner.homes.attribute import may_lack
from nestling.planner.reads.condition_order import in_any_order
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rewrites.below_groups import below_groups
from nestling.planner.reads.rewrites.bucket_starts import in_buckets
from nestling.planner.reads.rewrites.prefilter import filtered_early, without_values
from nestling.planner.reads.traverse import mentioned, rewritten


@dataclass(frozen=True, slots=True)
class First:
    """Only the first rows of each parent are needed, by (attribute, descending)."""

    order: tuple[tuple[str, bool], ...]
    count: int


@dataclass(frozen=True, slots=True)
class PlacedScan:
    """A scan's rows are at a place of the design: `prefix` is the path of that place's document, empty for the root.

    `optional`: an outer join leaves rows without one, though the documents around it are there.
    """

    place: Place
    prefix: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Lowered:
    """Steps, the paths of the columns they yield, the top-level fields of their documents, and the places of the scans.

    `identity`: the paths of a compound `_id`'s parts, as long as the documents are those of a collection.
    """

    step: Step
    layout: Layout
    taken: frozenset[str]
    standing: Mapping[str, PlacedScan] = field(default_factory=dict)
    identity: tuple[str, ...] = ()

    def fresh(self, wish: str) -> str:
        """A top-level field name like `wish` that is not taken."""
        return free_name(stored_name(wish.replace(".", "_")) or "field", {*self.taken, "_id"})

    def computed(self, values: Mapping[Column, Expression], context: LoweringContext) -> Lowered:
        """The rows with further columns, each in a fresh field named like it."""
        rows, fields = self, list[tuple[str, Expression]]()
        entries = dict(self.layout.entries)
        for column, expression in values.items():
            name = rows.fresh(column.name)
            rows = replace(rows, taken=rows.taken | {name})
            fields.append((name, expression))
            entries[column.alias, column.name] = name
        if not fields:
            return self
        step = Compute(self.step, tuple(fields), context.seen(self.layout))
        return replace(rows, step=step, layout=Layout.of(entries))

    def said_of(self, alias: str, conditions: Iterable[Expression]) -> list[Expression]:
        """Return the conditions with a column of the scan `alias` in place of a FROM subquery's name for the same field.

        `FROM (SELECT o.id AS number FROM orders o LIMIT 20) AS f JOIN items i ON i.order_id = f.number` joins by `o.id`.
        Columns that an outer join may lack are not replaced.
        """
        if self.standing[alias].optional:
            return list(conditions)
        own = {path: name for (holder, name), path in self.layout.entries if holder == alias}

        def named(each: Expression) -> Expression | None:
            if not isinstance(each, Column) or each.alias in self.standing or each not in self.layout:
                return None
            name = own.get(self.layout.path(each))
            return replace(each, alias=alias, name=name) if name is not None else None

        return [rewritten(each, named) for each in conditions]

    def where(self, predicate: Expression | None, context: LoweringContext) -> Lowered:
        """The rows for which the predicate is true."""
        if predicate is None:
            return self
        identity = self.identity if context.may(Rewrite.IDENTITY) else ()
        layout = context.seen(self.layout)
        is_early = context.may(Rewrite.PREFILTER)

        def restrict(step: Step, asked: Expression, seen: Layout, identity: tuple[str, ...] = ()) -> Step:
            asked = rewritten(in_any_order(asked, step), lambda each: self._before_elements(each, context))
            return filtered_early(step, asked, seen, identity) if is_early else Where(step, asked, seen, identity)

        step, rest = self.step, predicate
        if context.may(Rewrite.BELOW_GROUPS):
            step, left = below_groups(step, predicate, layout, restrict)
            if left is None:
                return replace(self, step=step, identity=())
            rest = left
        step = restrict(step, rest, layout, identity)
        if context.may(Rewrite.BUCKET_STARTS):
            step = in_buckets(step, rest, self.standing)
        if is_early:
            step = without_values(step, self._answered(rest, context))
        return replace(self, step=step, identity=())

    def _before_elements(self, expression: Expression, context: LoweringContext) -> Expression | None:
        """A column of elements that the document around them determines, if it is wanted where there may be no element."""
        if not isinstance(expression, Column) or expression.nullable or expression.alias not in self.standing:
            return None
        lacks = may_lack(context.design, self.standing[expression.alias].place, expression.name)
        return replace(expression, nullable=True) if lacks else None

    def _answered(self, predicate: Expression, context: LoweringContext) -> frozenset[str]:
        """The paths that nothing but this predicate speaks of."""
        asked = Counter((column.alias, column.name) for column in mentioned(predicate))
        paths = {self.layout.path(column) for column in mentioned(predicate) if column in self.layout}
        elsewhere = {path for key, path in self.layout.entries if context.used[key] > asked[key]}
        return frozenset(paths - elsewhere)


class VariableNames:
    """Names for the variables of one statement's lookups."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def variable(self, column: Column) -> str:
        """A new variable name, valid in MongoDB, that shows which column it stands for."""
        text = "".join(c if c.isascii() and c.isalnum() else "_" for c in f"{column.alias}_{column.name}")
        wish = text[0].lower() + text[1:] if text[0].isalpha() else f"v{text}"
        name = free_name(wish, self._taken)
        self._taken.add(name)
        return name


@dataclass(frozen=True, slots=True)
class LoweringContext:
    """The context of lowering: the design, the used columns, the columns visible from outside, the allowed rewrites."""

    design: Design
    used: Counter[ColumnId]  # how often each column is mentioned
    rewrites: frozenset[Rewrite]
    names: VariableNames
    outer: Layout = Layout()
    tolerated: Tolerated = Tolerated()
    first: Mapping[str, First] = field(default_factory=dict)  # by alias
    statistics: Statistics = field(default_factory=Statistics)
    is_inside: bool = False  # a lookup, whose steps are done again for each row around it
    price: Callable[[Work], float] | None = None  # the seconds some work takes

    def seen(self, layout: Layout) -> Layout:
        """The layout for an expression: the rows' own columns and the variables from outside."""
        return self.outer | layout if self.outer.entries else layout

    def inside(self, variables: Iterable[tuple[ColumnId, str]], *, again: bool = True) -> LoweringContext:
        """The context of a lookup's own steps; `again`: other ones for each row."""
        return replace(self, outer=self.outer | Layout(tuple(variables)), is_inside=self.is_inside or again)

    def beyond(self, conditions: Iterable[Expression], columns: Iterable[Column]) -> list[Column]:
        """The columns that are used anywhere else than in these conditions."""
        asked = Counter((c.alias, c.name) for each in conditions for c in mentioned(each))
        return [c for c in columns if self.used[c.alias, c.name] > asked[c.alias, c.name]]

    def may(self, rewrite: Rewrite) -> bool:
        """Whether the rewrite is allowed."""
        return rewrite in self.rewrites
