"""A live database from one design to another."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nestling.ir.proposal import Proposal
from nestling.ir.stored_nulls import with_nulls
from nestling.ir.values import Policy
from nestling.pipeline.loading import home_queries
from nestling.pipeline.watching import Watch

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.executors.migrate import (
        Dropped,
        Gathered,
        Homes,
        Job,
        Migration,
        MigrationReport,
        ServerSide,
        Shelf,
        Target,
    )
    from nestling.executors.migrate.spool import OpenShelf
    from nestling.ir.command import CreateIndex
    from nestling.ir.design import Design
    from nestling.ir.drift import CompiledCheck
    from nestling.ir.layout import StoredCollection
    from nestling.ir.migration import Assembly
    from nestling.ir.model import Model


SORTS_ARRAYS_SINCE = (5, 2)
"""The first server that can put an array in order."""


def migrate(
    old: Proposal,
    new: Proposal,
    database: Database[Any],
    *,
    offline: bool = False,
    cutover: bool = False,
    drop_unknown: bool = False,
    drop_nulls: bool = False,
    drop_order: bool = False,
    drop_id_order: bool = False,
    drop_copies: bool = False,
    drop_indexes: bool = False,
    drop_options: bool = False,
    policy: Policy | None = None,
    watch: Watch | None = None,
) -> MigrationReport:
    """Build the new design beside the old one, carry over what changes meanwhile, and prove both equal.

    With `cutover` the new design then takes over. Between two equal designs there is nothing to do. What was interrupted goes on
    where it stopped, by itself where the server has no primary for a while. `offline`: nobody writes, so that a server without
    change streams will do.

    What would be lost is an error, unless the caller allows it: `drop_unknown` (fields of documents that the designs do not
    know), `drop_nulls` (nulls that the new design has no field for), `drop_order` (orders of arrays that no values of their
    elements tell), `drop_id_order` (orders of the fields of an `_id`), `drop_copies` (copies and computed values that differ
    from what they follow from), `drop_indexes` (indexes that the new design cannot have), `drop_options` (collations, bounds
    and validators of collections that are built anew).
    """
    from nestling.executors.migrate import MigrationReport, with_patience
    from nestling.ir.migration import Phase

    if old.design == new.design:
        return MigrationReport(Phase.DONE, {}, equal=True, changes=0, documents=0, seconds=0.0)

    def go_on() -> MigrationReport:
        return replace(
            _migration(old, new, database, policy, watch),
            drop_unknown=drop_unknown,
            drop_nulls=drop_nulls,
            drop_order=drop_order,
            drop_id_order=drop_id_order,
            drop_copies=drop_copies,
            drop_indexes=drop_indexes,
            drop_options=drop_options,
        ).run(offline=offline, cutover=cutover)

    def waits() -> None:
        if watch is not None:
            watch("waiting for the server", 0, None)

    return with_patience(go_on, database, waits)


def abort_migration(database: Database[Any]) -> tuple[CreateIndex, ...]:
    """End a migration that has not cut over, whatever its designs: the old one is what it was.

    Returns the indexes that the migration had built on collections in use, and that were dropped.
    """
    from nestling.executors.exact import exact
    from nestling.executors.migrate import abort

    return abort(exact(database))


def drop_old(
    old: Proposal,
    new: Proposal,
    database: Database[Any],
    *,
    drop_unknown: bool = False,
    policy: Policy | None = None,
) -> Dropped:
    """Drop the old design's collections once the new one has taken over; `drop_unknown` as when migrating."""
    return replace(_migration(old, new, database, policy, None), drop_unknown=drop_unknown).drop_old()


def _migration(
    old: Proposal,
    new: Proposal,
    database: Database[Any],
    policy: Policy | None,
    watch: Watch | None,
) -> Migration:
    from nestling.executors.migrate import Migration

    before, after = joined(old, new)

    def tell(what: str, rows: int) -> None:
        if watch is not None:
            watch(f"migrating {what}", rows, None)

    job = job_of(before, after, database, policy or Policy(), new.design)
    return Migration(job, job.homes.database, shelf_of(before.model), tell)


