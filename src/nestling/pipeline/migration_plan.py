"""Planning a migration: what it would do, measured on the database before anything is written to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nestling.common.errors import name_list
from nestling.ir.migration import CollectionOrigin, MigrationPlan, Move, Phase
from nestling.ir.proposal import Proposal
from nestling.ir.quantity_words import counted, cut
from nestling.ir.values import Policy
from nestling.pipeline.arguments import checks_arguments

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.executors.migrate import Job
    from nestling.executors.migrate.row_counts import Size
    from nestling.executors.migrate.state import MigrationState
    from nestling.ir.design import Design
    from nestling.ir.found_field import FoundField
    from nestling.ir.programs.command import Aggregation, CreateIndex
    from nestling.ir.storage.layout import StoredCollection

SERVER_ROWS_PER_SECOND = 25_000
"""Rows of home views the server turns into documents (`benchmarks/migrate.py`, two busy cores: 15,000 to 60,000)."""
STREAM_ROWS_PER_SECOND = 4_000
"""Rows that pass through the client on their way into documents (the same: 2,000 to 10,000)."""
IMAGE_ROWS_PER_SECOND = 60_000
"""Rows of a changed document that are compared with those it had before (by hand: 53,000 to 107,000 of 300 to 3,000 rows)."""
COMPARED_ROWS_PER_SECOND = 40_000
"""Rows compared, both sides read (the same: 20,000 to 100,000)."""


@checks_arguments
def plan_migration(
    old: Proposal,
    new: Proposal,
    database: Database[Any],
    *,
    renamed: Mapping[str, str] | None = None,
    filled: Mapping[str, str] | None = None,
    policy: Policy | None = None,
) -> MigrationPlan:
    """Say what becomes of each collection, how much data moves, how long that may take, and what could go wrong.

    `renamed`, `filled`: as for `migrate`.
    """
    from nestling.executors.found_fields import find_fields
    from nestling.executors.migrate.field_orders import reordered_fields
    from nestling.executors.migrate.losses import lost_together
    from nestling.executors.migrate.row_counts import sizes
    from nestling.ir.migration import Loss
    from nestling.ir.words.model_changes import changes_of_model
    from nestling.pipeline.migrating import called_anew, designs_over_one_model
    from nestling.pipeline.migration_job import job_of
    from nestling.pipeline.model_risks import fields_there_already, rows_without_parents
    from nestling.planner.migration import differences

    written_by, old = old.design, called_anew(old, new, renamed)
    before, after = designs_over_one_model(old, new, filled)
    job = job_of(before, after, database, policy or Policy(), new.design, old.design, written_by)
    database = job.homes.database
    state = _state(job, database)
    phase = None if state is None else _phase(job, database, state)
    is_switched = phase in (Phase.SWITCHING, Phase.DONE)  # the old design's names are the new one's, or soon will be
    measured = sizes(database, _aside(before, job, database) if is_switched else job.homes.homes)
    moves = tuple(_moves(after, job, measured))
    built, dropped = _indexes(after, job)
    unknown: tuple[FoundField, ...] = ()
    losses, refusals, found = dict[Loss, str](), tuple[str, ...](), tuple[str, ...]()
    if not is_switched:
        unknown = find_fields(database, job.searches.unknown)
        losses = {
            loss: f"{told}. `migrate` refuses this without `{loss.flag}`"
            for loss in Loss
            if (told := lost_together(loss, job, database))
        }
        found = (
            *_missing_arrays(job, database),
            *fields_there_already(old.design.model, before, database),
            *rows_without_parents(old.design.model, before, database),
            *reordered_fields(job, database),
            *_copies(before, job, database),
        )
        if old.design != new.design:  # else there is nothing to do
            refusals = (*_refusals(job, database, phase), *_gaps(job))
    rules = {} if state is None else state.fences
    risks = (
        *_of_another_plan(job, database),
        *losses.values(),
        *found,
        *refusals,
        *_risks(before, after, old.design, job, database, rules),
    )
    return MigrationPlan(
        moves,
        job.replaced,
        (*changes_of_model(old.design, after), *differences(before, after)),
        built,
        dropped,
        risks,
        {entity: size.rows for entity, size in measured.items()},
        tuple(_untouched(job, database)),
        unknown,
        _seconds(moves, job, measured),
        _compared_seconds(job, measured),
        phase,
        (*losses.values(), *refusals),
        *((None, "") if is_switched else _followed(before, job, measured)),
        tuple(losses),
    )


def _missing_arrays(job: Job, database: Database[Any]) -> Iterator[str]:
    """Arrays that some documents lack and will have."""
    from nestling.executors.found_fields import find_fields
    from nestling.ir.literals import shell

    for each in find_fields(database, job.searches.missing_arrays):
        yield (
            f"`{each.collection}.{each.path}` is missing in {counted(each.documents, 'document')}, such as "
            f"_id {cut(shell(each.example))}: it will be an empty array there, which `$exists` distinguishes from a "
            "missing field. Documents written without it after the migration are still accepted"
        )


def _copies(old: Design, job: Job, database: Database[Any]) -> Iterator[str]:
    """Yield copies and computed values that lag behind their source, and those of which this cannot be determined."""
    from nestling.executors.check import differing_fields
    from nestling.ir.reading import Gap
    from nestling.planner.checks import field_checks

    lags = "differs from its source, behind which it may lag and from which the new design is made"
    for each in differing_fields(job.searches.lagging, database):
        yield (
            f"{each.text()}, {lags}; to update it beforehand, run `nestling sync DESIGN URI --once` or `nestling check DESIGN "
            "URI --repair`"
        )
    for gap in dict.fromkeys(each.check for each in field_checks(old) if isinstance(each.check, Gap)):
        yield f"`{gap.where}` will be computed again, and cannot be compared with today's values: {gap.what}"


def _aside(old: Design, job: Job, database: Database[Any]) -> Mapping[str, Aggregation]:
    """Return queries that read the old design's rows once its collections are, or are about to be, set aside."""
    from nestling.executors.migrate import OLD_SUFFIX
    from nestling.pipeline.loading import home_queries
    from nestling.planner.migration import renamed

    there = frozenset(database.list_collection_names())
    aside = {name: f"{name}{OLD_SUFFIX}" for name in job.replaced if f"{name}{OLD_SUFFIX}" in there}
    return home_queries(renamed(old, aside))


