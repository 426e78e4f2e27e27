"""What MongoDB takes for the name of a collection."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.common.errors import Problem
from nestling.ir.storage.layout import Role, StoredCollection

_LONGEST = 255 - len("x.")
"""Bytes of a name beside a database's, which is one and a dot at least."""


def name_mistakes(store: StoredCollection) -> Iterator[Problem]:
    """Why there can be no collection of that name, nor those of its files."""
    files = [split.collection for split in store.collection.splits if split.gridfs and store.role is Role.HOME]
    for name, longest in ((store.name, store.name), *((name, f"{name}.chunks" if name else "") for name in files)):
        if why := _why_not(longest):
            what = f"no collection can be called `{name}`: {why}"
            yield Problem(what=what, path=("collections", store.collection.name), next_move="rename it")


def _why_not(name: str) -> str:
    if not name:
        return "the name is empty"
    if "$" in name or "\0" in name:
        return "the name contains `$` or NUL"
    if name.startswith("system."):
        return "names that start with `system.` are reserved for the server"
    if not all(name.split(".")):
        return "the name starts or ends with a dot, or has two in a row"
    size = len(name.encode("utf-8", "surrogatepass"))
    return f"the name has {size} bytes; at most {_LONGEST} fit beside the database's name" if size > _LONGEST else ""
