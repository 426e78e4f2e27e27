"""What the connected user may do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pymongo.database import Database

from nestling.common.errors import PermissionDenied, Problem

WRITING = ("find", "insert", "update", "createCollection", "createIndex")
MODIFYING = "collMod"
EVERY = ""
"""As the server writes it in a privilege: every collection of a database."""


def check_privileges(database: Database[Any], collections: Sequence[str], actions: Sequence[str] = WRITING) -> None:
    """Raise `PermissionDenied` naming what the connected user may not do to which collection; free where nobody logs in."""
    status = database.command("connectionStatus", showPrivileges=True)["authInfo"]
    if not status["authenticatedUsers"]:
        return
    privileges = status["authenticatedUserPrivileges"]
    lacking: dict[str, list[str]] = {}
    for name in collections:
        allowed = frozenset(_allowed(privileges, database.name, name))
        for action in actions:
            if action not in allowed:
                lacking.setdefault(action, []).append(name)
    if lacking:
        user = status["authenticatedUsers"][0]["user"]
        said = "; ".join(
            f"{action} in {', '.join(name or 'every collection' for name in names)}"
            for action, names in lacking.items()
        )
        roles = [
            role
            for role, has in (("readWrite", lacking.keys() - {MODIFYING}), ("dbAdmin", MODIFYING in lacking))
            if has
        ]
        granted = f"role{'s' if len(roles) > 1 else ''} {' and '.join(roles)}"
        move = f"grant it the {granted} on `{database.name}`, or use another user"
        raise PermissionDenied(Problem(f"the user `{user}` may not: {said}", where=database.name, next_move=move))


def may_modify(database: Database[Any], collection: str) -> bool:
    """Whether the connected user may have the server keep documents as they were before changes."""
    try:
        check_privileges(database, (collection,), (MODIFYING,))
    except PermissionDenied:
        return False
    return True


def _allowed(privileges: Iterable[Mapping[str, Any]], database: str, collection: str) -> Iterator[str]:
    for privilege in privileges:
        resource = privilege["resource"]
        matches = resource.get("db") in ("", database) and resource.get("collection") in (EVERY, collection)
        if resource.get("anyResource") or matches:
            yield from privilege["actions"]
