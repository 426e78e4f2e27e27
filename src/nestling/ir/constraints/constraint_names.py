"""What PostgreSQL calls a table's key and its UNIQUE constraints: by their columns, where the DDL gives no name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nestling.ir.model import Entity

_LONGEST = 63
"""Bytes of a name; PostgreSQL cuts parts of a longer one."""
ConstraintNames = tuple[tuple[str, tuple[str, ...]], ...]


def attributes_called(name: str, entity: Entity) -> tuple[str, ...] | None:
    """The attributes of the key or UNIQUE constraint with that name, in any case; None if there is none."""
    name, own = name.casefold(), {each.casefold(): group for each, group in entity.constraint_names}
    named = {frozenset(group) for group in own.values()}
    given = {
        usual.casefold(): group
        for usual, group in _usual_names(entity.name, entity.key, entity.uniques)
        if frozenset(group) not in named
    }
    return own.get(name) or given.get(name)


def unusual(
    names: Iterable[tuple[str, tuple[str, ...]]], table: str, key: tuple[str, ...], uniques: Iterable[tuple[str, ...]]
) -> ConstraintNames:
    """The given names of these groups, without those that PostgreSQL would choose by itself."""
    groups = [*([key] if key else []), *uniques]
    known = {frozenset(group) for group in groups}
    usual = {(name, frozenset(group)) for name, group in _usual_names(table, key, groups)}
    return tuple(
        (name, group) for name, group in names if frozenset(group) in known and (name, frozenset(group)) not in usual
    )


def _usual_names(
    table: str, key: tuple[str, ...], uniques: Iterable[tuple[str, ...]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    bare = table.rpartition(".")[2]
    found = [(f"{bare}_{'_'.join(group)}_key", group) for group in uniques]
    if key:
        found.append((f"{bare}_pkey", key))
    yield from ((name, group) for name, group in found if len(name.encode()) <= _LONGEST)
