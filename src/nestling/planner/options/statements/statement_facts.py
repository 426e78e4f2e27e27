"""What a statement's SQL says beyond its footprint: the selectivity and cost of its conditions, and how rows are combined."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, prod

from nestling.ir.model import AttributeName, Model
from nestling.ir.paths import work_of
from nestling.ir.paths.work import Work
from nestling.ir.situation import Situation
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Relation
from nestling.ir.statements.expression import Column, Compare, Expression, Not, ScalarSubquery
from nestling.ir.statements.operands import bare, columns_of, conjuncts
from nestling.ir.statements.operators import Comparison
from nestling.ir.statements.write import Delete, Update
from nestling.ir.workload import Access, AttributeFilter, Operator, Statement
from nestling.planner.known.ranges import SampleValues, column_in
from nestling.planner.known.selectivity import bytes_by, column_of_range, distinct_values, together
from nestling.planner.known.values import KnownOf, PathStatistics, known_of_scans
from nestling.planner.options.statements.limited_rows import LimitedRows, is_as_found, limited_rows
from nestling.planner.options.statements.named_rows import NamedRows, named_rows
from nestling.planner.options.statements.ranges_beside import RangeBeside, ranges_beside
from nestling.planner.options.statements.relations import relations_within, rows_asked
from nestling.planner.options.statements.translated import translated
from nestling.planner.reads import determined
from nestling.planner.reads.first_rows import first_of_each
from nestling.planner.reads.rewrites.conjuncts import about, restricted
from nestling.planner.reads.rewrites.early_limits import with_early_limits
from nestling.planner.reads.rewrites.first_children import first_asked
from nestling.planner.reads.rewrites.foreign_key_as_parent import fixed_column
from nestling.planner.reads.rewrites.late_children import with_late_children
from nestling.planner.reads.rewrites.late_parents import with_late_parents
from nestling.planner.reads.rewrites.links import scan_of
from nestling.planner.reads.rewrites.parent_as_foreign_key import by_foreign_key
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.reads.rewrites.rows_left import RemainingRows, rows_left
from nestling.planner.reads.rewrites.windowed import with_windows
from nestling.planner.reads.rows import First
from nestling.planner.reads.traverse import aliases, everything, expressions, free_columns, made_inside, mentioned
from nestling.planner.work.expressions import patterns, size, weight
from nestling.planner.work.first_access import asked_in_turn
from nestling.planner.work.stream import Condition, Use

GROUPING_STAGES = 1 + work_of.light(2)
"""Stages that group, order and show groups."""


@dataclass(frozen=True, slots=True)
class TableUse:
    """One occurrence of an entity in a statement.

    `left`: what joins are ordered by. `conditions`: those on its rows alone, by attribute. `joined`: the attributes that equal
    one of another occurrence. `inside`: it is in a subquery; `shown`: in one whose value is shown. `limited`: before more is
    joined to it. `alias`: its name in the statement. `windowed`: its rows are the statement's own, over which there is a window.
    `optional`: the rows before it stay without a match. `ranges`: those whose ends rows of other tables give. `lacking`: it is
    in a subquery that must find nothing. `partners`: for `joined` attributes, the names of the occurrences that they equal.
    """

    left: RemainingRows | None
    conditions: tuple[Condition, ...]
    joined: frozenset[str] = frozenset()
    inside: bool = False
    shown: bool = False
    limited: bool = False
    alias: str = ""
    windowed: bool = False
    optional: bool = False
    ranges: tuple[RangeBeside, ...] = ()
    lacking: bool = False
    partners: frozenset[tuple[str, str]] = frozenset()

    def looked_up(self, access: Access, ranges: Sequence[RangeBeside], later: Collection[str] = frozenset()) -> Access:
        """The access if its rows are looked up for each of other rows: by equality with their values, and by the given ranges.

        `later`: the names of tables that are not among the others.
        """
        asked_later = {name for name, alias in self.partners if alias in later}
        asked_later -= {name for name, alias in self.partners if alias not in later}
        equal = sorted(self.joined - asked_later - access.compared(Operator.EQUALITY))
        ranged = tuple(dict.fromkeys(each.attribute for each in ranges))
        asked = [AttributeFilter(name, Operator.EQUALITY) for name in equal]
        asked += [AttributeFilter(name, Operator.RANGE) for name in ranged]
        return replace(
            access, filters=tuple(dict.fromkeys((*access.filters, *asked))), joined=tuple(equal), ranged=ranged
        )


@dataclass(frozen=True, slots=True)
class GroupFacts:
    """Rows put into groups: the keys, the values computed for each row, the conditions on groups, and whether groups are sorted.

    `same`: the columns that equal one; `shares`: for each table, by alias, the share of its rows that are reached.
    """

    keys: tuple[Expression, ...]
    fields: float
    having: tuple[Condition, ...]
    is_sorted: bool
    known: KnownOf
    same: Mapping[Column, frozenset[Column]]
    shares: Mapping[str, float] = field(default_factory=dict)

    def work(self, rows: float, limit: int | None) -> Work:
        """Grouping so many rows, and sorting the groups left."""
        groups, left = self._groups(rows), self.left(rows)
        found = (
            Work(stages=GROUPING_STAGES)
            + work_of.pass_on(rows)
            + work_of.project(rows, self.fields)
            + work_of.group(rows, groups)
        )
        if self.having:
            found += work_of.pass_on(groups) + asked_in_turn(groups, self.having)
        if self.is_sorted:
            found += work_of.sort(left) if limit is None else work_of.top(left, limit)
        return found

    def left(self, rows: float) -> float:
        """How many groups of so many rows meet the conditions on groups."""
        return self._groups(rows) * prod(each.share for each in self.having)

    def _groups(self, rows: float) -> float:
        return distinct_values(self.keys, self._reached, rows) if self.keys else 1.0

    def _reached(self, column: Column) -> PathStatistics | None:
        """What is known of a column's values in the rows that are reached: of equal columns, of the one with the fewest."""
        every = {each.alias: self.known(each) for each in (column, *self.same.get(column, ()))}
        told = [each.of_share(self.shares.get(alias, 1.0)) for alias, each in every.items() if each is not None]
        return min(told, key=lambda each: inf if each.left is None else each.left, default=None)


