"""From equalities of columns to the relationships that joins go along.

A join goes along a relationship when the statement makes all its column pairs equal: by `=`, USING, NATURAL, IN or a
correlated subquery, by way of a third column, or (all pairs but one) because both sides equal the same constant or parameter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from nestling.ir.model import Model, Relationship
from nestling.ir.workload import Walk
from nestling.sources.statements.occurrences import ColumnOrigin, Occurrence


class Equalities:
    """Which columns are equal, with and without the help of constants."""

    def __init__(self) -> None:
        self.pairs: list[tuple[ColumnOrigin, ColumnOrigin]] = []
        self._by_columns = _Classes()
        self._by_anything = _Classes()

    def columns(self, left: ColumnOrigin, right: ColumnOrigin) -> None:
        """Two columns are equal."""
        self.pairs.append((left, right))
        self._by_columns.unite(left, right)
        self._by_anything.unite(left, right)

    def constant(self, column: ColumnOrigin, value: str) -> None:
        """A column equals a constant or a parameter, given as text."""
        self._by_anything.unite(column, value)

    def follow(self, link: Relationship, child: Occurrence, parent: Occurrence) -> bool:
        """Whether child rows are joined to their parent by that relationship."""
        pairs = [
            ((child, mine), (parent, its))
            for mine, its in zip(link.child_attributes, link.parent_attributes, strict=True)
        ]
        return all(self._by_anything.same(*pair) for pair in pairs) and any(
            self._by_columns.same(*pair) for pair in pairs
        )


class _Classes:
    """Union-find."""

    def __init__(self) -> None:
        self._above: dict[Hashable, Hashable] = {}

    def unite(self, left: Hashable, right: Hashable) -> None:
        self._above[self._top(left)] = self._top(right)

    def same(self, left: Hashable, right: Hashable) -> bool:
        return self._top(left) == self._top(right)

    def _top(self, item: Hashable) -> Hashable:
        while (above := self._above.get(item, item)) != item:
            item = above
        return item


class Links:
    """A model's relationships by the two entities they join, those with most columns first."""

    def __init__(self, model: Model) -> None:
        self._between: dict[frozenset[str], list[Relationship]] = defaultdict(list)
        for link in sorted(model.relationships, key=lambda link: -len(link.child_attributes)):
            self._between[frozenset((link.parent, link.child))].append(link)

    def between(self, one: str, other: str) -> Sequence[Relationship]:
        """The relationships between two entities, whichever is the parent."""
        return self._between.get(frozenset((one, other)), ())


def recursive_walk(
    item: Occurrence, via: str | None, others: Iterable[Occurrence], equal: Equalities, model: Model
) -> Walk | None:
    """The way a recursive query goes from the rows it found last to the item's; None where it goes nowhere."""
    if not item.recurs or via is None or not model.relationship(via).is_self:
        return None
    link = model.relationship(via)
    down = any(equal.follow(link, item, other) for other in others if other is not item and other.entity == item.entity)
    return Walk.DOWN if down else Walk.UP


def is_above(item: Occurrence, via: str | None, earlier: Sequence[Occurrence], equal: Equalities, model: Model) -> bool:
    """Whether a relationship of an entity with itself leads from the rows of an earlier occurrence up to the item's."""
    if via is None or not model.relationship(via).is_self:
        return False
    link = model.relationship(via)
    same = [other for other in earlier if other.entity == item.entity]
    return not any(equal.follow(link, item, other) for other in same)


def reached_occurrences(
    occurrences: Iterable[Occurrence], equal: Equalities, links: Links
) -> list[tuple[Occurrence, str | None]]:
    """The occurrences, each after one it is joined to, with the relationship that reaches it.

    The first keeps its place; then always the first in the text that a relationship reaches, or the first when none is.
    """
    waiting = list(occurrences)
    placed: list[tuple[Occurrence, str | None]] = []
    while waiting:
        found = next(
            ((item, via) for item in waiting if (via := _via(item, [one for one, _ in placed], equal, links))),
            (waiting[0], None),
        )
        waiting.remove(found[0])
        placed.append(found)
    return placed


def joined_columns(item: Occurrence, equal: Equalities, links: Links) -> tuple[str, ...]:
    """The columns of an occurrence that equal one of another, to which no relationship leads."""
    found: dict[str, None] = {}
    for pair in equal.pairs:
        for (occurrence, name), (other, _) in (pair, pair[::-1]):
            if occurrence is item and other is not item and _via(item, [other], equal, links) is None:
                found[name] = None
    return tuple(found)


def _via(item: Occurrence, placed: Sequence[Occurrence], equal: Equalities, links: Links) -> str | None:
    for other in placed:
        for link in links.between(item.entity.name, other.entity.name):
            is_child = link.child == item.entity.name and equal.follow(link, item, other)
            if is_child or (link.parent == item.entity.name and equal.follow(link, other, item)):
                return link.name
    return None
