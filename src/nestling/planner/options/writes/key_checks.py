"""What keys and foreign keys ask of a row that comes: that no other has its key, and that its parents are there and stay.

A collection's indexes refuse a second row by themselves, and so does the command that puts an element into its parent's array
when that tells its whole key; elsewhere it is read first. A parent is held by one command that changes its document and changes
it back, unless the row is put into an array of that very document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from nestling.ir.constraints.partial_unique import PartialUnique
from nestling.ir.design_problem import Mode, StatementStep
from nestling.ir.indexes.kept_uniques import may_have_index
from nestling.ir.model import Cardinality, Relationship
from nestling.ir.paths import work_of
from nestling.ir.paths.work import Work
from nestling.ir.situation import Situation
from nestling.ir.storage.collations import attributes_sought
from nestling.ir.workload import Access, AttributeFilter, Operator, Statement, StatementKind
from nestling.planner.options.modes import Modes
from nestling.planner.options.reads.reach import DocumentAccess, ways_to_one
from nestling.planner.options.reads.starts import Starts
from nestling.planner.options.statements.held_links import held_links
from nestling.planner.options.structures.archives import held_in_either
from nestling.planner.options.structures.places import Home
from nestling.planner.options.writes.built_indexes import keeps_unique
from nestling.planner.options.writes.inserted_rows import InsertedRows

READ_STAGES = work_of.light(6)
"""Stages of the pipeline that looks for a row with the same key."""
SAME_NODES, SAME_NODES_EACH = 5.0, 10.0
"""Expressions parsed for that read, and for each attribute, which is tested on the array and on its elements."""
PARENT_STAGES = 1 + work_of.light(5)
"""Stages of the pipeline that looks for a row's parent, its lookup's own among them."""
PARENT_NODES, PARENT_NODES_EACH = 14.0, 15.0
"""Expressions parsed for that read, and for each attribute, which is tested on the row, on the array, and on its elements."""
PARENT_LOOKUP_STAGES = 2.0
"""Stages of the lookup in it beside those that unwind arrays, with one attribute to ask for."""
MET_BYTES = 100.0
"""The document that all writers of a group change which no index keeps."""


def settles(situation: Situation, home: Home) -> Relationship | None:
    """The foreign key that the command that adds a row there sees to: it puts the row into an array of its parent's document.

    None where the parent is read for, as where the array holds bare values.
    """
    if len(home.links) != 1 or home.overflow is not None or _is_bare(situation, home):
        return None
    link = home.links[0]
    is_object = situation.model.entity(home.entity).is_superkey(link.child_attributes)
    return None if link.is_self or is_object else link


def _is_bare(situation: Situation, home: Home) -> bool:
    """Whether rows of a junction are but the ids of the other side, in an array of their parent."""
    link = home.links[0]
    own = set(situation.model.entity(home.entity).attribute_names) - set(link.child_attributes)
    return link.name in situation.linked and len(own) == 1


def _settles_key(situation: Situation, home: Home) -> bool:
    """Whether that command sees to the row's key too: that is the parent's and one attribute more."""
    link, key = settles(situation, home), set(situation.model.entity(home.entity).key)
    return link is not None and set(link.child_attributes) <= key and len(key - set(link.child_attributes)) == 1


def open_groups(situation: Situation, home: Home) -> tuple[tuple[str, ...], ...]:
    """The groups of attributes no two rows share that are read for before a row comes to a home.

    In a collection of their own that is where the unique index tells texts apart that the source takes for equal.
    """
    entity = situation.model.entity(home.entity)
    if not home.links:
        return tuple(group for group in entity.unique_groups if attributes_sought(entity, group) != set(group))
    links = situation.parents[home.entity]
    single = [link.child_attributes for link in links if link.cardinality is Cardinality.ONE_TO_ONE]
    settled = _settles_key(situation, home)
    groups = dict.fromkeys((*entity.unique_groups, *single))
    return tuple(group for group in groups if not (settled and group == entity.key))


def looked_for(situation: Situation, home: Home) -> tuple[PartialUnique, ...]:
    """The unique groups of some rows that no index keeps at a home: each write of such a row looks for another."""
    entity = situation.model.entity(home.entity)
    return tuple(each for each in entity.partial_uniques if home.links or not may_have_index(entity, each))


def meet_each_other(modes: Modes, home: Home, group: tuple[str, ...]) -> bool:
    """Whether the writers of a group that is read for change one document of its own at a home: nothing else keeps them apart."""
    entity = modes.situation.model.entity(home.entity)
    if not home.links:  # where what is read for are texts that no index compares as the source does
        return True
    if group not in entity.uniques or group == entity.key:
        return False
    told = set(home.links[0].child_attributes) <= set(group)
    return not told and not keeps_unique(modes, home, group)


@dataclass(frozen=True, slots=True)
class Guards:
    """The steps of a write that keep keys and foreign keys."""

    modes: Modes
    starts: Starts

    def keys(self, statement: Statement, access: Access, position: int, rows: float) -> Iterator[StatementStep]:
        """Whether another row has the key, where rows come to a place no index guards, or have another key there."""
        if access.kind is StatementKind.DELETE:
            return
        situation = self.modes.situation
        homes = self.modes.places.homes[access.entity]
        every = dict.fromkeys(group for home in homes for group in open_groups(situation, home))
        is_new, changed = access.kind is StatementKind.INSERT, set(access.attributes)
        free = [name for name, _ in self.modes.places.absorbed[access.entity]]
        for group in (group for group in every if is_new or changed & set(group)):
            modes = [mode.times(rows) for home in homes for mode in self._same(statement, access, home, group)]
            modes += [Mode(name, (name,), 0.0) for name in free]
            yield StatementStep(
                statement.name, f"{position}: no other {access.entity} with its {', '.join(group)}", tuple(modes)
            )
        for unique in situation.model.entity(access.entity).partial_uniques if is_new else ():
            modes = [mode.times(rows) for home in homes for mode in self._among_some(statement, access, home, unique)]
            modes += [Mode(name, (name,), 0.0) for name in free]
            yield StatementStep(statement.name, f"{position}: no other {access.entity} breaks {unique}", tuple(modes))

    def _among_some(self, statement: Statement, access: Access, home: Home, unique: PartialUnique) -> Iterator[Mode]:
        if unique not in looked_for(self.modes.situation, home):
            yield Mode(home.id, (home.id,), 0.0)
            return
        for found in self._looked(statement, access, home, unique.attributes, cased=unique.lower):
            yield replace(found, cost=found.cost + self._met())

    def _same(self, statement: Statement, access: Access, home: Home, group: tuple[str, ...]) -> Iterator[Mode]:
        if group not in open_groups(self.modes.situation, home):
            yield Mode(home.id, (home.id,), 0.0)
            return
        more = self._met() if meet_each_other(self.modes, home, group) else 0.0
        for found in self._looked(statement, access, home, group):
            yield replace(found, cost=found.cost + more)

    def _met(self) -> float:
        """Seconds to change the document that all writers of a group change."""
        met = work_of.fetch_by_index(1, MET_BYTES) + work_of.update(1, MET_BYTES)
        return self.modes.price(work_of.request(2) + work_of.request() + met)

    def _looked(
        self, statement: Statement, access: Access, home: Home, group: tuple[str, ...], cased: Sequence[str] = ()
    ) -> Iterator[Mode]:
        kinds = {name: Operator.CASED if name in cased else Operator.EQUALITY for name in group}
        asked = tuple(AttributeFilter(name, kind) for name, kind in kinds.items())
        read = Access(access.entity, StatementKind.SELECT, group, asked)
        nodes = SAME_NODES + len(group) * SAME_NODES_EACH
        more = self.modes.price(work_of.request(READ_STAGES) + work_of.parse(nodes))
        for found in self.starts.finds(replace(statement, limit=None), read, home):
            yield replace(found, cost=found.cost + more)

    def parents(
        self, statement: Statement, access: Access, position: int, rows: InsertedRows
    ) -> Iterator[StatementStep]:
        """Each parent held: once for the rows that are of one."""
        for link in held_links(self.modes.situation, access):
            parents = rows.alike(link.child_attributes)
            modes = tuple(mode.times(parents) for mode in self._held(access, link))
            yield StatementStep(statement.name, f"{position}: {link.parent} by {link.name} is held", modes)

    def _held(self, access: Access, link: Relationship) -> Iterator[Mode]:
        situation, places = self.modes.situation, self.modes.places
        inside = [home for home in places.homes[access.entity] if home.links[:1] == (link,)]
        for home in inside:
            if settles(situation, home) == link:
                yield Mode(home.id, (home.id,), 0.0)
                continue
            for above in places.homes_above(home):
                for way in ways_to_one(places, above, link.parent_attributes):
                    needs = (home.id, *way.needs)
                    yield self.modes.mode(f"{home.id}, {way.text}", needs, self._looked_for(above, way, link))
        without = tuple(home.id for home in inside)
        for home in places.homes[link.parent]:
            for way in ways_to_one(places, home, link.parent_attributes):
                cost = self.command(home, way)
                cost += self._looked_for(home, way, link) if not home.own else Work()
                also = self.modes.documents.further(home, read=1.0, rewritten=2.0)
                mode = self.modes.mode(f"{home.id}, {way.text}", way.needs, cost, also, without)
                yield held_in_either(self.modes, home, mode)
        for name, _ in places.absorbed[link.parent]:
            rows = self.modes.sizes.rows(link.parent)
            read = self._parent_read(link) + work_of.scan(rows, self.modes.sizes.row_bytes(link.parent))
            yield self.modes.mode(name, (name,), read, without=without, reads=(link.parent,))

    def command(self, home: Home, way: DocumentAccess) -> Work:
        """One command that changes the parent's document and changes it back."""
        size = self.modes.documents.base(home)
        return (
            work_of.request()
            + self.found(home, way)
            + 2 * work_of.update(1, size, fields=self.modes.sizes.fields(home.root))
        )

    def found(self, home: Home, way: DocumentAccess) -> Work:
        """The document of a row found by a command."""
        size = self.modes.documents.base(home)
        if way.reads_all:
            total = self.modes.documents.count(home)
            return work_of.scan(total, size) + work_of.ask(total)
        return work_of.fetch_by_index(1, size)

    def _looked_for(self, home: Home, way: DocumentAccess, link: Relationship) -> Work:
        """A read for a row's parent, from the values of the row."""
        size, total = self.modes.documents.base(home), self.modes.documents.count(home)
        one = work_of.lookup_by_scan(1, total, size) if way.reads_all else work_of.lookup(1, 1, size)
        levels = self.modes.documents.levels(home)
        stages = PARENT_LOOKUP_STAGES + len(link.child_attributes) + levels - (0 if levels else 1)
        taken = work_of.unwind(self.modes.documents.per_document(home)) + Work(lookup_stages=stages)
        return self._parent_read(link) + one + taken

    def _parent_read(self, link: Relationship) -> Work:
        """The request for a row's parent."""
        nodes = PARENT_NODES + len(link.child_attributes) * PARENT_NODES_EACH
        return work_of.request(PARENT_STAGES) + work_of.parse(nodes)