@dataclass(frozen=True, slots=True)
class FirstFacts:
    """The first row of a table for each value of the keys is shown.

    `in_order`: in the order in which they are the first. `sought`: the single key, a column without NULLs, by whose values an
    index with this order finds them.
    """

    keys: tuple[Expression, ...]
    in_order: bool
    sought: str | None
    known: KnownOf

    def count(self, rows: float) -> float:
        """How many there are among so many rows."""
        return distinct_values(self.keys, self.known, rows)


@dataclass(frozen=True, slots=True)
class ConditionFacts:
    """What a statement's conditions, groups and order say about the rows it needs.

    `shares`: for each attribute, the share of rows that meet the conditions on it, averaged if an entity occurs several times.
    `tables`: the occurrences of each entity, in order. `grouped`: its result consists of groups. `as_found`: its limit and
    order apply to the rows themselves and by attributes. `nodes`: the number of expression nodes over columns. `first`: the
    entities of which it needs only the first few rows, whatever is joined to them. `beside`: its aggregates are computed for
    each row shown, and decide about none. `only_asked`: the entities used in conditions alone. `early`: its groups are rows
    that are limited before their children are aggregated. `limited`: the rows that a subquery in FROM limits before more is
    joined to them. `firsts`: it shows the first rows of groups. `named`: the rows it changes, if a subquery selects them.
    """

    shares: Mapping[AttributeName, float] = field(default_factory=dict)
    tables: Mapping[str, tuple[TableUse, ...]] = field(default_factory=dict)
    grouped: GroupFacts | None = None
    as_found: bool = True
    nodes: float = 0.0
    first: Mapping[str, First] = field(default_factory=dict)
    beside: bool = False
    only_asked: frozenset[str] = frozenset()
    early: bool = False
    limited: LimitedRows | None = None
    firsts: FirstFacts | None = None
    named: NamedRows | None = None


