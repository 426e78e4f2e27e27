"""Walks along a tree: row by row on the server, or from the ancestors that documents hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir.candidate import Lineage
from nestling.ir.design_problem import Mode, StatementStep
from nestling.ir.model import Relationship
from nestling.ir.paths import work_of
from nestling.ir.paths.work import NO_WORK, Work
from nestling.ir.types import TypeName
from nestling.ir.workload import Access, Operator, Statement, StatementKind, Walk
from nestling.planner.known.tree_walks import levels
from nestling.planner.options.modes import Modes
from nestling.planner.options.statements.visits import Visit
from nestling.planner.options.structures.places import Home
from nestling.planner.options.writes.sync_event import left

TAKEN_IN = 15.0
"""Expressions parsed for a walk, or for what is kept in its place."""
ABOVE_STAGES = work_of.light(5)
"""Stages of the pipeline that shows what a row keeps of those above it."""
BELOW_STAGES = 1 + work_of.light(5)
"""Stages of the pipeline that looks up the rows below by what these keep, the lookup among them."""
READ_AGAIN_STAGES = 3.0
"""Stages of a pipeline that goes from row to row: it reads the row it begins at again, beside it."""
REFRESH_STAGES = 4.0
"""Stages of the pipeline that reads what one row must keep of the rows above it."""
LOOKED_UP_STAGES = 4.0
"""Stages of the lookup in that pipeline, which goes from the parent upwards."""


def walks(modes: Modes, before: Visit, visit: Visit, link: Relationship) -> Iterator[Mode]:
    """The ways from each row to all above or below it, with the stages of the whole statement."""
    for home in modes.places.homes[visit.entity]:
        yield from _in_turn(modes, visit, link, home)
    for name, lineage in modes.places.lineages[link.name]:
        if visit.access.walk is Walk.UP:
            yield from _above(modes, visit, link, name, lineage)
        elif lineage.indexed:
            yield from _below(modes, before, visit, name)


def _in_turn(modes: Modes, visit: Visit, link: Relationship, home: Home) -> Iterator[Mode]:
    """A query for each level."""
    size, count = modes.documents.base(home), modes.documents.count(home)
    down = visit.access.walk is Walk.DOWN
    found = _found(visit)
    queries = levels(found, down=down)
    again = Work(stages=1, lookups=1, lookup_stages=READ_AGAIN_STAGES) + work_of.parse(2 * TAKEN_IN)
    again += work_of.fetch_by_index(visit.outer, size) + work_of.unwind(visit.reached) + work_of.pass_on(visit.reached)
    each = Work(lookups=queries) + work_of.fetch_by_index(found, size, seeks=found)
    also = modes.documents.further(home, read=visit.outer + visit.reached)
    indexes = list(modes.places.indexes_on(home.entity, link)) if down else [""] if home.own else []
    for name in indexes:
        needs = (home.id, name) if name else (home.id,)
        yield modes.mode(f"{home.id}, from row to row", needs, again + visit.outer * each, also)
    if down or not home.own:
        searched = again + visit.outer * work_of.lookup_by_scan(queries, count, size)
        heavier = modes.documents.further(home, read=visit.outer * queries * count)
        yield modes.mode(f"{home.id}, searched for each level", (home.id,), searched, heavier)


def _below(modes: Modes, before: Visit, visit: Visit, name: str) -> Iterator[Mode]:
    """All rows below by the index: by one condition where the row above is given by its key, else by a lookup."""
    entity = modes.situation.model.entity(visit.entity)
    given = before.access.compared(Operator.EQUALITY)
    is_number = all(entity.attribute(each).type.name is TypeName.INTEGER for each in entity.key)
    for home in modes.places.homes[visit.entity]:
        if not home.own:
            continue
        size = modes.documents.base(home)
        if given == set(entity.key) == {each.attribute for each in before.access.filters} and is_number:
            cost = work_of.fetch_by_index(_found(visit), size)
        else:
            cost = Work(stages=BELOW_STAGES) + work_of.lookup(visit.outer, _found(visit), size)
            cost += work_of.unwind(visit.reached)
        also = modes.documents.further(home, read=visit.reached)
        yield modes.mode(f"{home.id}, by {name}", (home.id, name), work_of.parse(TAKEN_IN) + cost, also)


def _above(modes: Modes, visit: Visit, link: Relationship, name: str, lineage: Lineage) -> Iterator[Mode]:
    """All rows above from the row's own document."""
    asked = set(visit.access.attributes) - set(link.child_attributes)
    if asked <= set(lineage.attributes):
        shown = Work(stages=ABOVE_STAGES) + work_of.parse(TAKEN_IN)
        shown += work_of.unwind(2 * visit.reached) + work_of.project(visit.reached, len(asked))
        yield modes.mode(name, (name,), shown)