def _state(job: Job, database: Database[Any]) -> MigrationState | None:
    """The migration between these two designs, if it has begun."""
    from nestling.executors.migrate.state import States

    state = States(database).read()
    return None if state is None or (state.old, state.new) != (job.old_design, job.new_design) else state


def _phase(job: Job, database: Database[Any], state: MigrationState) -> Phase:
    """Return how far a migration is.

    While the old collections refuse writes it is fenced: a cutover that starts again compares first, as a ready one does.
    """
    from nestling.executors.migrate import refuse_writes

    return Phase.FENCED if state.phase is Phase.READY and refuse_writes(database, job.old) else state.phase


def _refusals(job: Job, database: Database[Any], phase: Phase | None) -> Iterator[str]:
    """Why `migrate` would not go on."""
    from nestling.common.errors import MigrationError, Problem
    from nestling.executors.migrate import breaking_new_rules, in_the_way, lacking_rights, without_history
    from nestling.executors.migrate.refused_values import refused_values
    from nestling.executors.migrate.state import States
    from nestling.executors.migrate.unlike_references import unlike_references
    from nestling.pipeline.migrating import shelf_of

    problems = list[Problem]()
    if phase is None:
        problems += without_history(database)
        problems += refused_values(job, shelf_of(job.homes.model))
        try:
            States(database).resume(job.designs)
        except MigrationError as error:
            problems += error.problems
    problems += lacking_rights(job, database)
    problems += in_the_way(job, database, has_begun=phase is not None)
    problems += breaking_new_rules(job, database)
    problems += unlike_references(job)
    yield from (f"it would be refused: {problem.text()}" for problem in problems)


