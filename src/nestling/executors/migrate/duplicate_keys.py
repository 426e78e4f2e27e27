"""Keys and UNIQUEs that several rows of the old design share: the new design keeps one of them, or is refused by the server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pymongo.database import Database

from nestling.common.errors import Problem
from nestling.executors.migrate.homes import Homes
from nestling.ir.migration import HomePlace, RepeatedKey
from nestling.ir.paths.access_path import column_field

MOST_DUPLICATES = 3


def repeated_keys(homes: Homes, entities: Iterable[str]) -> Iterator[RepeatedKey]:
    """Yield a few repeated keys of each of these entities, except those whose key is the `_id` of their only collection."""
    for name in entities:
        key, places = homes.model.entity(name).key, homes.at(name)
        is_id = len(places) == 1 and places[0].at_root and [places[0].paths.get(each) for each in key] == ["_id"]
        if key and not is_id:
            yield from _repeated(homes, name, key, places)


def repeated_uniques(homes: Homes, entities: Iterable[str]) -> Iterator[RepeatedKey]:
    """Yield a few repeated values of each unique group, unless an index on the entity's only collection enforces it.

    NULLs may repeat.
    """
    for name in entities:
        places = homes.at(name)
        for unique in homes.model.entity(name).other_uniques:
            if not (len(places) == 1 and _is_kept(homes.database, places[0], unique)):
                yield from _repeated(homes, name, unique, places, is_unique=True)


def _is_kept(database: Database[Any], place: HomePlace, unique: tuple[str, ...]) -> bool:
    paths = {place.paths.get(name) for name in unique}
    told = database[place.query.collection].index_information().values()
    return place.at_root and any(each.get("unique") and {path for path, _ in each["key"]} == paths for each in told)


def _repeated(
    homes: Homes, entity: str, key: tuple[str, ...], places: tuple[HomePlace, ...], *, is_unique: bool = False
) -> Iterator[RepeatedKey]:
    home = homes.homes[entity]
    columns = [column_field(home.columns.index(name)) for name in key]
    fields = {str(number): f"${column}" for number, column in enumerate(columns)}
    stages = [
        *home.stages,
        *([{"$match": {column: {"$ne": None} for column in columns}}] if is_unique else []),
        {"$group": {"_id": fields, "times": {"$sum": 1}}},
        {"$match": {"times": {"$gt": 1}}},
        {"$sort": {"times": -1, "_id": 1}},
        {"$limit": MOST_DUPLICATES},
    ]
    for found in homes.database[home.collection].aggregate(stages, allowDiskUse=True):
        values = {name: found["_id"].get(str(number)) for number, name in enumerate(key)}
        collection, paths, documents = _documents(homes.database, places, values)
        yield RepeatedKey(entity, collection or home.collection, paths or values, found["times"], documents, is_unique)


def _documents(
    database: Database[Any], places: tuple[HomePlace, ...], values: Mapping[str, object]
) -> tuple[str, Mapping[str, object], tuple[object, ...]]:
    """The documents that hold such a row, of the first place that has any: collection, the key by paths, `_id`s."""
    for place in places:
        if values.keys() <= place.paths.keys():
            asked = {place.paths[name]: value for name, value in values.items()}
            condition = {path: {"$eq": value} for path, value in asked.items()}
            found = database[place.query.collection].find(condition, {"_id": 1}).sort("_id", 1).limit(MOST_DUPLICATES)
            if documents := tuple(each["_id"] for each in found):
                return place.query.collection, asked, documents
    return "", {}, ()


def repeated_problems(found: Iterable[RepeatedKey]) -> Iterator[Problem]:
    """Each with what to do about it."""
    for each in found:
        if each.is_unique:
            yield Problem(
                each.text(), where=each.collection, next_move=f"change all but one of them, or {each.allowing()}"
            )
            continue
        move = (
            f"change or remove all but one of them, or give `{each.entity}` a unique key, in the model and in both designs "
            "(`nestling inspect URI -o model.yaml --design-out today.yaml` reads them again)"
        )
        yield Problem(each.text(), where=each.collection, next_move=move)
