"""Unique indexes on new collections.

While rows are copied and changes applied one by one, a row that moves from one document to another is temporarily in both. So
these indexes are built after the changes are applied, and remaining duplicates are removed: comparing rows then finds what is
missing, and it is derived again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pymongo.database import Database

from nestling.common.errors import LoadError
from nestling.executors.create import create_indexes
from nestling.ir.programs.command import CreateIndex


def build_uniques(database: Database[Any], indexes: Sequence[CreateIndex]) -> None:
    """Build unique indexes; if duplicates prevent that, remove all documents but one with the same values."""
    try:
        create_indexes(database, indexes)
    except LoadError:
        if not sum([_remove_repeated(database, each) for each in indexes]):
            raise
        create_indexes(database, indexes)


def _remove_repeated(database: Database[Any], index: CreateIndex) -> int:
    """How many documents there were."""
    collection = database[index.collection]
    found = collection.aggregate([*_repeated(index)], collation=index.options.get("collation"), allowDiskUse=True)
    return sum(collection.delete_many({"_id": {"$in": each["documents"][1:]}}).deleted_count for each in found)


def _repeated(index: CreateIndex) -> Iterator[dict[str, Any]]:
    """The stages that find documents with the same values; of an array the values of its elements count."""
    paths = [path for path, _ in index.keys]
    yield {"$match": index.options.get("partialFilterExpression", {})}
    if index.options.get("sparse"):
        yield {"$match": {"$or": [{path: {"$exists": True}} for path in paths]}}
    for outer in dict.fromkeys(each for path in paths for each in _with_outer(path)):
        yield {"$unwind": {"path": f"${outer}", "preserveNullAndEmptyArrays": True}}
    values = {str(number): {"$ifNull": [f"${path}", None]} for number, path in enumerate(paths)}
    yield {"$group": {"_id": values, "documents": {"$addToSet": "$_id"}}}
    yield {"$match": {"documents.1": {"$exists": True}}}


def _with_outer(path: str) -> Iterator[str]:
    """`lines`, and `lines.code`."""
    names = path.split(".")
    yield from (".".join(names[:end]) for end in range(1, len(names) + 1))
