"""The ways a write finds the rows it changes or removes, and what it does to them there.

One command does where the statement says it plainly and the rows are documents, or elements of one array that their own key or
that of the row above tells. Everything else reads the rows first, and changes them one by one; those in arrays of one document
together, where they go or get the same values, or lie in an array straight in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from nestling.ir.design_problem import Mode, StatementStep
from nestling.ir.model import Relationship
from nestling.ir.paths import work_of
from nestling.ir.paths.work import NO_WORK, Work
from nestling.ir.situation.changed import going_along
from nestling.ir.statements.write import Delete, Update
from nestling.ir.workload import Access, AttributeFilter, Operator, Statement, StatementKind
from nestling.planner.options.modes import Modes
from nestling.planner.options.reads.starts import Starts
from nestling.planner.options.sizes.matching import compared_equal
from nestling.planner.options.statements.held_links import held_links
from nestling.planner.options.statements.named_rows import NamedRows
from nestling.planner.options.statements.single_command import is_plain
from nestling.planner.options.statements.translated import translated
from nestling.planner.options.structures.buckets import summed
from nestling.planner.options.structures.overflow import paged_again
from nestling.planner.options.structures.pairs import lists_changed, read_whole
from nestling.planner.options.structures.places import Home
from nestling.planner.options.writes.key_checks import looked_for
from nestling.planner.writes.single_command.plain_conditions import amount, is_given

READ_STAGES = work_of.light(3)
"""Stages of the pipeline that reads the rows before they change."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Modes of the step that changes rows where they are; the statement's first request is counted elsewhere."""

    modes: Modes
    starts: Starts
    _plain: dict[tuple[str, bool], bool] = field(default_factory=dict, repr=False, compare=False)

    def rows(self, statement: Statement, access: Access) -> float:
        """Rows that are changed."""
        found, named = self.modes.sizes.found(access), self._named(statement, access)
        return found if named is None else min(found, named.count * self.modes.sizes.found(named.one(access)))

    def _named(self, statement: Statement, access: Access) -> NamedRows | None:
        """What a subquery of the statement names of the access's rows."""
        named = self.modes.sizes.facts_of(statement).named
        return named if named is not None and named.entity == access.entity else None

    def is_direct(self, statement: Statement, access: Access, home: Home) -> bool:
        """Whether one command can do it, as far as the rows' own place is concerned."""
        if home.bucket is not None or home.overflow is not None or self._is_checked(access, home):
            return False
        if not home.own and (len(home.links) != 1 or self._is_alone(home) or not self._is_told(access, home)):
            return False
        return self.is_plain(statement, in_array=not home.own)

    def is_plain(self, statement: Statement, *, in_array: bool) -> bool:
        """Whether the statement is a plain change in a home of this kind; cached."""
        known = self._plain.get((statement.name, in_array))
        if known is None:
            known = is_plain(statement, self.modes.situation, in_array=in_array)
            self._plain[statement.name, in_array] = known
        return known

    def _is_checked(self, access: Access, home: Home) -> bool:
        """Whether a key or foreign key changes, or what no index of the home keeps unique."""
        if access.kind is not StatementKind.UPDATE:
            return False
        entity, written = self.modes.situation.model.entity(access.entity), set(access.attributes)
        children = (link.parent_attributes for link in self.modes.situation.children[access.entity] if link.enforced)
        keys = {name for group in (entity.key, *entity.uniques, *children) for name in group}
        keys |= {name for each in looked_for(self.modes.situation, home) for name in (*each.attributes, *each.columns)}
        return bool(held_links(self.modes.situation, access)) or bool(written & keys)

    def _is_alone(self, home: Home) -> bool:
        """Whether there is one row at most in a document: no array."""
        child = self.modes.situation.model.entity(home.entity)
        return child.is_superkey(home.links[0].child_attributes)

    def _is_told(self, access: Access, home: Home) -> bool:
        """Whether conditions tell one element, or the row above it."""
        exact, link = compared_equal(access), home.links[0]
        key = set(self.modes.situation.model.entity(home.entity).key)
        own = key - set(link.child_attributes)
        is_one = bool(key) and key <= exact and len(own) == 1 and len(access.filters) == len(key)
        return is_one or self.are_siblings(access, home)

    def are_siblings(self, access: Access, home: Home) -> bool:
        """Whether elements of one parent change, of which the command tells no number: they are counted before."""
        own = set(self.modes.situation.model.entity(home.entity).key)
        are_several = access.kind is StatementKind.UPDATE and not own <= compared_equal(access)
        return are_several and self._is_parent_told(access, home)

    def _is_parent_told(self, access: Access, home: Home) -> bool:
        """Whether all rows are of one parent that conditions tell."""
        if not home.links:
            return False
        link = home.links[0]
        parent = self.modes.situation.model.entity(link.parent)
        return set(link.child_attributes) <= compared_equal(access) and set(parent.key) <= set(link.parent_attributes)

    def _documents(self, statement: Statement, access: Access, home: Home) -> float:
        """How many documents the rows are in that are changed."""
        rows = self.rows(statement, access)
        if home.own:
            return rows
        return min(rows, 1.0 if self._is_parent_told(access, home) else self.modes.documents.count(home))

    def _are_together(self, statement: Statement, home: Home) -> bool:
        """Whether one command does for all rows of a document that were read before."""
        if not self._go_together(home):
            return False
        write = translated(statement, self.modes.situation.reading)
        if isinstance(write, Update):
            return len(home.links) == 1 or all(is_given(each.expression) for each in write.assignments)
        return isinstance(write, Delete)

    def _go_together(self, home: Home) -> bool:
        """Whether rows of a home are elements of arrays, told by one value."""
        if home.own or home.bucket is not None or home.overflow is not None or self._is_alone(home):
            return False
        key = set(self.modes.situation.model.entity(home.entity).key)
        return len(key - set(home.links[0].child_attributes)) == 1

    def changed(self, statement: Statement, access: Access, home: Home) -> Iterator[Mode]:
        """The rows found in one home, and changed there."""
        direct = self.is_direct(statement, access, home)
        lists = tuple(lists_changed(self.modes.places, access)) if home.own else ()
        if direct:
            for found in self._changed(statement, access, home, direct=True):
                yield replace(found, without=(*found.without, *lists))
        if lists or not direct:
            needed = lists if direct else ()
            for found in self._changed(statement, access, home, direct=False):
                yield from self._with_lists(found, access, needed)

    def _with_lists(self, found: Mode, access: Access, needed: tuple[str, ...]) -> Iterator[Mode]:
        """Rows read before they change have all values taken out of their lists."""
        lists = self.modes.places.paired[access.entity]
        also = tuple((name, self.modes.price(read_whole(paired))) for name, paired in lists)
        for name in needed or (None,):
            needs = found.needs if name is None else tuple(dict.fromkeys((*found.needs, name)))
            yield replace(found, needs=needs, also=(*found.also, *also))

    def _changed(self, statement: Statement, access: Access, home: Home, *, direct: bool) -> Iterator[Mode]:
        rows, documents = self.rows(statement, access), self._documents(statement, access, home)
        computed = self._is_computed(statement, home)
        cost = self._written(access, home, rows, documents, computed=computed)
        rewritten = documents
        if not direct:
            rewritten = documents if self._are_together(statement, home) else rows
            cost += self._read_first(access, home, rows, commands=rewritten)
            if home.links and set(access.attributes) & set(home.links[0].child_attributes):
                size = self.modes.documents.base(home)
                again = work_of.request() + work_of.fetch_by_index(1, size) + work_of.update(1, size, grows=True)
                cost += rows * again  # they have another parent, to whose document they come one by one
        elif home.links and self.are_siblings(access, home):
            cost += work_of.request(READ_STAGES + work_of.light(1)) + work_of.fetch_by_index(
                1, self.modes.documents.base(home)
            )
        read = 0.0 if direct else rewritten
        also = self.modes.documents.further(home, read=read, rewritten=rewritten, computed=computed)
        more = self.modes.mode("", (home.id,), cost, also)
        for found in self._found(replace(statement, limit=None), access, home):
            yield replace(found, cost=found.cost + more.cost, loads=(*found.loads, *more.loads))

    def _found(self, statement: Statement, access: Access, home: Home) -> Iterator[Mode]:
        """By the statement's own conditions, or one after the other by what a subquery names of them."""
        yield from self.starts.finds(statement, access, home)
        named = self._named(statement, access)
        if named is not None:
            for found in self.starts.finds(statement, named.one(access), home):
                yield found.times(named.count)

    def _is_computed(self, statement: Statement, home: Home) -> bool:
        """Whether the server makes the documents anew: rows leave arrays, or get values that are computed of their own."""
        write = translated(statement, self.modes.situation.reading)
        if isinstance(write, Update):
            columns = {each.name: each for each in write.target.columns}
            values = ((columns[each.attribute], each.expression) for each in write.assignments)
            return not all(is_given(value) or amount(column, value) is not None for column, value in values)
        return isinstance(write, Delete) and not home.own

    def _written(self, access: Access, home: Home, rows: float, documents: float, *, computed: bool) -> Work:
        size, fields = self.modes.documents.base(home), self.modes.documents.fields(home)
        if access.kind is StatementKind.DELETE and home.own:
            return work_of.delete(rows, self.modes.sizes.key_entries(access.entity))
        changed = work_of.update(documents, size, grows=False, fields=fields, computed=computed)
        if home.overflow is not None:
            changed += rows * paged_again(self.modes.situation, self.modes.sizes, home)
        if home.bucket is not None:
            changed += documents * summed(self.modes.sizes, home.bucket, self.modes.documents.filled(home))
        return changed

    def _read_first(self, access: Access, home: Home, rows: float, *, commands: float) -> Work:
        """The rows read first, their documents then found again by so many commands; these are one request."""
        size = self.modes.sizes.row_bytes(access.entity)
        read = work_of.request(READ_STAGES) + work_of.send(rows, size)
        again = work_of.fetch_by_index(commands, self.modes.documents.base(home), seeks=commands)
        return read + again + max(commands - 1, 0.0) * Work(changes=1)

    def children(self, statement: Statement, access: Access, position: int) -> Iterator[StatementStep]:
        """The children of rows that go, or have other keys: asked for, or removed or changed too, where they are not in the same
        document; and theirs.
        """
        if access.kind is not StatementKind.INSERT:
            yield from self._below(statement, access, position)

    def _below(self, statement: Statement, access: Access, position: int) -> Iterator[StatementStep]:
        """Each foreign key once, the nearest first."""
        is_gone, attributes = access.kind is StatementKind.DELETE, frozenset(access.attributes)
        waiting, met = deque([(access.entity, self.rows(statement, access), is_gone, attributes)]), set[str]()
        while waiting:
            entity, rows, is_gone, attributes = waiting.popleft()
            along = dict(going_along(self.modes.situation.model, entity, is_gone, attributes))
            for link in self.modes.situation.children[entity]:
                is_asked = is_gone or attributes & set(link.parent_attributes)
                if not link.enforced or link.is_self or link.name in met or not is_asked:
                    continue
                is_first = entity == access.entity
                each = self.modes.sizes.children_asked(link) if is_first else self.modes.sizes.children(link)
                met.add(link.name)
                modes = tuple(self._children(statement, link, rows, each, along.get(link)))
                yield StatementStep(statement.name, f"{position}: {link.child} by {link.name}", modes)
                if link in along:
                    waiting.append((link.child, rows * each, along[link], frozenset(link.child_attributes)))

    def _children(
        self, statement: Statement, link: Relationship, rows: float, each: float, removes: bool | None
    ) -> Iterator[Mode]:
        """The children of so many rows found by one request, and `each` of them changed or removed, by commands that are one
        request. `removes`: whether they go; None where they are only asked for.
        """
        asked = tuple(AttributeFilter(name, Operator.EQUALITY) for name in link.child_attributes)
        read = Access(link.child, StatementKind.SELECT, link.child_attributes, asked)
        more, found_rows = work_of.request(READ_STAGES), rows * each
        if removes is not None:
            more += min(found_rows, 1.0) * work_of.request()
        if removes is False:
            more += self._changed_along(link, found_rows)
        for home in self.modes.places.homes[link.child]:
            if home.links[:1] == (link,) and removes is not None:
                yield Mode(home.id, (home.id,), 0.0)
                continue
            again = NO_WORK if removes is None else self._commands(home, found_rows, removes=removes)
            for found in self.starts.finds(replace(statement, limit=None), read, home):
                yield found.times(rows, more=self.modes.price(more + again))
        for name, _ in self.modes.places.absorbed[link.child]:
            yield self.modes.mode(name, (name,), more + (0.0 if removes is None else found_rows) * Work(changes=1))

    def _commands(self, home: Home, rows: float, *, removes: bool) -> Work:
        """The commands for so many rows. Of those that go what tells them is sent, by which they are found and taken out of their
        home.
        """
        if not removes:
            return rows * Work(changes=1)
        sizes, size = self.modes.sizes, self.modes.documents.base(home)
        told = work_of.send(rows, sizes.bytes_of(home.entity, sizes.situation.model.entity(home.entity).key))
        commands = min(rows, self.modes.documents.count(home)) if self._go_together(home) else rows
        again = told + work_of.fetch_by_index(commands, size, seeks=commands)
        if home.own:
            return again + work_of.delete(rows, sizes.key_entries(home.entity), changes=commands)
        fields = self.modes.documents.fields(home)
        return again + work_of.update(commands, size, changes=commands, fields=fields, computed=True)

    def _changed_along(self, link: Relationship, rows: float) -> Work:
        """Rows that have another parent, which is held; those whose key that is go and come again."""
        size = self.modes.sizes.row_bytes(link.child)
        held = min(rows, 1.0) * (work_of.request() + 2 * work_of.update(1, self.modes.sizes.row_bytes(link.parent)))
        if not set(link.child_attributes) & set(self.modes.situation.model.entity(link.child).key):
            return held + work_of.update(rows, size, changes=0)
        entries = self.modes.sizes.key_entries(link.child)
        again = min(rows, 1.0) * work_of.request() + work_of.insert(rows, size, entries)
        return held + again + work_of.delete(rows, entries, changes=0)
