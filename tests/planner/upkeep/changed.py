"""Homes that have changed while what follows has not: documents of the data after, derived values of the data before."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import bson
from pymongo import MongoClient
from pymongo.database import Database

from nestling.emitters.commands import collection_commands, unseen_commands
from nestling.emitters.mql import aggregation
from nestling.emitters.mql.read import compiled_read
from nestling.emitters.mql.write import compiled_write
from nestling.executors.create import create
from nestling.executors.load import load, written_collections
from nestling.executors.run import documents
from nestling.executors.write import run_write
from nestling.ir.codec import CODEC
from nestling.ir.design import Design
from nestling.ir.model import Entity, Model
from nestling.ir.paths.access_path import FieldPath, ProjectDocuments
from nestling.ir.paths.write_path import Each, WritePlan
from nestling.ir.primitives import Computed, Copy, Form, Reference
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.programs.program import CompiledWrite, GivenRows
from nestling.ir.rows import AggregateKind
from nestling.ir.statements.expression import ANY
from nestling.ir.storage.names import stored_name
from nestling.ir.upkeep import Upkeep
from nestling.planner.homes.views import home_view
from nestling.planner.upkeep import (
    ChangeKind,
    ExpectedRead,
    RowChange,
    fired_triggers,
    implied_read,
    stored,
    upkeep_steps,
    upkeeps_of,
)
from nestling.planner.upkeep.holder import holder_rows, locating
from nestling.planner.upkeep.source import HOLDER, column, homes_context
from nestling.planner.writes.single_command.direct import refuse_fixed
from nestling.sources.sql.row_source import SqlDatabase
from tests.generators.worlds import with_seen_types
from tests.planner.upkeep.settled import Difference, differences
from tests.planner.upkeep.worlds_after import Rows
from tests.sqlite_rows import sqlite_source

Row = dict[str, Any]
ROWS = "changed"


@dataclass(frozen=True)
class Settled:
    """A change, the holders that differed before the upkeep and after it, and the upkeeps left to the background sync."""

    change: RowChange
    stale: list[Difference]
    wrong: list[Difference]
    left: tuple[str, ...]


def settle(
    design: Design, before: Rows, after: Rows, entity: str, client: MongoClient[dict[str, Any]], folder: Path
) -> Settled | None:
    """Load the data before and after, put the derived values of before into the documents of after, and run the upkeep.

    None when the rows of the entity do not differ in one way.
    """
    sources = [sqlite_source(folder / f"{n}.db", design.model, rows) for n, rows in enumerate((before, after))]
    design = Design(_with_seen_types(design.model, sources), design.collections)
    databases = [client[f"upkeep_{uuid.uuid4().hex}"] for _ in sources]
    try:
        for source, database in zip(sources, databases, strict=True):
            create(collection_commands(design), database, written_collections(design))
            load(design, SqlDatabase(source.address, design.model), database, unseen=unseen_commands(design))
        return _settled(design, entity, *databases)
    finally:
        for database in databases:
            client.drop_database(database.name)


def _with_seen_types(model: Model, sources: Sequence[SqlDatabase]) -> Model:
    """The model with the types of values seen in any of the sources."""
    seen = [with_seen_types(model, source) for source in sources]
    return replace(model, entities=tuple(_united(each) for each in zip(*(m.entities for m in seen), strict=True)))


def _united(entities: Sequence[Entity]) -> Entity:
    columns = zip(*(entity.attributes for entity in entities), strict=True)
    kinds = ((each[0], dict.fromkeys(kind for attribute in each for kind in attribute.also)) for each in columns)
    return replace(entities[0], attributes=tuple(replace(attribute, also=tuple(also)) for attribute, also in kinds))


def _settled(design: Design, entity: str, before: Database[Any], after: Database[Any]) -> Settled | None:
    changes = change_rows(design, entity, raw_rows(design, before, entity), raw_rows(design, after, entity))
    kinds = [kind for kind, rows in changes.items() if rows]
    if len(kinds) != 1:
        return None
    rows = changes[kinds[0]]
    names = design.model.entity(entity).attribute_names
    changed = {name for name in names for row in rows if _differs(row, name)}
    change = RowChange(entity, kinds[0], ROWS, frozenset(changed) if kinds[0] is ChangeKind.UPDATE else frozenset())
    for name in after.list_collection_names(filter={"type": "collection", "name": {"$not": {"$regex": "^system"}}}):
        after.command("collMod", name, validationLevel="off")  # holders are settled one upkeep after the other
    put_back(design, before, after, change, rows)
    stale = differences(design, after)
    left = keep_up(design, after, change, rows)
    return Settled(change, stale, differences(design, after), left)


def raw_rows(design: Design, database: Database[Any], entity: str) -> list[Row]:
    """The rows of an entity as they are stored, by attribute, NULLs left out."""
    query = aggregation(home_view(design, entity))
    readable = database.with_options(codec_options=CODEC)
    found = readable[query.collection].aggregate(list(query.stages))
    return [{name: row[str(n)] for n, name in enumerate(query.columns) if str(n) in row} for row in found]


def change_rows(design: Design, entity: str, before: list[Row], after: list[Row]) -> dict[ChangeKind, list[Row]]:
    """The rows of each kind of change, in the columns a write has them in."""
    key = design.model.entity(entity).key or design.model.entity(entity).attribute_names

    def mark(row: Row) -> bytes:
        return bson.encode({name: row[name] for name in sorted(key) if name in row}, codec_options=CODEC)

    old, new = {mark(row): row for row in before}, {mark(row): row for row in after}
    came = [_columns("new", new[each]) for each in new if each not in old]
    went = [_columns("old", old[each]) for each in old if each not in new]
    both = [_columns("old", old[each]) | _columns("new", new[each]) for each in new if each in old]
    more = Counter(map(mark, after)) - Counter(map(mark, before))
    less = Counter(map(mark, before)) - Counter(map(mark, after))
    came += [_columns("new", new[each]) for each, times in more.items() for _ in range(times - (each not in old))]
    went += [_columns("old", old[each]) for each, times in less.items() for _ in range(times - (each not in new))]
    moved = [row for row in both if any(_differs(row, name) for name in design.model.entity(entity).attribute_names)]
    return {ChangeKind.INSERT: came, ChangeKind.DELETE: went, ChangeKind.UPDATE: moved}


def _columns(when: str, row: Row) -> Row:
    return {f"{when}_{stored_name(name)}": value for name, value in row.items()}


def _differs(row: Row, name: str) -> bool:
    old, new = (row.get(f"{when}_{stored_name(name)}", _MISSING) for when in ("old", "new"))
    return (old is _MISSING) is not (new is _MISSING) or repr(old) != repr(new)


_MISSING = object()


def put_back(
    design: Design, before: Database[Any], after: Database[Any], change: RowChange, changed: list[Row]
) -> None:
    """Give every holder of the data after the value it had before; a holder whose row is among the changed gets nothing."""
    for upkeep in upkeeps_of(design):
        read = implied_read(upkeep, design, with_found=True)
        query = compiled_read(read.plan)
        names = _names_of_rows(read, design, before), _names_of_rows(read, design, after)
        there = _held_elsewhere(upkeep, design, before)
        there |= {_name(names[0], _mark(read, row)): row for row in documents(before, query)}
        made = _of_changed_rows(read, design, after, changed) if _is_new(design, upkeep, change) else set()
        rows = [
            _old_row(design, read, row, there.get(_name(names[1], mark)), is_new=mark in made)
            for row in documents(after, query)
            for mark in (_mark(read, row),)
        ]
        plan = WritePlan((Each(ROWS, (stored(read),)),), ())
        if rows:
            run_write(after, _with_rows(compiled_write(plan), rows, transaction=False))


def _held_elsewhere(upkeep: Upkeep, design: Design, database: Database[Any]) -> dict[bytes, Mapping[str, Any]]:
    """What the same holds at the other places of its rows, as in an archive, from where some may have moved."""
    others = [each for each in upkeeps_of(design) if each.what == upkeep.what and each.id != upkeep.id]
    reads = [implied_read(each, design, with_found=True) for each in others]
    return {_mark(read, row): row for read in reads for row in documents(database, compiled_read(read.plan))}


def _mark(read: ExpectedRead, row: Mapping[str, Any]) -> bytes:
    names = ("id", *(each.column for each in read.locators))
    return bson.encode({name: row[name] for name in names if name in row}, codec_options=CODEC)


def _name(names: Mapping[bytes, bytes], mark: bytes) -> bytes:
    return names.get(mark, mark)


def _names_of_rows(read: ExpectedRead, design: Design, database: Database[Any]) -> Mapping[bytes, bytes]:
    """By mark, the values of rows that have no key: their documents have other ids where other rows are loaded."""
    return {} if design.model.entity(read.upkeep.holder).key else _rows_by_mark(read, design, database)


def _of_changed_rows(read: ExpectedRead, design: Design, database: Database[Any], changed: list[Row]) -> set[bytes]:
    """The marks of the holders whose own rows are among the changed; others that stand elsewhere now have only moved."""
    entity = design.model.entity(read.upkeep.holder)
    key = entity.key or entity.attribute_names
    keys = {_values(row, [f"new_{stored_name(name)}" for name in key]) for row in changed}
    return {mark for mark, values in _rows_by_mark(read, design, database).items() if values in keys}


def _rows_by_mark(read: ExpectedRead, design: Design, database: Database[Any]) -> Mapping[bytes, bytes]:
    """The holder's key by mark, or all its values where it has none."""
    entity, place = design.model.entity(read.upkeep.holder), read.upkeep.place
    key = entity.key or entity.attribute_names
    columns = [column(design.model, entity.name, HOLDER, name) for name in key]
    found = holder_rows(place, columns, homes_context(design, columns))
    fields = list(locating(place, read.locators))
    fields += [(f"key {n}", FieldPath(found.layout.path(each)), ANY) for n, each in enumerate(columns)]
    step = ProjectDocuments(found.step, tuple((name, value) for name, value, _ in fields))
    query = compiled_read(ReadPlan(step, tuple(OutputColumn(name, name, kind) for name, _, kind in fields)))
    names = [f"key {n}" for n in range(len(key))]
    return {_mark(read, row): _values(row, names) for row in documents(database, query)}


