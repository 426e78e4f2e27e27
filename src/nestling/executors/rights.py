"""Checks what the connected user may do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pymongo.database import Database

from nestling.common.errors import PermissionDenied, Problem
from nestling.ir.quantity_words import agreeing, first_of

WRITING = ("find", "insert", "update", "createCollection", "createIndex")
MODIFYING = "collMod"
EVERY = ""
"""The collection of a privilege that covers every collection of a database, as the server writes it."""


Need = tuple[Sequence[str], Sequence[str]]
"""Collections, and what is to be done to each of them."""
MOST_COLLECTIONS_NAMED = 5


def check_privileges(database: Database[Any], *needs: Need) -> None:
    """Raise `PermissionDenied` that names missing permissions by collection.

    Nothing is checked on a server without authentication.
    """
    status = database.command("connectionStatus", showPrivileges=True)["authInfo"]
    if not status["authenticatedUsers"]:
        return
    privileges = status["authenticatedUserPrivileges"]
    lacking: dict[str, dict[str, None]] = {}
    for name, actions in ((name, actions) for collections, actions in needs for name in collections):
        allowed = frozenset(_allowed(privileges, database.name, name))
        for action in actions:
            if action not in allowed:
                lacking.setdefault(action, {})[name] = None
    if lacking:
        user = status["authenticatedUsers"][0]["user"]
        said = "; ".join(_lacking_words(lacking))
        roles = [
            role
            for role, has in (("readWrite", lacking.keys() - {MODIFYING}), ("dbAdmin", MODIFYING in lacking))
            if has
        ]
        granted = f"{agreeing(len(roles), 'role', 'roles')} {' and '.join(roles)}"
        move = f"grant it the {granted} on `{database.name}`, or use another user"
        raise PermissionDenied(Problem(f"the user `{user}` may not: {said}", where=database.name, next_move=move))


def _lacking_words(lacking: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """The missing actions, grouped by collections: `insert, update in orders, lines`."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for action, names in lacking.items():
        alike.setdefault(tuple(names), []).append(action)
    for names, actions in alike.items():
        yield f"{', '.join(actions)} in {first_of([name or 'every collection' for name in names], MOST_COLLECTIONS_NAMED)}"


def may_modify(database: Database[Any], collection: str) -> bool:
    """Whether the user may make the server keep documents as they were before changes."""
    try:
        check_privileges(database, ((collection,), (MODIFYING,)))
    except PermissionDenied:
        return False
    return True


def _allowed(privileges: Iterable[Mapping[str, Any]], database: str, collection: str) -> Iterator[str]:
    for privilege in privileges:
        resource = privilege["resource"]
        matches = resource.get("db") in ("", database) and resource.get("collection") in (EVERY, collection)
        if resource.get("anyResource") or matches:
            yield from privilege["actions"]