def statement_facts(statement: Statement, situation: Situation) -> ConditionFacts:
    """The facts about the statement; empty if it cannot be translated."""
    query = translated(statement, situation.reading)
    if query is None:
        return ConditionFacts()
    whole = with_late_children(by_foreign_key(push_predicates(rows_asked(query)), situation.model), situation.model)
    relation = with_early_limits(whole, situation.model)
    relations = list(relations_within(relation))
    known, values = known_of_scans(relations, situation.model, situation.statistics), statement.known_values
    limited = limited_rows(relation, situation.model, values, own=statement.limit is not None)
    first_taken = limited.aliases if limited is not None else frozenset[str]()
    tables = _tables(relations, situation, known, values, first_taken)
    shares = _shares(relations, known, values)
    if isinstance(query, Update | Delete):
        return ConditionFacts(shares, tables, named=named_rows(query, situation.model, situation.statistics))
    grouped = _grouped(relation, situation.model, known, values)
    as_found = grouped is None and is_as_found(relation)
    first = dict(_first(with_late_parents(relation, situation.model)))
    beside = not any(isinstance(each, a.GroupBy) for each in relations_within(_rows_of(relation)))
    nodes = sum(map(_nodes, relations))
    only = _only_asked(relation)
    early = relation is not whole
    firsts = _firsts(relation, known)
    return ConditionFacts(shares, tables, grouped, as_found, nodes, first, beside, only, early, limited, firsts)


def _firsts(relation: Relation, known: KnownOf) -> FirstFacts | None:
    """The first rows of groups that are shown; None where it is something else."""
    below, order = relation, None
    while isinstance(below, a.Project | a.LimitOffset | a.Sort):
        order = below.keys if isinstance(below, a.Sort) and order is None else order
        below = below.input
    found = first_of_each(below) if isinstance(below, a.Filter) else None
    if found is None or found.rest is not None or scan_of(found.input)[0] is None:
        return None
    key = found.keys[0]
    sought = key.name if len(found.keys) == 1 and isinstance(key, Column) and not key.nullable else None
    return FirstFacts(found.keys, order in (None, found.order), sought, known)


def _only_asked(relation: Relation) -> frozenset[str]:
    """The entities that conditions mention, and nothing that is shown, grouped or ordered."""
    every = [*everything(relation)]
    scans = [each for each in every if isinstance(each, a.Scan)]
    others = (each for each in every if not isinstance(each, a.Scan | a.Filter | a.Join))
    shown = {column.alias for each in others for one in expressions(each) for column in mentioned(one)}
    shown |= {column.alias for column in relation.columns}
    return frozenset(each.entity for each in scans) - {each.entity for each in scans if each.alias in shown}


def _rows_of(relation: Relation) -> Relation:
    """The relation whose rows are ordered, limited and shown."""
    while isinstance(relation, a.Project | a.LimitOffset | a.Sort):
        relation = relation.input
    return relation


def _first(relation: Relation) -> Iterator[tuple[str, First]]:
    """The entities that limits are about before anything is joined, where values alone say which rows."""
    for limit in relations_within(relation):
        told = first_asked(limit) if isinstance(limit, a.LimitOffset) else None
        if told is not None and isinstance(limit, a.LimitOffset) and isinstance(limit.input, a.Sort):
            scan, predicates = scan_of(limit.input.input)
            if scan is not None and all(fixed_column(each) is not None for each in predicates):
                yield scan.entity, told[1]


