"""Orders of fields in sub-documents: a migration writes them in the new design's order, and has to be told to for an `_id`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pymongo.database import Database

from nestling.common.errors import MigrationError, Problem
from nestling.executors.found_fields import find_fields
from nestling.executors.migrate.job import Job
from nestling.ir.found_field import FoundField

CHANGES = "has its fields in another order than the new design, and gets that one"
OF_ID = "who asks for a whole `_id` by today's order finds nothing then, and an upsert by it makes a second document"
OF_OTHERS = "who asks for the whole sub-document by today's order finds nothing then"
_MOVE = (
    "give the `id:` of the new design the order that the documents have; where they have several, write those in another order"
    " anew; or go on, and ask for each `_id` by the new order after the cutover: `--drop-id-order`"
)


def is_of_id(found: FoundField) -> bool:
    """Whether it is a document's `_id`."""
    return found.path == "_id"


def reordered_fields(job: Job, database: Database[Any]) -> Iterator[str]:
    """Each sub-document that gets another order, with its counts, as `plan` says it."""
    for each in find_fields(database, job.searches.field_orders):
        if is_of_id(each):
            yield f"{each.text()}, {CHANGES}: {OF_ID}. `migrate` refuses this without `--drop-id-order`"
        else:
            yield f"{each.text()}, {CHANGES}: {OF_OTHERS}"


def require_id_order(job: Job, database: Database[Any]) -> None:
    """Raise `MigrationError` for collections in which an `_id` would get another order."""
    if found := [each for each in find_fields(database, job.searches.field_orders) if is_of_id(each)]:
        raise MigrationError(*(Problem(f"{each.text()}, {CHANGES}: {OF_ID}", next_move=_MOVE) for each in found))


def compare_id_orders(job: Job, database: Database[Any]) -> None:
    """Raise `MigrationError` where an `_id` that was built is not in the order of the new design, as rows do not tell that."""
    if found := find_fields(database, job.searches.id_orders):
        what = "has its fields in another order than the new design; this migration has not written it so"
        move = "find out who writes to the collection, end the migration with `--abort`, and begin again"
        raise MigrationError(*(Problem(f"{each.text()}, {what}", next_move=move) for each in found))
