"""Finds where SQL leaves a choice: columns that may have several values, and relations that may yield different rows.

Each choice is described in words. The description holds whatever the rows are, and the rows may have no ties at all. So it
matters only where two answers really differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from nestling.ir.model import Model
from nestling.ir.paths.row_steps import ColumnId
from nestling.ir.statements import algebra as a
from nestling.ir.statements.expression import Arithmetic, Exists, Expression, InSubquery, ScalarSubquery
from nestling.ir.statements.operands import SUBQUERIES, operands
from nestling.ir.statements.operators import Collation
from nestling.ir.types import TypeName
from nestling.planner.reads.determined import ColumnIds, at_most_one, determines, ids, plain_column, sorted_columns
from nestling.planner.reads.traverse import expressions, free_columns, inputs, mentioned, subqueries

NO_ORDER = "a LIMIT without ORDER BY may return any of the rows"
TIES = "rows may be tied in the ORDER BY of a LIMIT"
ROUGH_ORDER = "rows are ordered by computed fractions, whose last digits may differ"
ANY_ROW = "a column outside the GROUP BY may come from any row of its group"
AN_END = "a column beside MIN or MAX may come from any row that has it"
ANY_TEXTS = "texts are concatenated in any order"
COLLATED = "one of several texts stands for all that its collation treats as equal"
MANY_ROWS = "a subquery may have more than one row"
FRACTIONS = (TypeName.FLOAT, TypeName.DECIMAL)
SUMS = (a.AggregateFunction.SUM, a.AggregateFunction.TOTAL, a.AggregateFunction.AVG)
_ENDS = (a.AggregateFunction.MIN, a.AggregateFunction.MAX)
_OF_ORDER = (a.AggregateFunction.CONCAT, a.AggregateFunction.LIST)
_RANKS = (
    a.WindowOnly.RANK,
    a.WindowOnly.DENSE_RANK,
    a.WindowOnly.PERCENT_RANK,
    a.WindowOnly.CUME_DIST,
)


@dataclass(slots=True)
class Choices:
    """What has been found in a statement so far.

    `open`: why a column may have any of several values. `spelt`: why a column's value may be spelt in several ways. `rough`:
    the columns that are computed fractions.
    """

    model: Model
    open: dict[ColumnId, str] = field(default_factory=dict)
    spelt: dict[ColumnId, str] = field(default_factory=dict)
    rough: set[ColumnId] = field(default_factory=set)

    def of_rows(self, relation: a.Relation, outer: ColumnIds = frozenset()) -> str:
        """Return why the relation may yield other rows, or "" if it may not; record what is found about its columns.

        `outer`: the columns of the outer query, if the relation is a subquery.
        """
        below = next(filter(None, [self.of_rows(each, outer) for each in inputs(relation)]), "")
        match relation:
            case a.Filter() | a.Join():
                return below or self._first(expressions(relation))
            case a.Project():
                for each in relation.outputs:
                    self._note(relation.alias, each.name, each.expression)
            case a.GroupBy():
                return self._of_group(relation, below, outer)
            case a.Distinct():
                columns = zip(relation.columns, relation.collations, strict=False)
                self.spelt |= {
                    (column.alias, column.name): COLLATED for column, each in columns if each is not Collation.BINARY
                }
                return below or self._of_columns(relation)
            case a.LimitOffset():
                return below or self.of_limit(relation, outer)
            case a.Window():
                self._of_window(relation, below, outer)
            case a.SetOperation():
                return below or self._of_set(relation)
            case a.Recursive():
                return below or self._of_columns(relation.base) or self._of_columns(relation.step)
            case _:
                pass
        return below

    def of_limit(self, relation: a.LimitOffset, outer: ColumnIds = frozenset()) -> str:
        """Return why a LIMIT may choose different rows, or "" if it may not."""
        below = relation.input
        if at_most_one(below, self.model, outer):
            return ""
        if not isinstance(below, a.Sort):
            return NO_ORDER
        return self._of_order(below.keys, below, outer) or self._first(key.expression for key in below.keys)

    def why(self, expression: Expression) -> str:
        """Return why an expression may have another value, or "" if it may not."""
        for column in mentioned(expression):
            if reason := self.open.get((column.alias, column.name)):
                return reason
        return next(filter(None, map(self._of_subquery, subqueries(expression))), "")

    def is_rough(self, expression: Expression) -> bool:
        """Whether the expression is a computed fraction."""
        if expression.type.name not in FRACTIONS:
            return False
        return any((c.alias, c.name) in self.rough for c in mentioned(expression)) or _computes(expression)

    def _first(self, found: Iterable[Expression]) -> str:
        return next(filter(None, map(self.why, found)), "")

    def _note(self, alias: str, name: str, expression: Expression) -> None:
        """Record for the column what was found for the expression that it is computed from."""
        if reason := self.why(expression):
            self.open[alias, name] = reason
        spelt = (self.spelt.get((column.alias, column.name)) for column in mentioned(expression))
        if reason := next(filter(None, spelt), ""):
            self.spelt[alias, name] = reason
        if self.is_rough(expression):
            self.rough.add((alias, name))

    def _of_columns(self, relation: a.Relation) -> str:
        return next(filter(None, (self.open.get(each) for each in ids(relation.columns))), "")

    def _of_subquery(self, found: ScalarSubquery | Exists | InSubquery) -> str:
        relation = found.relation
        outer = frozenset(free_columns(relation))
        if isinstance(found, Exists):  # which rows there are makes no difference, only whether there are any
            while isinstance(relation, a.Project | a.Sort | a.LimitOffset):
                relation = relation.input
            return self.of_rows(relation, outer)
        if reason := self.of_rows(relation, outer) or self._of_columns(relation):
            return reason
        is_one = isinstance(found, InSubquery) or at_most_one(relation, self.model, outer)
        return "" if is_one else MANY_ROWS

    def _of_group(self, relation: a.GroupBy, below: str, outer: ColumnIds) -> str:
        for key in relation.keys:
            self._note(relation.alias, key.name, key.expression)
        for key, collation in zip(relation.keys, relation.collations, strict=False):
            if collation is not Collation.BINARY:
                self.spelt[relation.alias, key.name] = COLLATED
        for each in relation.aggregates:
            column = (relation.alias, each.name)
            if reason := below or self._first(expressions(each)) or self._of_row(each.aggregate, relation, outer):
                self.open[column] = reason
            elif reason := self._of_texts(each.aggregate, relation, outer):
                self.spelt[column] = reason
            if each.aggregate.function in SUMS and each.aggregate.type.name in FRACTIONS:
                self.rough.add(column)
        return below or self._first(key.expression for key in relation.keys)

    def _of_row(self, found: a.AggregateCall, relation: a.GroupBy, outer: ColumnIds) -> str:
        """Return why an aggregate's value may come from any row of its group, or "" if it is determined."""
        if found.function is not a.AggregateFunction.ANY_VALUE or found.argument is None:
            return ""
        known = {*outer, *(column for key in relation.keys if (column := plain_column(key.expression)) is not None)}
        if found.at is not None and (column := plain_column(found.at[1])) is not None:
            known.add(column)
        if determines(known, ids(mentioned(found.argument)), relation.input, self.model):
            return ""
        return ANY_ROW if found.at is None else AN_END

    def _of_texts(self, found: a.AggregateCall, relation: a.GroupBy, outer: ColumnIds) -> str:
        if found.function in _OF_ORDER:
            known = sorted_columns(found.order) | outer
            known |= {column for key in relation.keys if (column := plain_column(key.expression)) is not None}
            wanted = ids(mentioned(found.argument)) if found.argument is not None else frozenset()
            settled = bool(found.order) and determines(known, wanted, relation.input, self.model)
            return "" if settled else ANY_TEXTS
        return COLLATED if found.function in _ENDS and found.collation is not Collation.BINARY else ""

    def _of_window(self, relation: a.Window, below: str, outer: ColumnIds) -> None:
        for each in relation.functions:
            column, made = (relation.alias, each.name), each.window
            parts = [*made.arguments, *made.partition, *(key.expression for key in made.order)]
            parts += [made.filter] if made.filter is not None else []
            if reason := below or self._first(parts) or self._of_peers(made, relation.input, outer):
                self.open[column] = reason
            if made.function in SUMS and made.type.name in FRACTIONS:
                self.rough.add(column)

    def _of_peers(self, made: a.WindowFunction, rows: a.Relation, outer: ColumnIds) -> str:
        """Return why a window function may give another value where its order leaves ties, or "" if it may not."""
        if any(self.is_rough(key.expression) for key in made.order):
            return ROUGH_ORDER
        if _sees_peers_alike(made):
            return ""
        collations = made.partition_collations or (Collation.BINARY,) * len(made.partition)
        binary = (part for part, each in zip(made.partition, collations, strict=True) if each is Collation.BINARY)
        known = sorted_columns(made.order) | outer
        known |= {column for part in binary if (column := plain_column(part)) is not None}
        if determines(known, ids(rows.columns), rows, self.model):
            return ""
        return f"{made.function.value.upper()} runs over rows that may be tied in its ORDER BY"

    def _of_order(self, keys: tuple[a.SortKey, ...], rows: a.Relation, outer: ColumnIds) -> str:
        if any(self.is_rough(key.expression) for key in keys):
            return ROUGH_ORDER
        return "" if determines(sorted_columns(keys) | outer, ids(rows.columns), rows, self.model) else TIES

    def _of_set(self, relation: a.SetOperation) -> str:
        sides = (relation.left.columns, relation.right.columns)
        for column, *below in zip(relation.columns, *sides, strict=True):
            made = (column.alias, column.name)
            for each in ((one.alias, one.name) for one in below):
                if each in self.open:
                    self.open[made] = self.open[each]
                if each in self.spelt:
                    self.spelt[made] = self.spelt[each]
                if each in self.rough:
                    self.rough.add(made)
        if relation.all and relation.operator is a.SetOperator.UNION:
            return ""
        return self._of_columns(relation)