def _nodes(relation: Relation) -> float:
    """The size of what a relation says, but for the equalities that join."""
    match relation:
        case a.Filter(predicate=predicate):
            return size(predicate)
        case a.Project(outputs=outputs):
            return sum(size(each.expression) for each in outputs)
        case a.GroupBy(keys=keys, aggregates=aggregates):
            parts = (part for each in aggregates for part in (each.aggregate.argument, each.aggregate.filter))
            said = (*(each.expression for each in keys), *(part for part in parts if part is not None))
            return sum(map(size, said)) + len(aggregates)
        case _:
            return 0.0


def _shares(relations: list[Relation], known: KnownOf, values: SampleValues) -> Mapping[AttributeName, float]:
    entities = {each.alias: each.entity for each in relations if isinstance(each, a.Scan)}
    told = defaultdict[AttributeName, list[float]](list)
    for column, asked in _by_column(relations).items():
        if column.alias in entities:
            told[entities[column.alias], column.name].append(together(asked, known, values))
    return {attribute: sum(shares) / len(shares) for attribute, shares in told.items()}


def _by_column(relations: list[Relation]) -> Mapping[Column, list[Expression]]:
    """The conditions that mention one column only, by that column."""
    found = defaultdict[Column, list[Expression]](list)
    for each in _asked(relations):
        columns = set(mentioned(each))
        if len(columns) == 1:
            found[columns.pop()].append(each)
    return found


def _tables(
    relations: list[Relation], situation: Situation, known: KnownOf, values: SampleValues, limited: frozenset[str]
) -> Mapping[str, tuple[TableUse, ...]]:
    """Every scan with its own conditions; `limited`: the aliases of those limited before more is joined to them."""
    joined, partners, ranges = _joined(relations), _partners(relations), ranges_beside(_asked(relations), known, values)
    inside = {alias for each in relations for asked in expressions(each) for alias in made_inside(asked)}
    lacking = {alias for each in _asked(relations) if isinstance(each, Not) for alias in made_inside(each)}
    shows = [each for each in relations if isinstance(each, a.Project)]
    shown = {alias for each in shows for asked in expressions(each) for alias in made_inside(asked)}
    within = relations_within(with_windows(relations[0], situation.model))
    left_in = {each.alias for each in within if isinstance(each, a.Scan)}
    optional = frozenset(_optional(relations))
    found = defaultdict[str, dict[str, TableUse]](dict)
    for each in relations:
        scan, asked = scan_of(each)
        if scan is not None and scan.alias not in found[scan.entity]:
            own = [one for one in asked if about(one) <= {scan.alias}]
            left = rows_left(restricted(scan, own), situation.model, situation.statistics)
            conditions = tuple(_conditions(own, known, values))
            alias = scan.alias
            found[scan.entity][alias] = TableUse(
                left,
                conditions,
                joined[alias],
                inside=alias in inside,
                shown=alias in shown,
                limited=alias in limited,
                alias=alias,
                windowed=alias not in left_in,
                optional=alias in optional,
                ranges=ranges.get(alias, ()),
                lacking=alias in lacking,
                partners=frozenset(partners[alias]),
            )
    return {entity: tuple(tables.values()) for entity, tables in found.items()}


def _optional(relations: list[Relation]) -> Iterator[str]:
    """The tables that outer joins add to others."""
    for each in relations:
        match each:
            case a.Join(JoinKind.LEFT, right=added) | a.Join(JoinKind.RIGHT, left=added):
                yield from aliases(added)
            case _:
                pass


def _joined(relations: list[Relation]) -> Mapping[str, frozenset[str]]:
    """By alias, the columns that equal one of another table."""
    found = defaultdict[str, frozenset[str]](frozenset)
    for column in (*_equal_columns(relations), *_equal_to_subqueries(relations)):
        found[column.alias] |= {column.name}
    return found


