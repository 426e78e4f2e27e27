"""Preconditions before anything is written: the old design, free names, permissions and history."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from pymongo.database import Database

from nestling.common.errors import MigrationError, PermissionDenied, Problem, suggest
from nestling.executors.abilities import has_history
from nestling.executors.design_match import require_loaded
from nestling.executors.found_fields import find_fields
from nestling.executors.migrate.broken_rules import broken_words
from nestling.executors.migrate.duplicate_keys import repeated_keys, repeated_problems, repeated_uniques
from nestling.executors.migrate.job import Job
from nestling.executors.migrate.matching_documents import documents_with
from nestling.executors.migrate.state import COLLECTION
from nestling.executors.migrate.undo_record import OLD_SUFFIX
from nestling.executors.rights import EVERY, MODIFYING, check_privileges
from nestling.ir.field_removal import null_removal
from nestling.ir.literals import shell
from nestling.ir.migration import RepeatedKey
from nestling.ir.paths.access_path import column_field
from nestling.ir.quantity_words import agreeing, counted

_OLD = ("find", "changeStream")
_NEW = ("find", "insert", "update", "remove", "createCollection", "createIndex", "dropCollection")
_RENAMING = "renameCollectionSameDB"


def check_start(job: Job, database: Database[Any], *, offline: bool) -> None:
    """Raise `MigrationError`, `PermissionDenied` or `VerifyError` if it may not begin, whatever the documents are."""
    require_loaded(database, job.old)
    _check_building(job, database, offline=offline)
    if problems := () if offline else tuple(without_history(database)):
        raise MigrationError(*problems)


def check_documents(job: Job, database: Database[Any]) -> None:
    """Raise `MigrationError` with everything in the database that is in the way."""
    if problems := in_the_way(job, database):
        raise MigrationError(*problems)


def check_cutover(job: Job, database: Database[Any]) -> None:
    """Raise `PermissionDenied` where the user may not have the old collections refuse writes, or give collections other names."""
    fenced = [name for name in job.old if name not in job.unfenced]
    aside = [f"{name}{OLD_SUFFIX}" for name in job.replaced if name in fenced]
    losing = tuple(dict.fromkeys(each.collection for each in job.indexes.gone))
    renaming = ((EVERY,), (_RENAMING,))  # of single collections it is not enough
    replaced = [name for name in job.replaced if name in fenced]
    views = (replaced, ("createCollection", "dropCollection")), (aside, ("find",))
    check_privileges(database, ((*fenced, *aside), (MODIFYING,)), (losing, ("dropIndex",)), *views, renaming)


def lacking_rights(job: Job, database: Database[Any]) -> Iterator[Problem]:
    """The user's missing permissions for a migration during writes, including the cutover."""
    for check in (partial(_check_building, offline=False), check_cutover):
        try:
            check(job, database)
        except PermissionDenied as error:
            yield from error.problems


def _check_building(job: Job, database: Database[Any], *, offline: bool) -> None:
    old = tuple(name for name in _OLD if name != "changeStream" or not offline)
    check_privileges(database, (job.old, old), ((*job.names, *job.helping, COLLECTION), _NEW))


def in_the_way(job: Job, database: Database[Any], *, has_begun: bool = False) -> list[Problem]:
    """What in the database does not fit: collections or documents unknown to the old design, names that are taken.

    `has_begun`: this migration itself uses the names.
    """
    there = frozenset(database.list_collection_names())
    missing = _missing(job, there, database.name)
    repeated = () if missing else repeated_problems(_repeated(job))
    taken = () if has_begun else _taken(job, database, there)
    return [*missing, *_broken(job, database, there), *repeated, *taken]


def _repeated(job: Job) -> Iterator[RepeatedKey]:
    yield from repeated_keys(job.homes, job.sides.entities)
    yield from repeated_uniques(job.homes, dict.fromkeys((*job.sides.entities, *job.newly_unique)))


def without_history(database: Database[Any]) -> Iterator[Problem]:
    """The problem of a server without change streams: then nobody may write."""
    if has_history(database):
        return
    what = "the server is standalone: it cannot report what is written while the migration runs"
    move = (
        "make it a replica set of one (`mongod --replSet rs0`, then `rs.initiate()` once); or stop all writers and use "
        "`--offline`: nothing may be written until the cutover"
    )
    yield Problem(what, where=database.name, next_move=move)


def _missing(job: Job, there: frozenset[str], database: str) -> list[Problem]:
    move = "give the design this database was loaded with in --from-design"
    return [
        Problem(
            f"there is no collection `{name}` of the old design", database, known=suggest(name, there), next_move=move
        )
        for name in job.validators
        if name not in there
    ]


