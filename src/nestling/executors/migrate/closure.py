"""Walks between rows: from root rows to all their documents depend on, and back from changed rows to root rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pymongo.client_session import ClientSession

from nestling.executors.migrate.distinct_values import mark, once
from nestling.executors.migrate.homes import AttributeValues, Homes
from nestling.executors.migrate.spool import Spool
from nestling.executors.migrate.unit import MigrationUnit
from nestling.ir.model import Model
from nestling.ir.rows import Hop, Row, RowPath, reversed_path
from nestling.ir.storage.stored_forms import sql_value


def gather(
    homes: Homes, target: MigrationUnit, roots: Iterable[Row], spool: Spool, session: ClientSession
) -> dict[RowPath, list[Row]]:
    """Bring the root rows and everything their documents depend on into the spool; returns the rows at each way's end."""
    rows: dict[RowPath, list[Row]] = {(): list(spool.add(target.entity.name, roots))}
    plain = {reach.path for reach in target.reaches if reach.path and not reach.again}
    for path in sorted(plain, key=len):
        above = rows[path[:-1]]
        rows[path] = list(spool.add(path[-1].target(homes.model), _next(homes, above, path[-1], session)))
    for reach in target.reaches:
        if reach.again:
            _walk(homes, rows[reach.path[:-1]], reach.path[-1], session, spool)
    return rows


def _walk(
    homes: Homes, rows: Sequence[Row], hop: Hop, session: ClientSession | None, spool: Spool | None = None
) -> list[Row]:
    """All rows at the end of one hop or more; a circle ends where it began."""
    entity, found, seen = hop.target(homes.model), list[Row](), set[object]()
    level = list(rows)
    while level:
        values = [value for value in _linked(homes.model, level, hop) if mark(value) not in seen]
        seen.update(map(mark, values))
        fetched = _fetched(homes, values, hop, session)
        level = list(fetched if spool is None else spool.add(entity, fetched))
        found += level
    return found


def roots_of(homes: Homes, rows: Sequence[Row], path: RowPath, *, again: bool, session: ClientSession) -> list[Row]:
    """The root rows from which `path` leads to one of these rows, as things are now."""
    found = list(rows)
    for position, hop in enumerate(reversed_path(path)):
        is_walk = again and position == 0
        found = _walk(homes, found, hop, session) if is_walk else list(_next(homes, found, hop, session))
    return found


def _next(homes: Homes, rows: Iterable[Row], hop: Hop, session: ClientSession | None) -> Iterator[Row]:
    return _fetched(homes, _linked(homes.model, rows, hop), hop, session)


def _fetched(homes: Homes, values: Iterable[AttributeValues], hop: Hop, session: ClientSession | None) -> Iterator[Row]:
    return homes.fetch(hop.target(homes.model), hop.far(homes.model), values, session)


def _linked(model: Model, rows: Iterable[Row], hop: Hop) -> list[AttributeValues]:
    """The distinct values by which rows are linked; NULL links to nothing."""
    names = model.entity(hop.start(model)).attribute_names
    near = [names.index(name) for name in hop.near(model)]
    found = once(tuple(sql_value(row[place]) for place in near) for row in rows)
    return [values for values in found if None not in values]