def _partners(relations: list[Relation]) -> Mapping[str, set[tuple[str, str]]]:
    """By alias, the columns that equal one of another table, each with the alias of that table."""
    found = defaultdict[str, set[tuple[str, str]]](set)
    for column, others in _equal_columns(relations).items():
        found[column.alias] |= {(column.name, other.alias) for other in others}
    return found


def _equal_to_subqueries(relations: list[Relation]) -> Iterator[Column]:
    """The columns that equal the one value of another table which a subquery finds first."""
    for each in _asked(relations):
        if isinstance(each, Compare) and each.operator is Comparison.EQUAL:
            for side, other in ((each.left, bare(each.right)), (each.right, bare(each.left))):
                column = column_in(side)
                if column is not None and isinstance(other, ScalarSubquery) and _is_found(other):
                    yield column


def _is_found(subquery: ScalarSubquery) -> bool:
    """Whether what it gives is a column of a row, the same for all rows outside, and nothing worked out."""
    relation = subquery.relation
    is_plain = isinstance(relation, a.Project) and isinstance(bare(relation.outputs[0].expression), Column)
    return is_plain and not free_columns(relation)


def _equal_columns(relations: list[Relation]) -> Mapping[Column, frozenset[Column]]:
    """The columns that equal one of another table, each with these."""
    found = defaultdict[Column, frozenset[Column]](frozenset)
    for each in _asked(relations):
        if isinstance(each, Compare) and each.operator is Comparison.EQUAL:
            one, other = column_in(each.left), column_in(each.right)
            if one is not None and other is not None and one.alias != other.alias:
                found[one] |= {other}
                found[other] |= {one}
    return found


def _asked(relations: list[Relation]) -> Iterator[Expression]:
    """All conditions of filters and joins."""
    for relation in relations:
        match relation:
            case a.Filter(predicate=predicate):
                yield from conjuncts(predicate)
            case a.Join(condition=condition):
                yield from conjuncts(condition)
            case _:
                pass


def _conditions(asked: Iterable[Expression], known: KnownOf, values: SampleValues) -> Iterator[Condition]:
    """What is asked of each row, and which share that keeps by itself; the ends of one column's range are one condition."""
    found = defaultdict[Expression, list[Expression]](list)
    for each in dict.fromkeys(asked):
        found[column_of_range(each) or each].append(each)
    for parts in found.values():
        columns = {column.name for each in parts for column in columns_of(each)}
        attribute = columns.pop() if len(columns) == 1 else ""
        text_bytes = sum(patterns(each, bytes_by(known)) for each in parts)
        kept = together(parts, known, values)
        yield Condition(attribute, Use.NONE, kept, weight=sum(map(weight, parts)), patterns=text_bytes)


def _grouped(relation: Relation, model: Model, known: KnownOf, values: SampleValues) -> GroupFacts | None:
    having: list[Expression] = []
    is_sorted = False
    while isinstance(relation, a.Project | a.LimitOffset | a.Sort | a.Filter | a.Distinct):
        is_sorted = is_sorted or isinstance(relation, a.Sort)
        having += conjuncts(relation.predicate) if isinstance(relation, a.Filter) else []
        relation = relation.input
    if not isinstance(relation, a.GroupBy):
        return None
    keys = tuple(each.expression for each in relation.keys)
    parts = [part for each in relation.aggregates for part in (each.aggregate.argument, each.aggregate.filter)]
    fields = sum(weight(each) for each in (*keys, *parts) if each is not None) + len(relation.aggregates)
    told = {fixed_column(each) for within in relations_within(relation) for each in _predicates(within)}
    telling = [keys[each] for each in determined.telling(keys, relation.input, model)]
    telling = [each for each in telling if each not in told]  # that of one value makes no more groups
    same = _equal_columns(list(relations_within(relation)))
    return GroupFacts(tuple(telling), fields, tuple(_conditions(having, known, values)), is_sorted, known, same)


def _predicates(relation: Relation) -> Iterator[Expression]:
    yield from conjuncts(relation.predicate) if isinstance(relation, a.Filter) else ()
