"""An independent interpreter of the algebra over rows in memory: what a statement means, as plainly as it can be said.

Rows are tuples of conceptual values; a subquery's rows stand behind those of the rows around it, so that a column is a place in
one tuple. Nested loops everywhere, but for equal columns in a join's condition, which are hashed.

Where SQL leaves a choice (ties cut by LIMIT, bare columns, the order of a concatenation) it takes any and notes it in
`arbitrary`: a difference from a database is then no proof of anything.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cmp_to_key
from itertools import groupby
from typing import Any, assert_never

from nestling.ir.statements import algebra as a
from nestling.ir.statements import expression as e
from nestling.ir.statements import operands as op
from nestling.ir.statements.operators import Collation, Comparison, Function, Rules
from tests.reference_values import (
    FUNCTIONS,
    Unsupported,
    among,
    arithmetic,
    cast,
    coerce,
    compared,
    conjunction,
    identities,
    identity,
    like,
    negation,
    number,
    order_key,
    raw,
    stored,
    type_of,
)

Row = tuple[Any, ...]
Layout = dict[tuple[str, str], int]
Compiled = Callable[[Row], Any]
Running = Callable[[Row], list[Row]]


class Interpreter:
    """Runs queries over `rows` (a list of tuples in attribute order, by entity) with `parameters`."""

    def __init__(self, rows: Mapping[str, Sequence[Row]], parameters: Mapping[str, object] | None = None) -> None:
        self.rows = rows
        self.parameters = dict(parameters or {})
        self.arbitrary: set[str] = set()
        self.working: dict[str, list[Row]] = {}
        self.now = datetime.now(UTC).replace(tzinfo=None)

    def run(self, query: a.Query) -> list[Row]:
        """The query's rows, in order where it orders them."""
        return self.relation(query.relation, {})(())

    def run_keyed(self, query: a.Query) -> list[tuple[Row, tuple[Any, ...]]]:
        """The query's rows, each with the sort key it stands at; keys are empty when nothing orders the query."""
        relation, keys = keyed(query.relation)
        width = len(query.relation.columns)
        return [
            (row[:width], tuple(identity(value, key.collation) for value, key in zip(row[width:], keys, strict=True)))
            for row in self.relation(relation, {})(())
        ]

    # --- relations ---------------------------------------------------------------------------------------------------

    def relation(self, node: a.Relation, outer: Layout) -> Running:
        match node:
            case a.Scan():
                found = list(self.rows[node.entity])
                return lambda _: found
            case a.Values():
                cells = [[self.scalar(cell, outer) for cell in row] for row in node.rows]
                return lambda row: [tuple(cell(row) for cell in cells_) for cells_ in cells]
            case a.Unnest(array=array):
                find = self.scalar(array, outer)
                return lambda row: [(each, n)[: len(node.columns)] for n, each in enumerate(find(row) or (), 1)]
            case a.Filter():
                return self.filter(node, outer)
            case a.Project():
                source, inner = self.relation(node.input, outer), layout(outer, node.input)
                outputs = [self.scalar(output.expression, inner) for output in node.outputs]
                return lambda row: [tuple(f(row + own) for f in outputs) for own in source(row)]
            case a.Join():
                return self.join(node, outer)
            case a.GroupBy():
                return self.group(node, outer)
            case a.Distinct():
                source = self.relation(node.input, outer)
                rules = node.collations or (Collation.BINARY,) * len(node.columns)
                return lambda row: list(unique(source(row), rules))
            case a.Sort():
                return self.sort(node, outer)
            case a.LimitOffset():
                return self.limit(node, outer)
            case a.SetOperation():
                return self.set_operation(node, outer)
            case a.Window():
                return self.window(node, outer)
            case a.Recursive():
                return self.recursive(node, outer)
            case a.Working():
                return lambda _: self.working[node.recursion]
            case _:
                assert_never(node)

    def filter(self, node: a.Filter, outer: Layout) -> Running:
        predicate = self.scalar(node.predicate, layout(outer, node.input))
        if isinstance(node.input, a.Join) and node.input.kind in (a.JoinKind.CROSS, a.JoinKind.INNER):
            # WHERE over a comma join: hash what can be hashed, as every database would.
            return self.relation(pushed(node), outer)
        source = self.relation(node.input, outer)
        return lambda row: [own for own in source(row) if predicate(row + own) is True]

    def join(self, node: a.Join, outer: Layout) -> Running:
        left, right = self.relation(node.left, outer), self.relation(node.right, outer)
        inner = layout(layout(outer, node.left), node.right)
        pairs, rest = equalities(node.condition, node.left, node.right)
        keys_left = [(self.scalar(one, layout(outer, node.left)), rule) for one, _, rule in pairs]
        keys_right = [(self.scalar(other, layout(outer, node.right)), rule) for _, other, rule in pairs]
        condition = self.scalar(rest, inner) if rest is not None else None
        nothing_left, nothing_right = ((None,) * len(side.columns) for side in (node.left, node.right))

        def run(row: Row) -> list[Row]:
            table: dict[tuple[Any, ...], list[int]] = defaultdict(list)
            rights = right(row)
            for place, own in enumerate(rights):
                key = tuple(identity(f(row + own), rule) for f, rule in keys_right)
                if None not in key:
                    table[key].append(place)
            used: set[int] = set()
            found: list[Row] = []
            for own in left(row):
                key = tuple(identity(f(row + own), rule) for f, rule in keys_left)
                matches = [] if None in key else table.get(key, [])
                kept = [p for p in matches if condition is None or condition(row + own + rights[p]) is True]
                used.update(kept)
                found += [own + rights[p] for p in kept]
                if not kept and node.kind in (a.JoinKind.LEFT, a.JoinKind.FULL):
                    found.append(own + nothing_right)
            if node.kind in (a.JoinKind.RIGHT, a.JoinKind.FULL):
                found += [nothing_left + own for p, own in enumerate(rights) if p not in used]
            return found

        return run

    def group(self, node: a.GroupBy, outer: Layout) -> Running:
        source, inner = self.relation(node.input, outer), layout(outer, node.input)
        keys = [self.scalar(key.expression, inner) for key in node.keys]
        rules = node.collations or (Collation.BINARY,) * len(keys)
        aggregates = [self.aggregate(item.aggregate, inner) for item in node.aggregates]

        def run(row: Row) -> list[Row]:
            groups: dict[tuple[Any, ...], list[Row]] = {}
            for own in source(row):
                full = row + own
                key = tuple(identity(f(full), rule) for f, rule in zip(keys, rules, strict=True))
                groups.setdefault(key, []).append(full)
            if not keys and not groups:
                groups[()] = []
            return [tuple(f(rows[0]) for f in keys) + tuple(f(rows) for f in aggregates) for rows in groups.values()]

        return run

    def aggregate(self, node: a.AggregateCall, inner: Layout) -> Callable[[list[Row]], Any]:
        argument = self.scalar(node.argument, inner) if node.argument is not None else None
        condition = self.scalar(node.filter, inner) if node.filter is not None else None
        order = self.ordering(node.order, inner)
        separator = self.scalar(node.separator, inner) if node.separator is not None else None
        at = (node.at[0], self.scalar(node.at[1], inner)) if node.at is not None else None

        def run(rows: list[Row]) -> Any:
            if condition is not None:
                rows = [row for row in rows if condition(row) is True]
            if argument is None:
                return len(rows)
            if node.function is a.AggregateFunction.ANY_VALUE:
                return self.any_value(rows, argument, at)
            rows = sorted(rows, key=order) if node.order else rows
            values = [value for row in rows if (value := argument(row)) is not None]
            if node.distinct:
                values = [value for (value,) in unique(((v,) for v in values), (node.collation,))]
            if node.function is a.AggregateFunction.CONCAT:
                if not all(isinstance(value, str) for value in values):
                    raise Unsupported("a concatenation of bytes")
                if len(set(values)) > 1 and not node.order:
                    self.arbitrary.add("order of a concatenation")
                return str(separator(rows[0]) if separator and rows else ",").join(values) if values else None
            return fold(node.function, values, node.collation)

        return run

    def any_value(self, rows: list[Row], argument: Compiled, at: tuple[Any, Compiled] | None) -> Any:
        if not rows:
            return None
        if at is not None:
            function, operand = at
            known = [row for row in rows if operand(row) is not None]
            best = fold(function, [operand(row) for row in known], Collation.BINARY) if known else None
            rows = [row for row in known if order_key(operand(row)) == order_key(best)] or rows
        if len({identity(argument(row)) for row in rows}) > 1:
            self.arbitrary.add("bare column")
        return argument(rows[0])

    def ordering(self, keys: Sequence[a.SortKey], inner: Layout) -> Callable[[Row], Any]:
        compiled = [(self.scalar(key.expression, inner), key) for key in keys]

        def compare(one: Row, other: Row) -> int:
            for function, key in compiled:
                found = compare_for_sort(function(one), function(other), key)
                if found:
                    return found
            return 0

        return cmp_to_key(compare)

    def sort(self, node: a.Sort, outer: Layout) -> Running:
        source, order = self.relation(node.input, outer), self.ordering(node.keys, layout(outer, node.input))

        def run(row: Row) -> list[Row]:
            return sorted(source(row), key=lambda own: order(row + own))

        return run

    def limit(self, node: a.LimitOffset, outer: Layout) -> Running:
        source = self.relation(node.input, outer)
        count = self.scalar(node.count, outer) if node.count is not None else None
        offset = self.scalar(node.offset, outer) if node.offset is not None else None
        order = self.ordering(node.input.keys, layout(outer, node.input)) if isinstance(node.input, a.Sort) else None

        def run(row: Row) -> list[Row]:
            rows = source(row)
            first = max(int(offset(row) or 0), 0) if offset else 0
            number = count(row) if count else None
            last = len(rows) if number is None or number < 0 else first + int(number)
            for cut in (first, last):
                if not 0 < cut < len(rows) or all(other == rows[cut] for other in rows):
                    continue
                if order is None or order(row + rows[cut - 1]) == order(row + rows[cut]):
                    self.arbitrary.add("LIMIT among ties")
            return rows[first:last]

        return run

    def set_operation(self, node: a.SetOperation, outer: Layout) -> Running:
        left, right = self.relation(node.left, outer), self.relation(node.right, outer)
        rules = node.collations or (Collation.BINARY,) * len(node.columns)

        def run(row: Row) -> list[Row]:
            lefts, rights = left(row), right(row)
            if node.operator is a.SetOperator.UNION:
                return lefts + rights if node.all else list(unique(lefts + rights, rules))
            counts: dict[Any, int] = defaultdict(int)
            for own in rights:
                counts[identities(own, rules)] += 1
            wanted = node.operator is a.SetOperator.INTERSECT
            if not node.all:
                return [own for own in unique(lefts, rules) if (identities(own, rules) in counts) is wanted]
            found = []
            for own in lefts:
                key = identities(own, rules)
                present = counts[key] > 0
                counts[key] -= present
                if present is wanted:
                    found.append(own)
            return found

        return run

    def recursive(self, node: a.Recursive, outer: Layout) -> Running:
        base, step = self.relation(node.base, outer), self.relation(node.step, outer)
        rules = (Collation.BINARY,) * len(node.columns)

        def run(row: Row) -> list[Row]:
            found: list[Row] = []
            seen: set[Any] = set()
            last = base(row)
            while last:
                fresh = last
                if not node.all:
                    fresh = [own for own in unique(last, rules) if identities(own, rules) not in seen]
                    seen.update(identities(own, rules) for own in fresh)
                found += fresh
                self.working[node.alias] = fresh
                last = step(row) if fresh else []
            return found

        return run

    # --- windows -----------------------------------------------------------------------------------------------------

    def window(self, node: a.Window, outer: Layout) -> Running:
        source, inner = self.relation(node.input, outer), layout(outer, node.input)
        functions = [self.window_function(item.window, inner) for item in node.functions]

        def run(row: Row) -> list[Row]:
            rows = source(row)
            columns = [function([row + own for own in rows]) for function in functions]
            return [own + tuple(column[place] for column in columns) for place, own in enumerate(rows)]

        return run

    def window_function(self, node: a.WindowFunction, inner: Layout) -> Callable[[list[Row]], list[Any]]:
        partition = [self.scalar(term, inner) for term in node.partition]
        rules = node.partition_collations or (Collation.BINARY,) * len(partition)
        order = self.ordering(node.order, inner)
        arguments = [self.scalar(argument, inner) for argument in node.arguments]
        condition = self.scalar(node.filter, inner) if node.filter is not None else None
        start, end = (
            (b, self.scalar(b.offset, inner) if b.offset is not None else None)
            for b in (node.frame.start, node.frame.end)
        )
        first_key = self.scalar(node.order[0].expression, inner) if node.order else None

        def run(rows: list[Row]) -> list[Any]:
            result: list[Any] = [None] * len(rows)
            groups: dict[Any, list[int]] = {}
            for place, row in enumerate(rows):
                key = tuple(identity(f(row), rule) for f, rule in zip(partition, rules, strict=True))
                groups.setdefault(key, []).append(place)
            for members in groups.values():
                places = sorted(members, key=lambda place: order(rows[place]))
                ordered = [rows[place] for place in places]
                peers = peer_groups(ordered, order, bool(node.order))
                for index, place in enumerate(places):
                    result[place] = value(ordered, index, peers)
                if len(set(peers)) < len(ordered) and node.function in _TIE_SENSITIVE:
                    self.arbitrary.add("window over ties")
                if node.frame.unit is a.FrameUnit.ROWS and len(set(peers)) < len(ordered) and node.order:
                    self.arbitrary.add("window over ties")
            return result

        def value(ordered: list[Row], index: int, peers: list[int]) -> Any:
            if isinstance(node.function, a.WindowOnly) and node.function not in _FRAMED:
                return ranked(node.function, ordered, index, peers, arguments)
            frame = self.frame(node, ordered, index, peers, start, end, first_key)
            if isinstance(node.function, a.WindowOnly):
                return framed(node.function, frame, arguments)
            if condition is not None:
                frame = [row for row in frame if condition(row) is True]
            if not arguments:
                return len(frame)
            values = [v for row in frame if (v := arguments[0](row)) is not None]
            return fold(node.function, values, node.collation)

        return run

    def frame(
        self, node: a.WindowFunction, ordered: list[Row], index: int, peers: list[int], start: Any, end: Any, key: Any
    ) -> list[Row]:
        row = ordered[index]

        def edge(bound: a.Bound, offset: Compiled | None, is_start: bool) -> int:
            if offset is None:
                return len(ordered) if bound.following else 0
            distance = offset(row) * (1 if bound.following else -1)
            if node.frame.unit is a.FrameUnit.ROWS:
                return max(0, min(len(ordered), index + distance + (0 if is_start else 1)))
            if node.frame.unit is a.FrameUnit.GROUPS or distance == 0:
                wanted = peers[index] + distance
                return sum(1 for peer in peers if (peer < wanted if is_start else peer <= wanted))
            here = key(row)
            if here is None:
                return sum(1 for p in peers if (p < peers[index] if is_start else p <= peers[index]))
            sign = -1 if node.order[0].descending else 1
            inside = [
                p
                for p, r in enumerate(ordered)
                if key(r) is not None
                and ((key(r) - here) * sign >= distance if is_start else (key(r) - here) * sign <= distance)
            ]
            return (min(inside) if inside else len(ordered)) if is_start else (max(inside) + 1 if inside else 0)

        return ordered[edge(start[0], start[1], True) : edge(end[0], end[1], False)]

    # --- scalars -----------------------------------------------------------------------------------------------------

    def scalar(self, node: e.Expression, where: Layout) -> Compiled:
        match node:
            case e.Literal(value=value):
                return lambda _: value
            case e.Parameter(name=name):
                if name not in self.parameters:
                    raise Unsupported(f"no value for :{name}")
                bound = self.parameters[name]
                return lambda _: bound
            case e.Column():
                place = where[node.alias, node.name]
                return lambda row: row[place]
            case e.Arithmetic():
                left, right = self.scalar(node.left, where), self.scalar(node.right, where)
                return lambda row: arithmetic(node, left(row), right(row))
            case e.Negate():
                operand = self.scalar(node.operand, where)
                return lambda row: None if (v := operand(row)) is None else -number(v)
            case e.Compare():
                left, right = self.scalar(node.left, where), self.scalar(node.right, where)
                return lambda row: compared(node.operator, left(row), right(row), node.collation)
            case e.And(operands=inner):
                parts = [self.scalar(part, where) for part in inner]
                return lambda row: conjunction(part(row) for part in parts)
            case e.Or(operands=inner):
                parts = [self.scalar(part, where) for part in inner]
                return lambda row: negation(conjunction(negation(part(row)) for part in parts))
            case e.Not():
                operand = self.scalar(node.operand, where)
                return lambda row: negation(operand(row))
            case e.IsNull():
                operand = self.scalar(node.operand, where)
                return lambda row: operand(row) is None
            case e.InList():
                operand = self.scalar(node.operand, where)
                items = [self.scalar(item, where) for item in node.items]
                if node.given is not None:
                    given: Any = self.parameters[node.given.name]
                    values = [None] if given is None else given
                    alone = (Interpreter(self.rows, {node.given.name: value}) for value in values)
                    items = [each.scalar(node.items[0], where) for each in alone]
                return lambda row: among([operand(row)], [(f(row),) for f in items], Comparison.EQUAL, node.collation)
            case e.Like():
                operand, pattern = self.scalar(node.operand, where), self.scalar(node.pattern, where)
                return lambda row: like(operand(row), pattern(row), node.escape, node.case)
            case e.Case():
                branches = [(self.scalar(c, where), self.scalar(v, where)) for c, v in node.branches]
                default = self.scalar(node.default, where)
                return lambda row: (
                    next((v(row) for c, v in branches if c(row) is True), None)
                    if any(c(row) is True for c, _ in branches)
                    else default(row)
                )
            case e.Cast():
                operand = self.scalar(node.operand, where)
                return lambda row: cast(operand(row), node)
            case e.Coerce():
                operand = self.scalar(node.operand, where)
                return lambda row: coerce(operand(row), node.affinity)
            case e.Raw():
                operand, kind = self.scalar(node.operand, where), node.operand.type
                return lambda row: raw(operand(row), kind.fraction_digits)
            case e.AttributeCast():
                operand = self.scalar(node.operand, where)
                return lambda row: stored(operand(row), node.type.name)
            case e.Call():
                return self.call(node, where)
            case e.ScalarSubquery():
                rows = self.subquery(node.relation, where)
                return lambda row: self.single(rows(row), node.relation)
            case e.Exists():
                rows = self.subquery(node.relation, where)
                return lambda row: bool(rows(row))
            case e.InSubquery():
                operands = [self.scalar(operand, where) for operand in node.operands]
                rows = self.subquery(node.relation, where)
                return lambda row: among([f(row) for f in operands], rows(row), node.operator, node.collation)
            case _:
                assert_never(node)

    def single(self, rows: list[Row], relation: a.Relation) -> Any:
        if len({identity(row[0]) for row in rows}) > 1 and not isinstance(relation, a.Sort):
            self.arbitrary.add("first row of a subquery")
        return rows[0][0] if rows else None

    def subquery(self, relation: a.Relation, where: Layout) -> Running:
        """The rows of a subquery, kept for each combination of the outer values it mentions."""
        run = self.relation(relation, where)
        used = sorted({where[key] for key in mentioned(relation) if key in where})
        kept: dict[Any, list[Row]] = {}

        def rows(row: Row) -> list[Row]:
            key = tuple((type(row[place]), row[place]) for place in used)
            if key not in kept:
                kept[key] = run(row)
            return kept[key]

        return rows

    def call(self, node: e.Call, where: Layout) -> Compiled:
        arguments = [self.scalar(argument, where) for argument in node.arguments]
        if node.function is Function.NOW:
            return lambda _: self.now
        if node.function is Function.RANDOM:
            return lambda _: random.random()
        if node.function is Function.COALESCE:
            return lambda row: next((v for f in arguments if (v := f(row)) is not None), None)
        if node.function is Function.TYPE_OF:
            return lambda row: type_of(arguments[0](row))
        function = FUNCTIONS.get(node.function)
        if function is None or node.rules is not Rules.SQLITE:
            raise Unsupported(f"{node.function} by {node.rules}")

        def run(row: Row) -> Any:
            values = [f(row) for f in arguments]
            return None if None in values else function(*values)

        return run