def _found(visit: Visit) -> float:
    """Rows met from one row."""
    return max(visit.reached / max(visit.outer, 1e-9), 1.0)


def lineage_steps(modes: Modes, statement: Statement, access: Access, rows: float) -> Iterator[StatementStep]:
    """What a write of rows of a tree does to keep those above each right: nothing where it changes none of them."""
    for name, lineage in modes.places.triggered.all(access, Lineage).items():
        link = modes.situation.model.relationship(lineage.relationship)
        none = Mode("nothing is kept", (), 0.0, without=(name,))
        ways = [
            replace(mode, cost=rows * mode.cost, loads=tuple((load, rows * cost) for load, cost in mode.loads))
            for mode in _kept_right(modes, access, link, lineage)
        ]
        yield StatementStep(statement.name, f"what {access.entity} keeps by {name}", (none, *ways))


def _kept_right(modes: Modes, access: Access, link: Relationship, lineage: Lineage) -> Iterator[Mode]:
    """A row that comes or moves reads those above it; every row below one that changes is read again."""
    if lineage.freshness.is_left:
        yield modes.mode("left to the sync", (), left(lineage.freshness))
        return
    one = _refreshed(modes, link, lineage)
    moves = access.kind is StatementKind.INSERT or bool(set(access.attributes) & set(link.child_attributes))
    own = one if moves and access.kind is not StatementKind.DELETE else NO_WORK
    if link.enforced and access.kind is not StatementKind.UPDATE:
        yield modes.mode("its own", (), own, reads=(link.child,))
        return
    size, found = modes.sizes.row_bytes(link.child), modes.sizes.on_the_way(link)
    walked = work_of.request(READ_AGAIN_STAGES) + work_of.fetch_by_index(1, size)
    queries, below = levels(found, down=True), (found + 1) * one
    by_index = Work(lookups=queries) + work_of.fetch_by_index(found, size, seeks=found)
    for name in modes.places.indexes_on(link.child, link):
        yield modes.mode(f"those below by {name}", (name,), own + walked + by_index + below, reads=(link.child,))
    searched = work_of.lookup_by_scan(queries, modes.sizes.rows(link.child), size)
    yield modes.mode("those below searched for", (), own + walked + searched + below, reads=(link.child,))


def _refreshed(modes: Modes, link: Relationship, lineage: Lineage) -> Work:
    """One row's ancestors read and stored: its parent is looked up, and all above that are met by a walk."""
    rows, size = modes.sizes.on_the_way(link), modes.sizes.row_bytes(link.child)
    walked = (
        Work(lookups=rows) + work_of.fetch_by_index(rows, size, seeks=rows) + work_of.sort(rows) + work_of.unwind(rows)
    )
    looked_up = Work(lookups=1, lookup_stages=LOOKED_UP_STAGES) + work_of.fetch_by_index(1, size) + walked
    read = work_of.request(REFRESH_STAGES) + work_of.fetch_by_index(1, size) + looked_up
    entries, fields = 1.0 if lineage.indexed else 0.0, modes.sizes.fields(link.child)
    changed = work_of.update(1, size, index_entries_changed=entries, fields=fields)
    return read + work_of.request() + work_of.fetch_by_index(1, size) + changed
