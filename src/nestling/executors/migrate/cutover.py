"""The cutover: the old collections refuse writes, the last changes are applied, and collections are renamed.

A validator refuses inserts and updates but not deletes. So the old collections are set aside before the last changes are
applied: a view in the place of each shows its content, and refuses all writes. Every step can be repeated, so after an
interruption all of it is done again, or undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from pymongo.database import Database
from pymongo.errors import OperationFailure
from pymongo.write_concern import WriteConcern

from nestling.common.server_codes import NAMESPACE_EXISTS
from nestling.executors.create import create_indexes
from nestling.executors.found_indexes import found_indexes, usual_collation
from nestling.executors.migrate.job import Job, NewRules
from nestling.executors.migrate.late import set_late_aside
from nestling.executors.migrate.state import MigrationState, States
from nestling.executors.migrate.undo_record import OLD_SUFFIX, Trail
from nestling.ir.codec import CODEC
from nestling.ir.indexes.index_form import does_work_of
from nestling.ir.migration import REFUSES_ALL
from nestling.ir.programs.command import CreateIndex
from nestling.ir.storage.validator_form import validator_form

_RULES = ("validator", "validationLevel", "validationAction")
_NO_RULES: Mapping[str, Any] = {"validator": {}, "validationLevel": "strict", "validationAction": "error"}


def fence(job: Job, database: Database[Any], states: States, state: MigrationState) -> MigrationState:
    """Make the old collections refuse inserts and updates; their previous validators are kept in the state."""
    names = [name for name in job.old if name not in job.unfenced]
    there = {each["name"]: each["options"] for each in database.list_collections(filter={"name": {"$in": names}})}
    rules = {name: {rule: options[rule] for rule in _RULES if rule in options} for name, options in there.items()}
    state = replace(state, fences={**rules, **state.fences})
    states.save(state)
    for name in there:
        database.command(
            "collMod", name, validator=dict(REFUSES_ALL), validationLevel="strict", validationAction="error"
        )
    return state


def refuse_writes(database: Database[Any], names: Iterable[str]) -> bool:
    """Whether one of these collections takes no inserts and updates now."""
    refusing = {"name": {"$in": [*names]}, "options.validator": dict(REFUSES_ALL)}
    return any(True for _ in database.list_collections(filter=refusing))


def unfence(database: Database[Any], state: MigrationState, new: Mapping[str, NewRules] | None = None) -> None:
    """Restore the validators of the old collections, whatever their present names; `new`: validators that have changed.

    A validator that is not the old design's belongs to somebody else, and stays.
    """
    there = frozenset(database.list_collection_names())
    for name, fenced in state.fences.items():
        changed = (new or {}).get(name)
        is_ours = changed is not None and validator_form(fenced.get("validator", {})) == validator_form(changed.old)
        rules = {**fenced, "validator": dict(changed.new)} if changed is not None and is_ours else fenced
        for called in (f"{name}{OLD_SUFFIX}", name):
            if called in there:
                database.command({"collMod": called, **_NO_RULES, **rules}, codec_options=CODEC)
                break


def forget_images(database: Database[Any], state: MigrationState) -> None:
    """Let the server keep no documents from before changes where only the migration wanted them."""
    there = frozenset(database.list_collection_names())
    for name in state.images:
        for called in (f"{name}{OLD_SUFFIX}", name):
            if called in there:
                database.command("collMod", called, changeStreamPreAndPostImages={"enabled": False})
                break


def set_aside(job: Job, database: Database[Any]) -> None:
    """Give the old collections other names, and put a view in the place of each."""
    options = {each["name"]: each["options"] for each in database.list_collections(filter={"type": "collection"})}
    for name in job.replaced:
        before = f"{name}{OLD_SUFFIX}"
        if name in job.unfenced:
            continue
        if name in options and before not in options:
            _at_once(database)[name].rename(before)
            options[before] = options[name]
        if before in options:
            alike = {key: value for key, value in options[before].items() if key == "collation"}
            _claimed(database, name, partial(database.command, "create", name, viewOn=before, pipeline=[], **alike))


def switch(job: Job, database: Database[Any]) -> None:
    """Give the new collections, including old ones that were set aside, their final names."""
    there = frozenset(database.list_collection_names())
    for staged, name in job.names.items():
        if staged != name and staged in there:
            if name in _views(database, [name]):
                _at_once(database).drop_collection(name)
            _claimed(database, name, partial(database[staged].rename, name))


def _at_once(database: Database[Any]) -> Database[Any]:
    """The database with a weaker write concern, for freeing a name that is taken at once.

    The next command waits until both are safe, because a later change is safe only after it.
    """
    return database.with_options(write_concern=WriteConcern(w=1))


def drop_views(job: Job, database: Database[Any]) -> None:
    """Drop the views in place of the old collections, when no client uses the old design any more."""
    drop(database, _views(database, job.replaced))


def _views(database: Database[Any], names: Iterable[str]) -> frozenset[str]:
    """The names that are views of collections set aside."""
    found = database.list_collections(filter={"type": "view", "name": {"$in": [*names]}})
    return frozenset(each["name"] for each in found if each["options"]["viewOn"] == f"{each['name']}{OLD_SUFFIX}")


def _claimed(database: Database[Any], name: str, claim: Callable[[], object]) -> None:
    """Take a name that is free for a moment; a collection created by a write in between is set aside."""
    while True:
        try:
            claim()
        except OperationFailure as error:
            if error.code != NAMESPACE_EXISTS:
                raise
            if name in _views(database, [name]):
                return
            set_late_aside(database, name)
        else:
            return


def switch_indexes(job: Job, database: Database[Any]) -> None:
    """Drop indexes that the new design lacks on collections that stay, then build those that had to wait for that."""
    _drop_indexes(database, job.indexes.gone)
    create_indexes(database, (*job.indexes_beside, *job.indexes.late))  # none of the first unless a switch goes on


def drop_built_indexes(trail: Trail, database: Database[Any]) -> tuple[CreateIndex, ...]:
    """Drop indexes built on collections that stay. Return those that existed."""
    collections = frozenset(each.collection for each in trail.indexes_built)
    there = {name: tuple(found_indexes(database, name)) for name in collections}
    usual = {name: usual_collation(database, name) for name in collections}
    built = [
        index
        for index in trail.indexes_built
        if any(
            each.name == index.name and does_work_of(each, index, usual[index.collection])
            for each in there[index.collection]
        )
    ]
    _drop_indexes(database, built)
    return tuple(built)


def switch_indexes_back(trail: Trail, database: Database[Any]) -> None:
    """Undo the index changes on collections that stay."""
    _drop_indexes(database, trail.late_indexes)
    create_indexes(database, trail.indexes_gone)


def _drop_indexes(database: Database[Any], indexes: Iterable[CreateIndex]) -> None:
    for index in indexes:
        if index.name in database[index.collection].index_information():
            database[index.collection].drop_index(index.name)


def switch_back(trail: Trail, database: Database[Any]) -> None:
    """Undo the renaming of collections."""
    there = frozenset(database.list_collection_names())
    moved = [name for name in trail.replaced if f"{name}{OLD_SUFFIX}" in there]
    views, staged = _views(database, moved), {name: staged for staged, name in trail.names.items() if staged != name}
    for name in moved:
        to = staged.get(name)
        if name in views:
            _at_once(database).drop_collection(name)
        elif name in there and to is not None and to not in there:
            _at_once(database)[name].rename(to)
        _claimed(database, name, partial(database[f"{name}{OLD_SUFFIX}"].rename, name))


def drop(database: Database[Any], names: Iterable[str]) -> None:
    """Drop the collections that exist."""
    for name in names:
        database.drop_collection(name)
