"""What a command's lookups need: without an index on the field they compare, the server reads a collection for each document."""

from __future__ import annotations

from nestling.doctor.commands import create_index, index_keys
from nestling.ir.facts import Facts

FEW_DOCUMENTS = 1_000
"""Documents that are read soon enough, for each document that is looked up in them."""


def has_index(facts: Facts, database: str, name: str, field: str) -> bool:
    """Whether an index finds the documents with a value of the field, or there are few."""
    collection = facts.collection(database, name)
    if field == "_id" or collection is None:
        return True
    is_small = collection.storage is not None and collection.storage.documents <= FEW_DOCUMENTS
    indexes = (each for each in collection.indexes if not (each.partial or each.sparse or each.hidden))
    return is_small or any(each.keys[0] in ((field, 1), (field, -1)) for each in indexes)


def index_first(facts: Facts, database: str, name: str, field: str) -> str:
    """What to do before the commands; "" where an index is there."""
    if has_index(facts, database, name, field):
        return ""
    return (
        f"`{name}` has no index on `{field}`, so each command would read all of it for every document: first create"
        f" {index_keys([(field, 1)])} (the first command). "
    )


def creating_first(facts: Facts, database: str, name: str, field: str) -> tuple[str, ...]:
    """The command for that index; none where one is there."""
    return () if has_index(facts, database, name, field) else (create_index(database, name, [(field, 1)]),)
