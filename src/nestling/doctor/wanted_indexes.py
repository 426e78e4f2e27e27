"""The indexes that do most for a statement, and whether those there are do as well."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace

from nestling.ir.facts import CollectionFacts, ConditionBranch, IndexFacts, StatementFacts

DirectedKeys = tuple[tuple[str, int | str], ...]


@dataclass(frozen=True, slots=True)
class WantedIndex:
    """An index for a statement: fields compared for equality, those sorted by with their direction, and those compared by range.

    `simple`: it must compare texts exactly, in a collection with a collation.
    """

    equal: tuple[str, ...]
    sort: tuple[tuple[str, int], ...]
    ranged: tuple[str, ...]
    simple: bool = False

    @property
    def keys(self) -> DirectedKeys:
        """The keys of the index in order: equality fields, sort fields, range fields; each field once."""
        return (*((field, 1) for field in self.equal), *self.sort, *((field, 1) for field in self.ranged))


@dataclass(frozen=True, slots=True)
class SharedIndex:
    """An index for several statements. `groups`: the fields compared for equality; within a group their order is free."""

    groups: tuple[frozenset[str], ...]
    sort: tuple[tuple[str, int], ...]
    ranged: tuple[str, ...]
    simple: bool = False

    def shared_with(self, wanted: WantedIndex) -> SharedIndex | None:
        """The index with its fields in an order that also serves another statement; None if there is none.

        An index can be read from both ends, and its beginning serves as an index too.
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
        """The keys after these fields, up to the first whose place is not determined."""
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
        """The order of the keys in words."""
        parts = {
            "the fields compared for equality": self.groups,
            "the fields sorted by": self.sort,
            "the fields compared otherwise": self.ranged,
        }
        return ", then ".join(words for words, fields in parts.items() if fields)

    def keys(self, alone: Container[str]) -> DirectedKeys:
        """The keys in order. Fields with an index `alone` come last in their group, so that this index starts differently."""
        equal = (field for group in self.groups for field in sorted(group, key=lambda each: (each in alone, each)))
        return (*((field, 1) for field in equal), *self.sort, *((field, 1) for field in self.ranged))


def shared(wanted: WantedIndex) -> SharedIndex:
    """The index of one statement, for others to share."""
    groups = (frozenset(wanted.equal),) if wanted.equal else ()
    return SharedIndex(groups, wanted.sort, wanted.ranged, wanted.simple)


def patterns_of(statement: StatementFacts) -> frozenset[str]:
    """The fields that patterns are held against."""
    return frozenset(each.field for each in statement.patterns)


def seeking(statement: StatementFacts) -> frozenset[str]:
    """The fields whose patterns all seek in an index: they begin with `^` and respect case."""
    others = {each.field for each in statement.patterns if not each.anchored or each.ignores_case}
    return patterns_of(statement) - others


def lacking_indexes(target: CollectionFacts, statement: StatementFacts) -> tuple[WantedIndex, ...]:
    """The indexes that would do most for a statement and are missing: at most one, or one for each branch of its `$or`.

    A branch that has an index on the fields it alone compares is served by that.
    """
    found = seeking(statement)
    return tuple(
        dict.fromkeys(whole for whole, own in _wanted(target, statement) if not _serving(target, (whole, own), found))
    )


def serving_indexes(target: CollectionFacts, statement: StatementFacts) -> list[list[IndexFacts]]:
    """The indexes that are there for a statement: for each that it wants, those that do as well."""
    return [_serving(target, each, seeking(statement)) for each in _wanted(target, statement)]


def _wanted(target: CollectionFacts, statement: StatementFacts) -> list[tuple[WantedIndex, WantedIndex]]:
    """The indexes a statement wants; beside each, the one on what its branch alone compares.

    The server uses indexes for an `$or` only where each branch has one. Where one narrows nothing, an index on what all
    documents found have in common is left.
    """
    alone = replace(statement, filters=(), equalities=0, sort=())
    branches = [
        (_wanted_index(target, _in_branch(statement, each)), _wanted_index(target, _in_branch(alone, each)))
        for each in statement.branches
    ]
    if branches and all(own.keys for _, own in branches):
        return branches
    common = _wanted_index(target, statement)
    return [(common, common)] if common.keys else []


def _in_branch(statement: StatementFacts, branch: ConditionBranch) -> StatementFacts:
    """A statement as if this branch of its `$or` were all of it."""
    equal = (*statement.filters[: statement.equalities], *branch.filters[: branch.equalities])
    others = (*branch.filters[branch.equalities :], *statement.filters[statement.equalities :])
    return replace(statement, filters=(*equal, *others), equalities=len(equal), branches=())


def _wanted_index(target: CollectionFacts, statement: StatementFacts) -> WantedIndex:
    """The index that does most for a statement without branches; without keys where none narrows what is looked at.

    A pattern that does not seek is matched against every key: it comes last, after fields that reduce the keys, and gets no
    index by itself.

    Keys made by a collation are no texts: no pattern can be matched against them, and every document is read. In a collection
    with a collation, an index that compares exactly serves a statement with only patterns; equalities next to patterns use the
    collation, so they are indexed without the patterns.
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


def _serving(target: CollectionFacts, wanted: Iterable[WantedIndex], seeking: frozenset[str]) -> list[IndexFacts]:
    """The indexes that begin with the fields one of these compares for equality, or with its first field when there are none.

    An index with a collation serves no pattern, but the server may prefer it to a better one for patterns that do not seek: so
    another index is proposed only for patterns that do.
    """
    begun = [{field for field, _ in each.keys[: max(len(each.equal), 1)]} for each in wanted]
    return [
        index
        for index in target.indexes
        if not index.hidden
        and any(
            {field for field, _ in index.keys[: len(fields)]} == fields and not (index.collation and fields <= seeking)
            for fields in begun
        )
    ]
