"""From changed rows to the documents of the new design they make differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.executors.migrate.changed_rows import ChangedRow
from nestling.executors.migrate.closure import roots_of
from nestling.executors.migrate.derive import Deriver
from nestling.executors.migrate.unit import MigrationUnit, RootKey
from nestling.ir.rows import Row


def carry_over(deriver: Deriver, targets: Sequence[MigrationUnit], changes: Sequence[ChangedRow]) -> None:
    """Derive every document again that some changed row makes differ."""
    gone: dict[str, list[Row]] = {}
    for change in changes:
        gone.setdefault(change.entity, []).append(change.row)
    for target in targets:
        deriver.derive(target, _scopes(deriver, target, changes))
        if gone:
            deriver.forget_pages(target, gone)


def _scopes(deriver: Deriver, target: MigrationUnit, changes: Sequence[ChangedRow]) -> Iterator[RootKey]:
    homes, scope_of = deriver.homes, target.scoping()
    with deriver.session() as session:
        for reach in target.reaches:
            entity = reach.path[-1].target(homes.model) if reach.path else target.entity.name
            rows = [each.row for each in changes if each.entity == entity and reach.is_touched_by(each.attributes)]
            if rows:
                for root in roots_of(homes, rows, reach.path, again=reach.again, session=session):
                    yield scope_of(root)
