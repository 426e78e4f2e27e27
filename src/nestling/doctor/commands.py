"""Commands for the MongoDB shell, made of plain documents: here alone names and values become text that the shell reads.

Queries and updates carry a mark, by which what servers record of them is told from the application's statements. Of an update
servers record no comment, but its filter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from nestling.ir.facts import CollectionFacts
from nestling.ir.literals import Code, of_collection, quoted, shell_line, shell_ordered
from nestling.ir.storage.names import DOCTOR

_Document = Mapping[str, object]

_COMMENT = {"comment": DOCTOR}


def in_database(database: str, name: str) -> str:
    """The expression for a collection of any database."""
    return of_collection(_database(database), name)


def here(collection: CollectionFacts) -> str:
    """The expression for this collection."""
    return in_database(collection.database, collection.name)


def own_validator(collection: CollectionFacts) -> Code:
    """An expression for the current validator, because its text may be pages long."""
    infos = f"{_database(collection.database)}.getCollectionInfos({shell_line({'name': collection.name})})"
    return Code(f"{infos}[0].options.validator")


def find(collection: str, which: _Document, shown: _Document | None = None) -> str:
    """A command that shows these documents of a collection, which is given as an expression, as below; or only some fields."""
    arguments = (which,) if shown is None else (which, shown)
    return f"{_call(collection, 'find', *arguments)}.comment({shell_line(DOCTOR)})"


def for_each(query: str, change: str) -> str:
    """A command that runs another one for every document of a query, there called `each`."""
    return f"{query}.forEach((each) => {change})"


def aggregate(collection: str, stages: Iterable[_Document], **options: object) -> str:
    """A command that runs these stages over a collection."""
    return _call(collection, "aggregate", [*stages], options | _COMMENT)


def update_many(collection: str, which: _Document, change: _Document | Sequence[_Document]) -> str:
    """A command that changes these documents, by operators or by stages."""
    return _call(collection, "updateMany", {"$comment": DOCTOR, **which}, change)


def update_one(collection: str, which: _Document, change: _Document) -> str:
    """A command that changes one document, as part of another command."""
    return _call(collection, "updateOne", which, change)


def create_index(database: str, name: str, keys: Iterable[tuple[str, int | str]], /, **options: object) -> str:
    """A command that creates an index."""
    return _call(in_database(database, name), "createIndex", Code(shell_ordered(keys)), *([options] if options else []))


def index_keys(keys: Iterable[tuple[str, int | str]]) -> str:
    """The keys of an index as the shell reads them."""
    return shell_ordered(keys)


def drop_index(collection: CollectionFacts, index: str) -> str:
    """A command that drops an index."""
    return _call(here(collection), "dropIndex", index)


def hide_first(collection: CollectionFacts, index: str) -> tuple[str, str]:
    """Commands that hide an index first, which can be taken back at once, and drop it later."""
    later = "// only after a week in which nothing became slow; until then unhideIndex brings it back"
    return _call(here(collection), "hideIndex", index), f"{drop_index(collection, index)} {later}"


def change_collection(collection: CollectionFacts, **changes: object) -> str:
    """A command that changes the options of a collection or of an index."""
    return f"{_database(collection.database)}.runCommand({shell_line({'collMod': collection.name} | changes)})"


def index_sizes(collection: CollectionFacts) -> str:
    """A command that shows the bytes of each index."""
    return f"{_call(here(collection), 'stats')}.indexSizes"


def largest_documents(collection: CollectionFacts) -> str:
    """A command that shows the largest documents' ids."""
    sizes = {"$project": {"bytes": {"$bsonSize": "$$ROOT"}}}
    return aggregate(here(collection), (sizes, {"$sort": {"bytes": -1}}, {"$limit": 5}))


def _database(name: str) -> str:
    return f"db.getSiblingDB({quoted(name)})"


def _call(collection: str, method: str, *arguments: object) -> str:
    return f"{collection}.{method}({', '.join(map(shell_line, arguments))})"