def _values(row: Mapping[str, Any], names: Sequence[str]) -> bytes:
    return bson.encode({str(n): row[name] for n, name in enumerate(names) if name in row}, codec_options=CODEC)


def _old_row(
    design: Design, read: ExpectedRead, row: Mapping[str, Any], before: Mapping[str, Any] | None, *, is_new: bool
) -> Row:
    made = {name: value for name, value in row.items() if not name.startswith(("value ", "found "))}
    for (_, value), found in zip(read.values, read.found, strict=True):
        if before is not None and _is_home(design, read.upkeep):
            made |= {value: _listed(row[found], before.get(found))} if found in row else {}
        elif before is not None:
            made |= {value: before[found]} if found in before else {}
        elif is_new:
            empty = _empty(read.upkeep)
            made |= {} if empty is None else {value: empty}
        else:  # it moved, and took along what it held
            made |= {value: row[found]} if found in row else {}
    return made


def _is_home(design: Design, upkeep: Upkeep) -> bool:
    """Whether these are ids that only the parent holds; what is copied beside them is no home."""
    what = upkeep.what
    return isinstance(what, Reference) and bool(design.only_listed(design.model.relationship(what.relationship)))


def _listed(there: Any, before: Any) -> Any:
    """The elements, or the one there may be, with what was copied beside the same ids before."""
    held = before if isinstance(before, list) else [before] if before is not None else []
    known = {bson.encode({"": each["id"]}, codec_options=CODEC): each for each in held}
    elements = there if isinstance(there, list) else [there]
    found = [known.get(bson.encode({"": each["id"]}, codec_options=CODEC), each) for each in elements]
    return found if isinstance(there, list) else found[0]


def _is_new(design: Design, upkeep: Upkeep, change: RowChange) -> bool:
    return any(not trigger.back for trigger in fired_triggers(design.model, upkeep.freshness, upkeep.triggers, change))


def _empty(upkeep: Upkeep) -> Any:
    match upkeep.what:
        case Copy(form=Form.ARRAY | Form.SCALARS):
            return []
        case Computed(function=AggregateKind.COUNT):
            return 0
        case _:
            return None


def keep_up(design: Design, database: Database[Any], change: RowChange, rows: list[Row]) -> tuple[str, ...]:
    """Run the upkeep of a change as a statement would; gives what is left to the background sync."""
    made = upkeep_steps(design, change)
    plan = WritePlan(made.steps, (), made.left)
    refuse_fixed(plan, design)
    return run_write(database, _with_rows(compiled_write(plan), rows)).left


def _with_rows(write: CompiledWrite, rows: list[Row], *, transaction: bool = True) -> CompiledWrite:
    return replace(write, steps=(GivenRows(ROWS, tuple(rows)), *write.steps), transaction=transaction)
