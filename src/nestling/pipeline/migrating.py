"""Migrating a live database from one design to another."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nestling.ir.proposal import Proposal
from nestling.ir.storage.stored_forms import all_with_stored
from nestling.ir.values import Policy
from nestling.ir.watching import Watch
from nestling.pipeline.arguments import checks_arguments

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.executors.migrate import (
        Aborted,
        Dropped,
        Migration,
        MigrationReport,
        Shelf,
    )
    from nestling.executors.migrate.spool import OpenShelf
    from nestling.ir.design import Design
    from nestling.ir.migration import Loss
    from nestling.ir.model import Model


@checks_arguments
def migrate(
    old: Proposal,
    new: Proposal,
    database: Database[Any],
    *,
    offline: bool = False,
    cutover: bool = False,
    may_lose: Iterable[Loss | str] = (),
    renamed: Mapping[str, str] | None = None,
    filled: Mapping[str, str] | None = None,
    policy: Policy | None = None,
    watch: Watch | None = None,
) -> MigrationReport:
    """Build the new design beside the old one, apply concurrent changes to it, and prove that both are equal.

    With `cutover` the new design then takes over. If the designs are equal there is nothing to do. An interrupted migration
    continues where it stopped, by itself if the server has no primary for a while; a `KeyboardInterrupt` carries a note that
    says what it leaves behind. `offline`: nobody writes, so a server without change streams is enough.

    Raises an error if something would be lost, unless its kind is in `may_lose`. `renamed`: what the new model has renamed, as
    `{"customer": "client", "customer.phone": "telephone"}`. `filled`: values of new attributes for existing rows, if not their
    default, as `{"customer.tier": "gold"}`.
    """
    from nestling.common.stopping import telling_what_stays
    from nestling.executors.migrate import MigrationReport, what_stays, with_patience
    from nestling.ir.migration import Phase

    if old.design == new.design:
        return MigrationReport(Phase.DONE, {}, equal=True, changes=0, documents=0, seconds=0.0)

    def go_on() -> MigrationReport:
        return _migration(old, new, database, may_lose, renamed, filled, policy, watch).run(
            offline=offline, cutover=cutover
        )

    def waits() -> None:
        if watch is not None:
            watch("waiting for the server", 0, None)

    with telling_what_stays(lambda: what_stays(database)):
        return with_patience(go_on, database, waits)


@checks_arguments
def abort_migration(database: Database[Any]) -> Aborted:
    """End a migration that has not cut over, whatever its designs. The old design stays as it was."""
    from nestling.common.stopping import telling_what_stays
    from nestling.executors.exact import as_stored
    from nestling.executors.migrate import ABORT_AGAIN, abort

    with telling_what_stays(lambda: ABORT_AGAIN):
        return abort(as_stored(database))


@checks_arguments
def drop_old(
    old: Proposal,
    new: Proposal,
    database: Database[Any],
    *,
    may_lose: Iterable[Loss | str] = (),
    renamed: Mapping[str, str] | None = None,
    filled: Mapping[str, str] | None = None,
    policy: Policy | None = None,
) -> Dropped:
    """Drop the old design's collections once the new one has taken over; `may_lose`, `renamed` and `filled` as when migrating."""
    from nestling.common.stopping import telling_what_stays
    from nestling.executors.migrate import DROP_AGAIN

    with telling_what_stays(lambda: DROP_AGAIN):
        return _migration(old, new, database, may_lose, renamed, filled, policy, None).drop_old()


def _migration(
    old: Proposal,
    new: Proposal,
    database: Database[Any],
    may_lose: Iterable[Loss | str],
    renamed: Mapping[str, str] | None,
    filled: Mapping[str, str] | None,
    policy: Policy | None,
    watch: Watch | None,
) -> Migration:
    from nestling.executors.migrate import Migration
    from nestling.ir.migration import Loss
    from nestling.pipeline.migration_job import job_of

    called = called_anew(old, new, renamed)
    before, after = designs_over_one_model(called, new, filled)

    def tell(what: str, rows: int) -> None:
        if watch is not None:
            watch(f"migrating {what}", rows, None)

    job = job_of(before, after, database, policy or Policy(), new.design, called.design, old.design)
    return Migration(job, job.homes.database, shelf_of(before.model), tell, frozenset(map(Loss, may_lose)))


def shelf_of(model: Model) -> OpenShelf:
    """Return a function that opens temporary storage for rows, in files that are deleted afterwards."""
    from nestling.sources.sql.shelf import SqliteShelf

    @contextmanager
    def shelf(kept: Model) -> Iterator[Shelf]:
        with (
            tempfile.TemporaryDirectory(prefix="nestling-") as folder,
            closing(SqliteShelf(Path(folder) / "rows.db", kept=kept, model=all_with_stored(model))) as opened,
        ):
            yield opened

    return shelf


def called_anew(old: Proposal, new: Proposal, renamed: Mapping[str, str] | None) -> Proposal:
    """The old design with the names the new model has; raises `InputError` where one cannot be."""
    from nestling.planner.migration.renaming import with_names

    return replace(old, design=with_names(old.design, renamed, new.design.model)) if renamed else old


def designs_over_one_model(
    old: Proposal, new: Proposal, filled: Mapping[str, str] | None = None
) -> tuple[Design, Design]:
    """The old and the new design over one model, the new one's where they differ.

    A collection whose only change is the order of its fields stays the old design's. Raises `InputError` if the old design cannot
    be expressed over the new model.
    """
    from nestling.common.errors import InputError, Problem
    from nestling.ir.joined_models import over_one_model
    from nestling.ir.proposal import IN_PLACE
    from nestling.ir.storage.field_order import unless_reordered
    from nestling.ir.words.model_words import difference, is_renamed
    from nestling.planner.migration.filled import with_values
    from nestling.planner.migration.restated import restated

    before, after = over_one_model(old.design, new.design)
    if filled:
        after = with_values(after, before.model, filled)
    if before.model == after.model:
        return before, unless_reordered(after, before)
    if IN_PLACE not in (old.strategy, new.strategy):
        before = restated(before, after.model)
        return before, unless_reordered(after, before)
    what = f"the two designs are of different models: {difference(before.model, after.model)}"
    if is_renamed(before.model, after.model):
        move = f"nothing else differs: write `name: {before.model.name}` under `model:` in the new design"
    elif partial := _out_of_time(old, new):
        move = (
            f"time ran out before the whole database was read ({partial}). Create both files again with more time, one "
            "after the other: nestling inspect URI --budget-seconds 1200 --rest 0 --design-out OLD.yaml, then nestling "
            "design URI --budget-seconds 1200 --rest 0 -o NEW.yaml. `--rest 0` makes no pauses for other users of the "
            "server"
        )
    else:
        move = (
            "the database changed between the two readings, or one file was edited. Create both files again, one after the "
            "other: nestling inspect URI --design-out OLD.yaml, then nestling design URI -o NEW.yaml"
        )
    raise InputError(Problem(what, next_move=move))


def _out_of_time(old: Proposal, new: Proposal) -> str:
    """Return the gap that says a design was made from an incomplete look, or "" if neither was."""
    from nestling.ir.facts import OUT_OF_TIME

    sides = (("old", old), ("new", new))
    return next(
        (f"a gap of the {side} design: {g.what}" for side, each in sides for g in each.gaps if OUT_OF_TIME in g.what),
        "",
    )
