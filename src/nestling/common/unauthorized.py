"""What a server says where the user may not do something, as people read it: what it was, where, and the role that may."""

from __future__ import annotations

import re

from nestling.common.errors import Problem

_COMMAND = re.compile(r'not authorized on (\S+) to execute command \{ (\w+): (?:"([^"]*)")?')
_NOBODY = re.compile(r"[Cc]ommand (\w+) requires authentication")
_READING = frozenset(
    {"find", "aggregate", "count", "distinct", "getMore", "listCollections", "listIndexes", "collStats"}
)
_WRITING = frozenset({"insert", "update", "delete", "findAndModify", "create", "createIndexes", "drop", "dropIndexes"})
_MODIFYING = frozenset({"collMod", "renameCollection", "profile"})
_WRITES_TOO = re.compile(r"\$(?:out|merge): ")


def unauthorized(said: str, where: str) -> Problem:
    """The problem of the server's sentence; the sentence itself where it is of no known form."""
    if (nobody := _NOBODY.search(said)) is not None:
        what, move = (
            f"the server allows `{nobody[1]}` only after login",
            "give user and password in the URI",
        )
        return Problem(what, where=where, next_move=move)
    found = _COMMAND.search(said)
    if found is None:
        move = "use a user with that right, or ask for it to be granted"
        return Problem(f"the user may not do this: {said.partition(', lsid: ')[0]}", where=where, next_move=move)
    database, command, collection = found[1], found[2], found[3]
    role = _role(command, said)
    at = f"`{database}.{collection}`" if collection else f"the database `{database}`"
    granted = f"grant it the role {role} on `{database}`" if role else "grant it that right"
    return Problem(f"the user may not `{command}` in {at}", where=where, next_move=f"{granted}, or use another user")


def _role(command: str, said: str) -> str:
    """The least of the server's own roles that may; empty where none of those on a database does."""
    if command in _WRITING or (command == "aggregate" and _WRITES_TOO.search(said)):
        return "readWrite"
    return "read" if command in _READING else "dbAdmin" if command in _MODIFYING else ""
