"""Values that cannot pass through the client: counted before anything is written, and a migration does not begin with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.common.errors import MigrationError, Problem
from nestling.executors.batches import batches
from nestling.executors.migrate.job import Job
from nestling.executors.migrate.matching_documents import documents_with
from nestling.executors.migrate.needed_rows import needed_model
from nestling.executors.migrate.refused_row import INSPECT, kind_of, place_of
from nestling.executors.migrate.spool import OpenShelf, Shelf
from nestling.executors.read import read_rows
from nestling.ir.literals import shell
from nestling.ir.model import Entity, Model
from nestling.ir.quantity_words import counted, cut
from nestling.ir.rows import JSON_NULL, RefusedValues, summed
from nestling.ir.types import TypeName

BATCH_ROWS = 1_000


def refused_values(job: Job, open_shelf: OpenShelf) -> list[Problem]:
    """A problem for each field with several types, and each of its types with values that would be changed.

    It reads everything that the new documents are made from: all rows of an entity with such a field, even if merely copied.
    Nulls in values stored whole as json are included.
    """
    read = needed_model(job.homes.model, *job.targets)
    return [*_json_nulls(job, read), *_of_several_types(job, read, open_shelf)]


def _json_nulls(job: Job, read: Model) -> Iterator[Problem]:
    """Nulls that are json, where the new design has no field that could be null."""
    for entity in read.entities:
        json = (each.name for each in entity.attributes if each.type.name is TypeName.JSON)
        for attribute in (name for name in json if name not in job.homes.nulls_of(entity.name)):
            for place in job.homes.at(entity.name):
                path = place.paths.get(attribute)
                if path is None:
                    continue
                condition = {path: {"$type": "null", "$not": {"$type": "array"}}}
                number, found = documents_with(job.homes.database[place.query.collection], condition)
                if number:
                    one = job.homes.database[place.query.collection].find_one(condition, {"_id": 1}) or {}
                    where = f"in {found}, such as _id {cut(shell(one.get('_id')))}"
                    what = f"`{path}` is null {where}: it cannot be carried over as it is"
                    move = "it is stored whole as json: $unset the field where it is null, or give it a value"
                    yield Problem(what, place.query.collection, next_move=move)


def _of_several_types(job: Job, read: Model, open_shelf: OpenShelf) -> list[Problem]:
    mixed = tuple(
        replace(each, uniques=()) for each in read.entities if any(attribute.also for attribute in each.attributes)
    )
    if not mixed:
        return []
    with open_shelf(Model(read.name, mixed, strict_types=read.strict_types)) as shelf:
        shelf.empty()
        return [_problem(job, entity, each) for entity in mixed for each in summed(_refused(job, entity, shelf))]


def require_values(job: Job, open_shelf: OpenShelf, *, offline: bool) -> None:
    """Raise `MigrationError` for values that would stop the migration; none do if the server does everything."""
    by_server = {side.collection for side in job.on_server}
    if offline and all(target.store.name in by_server for target in job.targets):
        return
    if problems := refused_values(job, open_shelf):
        raise MigrationError(*problems)


def _refused(job: Job, entity: Entity, shelf: Shelf) -> Iterator[RefusedValues]:
    """The refused values in an entity's rows, for the attributes of `entity`."""
    names = job.homes.model.entity(entity.name).attribute_names
    places = [names.index(name) for name in entity.attribute_names]
    held = job.homes.model.entity(entity.name)
    rows = read_rows(job.homes.database, job.homes.homes[entity.name], held, policy=job.policy)
    for batch in batches((tuple(row[place] for place in places) for row in rows), BATCH_ROWS):
        whole = [row for row in batch if not any(value is JSON_NULL for value in row)]
        yield from (each for each in shelf.refused(entity, whole) if entity.attribute(each.attribute).also)


def _problem(job: Job, entity: Entity, refused: RefusedValues) -> Problem:
    """The values as documents hold them."""
    values = dict(zip(entity.attribute_names, refused.row, strict=True))
    value = values[refused.attribute]
    found = place_of(job.homes, refused.entity, values, refused.attribute)
    where, path = found[:2] if found else (refused.entity, refused.attribute)
    example = f", such as in the document with _id {cut(shell(found[2]))}" if found else ""
    rows = counted(refused.count, "row")
    what = (
        f"`{path}` is {kind_of(value)} in {rows} of `{refused.entity}`{example}, and of other types elsewhere: a document "
        "with it cannot be carried over when it changes, or if its collection is a `stream`"
    )
    if refused.entity not in job.sides.entities:
        what = (
            f"`{path}` is {kind_of(value)} in {rows} of `{refused.entity}`{example}, and of other types elsewhere: it "
            "cannot be copied as it is into other documents"
        )
    move = f"give the field values of one type in all documents, and {INSPECT}"
    if {target.store.name for target in job.targets} <= {side.collection for side in job.on_server}:
        move += "; or stop all writers until the cutover, and use `--offline`"
    return Problem(what, where=where, next_move=move)