def shelf_of(model: Model) -> OpenShelf:
    """Places for rows of what a migration needs of a model, in files that are gone afterwards."""
    from nestling.sources.sql.shelf import SqliteShelf

    @contextmanager
    def shelf(kept: Model) -> Iterator[Shelf]:
        with (
            tempfile.TemporaryDirectory(prefix="nestling-") as folder,
            closing(SqliteShelf(Path(folder) / "rows.db", kept=kept, model=with_nulls(model))) as opened,
        ):
            yield opened

    return shelf


def joined(old: Proposal, new: Proposal) -> tuple[Design, Design]:
    """Both designs over one model; raises `InputError` when they are of different ones."""
    from nestling.common.errors import InputError, Problem
    from nestling.ir.joined_models import over_one_model
    from nestling.ir.proposal import IN_PLACE
    from nestling.ir.words.model_words import difference, is_renamed

    before, after = over_one_model(old.design, new.design)
    if before.model == after.model:
        return before, after
    what = f"the two designs are of different models: {difference(before.model, after.model)}"
    move = "derive both designs from the same model"
    if is_renamed(before.model, after.model):
        move = f"nothing else differs: write `name: {before.model.name}` under `model:` in the new design"
    elif IN_PLACE in (old.strategy, new.strategy) and (partial := _out_of_time(old, new)):
        move = (
            f"the time ended before all of the database was read ({partial}). Make both files anew with more time, one after"
            " the other: nestling inspect URI --budget-seconds 1200 --rest 0 --design-out OLD.yaml, then nestling design URI"
            " --budget-seconds 1200 --rest 0 -o NEW.yaml. `--rest 0` leaves no pauses to others who use the server"
        )
    elif IN_PLACE in (old.strategy, new.strategy):
        move = (
            "the database was read at two times, and has changed in between, or one file was edited. Make both files anew, one"
            " after the other: nestling inspect URI --design-out OLD.yaml, then nestling design URI -o NEW.yaml"
        )
    raise InputError(Problem(what, next_move=move))


def _out_of_time(old: Proposal, new: Proposal) -> str:
    """What a design was made without, for lack of time, as a gap of its file says; empty where both were made of all."""
    from nestling.ir.facts import OUT_OF_TIME

    sides = (("old", old), ("new", new))
    return next(
        (f"a gap of the {side} design: {g.what}" for side, each in sides for g in each.gaps if OUT_OF_TIME in g.what),
        "",
    )


def job_of(old: Design, new: Design, database: Database[Any], policy: Policy, alone: Design | None = None) -> Job:
    """What moving this database is about, between designs over one model.

    `alone`: the new design as it is without what the old one's model knows besides; its indexes are built, and no others.
    """
    from nestling.executors.abilities import has_history, server_version
    from nestling.executors.changes import IMAGES_SINCE
    from nestling.executors.exact import exact
    from nestling.executors.load import written_collections
    from nestling.executors.rights import may_modify

    database = exact(database)
    # Without documents as they were before changes, only rows that move can be compared; then nothing is left where it is.
    collections = written_collections(old)
    images = has_history(database) and server_version(database) >= IMAGES_SINCE and may_modify(database, collections[0])
    return _assembled(old, new, alone or new, database, policy, keeps_images=images)