# --- what relations share --------------------------------------------------------------------------------------------

_FRAMED = (a.WindowOnly.FIRST_VALUE, a.WindowOnly.LAST_VALUE, a.WindowOnly.NTH_VALUE)
_TIE_SENSITIVE = (*_FRAMED, a.WindowOnly.ROW_NUMBER, a.WindowOnly.LAG, a.WindowOnly.LEAD, a.WindowOnly.NTILE)


def keyed(relation: a.Relation) -> tuple[a.Relation, tuple[a.SortKey, ...]]:
    """The relation with the values it is ordered by as further columns."""
    spine: a.Relation = relation
    while isinstance(spine, a.Project | a.LimitOffset):
        spine = spine.input
    if not isinstance(spine, a.Sort):
        return relation, ()
    extras = tuple(a.Named(f"key {place}", key.expression) for place, key in enumerate(spine.keys))
    if isinstance(relation, a.Project):
        return a.Project(relation.input, relation.alias, relation.outputs + extras), spine.keys
    own = tuple(a.Named(column.name, column) for column in relation.columns)
    return a.Project(relation, "keyed", own + extras), spine.keys


def layout(outer: Layout, relation: a.Relation) -> Layout:
    """The places of the relation's columns behind those of `outer`."""
    start = max(outer.values(), default=-1) + 1
    return outer | {(c.alias, c.name): start + place for place, c in enumerate(relation.columns)}