def orders_texts(relation: a.Relation) -> bool:
    """Whether a window, or a LIMIT that is not the statement's own, depends on the order of texts."""
    return any(
        key.expression.type.name is TypeName.TEXT or key.expression.type.name is TypeName.ENUM
        for node in _everywhere(relation)
        for key in _inner_keys(node)
    )


def _inner_keys(node: a.Relation) -> Iterator[a.SortKey]:
    if isinstance(node, a.Window):
        for each in node.functions:
            yield from each.window.order
    elif isinstance(node, a.LimitOffset) and isinstance(node.input, a.Sort):
        yield from node.input.keys


def _everywhere(relation: a.Relation) -> Iterator[a.Relation]:
    """Yield the relation, every relation below it, and those in subqueries."""
    yield relation
    for each in expressions(relation):
        for inner in subqueries(each):
            yield from _everywhere(inner.relation)
    for below in inputs(relation):
        yield from _everywhere(below)


def _sees_peers_alike(made: a.WindowFunction) -> bool:
    """Whether rows that are tied have the same value, or see all rows of the partition."""
    if made.function in _RANKS:
        return True
    if isinstance(made.function, a.WindowOnly) or made.function in _OF_ORDER:
        return False
    is_whole = made.frame.start.offset is None and made.frame.end.offset is None
    return is_whole or made.frame.unit is not a.FrameUnit.ROWS


def _computes(expression: Expression) -> bool:
    if isinstance(expression, Arithmetic) and expression.type.name in FRACTIONS:
        return True
    return not isinstance(expression, SUBQUERIES) and any(map(_computes, operands(expression)))
