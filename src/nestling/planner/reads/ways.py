"""The forms of a relation that are worth planning: the rewritten one, and others with the same rows that may be cheaper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from nestling.ir.design import Design
from nestling.ir.statements.algebra import Join, Relation
from nestling.ir.statistics import Statistics
from nestling.ir.tolerance import Tolerated
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rewrites.child_join_as_exists import with_children_asked
from nestling.planner.reads.rewrites.distinct_as_exists import with_distinct_asked
from nestling.planner.reads.rewrites.early_groups import with_early_groups
from nestling.planner.reads.rewrites.early_limits import with_early_limits
from nestling.planner.reads.rewrites.early_sums import with_early_sums
from nestling.planner.reads.rewrites.groups_as_parents import without_groups
from nestling.planner.reads.rewrites.join_order import order_joins, other_starts
from nestling.planner.reads.rewrites.lists_first import with_lists_first
from nestling.planner.reads.rewrites.order_first import limited_tables, with_order_first
from nestling.planner.reads.rewrites.parent_as_foreign_key import by_foreign_key
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.reads.rewrites.sets_first import with_set_first
from nestling.planner.reads.rewrites.unneeded_join import without_unneeded
from nestling.planner.reads.rewrites.values_first import with_values_first
from nestling.planner.reads.rewrites.windowed import with_windows
from nestling.planner.reads.traverse import everything

MOST_STARTS = 3
"""Most alternative forms that start with another table."""
MOST_SETS = 3
"""Most alternative forms that start with the values of a condition."""


def ways(
    relation: Relation,
    design: Design,
    allowed: frozenset[Rewrite],
    tolerated: Tolerated,
    statistics: Statistics,
    *,
    priced: bool,
) -> Iterator[Relation]:
    """Yield the rewritten relation and, if plans are `priced`, other forms of it with the same rows.

    In other forms the joins start with a table whose rows hold copies of others; the first children of one parent are found by
    their foreign key; a join with embedded children becomes an EXISTS, as does one that only tests for a match under DISTINCT;
    the values of an EXISTS or IN, or those that a negated one excludes, are found first; or a limited order comes before
    lookups in other tables. Which is cheapest depends on the data.
    """
    rewriting = _Rewriting(design, allowed, tolerated, statistics)
    yield from rewriting.forms(relation) if priced else (rewriting.of(relation),)


@dataclass(frozen=True, slots=True)
class _Rewriting:
    """What rewrites are told, and which of them may be used."""

    design: Design
    allowed: frozenset[Rewrite]
    tolerated: Tolerated
    statistics: Statistics

    def forms(self, relation: Relation) -> Iterator[Relation]:
        """Yield the rewritten relation and its other forms."""
        rewritten = self._before_joins(relation)
        joins = any(isinstance(each, Join) for each in everything(relation))
        yield from self._by_starts(rewritten) if joins else (self._joined(rewritten),)
        if joins:
            yield from self._other_joins(relation)
        if Rewrite.SETS_FIRST in self.allowed:
            for each in islice(with_set_first(relation, self.design.model, self.statistics), MOST_SETS):
                yield from self._by_starts(self._before_joins(each))
        if Rewrite.LISTS_FIRST in self.allowed:
            listed = with_lists_first(self._joined(rewritten), self.design.model, self.statistics)
            yield from () if listed is None else (listed,)
        if Rewrite.ORDER_FIRST in self.allowed:
            for alias in limited_tables(relation):
                ordered = with_order_first(self._joined(rewritten, begin=alias))
                yield from () if ordered is None else (ordered,)

    def of(self, relation: Relation) -> Relation:
        """Return the relation after all rewrites."""
        return self._joined(self._before_joins(relation))

    def _other_joins(self, relation: Relation) -> Iterator[Relation]:
        """Yield the relation with joins replaced by simpler conditions where these are equivalent."""
        pushed, model = push_predicates(relation), self.design.model
        if Rewrite.FOREIGN_KEY in self.allowed and (found := by_foreign_key(pushed, model)) is not pushed:
            yield self.of(found)
        if (
            Rewrite.EMBEDDED_EXISTS in self.allowed
            and (asked := with_children_asked(relation, self.design)) is not None
        ):
            yield self.of(asked)
        if Rewrite.DISTINCT_EXISTS in self.allowed and (once := with_distinct_asked(pushed, model)) is not None:
            yield from self.forms(once)

    def _by_starts(self, rewritten: Relation) -> Iterator[Relation]:
        """Yield the relation with its joins in the best order, and with joins begun at other tables."""
        first = self._joined(rewritten)
        yield first
        if Rewrite.JOIN_ORDER in self.allowed:
            for alias in other_starts(first, self.design)[:MOST_STARTS]:
                yield self._joined(rewritten, begin=alias)

    def _before_joins(self, relation: Relation) -> Relation:
        """Return the relation after the rewrites that are the same wherever joins begin."""
        if Rewrite.PUSHDOWN in self.allowed:
            relation = push_predicates(relation)
        if Rewrite.UNNEEDED_JOIN in self.allowed:
            relation = without_unneeded(relation, self.design)
        if Rewrite.COMPUTED in self.allowed:
            relation = without_groups(relation, self.design, self.tolerated)
        if Rewrite.EARLY_LIMITS in self.allowed:
            relation = with_early_limits(relation, self.design.model)
        if Rewrite.WINDOWED in self.allowed:
            relation = with_windows(relation, self.design.model)
        return relation

    def _joined(self, relation: Relation, *, begin: str = "") -> Relation:
        """Return the relation with its joins in order, begun at `begin` if named, after the rewrites that depend on the order."""
        if Rewrite.JOIN_ORDER in self.allowed:
            relation = order_joins(relation, self.design, self.statistics, begin=begin)
        if Rewrite.EARLY_GROUPS in self.allowed:
            relation = with_early_groups(relation, self.design, self.statistics)
        if Rewrite.EARLY_SUMS in self.allowed:
            relation = with_early_sums(relation, self.design, self.statistics)
        if Rewrite.VALUES_FIRST in self.allowed:
            relation = with_values_first(relation)
        return relation