def pushed(node: a.Filter) -> a.Relation:
    """A filter over inner joins, each part of it moved into the lowest join that has its columns."""
    assert isinstance(node.input, a.Join)
    parts: list[Any] = list(node.predicate.operands) if isinstance(node.predicate, e.And) else [node.predicate]

    def taken(relation: a.Relation) -> list[e.Expression]:
        have = {(c.alias, c.name) for c in relation.columns}
        mine = [p for p in parts if simple(p) and {(c.alias, c.name) for c in op.columns_of(p)} <= have]
        for part in mine:
            parts.remove(part)
        return mine

    def place(relation: a.Relation) -> a.Relation:
        if not isinstance(relation, a.Join) or relation.kind not in (a.JoinKind.CROSS, a.JoinKind.INNER):
            below = op.conjunction(*taken(relation))
            return relation if below is None else a.Filter(a.LimitOffset(relation, None), below)
        left, right = place(relation.left), place(relation.right)
        condition = op.conjunction(relation.condition, *taken(relation))
        return a.Join(a.JoinKind.INNER if condition is not None else a.JoinKind.CROSS, left, right, condition)

    joined = place(node.input)
    rest = op.conjunction(*parts)
    if rest is None:
        return joined
    return a.Filter(a.LimitOffset(joined, None), rest)  # the Limit keeps it from being pushed again


