"""The candidates by what they are about: where each entity may live, what may be copied and computed where, which indexes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import assert_never

from nestling.ir.candidate import (
    Absorbed,
    Aggregate,
    Archived,
    Bucketed,
    Candidate,
    Cold,
    CopiedAttribute,
    FirstChildren,
    Indexed,
    IndexedAcross,
    IndexedAnyCase,
    Lineage,
    Mirror,
    Nested,
    Own,
    Paired,
)
from nestling.ir.model import Relationship
from nestling.ir.situation import Situation
from nestling.ir.storage.collations import linked_by_expression
from nestling.ir.workload import Statement, StatementKind
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.statements.pair_uses import PairUse, pair_use
from nestling.planner.options.statements.skips_archive import asks_for_later
from nestling.planner.options.structures.triggered import Triggered


@dataclass(frozen=True, slots=True)
class Home:
    """One place an entity may live: the structure's id, the links up to the root, how many rows a root document holds."""

    id: str
    entity: str
    links: tuple[Relationship, ...]
    root: str
    per_root: float
    bucket: Bucketed | None = None
    overflow: int | None = None

    @property
    def own(self) -> bool:
        """Whether it is a collection of its own, a document a row."""
        return not self.links and self.bucket is None


class Places:
    """Candidates, found by entity and relationship."""

    def __init__(self, situation: Situation, candidates: Iterable[Candidate], sizes: Sizes) -> None:
        self.situation, self.sizes = situation, sizes
        self.homes: dict[str, list[Home]] = defaultdict(list)
        self.absorbed: dict[str, list[tuple[str, Absorbed]]] = defaultdict(list)
        self.copied: dict[str, dict[str, list[tuple[str, CopiedAttribute]]]] = defaultdict(lambda: defaultdict(list))
        self.first_children: dict[str, list[tuple[str, FirstChildren]]] = defaultdict(list)
        self.lineages: dict[str, list[tuple[str, Lineage]]] = defaultdict(list)
        self.aggregates: dict[str, list[tuple[str, Aggregate]]] = defaultdict(list)
        self.mirrors: dict[str, list[tuple[str, Mirror]]] = defaultdict(list)
        self.cold: dict[str, list[tuple[str, Cold]]] = defaultdict(list)
        self.archives: dict[str, list[tuple[str, Archived]]] = defaultdict(list)
        self.paired: dict[str, list[tuple[str, Paired]]] = defaultdict(list)
        self.indexes: dict[str, list[tuple[str, Indexed]]] = defaultdict(list)
        self.partial: dict[str, list[tuple[str, Indexed]]] = defaultdict(list)
        self.across: dict[str, list[tuple[str, IndexedAcross]]] = defaultdict(list)
        self.any_case: dict[str, list[tuple[str, IndexedAnyCase]]] = defaultdict(list)
        self._pair_uses: dict[str, PairUse] = {}
        self._later: dict[str, frozenset[str]] = {}
        statements = situation.reading.workload.statements
        self.inserted = {a.entity for s in statements for a in s.accesses if a.kind is StatementKind.INSERT}
        updates = [a for s in statements for a in s.accesses if a.kind is StatementKind.UPDATE]
        self.changed = {(each.entity, name) for each in updates for name in each.attributes}
        self.candidates = tuple(candidates)
        self.triggered = Triggered(situation.model, self.candidates)
        for candidate in self.candidates:
            self._file(candidate)
        self.inside: dict[str, list[Home]] = defaultdict(list)  # root -> homes of others in its documents
        self.held: dict[str, frozenset[str]] = {}  # home -> the entities whose rows its documents are read for
        for homes in self.homes.values():
            for home in homes:
                self.held[home.id] = frozenset((home.root, home.entity))
                if home.links:
                    self.inside[home.root].append(home)

    def _file(self, candidate: Candidate) -> None:  # noqa: C901 - one case for each
        model, found = self.situation.model, candidate.id
        match candidate.part:
            case Own(entity):
                self.homes[entity].append(Home(found, entity, (), entity, 1.0))
            case Nested(entity, names, overflow):
                links = tuple(model.relationship(name) for name in names)
                home = Home(found, entity, links, links[-1].parent, self.sizes.chain(links), overflow=overflow)
                self.homes[entity].append(home)
            case Bucketed(entity) as bucket:
                self.homes[entity].append(Home(found, entity, (), entity, float(bucket.limit), bucket))
            case Absorbed(entity) as absorbed:
                self.absorbed[entity].append((found, absorbed))
            case CopiedAttribute(holder, path) as copy:
                self.copied[holder][path[0].relationship].append((found, copy))
            case FirstChildren(relationship) as few:
                self.first_children[relationship].append((found, few))
            case Lineage(relationship) as lineage:
                self.lineages[relationship].append((found, lineage))
            case Aggregate(relationship) as aggregate:
                self.aggregates[relationship].append((found, aggregate))
            case Mirror(_, side) as mirror:
                self.mirrors[side].append((found, mirror))
            case Cold(entity) as cold:
                self.cold[entity].append((found, cold))
            case Archived(entity) as archived:
                self.archives[entity].append((found, archived))
            case Paired(entity) as paired:
                self.paired[entity].append((found, paired))
            case Indexed(entity, rows=rows) as index:
                (self.partial if rows else self.indexes)[entity].append((found, index))
            case IndexedAcross(entity) as across:
                self.across[entity].append((found, across))
                if across.beginning is not None:
                    self.indexes[entity].append((found, across.beginning))
            case IndexedAnyCase(entity) as by_case:
                self.any_case[entity].append((found, by_case))
            case _:
                assert_never(candidate.part)

    def pair_use(self, statement: Statement) -> PairUse:
        """What a statement does with attributes that may be in lists of pairs; cached for each statement."""
        if statement.name not in self._pair_uses:
            self._pair_uses[statement.name] = pair_use(statement, self.situation)
        return self._pair_uses[statement.name]

    def later(self, statement: Statement) -> frozenset[str]:
        """The archives of which a statement needs no row; cached for each statement."""
        if statement.name not in self._later:
            every = (each for archives in self.archives.values() for each in archives)
            found = (name for name, part in every if asks_for_later(statement, part, self.situation))
            self._later[statement.name] = frozenset(found)
        return self._later[statement.name]

    def homes_above(self, home: Home) -> tuple[Home, ...]:
        """The places of the parent one of which an embedding needs: a sub-document, or fields beside those of a supertype."""
        others = self.homes[home.links[0].parent]
        return tuple(
            each for each in others if each.bucket is None and each.overflow is None and each.links == home.links[1:]
        )

    def with_entries(self, entity: str) -> Iterator[tuple[str, Indexed]]:
        """The indexes that have entries for its rows, by name; one whatever the case counts like one that compares exactly."""
        yield from (*self.indexes[entity], *self.partial[entity])
        yield from ((name, each.plain) for name, each in self.any_case[entity])

    def with_beside(self, index: Indexed) -> Iterator[Indexed]:
        """An index, and the one on a foreign key that one over few rows stands beside.

        A foreign key has an index in any design; one over all rows that begins with it takes its place.
        """
        yield index
        links = self.situation.parents[index.entity] if index.rows else ()
        link = next((link for link in links if self.leads_along(index, link)), None)
        if link is not None:
            yield Indexed(index.entity, tuple((name, 1) for name in link.child_attributes))

    def indexes_on(self, entity: str, link: Relationship) -> Iterator[str]:
        """The indexes of an entity that begin with a relationship's foreign key."""
        yield from (name for name, index in self.indexes[entity] if self.leads_along(index, link))

    def leads_along(self, index: Indexed, link: Relationship) -> bool:
        """Whether an index begins with a relationship's foreign key, and finds rows by it."""
        wanted = set(link.child_attributes)
        begins = {key for key, _ in index.keys[: len(wanted)]} == wanted
        return begins and not linked_by_expression(self.situation.model, link)
