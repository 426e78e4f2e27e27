"""Describes a migration between two designs: collections to build, their indexes, and searches for what it would lose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nestling.ir.storage.names import NOWHERE_PREFIX
from nestling.ir.types import TypeName
from nestling.ir.values import Policy
from nestling.pipeline.loading import home_queries

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.executors.migrate import Gathered, Homes, Job, MigrationUnit, ServerSide
    from nestling.executors.migrate.job import NewRules, Searches, Stages
    from nestling.ir.design import Design
    from nestling.ir.drift import CompiledCheck
    from nestling.ir.migration import Assembly
    from nestling.ir.model import AttributeName, Model
    from nestling.ir.storage.layout import StoredCollection

SORTS_ARRAYS_SINCE = (5, 2)
"""The first server that can put an array in order."""


def job_of(
    old: Design,
    new: Design,
    database: Database[Any],
    policy: Policy,
    alone: Design | None = None,
    before: Design | None = None,
    written_by: Design | None = None,
) -> Job:
    """Describe how to move this database between two designs over one model.

    `alone`: the new design without what only the old model has; only its indexes are built. `before`: the old design over its
    own model, perhaps with new names. `written_by`: the design by which the database was written.
    """
    from nestling.executors.abilities import has_history, server_version
    from nestling.executors.changes import IMAGES_SINCE
    from nestling.executors.exact import as_stored
    from nestling.executors.load import written_collections
    from nestling.executors.rights import may_modify

    database, policy = as_stored(database), replace(policy, of_documents=True)
    # Without documents as they were before changes, only rows that move can be compared; then nothing is left where it is.
    collections = written_collections(old)
    images = has_history(database) and server_version(database) >= IMAGES_SINCE and may_modify(database, collections[0])
    own = before or old
    return _assembled(old, new, alone or new, own, written_by or own, database, policy, keeps_images=images)


def _assembled(
    old: Design,
    new: Design,
    alone: Design,
    own: Design,
    written_by: Design,
    database: Database[Any],
    policy: Policy,
    *,
    keeps_images: bool,
) -> Job:
    from nestling.emitters.commands import collection_commands, own_validators
    from nestling.executors.load import written_collections
    from nestling.executors.migrate import HomeViews, Job, indexes_today, lost_options
    from nestling.ir.digest import digest, stored_digest
    from nestling.ir.primitives import CollectionKind
    from nestling.pipeline.migration_indexes import index_moves
    from nestling.planner.migration import kept_collections, kept_forms, renamed, staged_names
    from nestling.planner.migration.restated import as_written, narrowed

    written = as_written(old, own.model) if old.amendments else old
    kept = kept_collections(old, new) - narrowed(own, old) if keeps_images else frozenset[str]()
    names = staged_names(old, new, kept)
    staged = renamed(new, names)
    stays = frozenset(s.name for s in new.stores if s.collection.name in kept)
    finals = dict(zip(written_collections(staged), written_collections(new), strict=True))
    built = {name: final for name, final in finals.items() if name not in stays}
    unseen, foreign = _may_hold_unseen(own, database, policy), _are_foreign(own, database, policy)
    told = kept_forms(old, staged, only_json=not foreign)
    before, after = (replace(_homes(each, database, policy), told=told) for each in (old, staged))
    there = _written(old)
    all_forms = {entity.name: frozenset(entity.attribute_names) for entity in new.model.entities}
    homes = replace(before, told=replace(told, values=all_forms))
    moved = [name for name, places in staged.places.items() if any(p.store.name not in stays for p in places)]
    return Job(
        designs=digest(old, new, policy),
        old_design=stored_digest(written_by, Policy()),
        new_design=stored_digest(alone, Policy()),
        homes=homes,
        targets=_targets(staged, stays, policy),
        on_server=tuple(_on_server(old, staged, built, homes)),
        sides=HomeViews(database, new.model, before, after, tuple(moved), policy),
        old=there,
        kept=stays,
        names=built,
        commands=[
            each
            for each in collection_commands(staged, policy=policy, unseen=unseen, foreign=foreign)
            if each.name in built
        ],
        indexes=index_moves(
            old, new, alone, own, indexes_today(database, there), _collations(database), names, finals, stays
        ),
        searches=_searches(old, new, staged, stays),
        options_lost=lost_options(
            database,
            [name for name in there if name not in stays],
            own_validators(own, policy=policy),
            collection_commands(new, policy=policy),
        ),
        validators={each.name: _validator(written, each, policy) for each in written.stores if each.name in there},
        newly_unique=tuple(_newly_unique(own, new)),
        days=tuple(_days(own, new)),
        rules={name: rules for name, rules in _new_rules(own, new, policy).items() if name in stays},
        unfenced=frozenset(s.name for s in old.stores if s.options.kind is CollectionKind.TIME_SERIES),
        keeps_images=keeps_images,
        policy=policy,
    )


def _written(old: Design) -> tuple[str, ...]:
    """Return the old design's collections that are written to."""
    from nestling.executors.load import written_collections

    return tuple(name for name in written_collections(old) if not name.startswith(NOWHERE_PREFIX))