def _untouched(job: Job, database: Database[Any]) -> list[str]:
    """Return the collections that belong to neither design."""
    from nestling.executors.migrate import OLD_SUFFIX
    from nestling.ir.storage.names import is_system

    named = {*job.old, *job.names, *job.names.values(), *(f"{name}{OLD_SUFFIX}" for name in job.replaced)}
    return sorted(name for name in database.list_collection_names() if name not in named and not is_system(name))


def _moves(new: Design, job: Job, measured: Mapping[str, Size]) -> Iterator[Move]:
    staged = {final: name for name, final in job.names.items()}
    on_server = {side.collection for side in job.on_server}
    for store in new.stores:
        of = tuple(dict.fromkeys(node.entity for node in store.nodes()))
        name = staged.get(store.name, store.name)
        way = (
            CollectionOrigin.KEPT
            if store.name in job.kept
            else CollectionOrigin.SERVER
            if name in on_server
            else CollectionOrigin.STREAM
        )
        documents, size_bytes = _estimated(store, of, job, measured)
        yield Move(store.name, name, way, of, documents, size_bytes)


def _estimated(
    store: StoredCollection, of: tuple[str, ...], job: Job, measured: Mapping[str, Size]
) -> tuple[int | None, int | None]:
    """Estimate documents and bytes, without copies. Both are None for rows that nobody has counted."""
    from nestling.executors.migrate.row_counts import buckets
    from nestling.ir.storage.layout import Role

    if store.role is not Role.HOME:
        return None, None
    documents = (
        measured[root.entity].rows
        if root.bucket is None
        else buckets(job.homes.database, job.homes.homes[root.entity], root.bucket)
        for root in store.roots
    )
    return sum(documents), sum(measured[name].size_bytes for name in of)


