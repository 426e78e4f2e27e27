"""A live MongoDB, to look at and not to write to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nestling.ir.storage.names import SYSTEM_DATABASES

if TYPE_CHECKING:
    from pymongo import MongoClient

    from nestling.common.errors import SourceError


@contextmanager
def looked_at(uri: str) -> Iterator[tuple[MongoClient[dict[str, Any]], list[str]]]:
    """Open a client, and list the databases: the URI's, or else all that are not the server's own.

    Raises `ConnectionFailed`, `PermissionDenied` or, if there is nothing to look at, `SourceError`.
    """
    from nestling.common.connection import connect, database_name, typed_errors
    from nestling.common.errors import Problem, SourceError
    from nestling.executors.facts import READING

    with connect(uri, **READING) as client, typed_errors(uri):
        named = database_name(uri, "")
        databases = [named] if named else sorted(set(client.list_database_names()) - set(SYSTEM_DATABASES))
        if named and (other := _in_other_case(client, named)):
            move = "use that name: names are case-sensitive, and the server allows no two that differ only in case"
            raise SourceError(
                Problem(f"there is no database of this name, but there is `{other}`", where=named, next_move=move)
            )
        if not databases:
            move = "give one: mongodb://host/database"
            raise SourceError(
                Problem("there are no databases that the user may read", where="the server", next_move=move)
            )
        yield client, databases


def _in_other_case(client: MongoClient[dict[str, Any]], named: str) -> str:
    """Return the database whose name differs only in case, if none has the exact name; empty if that cannot be determined."""
    from pymongo.errors import PyMongoError

    try:
        known = client.list_database_names()
    except PyMongoError:
        return ""
    alike = (each for each in known if each.casefold() == named.casefold())
    return "" if named in known else next(alike, "")


def nothing_there(databases: Sequence[str]) -> SourceError:
    """Return the error for databases that do not exist or have no collections; a server does not distinguish the two."""
    from nestling.common.errors import Problem, SourceError

    move = "give a database with collections: mongodb://host/database"
    return SourceError(Problem("there are no collections to read", where=", ".join(databases), next_move=move))
