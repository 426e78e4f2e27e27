"""The index that does most for a statement, and whether one there is does as well."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

from nestling.ir.facts import CollectionFacts, StatementFacts

MUCH_FOR_EACH = 10
"""Documents examined for each returned above which an index is worth it …"""
MUCH_EXAMINED = 100
"""… and documents one execution examines."""
DirectedKeys = tuple[tuple[str, int | str], ...]


@dataclass(frozen=True, slots=True)
class WantedIndex:
    """An index for a statement: fields compared for equality, those sorted by with their direction, and those compared by range.

    `simple`: it must compare texts to the letter, in a collection that otherwise compares them by a collation.
    """

    equal: tuple[str, ...]
    sort: tuple[tuple[str, int], ...]
    ranged: tuple[str, ...]
    simple: bool = False

    @property
    def keys(self) -> DirectedKeys:
        """Its keys, in this order; each field once."""
        return (*((field, 1) for field in self.equal), *self.sort, *((field, 1) for field in self.ranged))


@dataclass(frozen=True, slots=True)
class SharedIndex:
    """An index for several statements. `groups`: the fields compared for equality; those of one group in any order."""

    groups: tuple[frozenset[str], ...]
    sort: tuple[tuple[str, int], ...]
    ranged: tuple[str, ...]
    simple: bool = False

    def shared_with(self, wanted: WantedIndex) -> SharedIndex | None:
        """The index with its fields in an order that serves a statement too; None where none does.

        An index is read from both ends, and what begins it serves as an index of its own.
        """
        begun = self._begun_by(frozenset(wanted.equal)) if self.simple is wanted.simple else None
        return begun if begun is not None and begun._goes_on(wanted) else None

    def _begun_by(self, equal: frozenset[str]) -> SharedIndex | None:
        """The index that begins with these fields, in any order."""
        before = frozenset[str]()
        for place, group in enumerate(self.groups):
            if equal == before:
                break
            if before < equal < before | group:
                split = (equal - before, group - equal)
                return replace(self, groups=(*self.groups[:place], *split, *self.groups[place + 1 :]))
            before |= group
        return self if equal == before else None

    def _goes_on(self, wanted: WantedIndex) -> bool:
        """Whether it sorts and finds ranges behind the equalities as the statement does."""
        rest = self._behind(frozenset(wanted.equal))
        begun, behind = rest[: len(wanted.sort)], rest[len(wanted.sort) :]
        mirrored = tuple((field, -way) for field, way in wanted.sort)
        ranged = {field for field, _ in behind[: len(wanted.ranged)]}
        return begun in (wanted.sort, mirrored) and ranged == set(wanted.ranged)

    def _behind(self, equal: frozenset[str]) -> tuple[tuple[str, int], ...]:
        """Its keys behind these fields, as far as their order is settled."""
        groups = [group for group in self.groups if not group <= equal]
        if any(len(group) > 1 for group in groups):
            return ()
        return (
            *((field, 1) for group in groups for field in group),
            *self.sort,
            *((field, 1) for field in self.ranged),
        )

    @property
    def order(self) -> str:
        """What its keys are, in words, first ones first."""
        parts = {
            "what is compared for equality": self.groups,
            "what is sorted by": self.sort,
            "what is compared otherwise": self.ranged,
        }
        return ", then ".join(words for words, fields in parts.items() if fields)

    def keys(self, alone: Container[str]) -> DirectedKeys:
        """Its keys. Fields that have an index `alone` come last in their group, so that it does not begin this one."""
        equal = (field for group in self.groups for field in sorted(group, key=lambda each: (each in alone, each)))
        return (*((field, 1) for field in equal), *self.sort, *((field, 1) for field in self.ranged))


def shared(wanted: WantedIndex) -> SharedIndex:
    """The index of one statement, for others to share."""
    groups = (frozenset(wanted.equal),) if wanted.equal else ()
    return SharedIndex(groups, wanted.sort, wanted.ranged, wanted.simple)


def examined_for_each(statement: StatementFacts) -> float:
    """Documents examined for each that is returned; an execution that returns nothing counts as if it returned one.

    Of a statement that gathers, it is the most that there may be for each that matches.
    """
    return statement.documents_examined / max(statement.returned, statement.count, 1)


def patterns_of(statement: StatementFacts) -> frozenset[str]:
    """The fields that patterns are held against."""
    return frozenset(each.field for each in statement.patterns)


def seeking(statement: StatementFacts) -> frozenset[str]:
    """Those of these fields whose patterns all seek in an index: they begin with `^` and heed case."""
    others = {each.field for each in statement.patterns if not each.anchored or each.ignores_case}
    return patterns_of(statement) - others


def wanted_index(target: CollectionFacts, statement: StatementFacts) -> WantedIndex:
    """The index that does most for a statement; without keys where none narrows what is looked at.

    A pattern that does not seek is held against every key: it comes last, behind fields that narrow, and alone it gets no index.

    Keys made by a collation are no texts: no pattern can be held against them, and every document is read. Where the collection
    has one, an index that compares to the letter serves a statement that has patterns alone; equalities beside them use the
    collation, so that they are indexed without the patterns.
    """
    equal = tuple(dict.fromkeys(statement.filters[: statement.equalities]))
    sort = {field: 1 if direction > 0 else -1 for field, direction in statement.sort if field not in equal}
    patterns, slow = patterns_of(statement), patterns_of(statement) - seeking(statement)
    others = [field for field in statement.filters[statement.equalities :] if field not in equal]
    after = dict.fromkeys(sorted(others, key=lambda each: each in slow))
    if not equal and not sort and after.keys() <= slow:
        return WantedIndex((), (), ())
    if target.collation and patterns & after.keys():
        if not equal and after.keys() <= patterns and not after.keys() <= slow:
            return WantedIndex((), (), tuple(after), simple=True)
        after = dict.fromkeys(field for field in after if field not in patterns)
    return WantedIndex(equal, tuple(sort.items()), tuple(field for field in after if field not in sort))


def is_served(target: CollectionFacts, wanted: WantedIndex, seeking: frozenset[str]) -> bool:
    """Whether an index begins with the fields compared for equality, or with the first field when there are none.

    One that compares by a collation serves no pattern, but the server may choose it before a better one for patterns that do not
    seek: only for those that do is another proposed beside it.
    """
    fields = {field for field, _ in wanted.keys[: max(len(wanted.equal), 1)]}
    return any(
        {field for field, _ in index.keys[: len(fields)]} == fields
        for index in target.indexes
        if not index.hidden and not (index.collation and fields <= seeking)
    )