def simple(node: e.Expression) -> bool:
    return not isinstance(node, e.ScalarSubquery | e.Exists | e.InSubquery) and all(map(simple, op.operands(node)))


def equalities(
    condition: e.Expression | None, left: a.Relation, right: a.Relation
) -> tuple[list[Any], e.Expression | None]:
    """The parts of a condition that say a left expression equals a right one, and the rest."""
    parts = condition.operands if isinstance(condition, e.And) else () if condition is None else (condition,)
    sides = [{(c.alias, c.name) for c in side.columns} for side in (left, right)]
    pairs, rest = [], []
    for part in parts:
        found = None
        if isinstance(part, e.Compare) and part.operator is Comparison.EQUAL and simple(part):
            used = [{(c.alias, c.name) for c in op.columns_of(x)} for x in (part.left, part.right)]
            if used[0] and used[1] and used[0] <= sides[0] and used[1] <= sides[1]:
                found = (part.left, part.right, part.collation)
            elif used[0] and used[1] and used[1] <= sides[0] and used[0] <= sides[1]:
                found = (part.right, part.left, part.collation)
        if found:
            pairs.append(found)
        else:
            rest.append(part)
    return pairs, op.conjunction(*rest)


def expressions_in(relation: a.Relation) -> Iterable[e.Expression]:
    """Every expression of a relation's own, and of the relations under it."""
    stack: list[Any] = [relation]
    while stack:
        node = stack.pop()
        if isinstance(node, e.Expression):
            yield node
        elif isinstance(node, tuple):
            stack.extend(node)
        elif hasattr(node, "__dataclass_fields__"):
            stack.extend(getattr(node, name) for name in node.__dataclass_fields__)