def _newly_unique(own: Design, new: Design) -> Iterator[str]:
    """Yield the entities with a unique group that the old model did not have."""
    for entity in new.model.entities:
        if own.model.has_entity(entity.name):
            before = own.model.entity(entity.name)
            if set(entity.uniques) - {before.key, *before.uniques}:
                yield entity.name


def _days(own: Design, new: Design) -> Iterator[AttributeName]:
    """The attributes that are days now, and were moments."""
    for entity in new.model.entities:
        before = own.model.entity(entity.name) if own.model.has_entity(entity.name) else None
        for attribute in entity.attributes if before is not None else ():
            assert before is not None
            was = before.attribute(attribute.name).type.name if attribute.name in before else None
            if attribute.type.name is TypeName.DATE and was in (TypeName.TIMESTAMP, TypeName.TIMESTAMPTZ):
                yield entity.name, attribute.name


def _new_rules(own: Design, new: Design, policy: Policy) -> Mapping[str, NewRules]:
    """Return the old design's validator, and the different one of the new design, by collection."""
    from nestling.emitters.commands import collection_commands
    from nestling.executors.migrate.job import NewRules

    def validators(design: Design) -> dict[str, Mapping[str, Any]]:
        commands = collection_commands(design, policy=policy)
        return {each.name: each.options.get("validator", {}) for each in commands}  # type: ignore[misc]  # of documents

    before, after = validators(own), validators(new)
    found = {name: NewRules(before[name], after[name]) for name in before.keys() & after.keys()}
    return {name: each for name, each in found.items() if each.old != each.new}


def _searches(old: Design, new: Design, staged: Design, stays: frozenset[str]) -> Searches:
    """Build the searches for values that would be lost. `staged`: the new design as it is built beside the old one."""
    from nestling.emitters.field_searches.empty_objects import empty_objects
    from nestling.emitters.field_searches.field_orders import field_orders, id_orders
    from nestling.emitters.field_searches.null_fields import null_fields
    from nestling.emitters.field_searches.reordered import reordered
    from nestling.emitters.field_searches.unknown_fields import unknown_fields
    from nestling.executors.migrate.job import Searches

    followed = [each for each in _followed(old) if each[1].check.collection not in stays]

    def moving(found: Mapping[str, Stages]) -> Mapping[str, Stages]:
        return {name: stages for name, stages in found.items() if name not in stays}

    return Searches(
        nulls=null_fields(old),
        empty_objects=moving(empty_objects(old)),
        missing_arrays=moving(_missing_arrays(old, new)),
        unknown=moving(unknown_fields(old)),
        array_orders=moving(reordered(old, new)),
        field_orders=moving(field_orders(old, new)),
        id_orders=moving(id_orders(staged)),
        copies=[each for each in followed if not _is_left(each[1])],
        lagging=[each for each in followed if _is_left(each[1])],
    )


def _collations(database: Database[Any]) -> Mapping[str, object]:
    """The collations that collections have of their own."""
    told = ((each["name"], each.get("options", {}).get("collation")) for each in database.list_collections())
    return {name: collation for name, collation in told if collation is not None}


def _followed(design: Design) -> Iterator[tuple[str, CompiledCheck]]:
    """Yield the fields that follow from others, each with a query for documents in which they hold something else."""
    from nestling.ir.drift import Check
    from nestling.pipeline.checking import compiled_check
    from nestling.planner.checks import field_checks, where_held

    for each in field_checks(design):
        if isinstance(each.check, Check):
            yield each.path, compiled_check(where_held(each.check))


def _is_left(compiled: CompiledCheck) -> bool:
    return compiled.check.freshness is not None and compiled.check.freshness.is_left


def _validator(design: Design, store: StoredCollection, policy: Policy) -> Mapping[str, Any]:
    """Return the validator that documents written by others must satisfy; empty if there can be none."""
    from nestling.emitters.jsonschema import can_validate, validator

    return validator(design, store, foreign=True, policy=policy, unseen=True) if can_validate(store) else {}


def _missing_arrays(old: Design, new: Design) -> Mapping[str, Stages]:
    """Return queries for documents that lack arrays which will be written as empty ones."""
    from nestling.emitters.field_searches.missing_arrays import missing_arrays, written_arrays

    written = written_arrays(new)
    paths = {name: [{"steps": [*steps]} for at, steps in written if at == name] for name, _ in written}
    return {
        name: (*stages, {"$match": {"_id": {"$in": paths[name]}}})
        for name, stages in missing_arrays(old).items()
        if name in paths
    }


