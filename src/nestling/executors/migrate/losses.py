"""What a migration would lose: the queries for it, and what the user can do. It is lost only if the user allows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pymongo.database import Database

from nestling.common.errors import MigrationError, Problem
from nestling.executors.check import differing_fields
from nestling.executors.found_fields import find_fields
from nestling.executors.migrate.job import Job
from nestling.executors.migrate.views import views_over
from nestling.ir.found_field import FoundField
from nestling.ir.migration import Loss
from nestling.ir.words.index_words import index_words

MOST_LOSSES = 20
"""How many of one kind an error names."""

Find: TypeAlias = Callable[[Job, Database[Any]], Iterable[FoundField | str]]


@dataclass(frozen=True, slots=True)
class _Kind:
    find: Find
    what: str
    """What happens to each, after its name."""

    move: str
    looking_for: str
    """The progress label of the search."""


def is_of_id(found: FoundField) -> bool:
    """Whether it is a document's `_id`."""
    return found.steps == ("_id",)


def _nulls(job: Job, database: Database[Any]) -> Iterable[FoundField]:
    """The null fields in rewritten documents, without derived ones; elements of arrays do not count."""
    asked = {name: stages for name, stages in job.searches.nulls.items() if name not in job.kept}
    kept = {
        (place.query.collection, path)
        for place in job.homes.places
        for attribute, path in place.paths.items()
        if attribute in job.homes.nulls_of(place.entity)
    }
    followed = (*job.searches.copies, *job.searches.lagging)
    kept |= {(compiled.check.collection, path.replace("[]", "")) for path, compiled in followed}
    found = (each for each in find_fields(database, asked) if each.steps[-1] is not None)
    return (each for each in found if (each.collection, each.field) not in kept)


_KINDS: Mapping[Loss, _Kind] = {
    Loss.INDEXES: _Kind(
        lambda job, _: (f"the index `{e.name}` of `{e.collection}` on {index_words(e)}" for e in job.indexes.lost),
        "would be lost: the new design has no such index",
        "add it under `indexes:` in the new design if a design can express it; or continue without it, and create what is "
        "needed after the cutover",
        "indexes",
    ),
    Loss.OPTIONS: _Kind(
        lambda job, _: job.options_lost,
        "would be lost: the new design's collections have none",
        "set it again after the cutover if the server can, or continue without it",
        "options of collections",
    ),
    Loss.VIEWS: _Kind(
        views_over,
        "would return different documents than today, or none",
        "continue without it, and recreate it over the new design's collections after the cutover",
        "views",
    ),
    Loss.UNKNOWN: _Kind(
        lambda job, database: find_fields(database, job.searches.unknown),
        "is not in the designs: it would be lost",
        "add them to the model and to both designs (`nestling inspect URI -o model.yaml --design-out design.yaml` reads "
        "them again, except fields whose names no query can express, such as `$z`), remove them from these documents, or "
        "continue without them",
        "fields that are not in the designs",
    ),
    Loss.NULLS: _Kind(
        _nulls,
        "is null, and would become a missing field, or an empty array: `{field: null}` finds null and missing, but "
        "`$exists` and `$type` distinguish them",
        "check that statements and code treat a missing field like null, and accept the loss",
        "fields that are null",
    ),
    Loss.EMPTY: _Kind(
        lambda job, database: find_fields(database, job.searches.empty_objects),
        "is an empty sub-document, and would become a missing field",
        "read the model and both designs again (`nestling inspect URI -o model.yaml --design-out design.yaml`), which "
        "makes it a row of its own; or check that statements and code treat a missing field like an empty sub-document, "
        "and accept the loss",
        "empty sub-documents",
    ),
    Loss.ORDER: _Kind(
        lambda job, database: find_fields(database, job.searches.array_orders),
        "is in an order that none of its values determine: the order would be lost",
        "give the elements a field that determines their order, in the model and in both designs, and order the array by "
        "it (`order:`); or continue without it",
        "orders of arrays",
    ),
    Loss.ID_ORDER: _Kind(
        lambda job, database: filter(is_of_id, find_fields(database, job.searches.field_orders)),
        "has its fields in a different order than the new design, and gets that order: queries for a whole `_id` in "
        "today's order will then find nothing, and an upsert by it will create a second document",
        "give the `id:` of the new design the order that the documents have; if they have several, rewrite those in "
        "another order; or continue, and query each `_id` in the new order after the cutover",
        "orders of fields",
    ),
    Loss.COPIES: _Kind(
        lambda job, database: differing_fields(job.searches.copies, database),
        "differs from its source: it would be lost",
        "if it is data of its own, make it an attribute of the model and of both designs (`nestling inspect URI -o "
        "model.yaml --design-out design.yaml` does so); if it is a copy, `nestling check DESIGN URI --repair` updates it "
        "from its source, and with `--remove` removes it if the source is gone; or continue and lose today's value",
        "copies and computed values",
    ),
}


def losses_in_words(loss: Loss, job: Job, database: Database[Any]) -> tuple[str, ...]:
    """Each thing of this kind that would be lost, in words."""
    kind = _KINDS[loss]
    found = (each if isinstance(each, str) else f"{each.text()}," for each in kind.find(job, database))
    return tuple(f"{each} {kind.what}" for each in found)


def lost_together(loss: Loss, job: Job, database: Database[Any]) -> str:
    """All things of this kind that would be lost in one sentence; empty where nothing would be."""
    kind = _KINDS[loss]
    found = [each if isinstance(each, str) else each.text() for each in kind.find(job, database)]
    if len(found) > 1:
        return f"{'; '.join(found)}: each {kind.what}"
    return "".join(losses_in_words(loss, job, database)) if found else ""


def require_nothing_lost(
    job: Job, database: Database[Any], *, but: frozenset[Loss], tell: Callable[[str, int], None]
) -> None:
    """Raise `MigrationError` for all that would be lost, except of these kinds."""
    problems = []
    for loss in Loss:
        if loss not in but:
            tell(_KINDS[loss].looking_for, 0)
            problems += loss_problems(losses_in_words(loss, job, database), f"{_KINDS[loss].move}: `{loss.flag}`")
    if problems:
        raise MigrationError(*problems)


def loss_problems(found: Sequence[str], move: str) -> list[Problem]:
    """A problem for each of these losses; it names the first few."""
    told = [*found[:MOST_LOSSES]]
    if len(found) > MOST_LOSSES:
        told.append(f"and {len(found) - MOST_LOSSES:,} more")
    return [Problem(each, next_move=move) for each in told]
