"""The rows that a subquery in FROM limits before more is joined to them: `FROM (SELECT … LIMIT 20) AS f JOIN …`."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.model import Model
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Relation
from nestling.ir.statements.expression import Expression
from nestling.planner.known.ranges import SampleValues, column_in
from nestling.planner.options.statements.relations import relations_within
from nestling.planner.reads.rewrites.late_parents import with_late_parents
from nestling.planner.work.facts import UNKNOWN_LIMIT, number


@dataclass(frozen=True, slots=True)
class LimitedRows:
    """`aliases`: of the tables whose rows are limited, subqueries' tables among them; `taken`: how many of them are found at
    most, those among them that the offset leaves out; `count`: how many are left then.

    What each row meets once is joined behind the limit, as the planner does.
    """

    aliases: frozenset[str]
    taken: float
    count: float

    def left(self, rows: float) -> float:
        """How many of so many rows there are behind the limit."""
        return min(rows, self.count)


def limited_rows(relation: Relation, model: Model, values: SampleValues, *, own: bool) -> LimitedRows | None:
    """The rows limited before everything else; None if there are none, or for groups. `own`: the statement has a LIMIT."""
    below = relation
    while not isinstance(below, a.LimitOffset) or own:
        own = own and not isinstance(below, a.LimitOffset)
        match below:
            case a.Join(kind=JoinKind.INNER | JoinKind.CROSS | JoinKind.LEFT):
                below, own = below.left, False
            case a.LimitOffset() | a.Project() | a.Sort() | a.Filter() | a.GroupBy() | a.Distinct():
                below = below.input
            case _:
                return None
    if not is_as_found(below):
        return None
    limit = _first_limit(with_late_parents(below, model))
    skipped = number(limit.offset, values, 0.0) if limit.offset is not None else 0.0
    count = number(limit.count, values, UNKNOWN_LIMIT) if limit.count is not None else -1.0
    if count < 0:
        return None
    aliases = frozenset(each.alias for each in relations_within(limit) if isinstance(each, a.Scan))
    return LimitedRows(aliases, max(count + skipped, 1.0), max(count, 1.0))


def _first_limit(relation: Relation) -> a.LimitOffset:
    """The limit, behind which some joins may have come."""
    while not isinstance(relation, a.LimitOffset):
        assert isinstance(relation, a.Sort | a.Join | a.Project)
        relation = relation.left if isinstance(relation, a.Join) else relation.input
    return relation


def is_as_found(relation: Relation) -> bool:
    """Whether only rows of tables, joined and asked for conditions, are ordered by columns and limited."""
    shown: dict[tuple[str, str], Expression] = {}
    keys: list[Expression] = []
    while isinstance(relation, a.Project | a.LimitOffset | a.Sort):
        if isinstance(relation, a.Project):
            shown |= {(relation.alias, each.name): each.expression for each in relation.outputs}
        if isinstance(relation, a.Sort):
            keys += [each.expression for each in relation.keys]
        relation = relation.input
    columns = [column_in(each) for each in keys]
    bare = [column_in(shown.get((each.alias, each.name), each)) for each in columns if each is not None]
    return _is_of_tables(relation) and len(keys) == len(bare) and None not in bare


def _is_of_tables(relation: Relation) -> bool:
    """Whether it asks conditions of tables and what is joined to them: window functions see all rows before any is left out."""
    below = relation
    while isinstance(below, a.Filter | a.Project):
        below = below.input
    return isinstance(relation, a.Scan | a.Filter | a.Join) and not isinstance(below, a.Window)