def mentioned(relation: a.Relation) -> set[tuple[str, str]]:
    """Every column mentioned in the relation, in its subqueries too."""
    found: set[tuple[str, str]] = set()
    for expression in expressions_in(relation):
        stack = [expression]
        while stack:
            node = stack.pop()
            if isinstance(node, e.Column):
                found.add((node.alias, node.name))
            if isinstance(node, e.ScalarSubquery | e.Exists | e.InSubquery):
                found |= mentioned(node.relation)
            stack.extend(op.operands(node))
    return found


def unique(rows: Iterable[Row], rules: Sequence[Collation]) -> Iterable[Row]:
    seen: set[Any] = set()
    for row in rows:
        key = identities(row, rules)
        if key not in seen:
            seen.add(key)
            yield row


def compare_for_sort(one: Any, other: Any, key: a.SortKey) -> int:
    if one is None or other is None:
        if one is other:
            return 0
        return -1 if (one is None) == key.nulls_first else 1
    left, right = order_key(one, key.collation), order_key(other, key.collation)
    found = (left > right) - (left < right)
    return -found if key.descending else found


def float_sum(values: list[Any]) -> float:
    try:
        return math.fsum(map(number, values))
    except OverflowError:  # on the way, or in the end
        return float(sum(map(float, values)))


