"""A statement's footprint as a tree of visits: the entity it starts at, and the relationships it follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, prod

from nestling.ir.model import Model, Relationship
from nestling.ir.workload import Access, AttributeFilter, Operator, Statement, StatementKind, Walk
from nestling.planner.options.sizes.matching import compared_equal
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.statements.limited_rows import LimitedRows
from nestling.planner.options.statements.ranges_beside import RangeBeside
from nestling.planner.options.statements.statement_facts import TableUse
from nestling.planner.reads.rewrites.rows_left import RemainingRows
from nestling.planner.work.stream import AHEAD_BYTES, HELD_BYTES, Condition

SMALL_SUBQUERY_SHARE = 0.1
"""The share of a table's rows up to which a subquery that must find nothing is read from there."""
AFTER_ALL = 1.0 + 1e-9
"""More than any share of rows that conditions leave."""
Edge = tuple[int, int, Relationship]
"""Two accesses by their positions, and the relationship that joins them."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One access, how it is reached, and how many rows.

    `before`: position of the visit it comes from, None for a start. `link` and `down`: the relationship and whether from parent
    to children. `outer`: rows it is joined to, `reached`: rows with it before its own conditions, `rows`: after them.
    `conditions`: its own. `inside`: it is a subquery's; `windowed`: whose rows are those of the visit it is looked up from.
    `ahead`: rows it comes from that the server reads besides, where it is looked up for these in turn until enough are found.
    `ranges`: of its attributes, of which those give the ends; they are among its conditions.
    """

    access: Access
    before: int | None
    link: Relationship | None
    down: bool
    outer: float
    reached: float
    rows: float
    conditions: tuple[Condition, ...] = ()
    inside: bool = False
    windowed: bool = False
    ahead: float = 0.0
    ranges: tuple[RangeBeside, ...] = ()

    @property
    def entity(self) -> str:
        """The entity visited."""
        return self.access.entity


def visits(statement: Statement, model: Model, sizes: Sizes, unrestricted: Access | None = None) -> tuple[Visit, ...]:
    """Every read access once, in the order in which statements are compiled.

    The order starts with the access whose conditions leave the smallest share of its rows and follows the joins, restricted
    accesses and those of at most one row first; an access that is joined to nothing starts again. The rows that a subquery in
    FROM limits come before what is joined to them, and what an outer join adds comes after the rest. `unrestricted`, whose
    conditions find no rows, comes last.
    """
    return tuple(_Walk(statement, model, sizes, unrestricted).visits())


