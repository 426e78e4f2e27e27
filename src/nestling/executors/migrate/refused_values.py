"""Values that cannot pass through the client: counted before anything is written, and a migration does not begin with them."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.common.errors import MigrationError, Problem
from nestling.executors.batches import batches
from nestling.executors.migrate.job import Job
from nestling.executors.migrate.refused_row import INSPECT, kind_of, place_of
from nestling.executors.migrate.spool import OpenShelf
from nestling.executors.read import read_rows
from nestling.ir.literals import shell
from nestling.ir.model import Entity, Model
from nestling.ir.quantity_words import counted, cut
from nestling.ir.rows import JSON_NULL, RefusedValues, RowSink, summed

BATCH_ROWS = 1_000


def refused_values(job: Job, open_shelf: OpenShelf) -> list[Problem]:
    """A problem for each field of several types, and each type in it, whose values would not come through as they are.

    Every row is read of the entities that move and have such a field.
    """
    mixed = tuple(e for e in map(job.homes.model.entity, job.sides.entities) if any(a.also for a in e.attributes))
    if not mixed:
        return []
    with open_shelf() as shelf:
        sink = shelf.sink()
        sink.begin(Model(job.homes.model.name, mixed, strict_types=job.homes.model.strict_types))
        return [_problem(job, each) for entity in mixed for each in summed(_refused(job, entity, sink))]


def require_values(job: Job, open_shelf: OpenShelf, *, offline: bool) -> None:
    """Raise `MigrationError` for values that would stop the migration; where all is done by the server, none does."""
    by_server = {side.collection for side in job.on_server}
    if offline and all(target.store.name in by_server for target in job.targets):
        return
    if problems := refused_values(job, open_shelf):
        raise MigrationError(*problems)


def _refused(job: Job, entity: Entity, sink: RowSink) -> Iterator[RefusedValues]:
    rows = read_rows(job.homes.database, job.homes.homes[entity.name], entity)
    for batch in batches(rows, BATCH_ROWS):
        whole = [row for row in batch if not any(value is JSON_NULL for value in row)]  # a json null is found later
        yield from (each for each in sink.refused(entity, whole) if entity.attribute(each.attribute).also)


def _problem(job: Job, refused: RefusedValues) -> Problem:
    """The values as what they are in documents."""
    value = dict(zip(job.homes.model.entity(refused.entity).attribute_names, refused.row, strict=True))[
        refused.attribute
    ]
    found = place_of(job.homes, refused.entity, refused.row, refused.attribute)
    where, path = found[:2] if found else (refused.entity, refused.attribute)
    example = f", such as in the document with _id {cut(shell(found[2]))}" if found else ""
    rows = counted(refused.count, "row")
    what = (
        f"`{path}` is {kind_of(value)} in {rows} of `{refused.entity}`{example}, and of other types in others: a document with it"
        " cannot be carried over when it changes, or where its collection is a `stream`"
    )
    move = f"give the field values of one type in all documents, and {INSPECT}"
    if {target.store.name for target in job.targets} <= {side.collection for side in job.on_server}:
        move += "; or stop every writer until the cutover, and say `--offline`"
    return Problem(what, where=where, next_move=move)