def _assembled(
    old: Design, new: Design, alone: Design, database: Database[Any], policy: Policy, *, keeps_images: bool
) -> Job:
    from nestling.emitters.commands import collection_commands, own_validators
    from nestling.emitters.field_searches.field_orders import field_orders, id_orders
    from nestling.emitters.field_searches.null_fields import null_fields
    from nestling.emitters.field_searches.reordered import reordered
    from nestling.emitters.field_searches.unknown_fields import unknown_fields
    from nestling.executors.load import written_collections
    from nestling.executors.migrate import HomeViews, Job, indexes_today, lost_options
    from nestling.ir.digest import digest, stored_digest
    from nestling.ir.primitives import CollectionKind
    from nestling.pipeline.migration_indexes import fates, to_build
    from nestling.planner.migration import kept_collections, renamed, staged_names, told_nulls

    kept = kept_collections(old, new) if keeps_images else frozenset[str]()
    names = staged_names(old, new, kept)
    staged = renamed(new, names)
    stays = frozenset(s.name for s in new.stores if s.collection.name in kept)
    finals = dict(zip(written_collections(staged), written_collections(new), strict=True))
    built = {name: final for name, final in finals.items() if name not in stays}
    foreign = _are_foreign(old, database, policy)
    nulls = told_nulls(old, staged, only_json=not foreign)
    homes = replace(_homes(old, database, policy), nulls=nulls)
    staged_homes = replace(_homes(staged, database, policy), nulls=nulls)
    moved = [name for name, places in staged.places.items() if any(p.store.name not in stays for p in places)]
    sides = HomeViews(database, new.model, homes, staged_homes, tuple(moved), policy)
    today, collations = indexes_today(database, written_collections(old)), _collations(database)
    fate = fates(old, new, alone, today, collations, stays)
    carried = [_final(index, names) for index in fate.carried]
    gone = [index for index in fate.going if index.collection in stays]
    beside = [index for index in today if index.collection in stays and index not in gone]
    coming = (
        index for index in _indexes(renamed(alone, names)) if index.collection in built or index.collection in stays
    )
    indexes = [*to_build(coming, beside, collations), *carried]
    taken = {(index.collection, index.name) for index in gone}
    late = [i for i in indexes if "expireAfterSeconds" in i.options or (i.collection, i.name) in taken]
    unseen = _may_hold_unseen(old, database, policy)
    followed = [each for each in _followed(old) if each[1].check.collection not in stays]
    return Job(
        designs=digest(old, new, policy),
        old_design=stored_digest(old, Policy()),
        new_design=stored_digest(new, Policy()),
        homes=homes,
        targets=_targets(staged, stays, policy),
        on_server=tuple(_on_server(old, staged, built, homes)),
        sides=sides,
        old=written_collections(old),
        kept=stays,
        names=built,
        commands=[
            each
            for each in collection_commands(staged, policy=policy, unseen=unseen, foreign=foreign)
            if each.name in built
        ],
        indexes=[index for index in indexes if index not in late],
        late_indexes=[_final(index, finals) for index in late],
        indexes_gone=gone,
        indexes_seen=[index for index in today if index.collection not in stays],
        carried=[index for index in carried if index not in late],
        indexes_going=[index for index in fate.going if index not in fate.lost],
        indexes_lost=fate.lost,
        options_lost=lost_options(
            database,
            [name for name in written_collections(old) if name not in stays],
            own_validators(old, policy=policy),
            collection_commands(new, policy=policy),
        ),
        validators={store.name: _validator(old, store, policy) for store in old.stores},
        nulls=null_fields(old),
        missing_arrays=_missing_arrays(old, new, stays),
        unknown={name: stages for name, stages in unknown_fields(old).items() if name not in stays},
        reordered={name: stages for name, stages in reordered(old, new).items() if name not in stays},
        field_orders={name: stages for name, stages in field_orders(old, new).items() if name not in stays},
        id_orders={name: stages for name, stages in id_orders(staged).items() if name in built},
        copies=[each for each in followed if not _is_left(each[1])],
        lagging=[each for each in followed if _is_left(each[1])],
        unfenced=frozenset(s.name for s in old.stores if s.options.kind is CollectionKind.TIME_SERIES),
        keeps_images=keeps_images,
        policy=policy,
    )


def _collations(database: Database[Any]) -> Mapping[str, object]:
    """The collations that collections have of their own."""
    told = ((each["name"], each.get("options", {}).get("collation")) for each in database.list_collections())
    return {name: collation for name, collation in told if collation is not None}