def _may_hold_unseen(old: Design, database: Database[Any], policy: Policy) -> bool:
    """Whether documents may hold values unknown to the model, because some collection has no validator that refuses them."""
    from nestling.emitters.commands import collection_commands
    from nestling.ir.storage.validator_form import validator_form
    from nestling.pipeline.migration_constraints import refuses

    today = {each["name"]: each.get("options", {}) for each in database.list_collections()}
    designed = {each.name: each.options.get("validator") for each in collection_commands(old, policy=policy)}
    found = ((today.get(name, {}), validator) for name, validator in designed.items())
    return any(
        not refuses(options) or validator_form(options["validator"]) != validator_form(validator)
        for options, validator in found
    )


def _are_foreign(old: Design, database: Database[Any], policy: Policy) -> bool:
    """Whether other applications may have shaped the documents: some collection lacks a validator of ours that refuses that."""
    from nestling.emitters.commands import own_validators
    from nestling.ir.storage.validator_form import validator_form
    from nestling.pipeline.migration_constraints import refuses

    today = {each["name"]: each.get("options", {}) for each in database.list_collections()}
    ours = own_validators(old, policy=policy, foreign=False)
    found = ((name, today.get(name, {})) for name in dict(ours))
    return any(
        not refuses(options) or (name, validator_form(options["validator"])) not in ours for name, options in found
    )


def _homes(design: Design, database: Database[Any], policy: Policy) -> Homes:
    from nestling.emitters.mql.pipeline import pipeline
    from nestling.executors.migrate import Homes
    from nestling.ir.migration import HomePlace
    from nestling.ir.programs.command import Aggregation
    from nestling.planner.migration import held_ids, planned_places

    whole, places = home_queries(design), []
    for each in planned_places(design):
        _, stages = pipeline(each.step)
        home = whole[each.entity]
        query = Aggregation(each.collection, stages, home.columns, home.files)
        places.append(HomePlace(each.entity, query, each.paths, each.at_root, each.parts, each.is_copy))
    return Homes(database, design.model, whole, tuple(places), tuple(held_ids(design)), policy)


def _on_server(old: Design, new: Design, built: Mapping[str, str], homes: Homes) -> Iterator[ServerSide]:
    """The collections the server can build by itself, and how."""
    from nestling.emitters.mql.assembly import assembled
    from nestling.executors.abilities import server_version
    from nestling.executors.migrate import ServerSide
    from nestling.ir.indexes.planned_indexes import planned_indexes
    from nestling.ir.statements.operators import Collation
    from nestling.planner.migration import assembly

    plain = (index for index in planned_indexes(old) if not index.partial and index.collation is Collation.BINARY)
    indexed = {(index.collection, index.keys[0][0]) for index in plain}
    indexed |= {(store.name, "_id") for store in old.stores}
    places = {entity.name: homes.at(entity.name) for entity in old.model.entities}
    for store in new.stores if server_version(homes.database) >= SORTS_ARRAYS_SINCE else ():
        made = assembly(new, store, places, frozenset(indexed)) if store.name in built else None
        if made is not None:
            home = homes.homes[made.entity]
            query = assembled(made, old.model, home, places[made.entity])
            gathered = {each.collection: each for each in _gathered(made, old.model, homes)}
            yield ServerSide(store.name, query, tuple(gathered.values()))


def _gathered(made: Assembly, model: Model, homes: Homes) -> Iterator[Gathered]:
    """Yield what must exist before an assembly begins, in order."""
    from nestling.emitters.mql.assembly import gathered, gathered_rows
    from nestling.executors.migrate import Gathered

    if made.rows is not None:
        yield Gathered(made.rows.query.collection, gathered_rows(made.rows, homes.homes[made.entity]))
    for part in made.parts if made.without is None else (*made.parts, made.without):
        yield from _gathered(part.body, model, homes)
        if part.is_gathered:
            entity = part.home.entity
            query = gathered(part, model, homes.homes[entity], homes.at(entity))
            yield Gathered(part.home.query.collection, query, part.home.paths[part.child[0]])


def _targets(design: Design, without: frozenset[str], policy: Policy) -> tuple[MigrationUnit, ...]:
    from nestling.executors.load.units import units_of
    from nestling.executors.migrate import MigrationUnit
    from nestling.planner.migration import reaches

    ways = reaches(design)
    return tuple(
        MigrationUnit(design, unit, root, ways[unit.store.name, root.entity], policy)
        for unit in units_of(design)
        if unit.store.name not in without
        for root in unit.store.roots
        if unit.name == f"{unit.store.name} of {root.entity}"
    )
