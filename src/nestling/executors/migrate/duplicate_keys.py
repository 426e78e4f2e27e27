"""Keys that several rows of the old design have: the new design keeps one of them, or is refused by the server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pymongo.database import Database

from nestling.common.errors import Problem
from nestling.executors.migrate.homes import Homes
from nestling.ir.access_path import column_field
from nestling.ir.migration import HomePlace, RepeatedKey

SHOWN = 3


def repeated_keys(homes: Homes, entities: Iterable[str]) -> Iterator[RepeatedKey]:
    """A few of each of these entities, but for those whose key is the `_id` of their only collection."""
    for name in entities:
        key, places = homes.model.entity(name).key, homes.at(name)
        is_id = len(places) == 1 and places[0].at_root and [places[0].paths.get(each) for each in key] == ["_id"]
        if key and not is_id:
            yield from _repeated(homes, name, key, places)


def _repeated(homes: Homes, entity: str, key: tuple[str, ...], places: tuple[HomePlace, ...]) -> Iterator[RepeatedKey]:
    home = homes.homes[entity]
    fields = {str(number): f"${column_field(home.columns.index(name))}" for number, name in enumerate(key)}
    stages = [
        *home.stages,
        {"$group": {"_id": fields, "times": {"$sum": 1}}},
        {"$match": {"times": {"$gt": 1}}},
        {"$sort": {"times": -1, "_id": 1}},
        {"$limit": SHOWN},
    ]
    for found in homes.database[home.collection].aggregate(stages, allowDiskUse=True):
        values = {name: found["_id"].get(str(number)) for number, name in enumerate(key)}
        collection, paths, documents = _documents(homes.database, places, values)
        yield RepeatedKey(entity, collection or home.collection, paths or values, found["times"], documents)


def _documents(
    database: Database[Any], places: tuple[HomePlace, ...], values: Mapping[str, object]
) -> tuple[str, Mapping[str, object], tuple[object, ...]]:
    """The documents that hold such a row, of the first place that has any: collection, the key by paths, `_id`s."""
    for place in places:
        if values.keys() <= place.paths.keys():
            asked = {place.paths[name]: value for name, value in values.items()}
            condition = {path: {"$eq": value} for path, value in asked.items()}
            found = database[place.query.collection].find(condition, {"_id": 1}).sort("_id", 1).limit(SHOWN)
            if documents := tuple(each["_id"] for each in found):
                return place.query.collection, asked, documents
    return "", {}, ()


def repeated_problems(found: Iterable[RepeatedKey]) -> Iterator[Problem]:
    """Each with what to do about it."""
    for each in found:
        move = (
            f"change or remove all but one of them, or give `{each.entity}` a key that does not repeat, in the model and in both"
            " designs (`nestling inspect URI -o model.yaml --design-out today.yaml` reads them anew)"
        )
        yield Problem(each.text(), where=each.collection, next_move=move)