def _indexes(new: Design, job: Job) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the indexes to build (in collections that stay, only the missing ones), and the existing ones to drop."""
    from nestling.emitters.commands import index_commands

    usual = {(each.collection, each.name) for each in index_commands(new)}
    built = list[str]()
    for index in (*job.indexes.built, *job.indexes.late):
        shown = _index_text(index, job.names.get(index.collection, index.collection))
        has_own_name = index.collection in job.kept and (index.collection, index.name) not in usual
        built.append(
            f"{shown}, named `{index.name}`, because another index has the usual name" if has_own_name else shown
        )
    going = (*job.indexes.going, *job.indexes.lost)
    return tuple(built), tuple(sorted(_index_text(index, index.collection) for index in going))


def _index_text(index: CreateIndex, collection: str) -> str:
    from nestling.ir.words.index_words import index_words

    return f"{collection}: {index_words(index)}"


def _of_another_plan(job: Job, database: Database[Any]) -> Iterator[str]:
    """Yield why every collection is rebuilt although some may be the same in both designs."""
    from nestling.executors.abilities import has_history, server_version
    from nestling.executors.changes import IMAGES_SINCE

    if job.keeps_images or not has_history(database):
        return
    effect = "so every collection is rebuilt, and whole entities are compared after deletes and updates"
    if server_version(database) < IMAGES_SINCE:
        yield f"the server is older than 6.0 and keeps no pre-images of changed documents, {effect}"
    else:
        yield (
            f"this user may not `collMod`, without which the server keeps no pre-images of changed documents, {effect}. "
            "For a user who may, the migration is a different one: plan it as the user that will run `migrate`, with the "
            "role `dbAdmin`"
        )


def _gaps(job: Job) -> Iterator[str]:
    """Yield the parts of the new design that cannot be built."""
    from nestling.common.errors import GapError

    for target in job.targets:
        try:
            target.check()
        except GapError as error:
            yield f"it would be refused: {error.problems[0].what}"


def _risks(
    old: Design, new: Design, own: Design, job: Job, database: Database[Any], rules: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    """Yield what could go wrong.

    `own`: the old design over its own model. `rules`: what collections validated that now refuse every write.
    """
    from nestling.executors.abilities import has_history
    from nestling.pipeline.migration_constraints import (
        lost_constraints,
        new_uniques,
        new_validators,
        stricter_uniques,
        unread_fields,
    )
    from nestling.planner.migration import snapshots

    if not has_history(database):
        yield "the server is standalone: use --offline, and stop all writers until the cutover"
    yield from lost_constraints(old, new, job)
    yield from new_uniques(old, new, job, database)
    yield from stricter_uniques(old, new, job, database)
    yield from new_validators(old, new, own, job, database, rules)
    yield from unread_fields(old, new, job)
    if mixed := list(_mixed(job)):
        yield (
            f"{', '.join(mixed)}: values of several types. Today's values that cannot be carried over through this machine "
            "are named here; so may be values written in the meantime, and `migrate` then stops and names them. Give each "
            "field one type, and create the model and both designs again"
        )
    for name in snapshots(new):
        yield f"`{name}` is a snapshot: it is taken again, with the values at the time of the migration"
    if job.unfenced:
        names = name_list(sorted(job.unfenced))
        yield f"{names} (time series) can neither be followed nor refuse writes: stop all writes to it during the migration"
    if len(job.on_server) < len({target.store.name for target in job.targets}):
        yield "some collections pass through this machine: run it close to the server"


def _mixed(job: Job) -> Iterator[str]:
    """The fields of entities that move which the model has hold several types, by their paths."""
    for name in job.sides.entities:
        for attribute in job.homes.model.entity(name).attributes:
            places = [place for place in job.homes.at(name) if attribute.name in place.paths]
            if attribute.also and places:
                yield f"`{places[0].query.collection}.{places[0].paths[attribute.name]}`"


def _seconds(moves: tuple[Move, ...], job: Job, measured: Mapping[str, Size]) -> float:
    """The backfill and one comparison."""
    rates = {CollectionOrigin.SERVER: SERVER_ROWS_PER_SECOND, CollectionOrigin.STREAM: STREAM_ROWS_PER_SECOND}
    built = sum(sum(measured[name].rows for name in move.of) / rates[move.way] for move in moves if move.way in rates)
    return built + _compared_seconds(job, measured)


def _followed(old: Design, job: Job, measured: Mapping[str, Size]) -> tuple[float | None, str]:
    """Return how many changes a second can be applied to or from the collection where a change is most work, and its name.

    A change rebuilds the whole document from all the rows that it is made of, and compares all rows of the changed document
    with those that it was made of before.
    """
    derived = [(target.store, target.entity.name, STREAM_ROWS_PER_SECOND) for target in job.targets]
    replaced = [store for store in old.stores if store.name in job.replaced]
    changed = [(store, root.entity, IMAGE_ROWS_PER_SECOND) for store in replaced for root in store.roots]
    found = [
        (rate / _rows_each(store, entity, measured), job.names.get(store.name, store.name))
        for store, entity, rate in (*derived, *changed)
    ]
    return min(found, default=(None, ""))


def _rows_each(store: StoredCollection, root: str, measured: Mapping[str, Size]) -> float:
    """The rows a document is made of, on average."""
    entities = {node.entity for node in store.nodes()}
    return max(1.0, sum(measured[each].rows for each in entities) / max(1, measured[root].rows))


def _compared_seconds(job: Job, measured: Mapping[str, Size]) -> float:
    """One comparison of all rows that move."""
    return sum(measured[name].rows for name in job.sides.entities) / COMPARED_ROWS_PER_SECOND