def _followed(design: Design) -> Iterator[tuple[str, CompiledCheck]]:
    """The fields that follow from others, with what finds documents in which they hold something else."""
    from nestling.ir.drift import Check
    from nestling.pipeline.checking import compiled_check
    from nestling.planner.checks import field_checks, where_held

    for each in field_checks(design):
        if isinstance(each.check, Check):
            yield each.path, compiled_check(where_held(each.check))


def _is_left(compiled: CompiledCheck) -> bool:
    return compiled.check.freshness is not None and compiled.check.freshness.is_left


def _validator(design: Design, store: StoredCollection, policy: Policy) -> Mapping[str, Any]:
    """What documents others wrote must be."""
    from nestling.emitters.jsonschema import can_validate, validator

    return validator(design, store, foreign=True, policy=policy, unseen=True) if can_validate(store) else {}


def _missing_arrays(old: Design, new: Design, stays: frozenset[str]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """What finds arrays that documents lack today and that are written empty, of the collections that are built anew."""
    from nestling.emitters.field_searches.missing_arrays import missing_arrays, written_arrays

    written = written_arrays(new)
    paths = {name: [path for at, path in written if at == name] for name, _ in written}
    return {
        name: (*stages, {"$match": {"_id": {"$in": paths[name]}}})
        for name, stages in missing_arrays(old).items()
        if name in paths and name not in stays
    }


def _may_hold_unseen(old: Design, database: Database[Any], policy: Policy) -> bool:
    """Whether documents may hold values the model does not tell of: some collection has no validator that refuses them."""
    from nestling.emitters.commands import collection_commands
    from nestling.ir.validator_form import validator_form
    from nestling.pipeline.migration_constraints import refuses

    today = {each["name"]: each.get("options", {}) for each in database.list_collections()}
    designed = {each.name: each.options.get("validator") for each in collection_commands(old, policy=policy)}
    found = ((today.get(name, {}), validator) for name, validator in designed.items())
    return any(
        not refuses(options) or validator_form(options["validator"]) != validator_form(validator)
        for options, validator in found
    )


def _are_foreign(old: Design, database: Database[Any], policy: Policy) -> bool:
    """Whether documents may have a form of other applications: some collection has no validator of ours that refuses them."""
    from nestling.emitters.commands import own_validators
    from nestling.ir.validator_form import validator_form
    from nestling.pipeline.migration_constraints import refuses

    today = {each["name"]: each.get("options", {}) for each in database.list_collections()}
    ours = own_validators(old, policy=policy, foreign=False)
    found = ((name, today.get(name, {})) for name in dict(ours))
    return any(
        not refuses(options) or (name, validator_form(options["validator"])) not in ours for name, options in found
    )


def _indexes(design: Design) -> Iterator[CreateIndex]:
    from nestling.emitters.commands import index_commands
    from nestling.executors.load.units import gridfs_indexes

    yield from index_commands(design)
    yield from gridfs_indexes(design)


def _final(index: CreateIndex, names: Mapping[str, str]) -> CreateIndex:
    return replace(index, collection=names.get(index.collection, index.collection))


def _homes(design: Design, database: Database[Any], policy: Policy) -> Homes:
    from nestling.emitters.mql.pipeline import pipeline
    from nestling.executors.migrate import Homes
    from nestling.ir.command import Aggregation
    from nestling.ir.migration import HomePlace
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
    from nestling.ir.expression import Collation
    from nestling.ir.indexes.planned_indexes import planned_indexes
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
    """What is to be there before an assembly begins, in this order."""
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


def _targets(design: Design, without: frozenset[str], policy: Policy) -> tuple[Target, ...]:
    from nestling.executors.load.units import units_of
    from nestling.executors.migrate import Target
    from nestling.planner.migration import reaches

    ways = reaches(design)
    return tuple(
        Target(design, unit, root, ways[unit.store.name, root.entity], policy)
        for unit in units_of(design)
        if unit.store.name not in without
        for root in unit.store.roots
        if unit.name == f"{unit.store.name} of {root.entity}"
    )
