"""Stored names, where MongoDB does not allow the name of an attribute or entity; dotted paths."""

from __future__ import annotations

from collections.abc import Mapping

SYSTEM_DATABASES = ("admin", "config", "local")
OWN_COLLECTIONS = "_nestling_"
"""How the names of the collections begin in which nestling keeps how far its work is."""
CHECKPOINT_COLLECTION = f"{OWN_COLLECTIONS}load"
"""Stores the progress of a load, until it is finished."""
NUMBERS_COLLECTION = f"{OWN_COLLECTIONS}numbers"
"""Stores the highest generated numbers, for those that are never reused."""
NOWHERE_PREFIX = f"{OWN_COLLECTIONS}nowhere_"
"""Prefix of collections for entities that a design does not have yet; they are never created."""
LOOK = "nestling looks whether the design fits"
"""The comment of commands that are not an application's, although its client sends them."""
MIGRATE = "nestling migrate"
DOCTOR = "nestling doctor"
"""The comment of the commands that the doctor proposes: run in a shell, they are not the application's statements."""
"""How the comment of a migration's own commands begins."""
_ESCAPES = {".": "\uff0e", "\x00": "\u2400"}  # a dot separates path steps, NUL ends a name: look-alikes stand in


def stored_name(attribute: str) -> str:
    """The field name for an attribute: itself, unless it holds a dot or NUL, starts with `$`, is empty or is `_id`."""
    name = "".join(_ESCAPES.get(character, character) for character in attribute)
    if name.startswith("$"):
        name = "\uff04" + name[1:]
    return {"": "_", "_id": "_id_"}.get(name, name)


def collection_name(entity: str) -> str:
    """The collection name for an entity: dots between parts stay (they are usual), `$`, NUL and the `system.` prefix do not."""
    name = entity.replace("$", "\uff04").replace("\x00", "\u2400")
    name = ".".join(part or "_" for part in name.split("."))
    return "_" + name if name.startswith("system.") else name


def is_system(collection: str) -> bool:
    """Whether a collection holds no user data: one of the server's own, or nestling's progress."""
    return collection.startswith(("system.", OWN_COLLECTIONS))


def join(*paths: str) -> str:
    """Dotted path of the given parts, empty ones left out."""
    return ".".join(path for path in paths if path)


def is_within(path: str, other: str) -> bool:
    """Whether a dotted path equals the other one, or is inside it."""
    return f"{path}.".startswith(f"{other}.")


def overlap(path: str, other: str) -> bool:
    """Whether two dotted paths are equal, or one is inside the other."""
    return is_within(path, other) or is_within(other, path)


def value_at(document: object, path: str) -> object:
    """The value at a dotted path through nested documents, the whole one for ""; None if there is none."""
    found = document
    for name in path.split(".") if path else ():
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