class _Walk:
    """The visits so far: `at` is where each access is among them."""

    def __init__(self, statement: Statement, model: Model, sizes: Sizes, unrestricted: Access | None) -> None:
        self.statement, self.model, self.sizes, self.unrestricted = statement, model, sizes, unrestricted
        self.reads = [access for access in statement.accesses if not access.kind.writes]
        self.changed = next((each for each in statement.accesses if each.kind is StatementKind.UPDATE), None)
        self.edges = _edges(self.reads, model)
        self.found: list[Visit] = []
        self.at: dict[int, int] = {}

    def visits(self) -> list[Visit]:
        while len(self.at) < len(self.reads):
            waiting = [number for number in range(len(self.reads)) if number not in self.at]
            start = min(
                waiting,
                key=lambda number: (
                    self._is_optional(number),
                    self._limited(number) is None,
                    *self._rest(self.reads[number]),
                    number,
                ),
            )
            begin = len(self.found)
            self._add(start, self._started(self.reads[start]))
            most, sought = self._most(self.reads[start]), self._sought(self.reads[start])
            while near := [each for each in self._near(begin) if not self._comes_later(each[1])]:
                _, there, here, link = min(near, key=lambda each: (self._limited(each[1]) is None, *each[:2]))
                self._add(there, self._joined(here, there, link, most, sought))
            if any(map(self._comes_later, waiting)) or begin == 0:
                continue
            while near := list(self._near(0)):  # what outer joins add to tables that were joined before
                _, there, here, link = min(near, key=lambda each: each[:2])
                self._add(there, self._joined(here, there, link, None, None, to_all=True))
        return self.found

    def _comes_later(self, number: int) -> bool:
        """Whether an outer join adds an access to rows that tables not visited yet are part of."""
        if not self.sizes.table(self.statement, self.reads[number]).optional:
            return False
        waiting = (each for each in range(len(self.reads)) if each not in self.at)
        tables = (self.sizes.table(self.statement, self.reads[each]) for each in waiting)
        return any(not table.optional and not table.inside for table in tables)

    def _is_optional(self, number: int) -> bool:
        """Whether an outer join, or a subquery that is shown, adds to rows which stay without it: these come first."""
        table = self.sizes.table(self.statement, self.reads[number])
        return table.optional or table.shown

    def _limited(self, number: int) -> LimitedRows | None:
        """What a subquery in FROM takes of an access's rows."""
        return self.sizes.limited(self.statement, self.reads[number])

    def _started(self, access: Access) -> Visit:
        """A start; one of several is looked for anew for each row before, by what equals something of these.

        In a subquery that gives an UPDATE its values it is looked for from the rows that are written.
        """
        table = self.sizes.table(self.statement, access)
        of_changed = not self.found and self.changed is not None and table.shown
        if not table.joined or not (self.found or of_changed):
            rows = self.sizes.found(access)
            return Visit(access, None, None, False, 0.0, rows, rows, inside=table.inside)
        asked = table.looked_up(access, self._ranges(table), self._later())
        if self.found:
            outer = self._each_of(self.found[-1], inside=table.inside)
        else:
            assert self.changed is not None
            outer = self.sizes.found(self.changed)
        rows = outer * self.sizes.found(asked)
        if table.inside and not table.shown and not access.aggregates:  # it is enough that there is one
            rows = min(rows, outer)
        return Visit(asked, None, None, False, outer, rows, rows, inside=table.inside, windowed=table.windowed)

    def _later(self) -> frozenset[str]:
        """The names of tables that an outer join adds, which are not visited yet."""
        waiting = (each for each in range(len(self.reads)) if each not in self.at)
        tables = (self.sizes.table(self.statement, self.reads[each]) for each in waiting)
        return frozenset(table.alias for table in tables if table.optional)

    def _ranges(self, table: TableUse) -> tuple[RangeBeside, ...]:
        """The table's ranges whose ends come from rows visited before."""
        before = {self.sizes.table(self.statement, self.reads[number]).alias for number in self.at}
        return tuple(each for each in table.ranges if each.beside in before)

    def _each_of(self, before: Visit, *, inside: bool) -> float:
        """The rows of a visit for each of which others are looked up; for what a subquery asks before its value is compared."""
        access = before.access
        compared = [each for each in access.filters if each.operator in (Operator.EACH, Operator.LACKS)]
        if not inside or not compared:
            return before.rows
        if before.before is None and not before.outer:
            return self.sizes.found(access, without=[each.attribute for each in compared])
        kept = prod(self.sizes.share(access, each) for each in compared)
        return min(before.rows / kept, before.reached)

    def _add(self, number: int, visit: Visit) -> None:
        self.at[number] = len(self.found)
        self.found.append(visit)

    def _rest(self, access: Access) -> tuple[float, bool, float]:
        """What is left, the least first, as the compiler has it: the share of rows the access's own conditions leave, whether
        no limited order is about it, and the rows. None to speak of where they tell one row.
        """
        if access is self.unrestricted:
            return AFTER_ALL, True, 0.0
        if self.model.entity(access.entity).is_superkey(compared_equal(access)):
            return 0.0, True, 1.0
        rows, left = self.sizes.found(access), self.sizes.table(self.statement, access).left
        if left is None:
            left = RemainingRows(rows / self.sizes.rows(access.entity), rows)
        is_read_whole = self.sizes.table(self.statement, access).lacking and left.share > SMALL_SUBQUERY_SHARE
        if self._is_set(access) and (is_read_whole or left.rows > self._outside()):
            return AFTER_ALL, True, left.rows
        limited = access.sort and self._asked_for(access)[0] is not None
        return left.share, not limited, left.rows

    def _is_set(self, access: Access) -> bool:
        """Whether it is asked in a subquery alone, which the rows outside are looked up from only where it has fewer."""
        table = self.sizes.table(self.statement, access)
        return table.inside and not table.shown

    def _outside(self) -> float:
        """The fewest rows that a table outside of subqueries leaves."""
        return min((self.sizes.found(each) for each in self.reads if not self._is_set(each)), default=inf)

    def _most(self, start: Access) -> float | None:
        """The rows needed if the limit applies before parents are joined and children aggregated; None if it does not."""
        limit, together = self._asked_for(start)
        others = [each for each in self.reads if each in together and each is not start and not self._is_beside(each)]
        cut = not start.aggregates and not any(each.sort or each.filters or each.aggregates for each in others)
        return limit if cut else None

    def _sought(self, start: Access) -> float | None:
        """The number of rows needed, in the start's own order, that meet the conditions on one other table; None otherwise.

        The start's rows are sorted first, and then tested in turn until enough are found.
        """
        limit, together = self._asked_for(start)
        others = [each for each in together if each is not start]
        plain = not any(each.sort or each.aggregates or each.grouping for each in (*others, replace(start, sort=())))
        plain = plain and not any(self.sizes.table(self.statement, each).shown for each in others)
        return limit if start.sort and len(others) == 1 and plain else None

    def _asked_for(self, access: Access) -> tuple[float | None, tuple[Access, ...]]:
        """How many rows of an access and of those joined with it are asked for, where they are limited as they are found."""
        limit, together = self.sizes.limited_together(self.statement, access)
        as_found = (
            self.sizes.facts_of(self.statement).as_found or self.sizes.limited(self.statement, access) is not None
        )
        return limit if as_found else None, together

    def _is_beside(self, access: Access) -> bool:
        """Whether it is aggregated beside each row that is shown, and decides about none."""
        return bool(access.aggregates) and self.sizes.facts_of(self.statement).beside

    def _near(self, begin: int) -> Iterator[tuple[int, int, int, Relationship]]:
        """What is joined to the visits from `begin` on: how far it is, itself, what it is joined to, and by what."""
        for left, right, link in self.edges:
            for here, there in ((left, right), (right, left)):
                if self.at.get(here, -1) >= begin and there not in self.at:
                    child = self.model.entity(link.child)
                    many = self._is_down(here, there, link) and not child.is_superkey(link.child_attributes)
                    yield (0 if self.reads[there].filters else 1) + many, there, here, link

    def _is_down(self, here: int, there: int, link: Relationship) -> bool:
        """Whether a visit goes from parent to children; along a tree that is how the statement has it."""
        if self.reads[there].walk is not None:
            return self.reads[there].walk is Walk.DOWN
        if link.is_self:
            return (there > here) != self.reads[max(here, there)].up
        return self.reads[there].entity == link.child

    def _joined(
        self,
        here: int,
        there: int,
        link: Relationship,
        most: float | None,
        sought: float | None,
        *,
        to_all: bool = False,
    ) -> Visit:
        """An access joined to one before it; `to_all`: to all rows there are so far."""
        access = self.reads[there]
        down = self._is_down(here, there, link)
        before = self.found[-1] if to_all or self.sizes.is_flat(self.statement) else self.found[self.at[here]]
        outer = self._each_of(before, inside=self.sizes.table(self.statement, access).inside)
        limited, ahead = self._limited(here), 0.0
        if limited is not None and self._limited(there) is None:
            outer = limited.left(outer)
        elif most is not None and (not down or self._is_beside(access)):
            outer = min(outer, most)
        elif sought is not None:
            start = self.reads[here]
            ahead = min(outer, AHEAD_BYTES / (HELD_BYTES + self.sizes.bytes_of(start.entity, start.attributes)))
            outer = min(outer, sought / self._kept(access, link, down=down))
        if access.walk is not None:
            reached = outer * self.sizes.on_the_way(link)
        else:
            reached = outer * self.sizes.children(link) if down else outer
        table = self.sizes.table(self.statement, access)
        ranges = self._ranges(table)
        kept = reached * self._share(access, link) * prod(each.condition.share for each in ranges)
        kept *= self._share_beside(access, table, link, here)
        conditions = (*table.conditions, *(each.condition for each in ranges))
        rows = max(kept, outer) if table.optional else kept
        rows *= self.sizes.share_of_either(self.reads[here], access)
        found = Visit(access, self.at[here], link, down, outer, reached, rows, conditions, table.inside)
        return replace(found, ahead=max(ahead - outer, 0.0), ranges=ranges)

    def _share(self, access: Access, link: Relationship) -> float:
        """The share of what is joined along a relationship that an access's other conditions keep."""
        asked = self.sizes.apart(access, self.sizes.alone(access))
        return prod(self.sizes.share(access, each) for each in asked if each.attribute not in link.child_attributes)

    def _share_beside(self, access: Access, table: TableUse, link: Relationship, here: int) -> float:
        """The share that is left by what equals columns of visited tables other than the one it is joined to."""
        own = self.sizes.table(self.statement, self.reads[here]).alias
        visited = {self.sizes.table(self.statement, self.reads[each]).alias for each in self.at} - {own}
        linked = {*link.child_attributes, *link.parent_attributes}
        equal = {name for name, alias in table.partners if alias in visited} - linked
        return prod(self.sizes.share(access, AttributeFilter(name, Operator.EQUALITY)) for name in sorted(equal))

    def _kept(self, access: Access, link: Relationship, *, down: bool) -> float:
        """The share of rows for which something is found along a relationship, or that need not find anything."""
        if self.sizes.table(self.statement, access).optional:
            return 1.0
        found = self._share(access, link) * (self.sizes.children(link) if down else 1.0)
        return min(max(found, 1 / self.sizes.rows(access.entity)), 1.0)


def _edges(reads: list[Access], model: Model) -> list[Edge]:
    """Pairs of accesses that a relationship joins: a later one to the last earlier one on the other side."""
    edges = []
    for later, access in enumerate(reads):
        if access.via is None or not model.has_relationship(access.via):
            continue
        link = model.relationship(access.via)
        other = link.parent if access.entity == link.child else link.child
        earlier = next((n for n in range(later - 1, -1, -1) if reads[n].entity == other), None)
        if earlier is not None:
            edges.append((earlier, later, link))
    return edges