def fold(function: Any, values: list[Any], rule: Collation) -> Any:
    """An aggregate over values that are not NULL."""
    match function:
        case a.AggregateFunction.COUNT:
            return len(values)
        case a.AggregateFunction.TOTAL:
            return float(sum(map(number, values)))
        case _ if not values:
            return None
        case a.AggregateFunction.SUM:
            return sum(values) if all(isinstance(v, int) for v in values) else float_sum(values)
        case a.AggregateFunction.AVG:
            return float_sum(values) / len(values)
        case a.AggregateFunction.MIN:
            return min(values, key=lambda v: order_key(v, rule))
        case a.AggregateFunction.MAX:
            return max(values, key=lambda v: order_key(v, rule))
        case _:
            raise Unsupported(str(function))


def peer_groups(ordered: list[Row], order: Callable[[Row], Any], is_ordered: bool) -> list[int]:
    """For each row the number of its group of equals; all rows are equal where there is no order."""
    if not is_ordered:
        return [0] * len(ordered)
    return [number for number, (_, rows) in enumerate(groupby(ordered, key=order)) for _ in rows]


def ranked(function: a.WindowOnly, ordered: list[Row], index: int, peers: list[int], arguments: list[Compiled]) -> Any:
    size = len(ordered)
    row = ordered[index]
    match function:
        case a.WindowOnly.ROW_NUMBER:
            return index + 1
        case a.WindowOnly.RANK:
            return peers.index(peers[index]) + 1
        case a.WindowOnly.DENSE_RANK:
            return peers[index] + 1
        case a.WindowOnly.PERCENT_RANK:
            return peers.index(peers[index]) / (size - 1) if size > 1 else 0.0
        case a.WindowOnly.CUME_DIST:
            return sum(1 for peer in peers if peer <= peers[index]) / size
        case a.WindowOnly.NTILE:
            count = arguments[0](row)
            small, larger = divmod(size, count)
            edge = larger * (small + 1)
            return index // (small + 1) + 1 if index < edge else larger + (index - edge) // small + 1
        case a.WindowOnly.LAG | a.WindowOnly.LEAD:
            distance = arguments[1](row) if len(arguments) > 1 else 1
            place = index + (distance if function is a.WindowOnly.LEAD else -distance)
            if 0 <= place < size:
                return arguments[0](ordered[place])
            return arguments[2](row) if len(arguments) > 2 else None
        case _:
            raise Unsupported(str(function))


def framed(function: a.WindowOnly, frame: list[Row], arguments: list[Compiled]) -> Any:
    if function is a.WindowOnly.NTH_VALUE:
        number = arguments[1](frame[0]) if frame else 1
        return arguments[0](frame[number - 1]) if number <= len(frame) else None
    if not frame:
        return None
    return arguments[0](frame[0 if function is a.WindowOnly.FIRST_VALUE else -1])