def _broken(job: Job, database: Database[Any], there: frozenset[str]) -> list[Problem]:
    """Documents of rebuilt collections that violate the old design. Those of other collections stay as they are."""
    problems = []
    for name, validator in job.validators.items():
        if name in job.kept or name not in there or not validator:
            continue
        condition = {"$nor": [dict(validator)]}
        number, shown = documents_with(database[name], condition)
        if number:
            one = database[name].find_one(condition) or {}
            what = f"{shown} {agreeing(number)} not valid in the old design, such as _id {shell(one.get('_id'))}"
            what += broken_words(database[name], one, validator)
            nulls = [each for each in find_fields(database, {name: job.searches.nulls[name]}) if each.steps[-1] is None]
            mend = "pull the nulls, as shown below, and fix the rest" if nulls else "fix them"
            move = f"{mend}, or give the design they follow in --from-design; not all of them could be carried over"
            problems.append(Problem(what, where=name, next_move=move))
            problems += (
                Problem(f"{each.text()}, is null", next_move=null_removal(each.steps).command(name)) for each in nulls
            )
    return problems


def require_new_rules(job: Job, database: Database[Any]) -> None:
    """Raise `MigrationError` for documents of collections that stay but violate the new design."""
    if problems := breaking_new_rules(job, database):
        raise MigrationError(*problems)


def breaking_new_rules(job: Job, database: Database[Any]) -> list[Problem]:
    """Documents of collections that stay which are not what the new design says of them, and days that have a time."""
    problems = [*_days_with_a_time(job, database)]
    for name, rules in job.rules.items():
        condition = {"$nor": [dict(rules.new)]}
        number, shown = documents_with(database[name], condition) if rules.new else (0, "")
        if number:
            one = database[name].find_one(condition) or {}
            what = f"{shown} {agreeing(number)} not valid in the new design, such as _id {shell(one.get('_id'))}"
            what += broken_words(database[name], one, rules.new)
            move = (
                "fix them, or declare in the new model what they hold. The old validator refuses values of another type: "
                "write those to a field of another name, and migrate to that"
            )
            problems.append(Problem(what, where=name, next_move=move))
    return problems


def _days_with_a_time(job: Job, database: Database[Any]) -> Iterator[Problem]:
    """Moments that are to be days and are none: no validator tells them apart."""
    for entity, name in job.days:
        home = job.homes.homes[entity]
        field = f"${column_field(home.columns.index(name))}"
        clock = {"$dateToString": {"date": field, "format": "%H:%M:%S.%L"}}
        has_time = {"$and": [{"$eq": [{"$type": field}, "date"]}, {"$ne": [clock, "00:00:00.000"]}]}
        counted_rows = [*home.stages, {"$match": {"$expr": has_time}}, {"$count": "rows"}]
        found = list(database[home.collection].aggregate(counted_rows, allowDiskUse=True))
        if found:
            rows = f"{counted(found[0]['rows'], 'row')} {agreeing(found[0]['rows'], 'has', 'have')}"
            what = f"`{entity}.{name}` is a date without a time in the new design, but {rows} a time of day"
            move = "set the times to midnight first, with the old design; or keep its type in the new model"
            yield Problem(what, where=home.collection, next_move=move)


def _never_renamed(job: Job) -> Iterator[Problem]:
    """Time series, which cannot be renamed, of one design under a name that the other design uses for another collection."""
    series = {target.store.name for target in job.targets if target.is_series}
    for staged, name in job.names.items():
        if staged != name and (staged in series or name in job.unfenced):
            needs, has = ("new", "old") if staged in series else ("old", "new")
            what = f"the {needs} design has a time series of this name, which cannot be renamed; the {has} design uses it too"
            yield Problem(what, where=name, next_move="choose another name in the new design")


def _taken(job: Job, database: Database[Any], there: frozenset[str]) -> list[Problem]:
    problems = [*_never_renamed(job)]
    for name in job.names:
        if name in there and database[name].find_one({}, {"_id": 1}) is not None:
            what, move = "the new design needs this name, and the collection holds documents", "rename or drop it"
            problems.append(Problem(what, where=name, next_move=move))
    for name in job.replaced:
        if f"{name}{OLD_SUFFIX}" in there:
            move = "end that migration with `--drop-old`, or rename the collection"
            problems.append(Problem("an earlier migration left this collection", f"{name}{OLD_SUFFIX}", next_move=move))
    return problems
