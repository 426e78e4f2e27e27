"""What a database says about itself: namespaces with their options, storage, indexes and index usage."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bson import json_util
from pymongo import MongoClient, ReadPreference
from pymongo.database import Database

from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.executors.found_indexes import options_of
from nestling.executors.migrate.state import COLLECTION as MIGRATION
from nestling.executors.migrate.state import States
from nestling.executors.moment import now
from nestling.ir.facts import (
    BUILT,
    SET_ASIDE,
    SET_ASIDE_SO_FAR,
    CollectionFacts,
    IndexFacts,
    NamespaceKind,
    ServerFacts,
    Storage,
    Validator,
)
from nestling.ir.facts.joins import joins_of
from nestling.ir.indexes.index_text import index_text
from nestling.ir.migration import REFUSES_ALL, Phase
from nestling.ir.programs.command import CreateIndex
from nestling.ir.storage.names import OWN_COLLECTIONS, is_system

LISTING = "the collections of"
OPTIONS_TOLD = ("capped", "size", "max", "collation", "timeseries", "changeStreamPreAndPostImages", "encryptedFields")


@dataclass(frozen=True, slots=True)
class _Uses:
    count: int
    seconds: float
    nodes: int


def counters(client: MongoClient[FoundDocument], asking: Asking) -> dict[str, float]:
    """The number of operations of each kind on the server; empty if the user may not see it."""
    found = _status(client, asking).get("opcounters", {})
    return {name: float(number) for name, number in found.items() if isinstance(number, int | float)}


def _status(client: MongoClient[FoundDocument], asking: Asking) -> FoundDocument:
    return asking.ask("server uptime (serverStatus)", lambda: client.admin.command("serverStatus"), {})


def server(client: MongoClient[FoundDocument], asking: Asking) -> ServerFacts:
    """Version, uptime, members and storage engine."""
    version = str(client.server_info()["version"])
    hello: FoundDocument = asking.ask("topology", lambda: client.admin.command("hello"), {})
    status = _status(client, asking)
    members = len(hello.get("hosts", ())) + len(hello.get("passives", ())) or 1
    uptime = float(status["uptime"]) if "uptime" in status else None
    engine = str(status.get("storageEngine", {}).get("name", ""))
    return ServerFacts(version, uptime, members, sharded=hello.get("msg") == "isdbgrid", engine=engine)


def namespaces(database: Database[FoundDocument], asking: Asking) -> Iterator[CollectionFacts]:
    """Every namespace of a database by name, with its options; storage, indexes and documents are added later.

    Namespaces of nestling's progress, and those that a migration builds or has set aside, are not data, and are omitted.
    """
    found: list[Any] = asking.ask(f"{LISTING} {database.name}", lambda: list(database.list_collections()), [])
    listed = {str(entry["name"]): entry for entry in found}
    migrating = _migrating(database, asking) if MIGRATION in listed else {}
    for name, entry in sorted(listed.items()):
        if name in migrating:
            asking.skip(f"{database.name}.{name}", migrating[name])
        elif not name.startswith(OWN_COLLECTIONS):
            yield _namespace(database.name, entry)


def _migrating(database: Database[FoundDocument], asking: Asking) -> Mapping[str, str]:
    """Why each collection that a migration builds or has set aside is left out."""
    state = asking.ask(f"the migration of {database.name}", States(database).read, None)
    if state is None:
        return {}
    aside = SET_ASIDE if state.phase is Phase.DONE else SET_ASIDE_SO_FAR
    return dict.fromkeys(state.built, BUILT) | dict.fromkeys(state.set_aside, aside)


def _namespace(database: str, entry: Mapping[str, Any]) -> CollectionFacts:
    options = entry.get("options", {})
    pipeline = options.get("pipeline", [])
    return CollectionFacts(
        database,
        str(entry["name"]),
        _kind(entry),
        validator=_validator(options),
        joins=tuple(joins_of(pipeline)),
        expires="expireAfterSeconds" in options,
        options=tuple(name for name in OPTIONS_TOLD if options.get(name)),
    )


def _kind(entry: Mapping[str, Any]) -> NamespaceKind:
    options = entry.get("options", {})
    if is_system(str(entry["name"])):
        return NamespaceKind.SYSTEM
    if entry.get("type") == "view":
        return NamespaceKind.VIEW
    if entry.get("type") == "timeseries" or "timeseries" in options:
        return NamespaceKind.TIME_SERIES
    if options.get("capped"):
        return NamespaceKind.CAPPED
    return NamespaceKind.CLUSTERED if options.get("clusteredIndex") else NamespaceKind.COLLECTION


def _validator(options: Mapping[str, Any]) -> Validator | None:
    rules = options.get("validator")
    if not rules:
        return None
    level, action = options.get("validationLevel", "strict"), options.get("validationAction", "error")
    return Validator(json.dumps(_plain(rules)), level, action, is_fence=rules == REFUSES_ALL)


def _plain(rules: object) -> Any:
    return json.loads(json_util.dumps(rules))


def with_storage(collection: CollectionFacts, database: Database[FoundDocument], asking: Asking) -> CollectionFacts:
    """The collection with its sizes, its indexes and their usage, over all shards."""
    name, where = collection.name, collection.namespace
    pipeline: list[FoundDocument] = [{"$collStats": {"storageStats": {}}}, {"$project": {"storageStats.wiredTiger": 0}}]
    shards = asking.aggregate(database, name, f"the storage of {where}", pipeline)
    stats = [shard["storageStats"] for shard in shards]
    listed: list[Any] = asking.ask(f"the indexes of {where}", lambda: list(database[name].list_indexes()), [])
    sizes, uses = _index_sizes(stats), _uses(database, name, asking)
    shard_key = _shard_key(database, where, asking)
    indexes = tuple(
        _with_outdated(_index(spec, sizes, uses, shard_key), spec, collection, database, asking) for spec in listed
    )
    return replace(collection, storage=_storage(stats), indexes=indexes)


def _storage(stats: Sequence[FoundDocument]) -> Storage | None:
    def total(key: str) -> int:
        return sum(int(each.get(key, 0)) for each in stats)

    return Storage(total("count"), total("size"), total("storageSize"), total("totalIndexSize")) if stats else None


def _index_sizes(stats: Iterable[FoundDocument]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for each in stats:
        for index, size in each.get("indexSizes", {}).items():
            sizes[index] = sizes.get(index, 0) + int(size)
    return sizes


def _shard_key(database: Database[FoundDocument], namespace: str, asking: Asking) -> tuple[str, ...]:
    """The fields of the shard key, which only a router knows; empty if there is none."""
    if not database.client.is_mongos:
        return ()
    collections = database.client["config"]["collections"]
    found = asking.ask(f"the shard key of {namespace}", lambda: collections.find_one({"_id": namespace}), None)
    return tuple(found["key"]) if found else ()


def _uses(database: Database[FoundDocument], name: str, asking: Asking) -> dict[str, _Uses]:
    """Uses by index: each member of a replica set counts its own."""
    moment = now()
    rows: dict[tuple[str, str], FoundDocument] = {}
    for preference in (ReadPreference.PRIMARY_PREFERRED, ReadPreference.SECONDARY_PREFERRED):
        there = database.with_options(read_preference=preference)
        for row in asking.aggregate(there, name, f"index use of {database.name}.{name}", [{"$indexStats": {}}]):
            rows[str(row.get("host", "")), str(row["name"])] = row
    found: dict[str, _Uses] = {}
    for (_, index), row in rows.items():
        began = row["accesses"].get("since")  # some servers do not say
        since = (moment - began).total_seconds() if began is not None else 0.0
        known = found.get(index, _Uses(0, since, 0))
        found[index] = _Uses(known.count + int(row["accesses"]["ops"]), min(known.seconds, since), known.nodes + 1)
    return found


def _index(
    spec: Mapping[str, Any], sizes: Mapping[str, int], uses: Mapping[str, _Uses], shard_key: tuple[str, ...]
) -> IndexFacts:
    name, keys = str(spec["name"]), tuple(_keys(spec))
    used = uses.get(name)
    collation = spec.get("collation", {})
    ttl = spec.get("expireAfterSeconds")
    return IndexFacts(
        name,
        keys,
        unique=bool(spec.get("unique")),
        sparse=bool(spec.get("sparse")),
        partial="partialFilterExpression" in spec,
        hidden=bool(spec.get("hidden")),
        ttl_seconds=max(0.0, float(ttl)) if ttl is not None else None,
        collation=json.dumps(_plain(collation), sort_keys=True) if collation else "",
        strength=int(collation.get("strength", 3)) if collation else 0,
        size_bytes=sizes.get(name, 0),
        uses=used.count if used else None,
        since_seconds=max(used.seconds, 0.0) if used else 0.0,
        nodes=used.nodes if used else 1,
        shard_key=bool(shard_key) and tuple(field for field, _ in keys)[: len(shard_key)] == shard_key,
        present=_present(spec),
        text=index_text(CreateIndex("", keys, options_of(spec))),
    )


def _with_outdated(
    index: IndexFacts,
    spec: Mapping[str, Any],
    collection: CollectionFacts,
    database: Database[FoundDocument],
    asking: Asking,
) -> IndexFacts:
    """A TTL index with whether there are dates in it, as the server deletes by these alone, and how many texts in it are, as
    dates, older than it allows.
    """
    field = index.expires_by
    if not field or index.ttl_seconds is None:
        return index
    date = {"$convert": {"input": f"${field}", "to": "date", "onError": None}}
    oldest = {"$subtract": ["$$NOW", round(1000 * index.ttl_seconds)]}
    outdated = {"$expr": {"$and": [{"$gt": [date, None]}, {"$lte": [date, oldest]}]}}
    held = [{field: {"$type": "string"}}, dict(spec.get("partialFilterExpression", {})), outdated]
    found = asking.ask(
        f"the texts in the TTL index {index.name} of {collection.namespace}",
        lambda: list(
            database[collection.name].aggregate(
                [{"$match": {"$and": held}}, {"$count": "texts"}], maxTimeMS=asking.milliseconds()
            )
        ),
        None,
    )
    dated = {"$and": [{field: {"$type": "date"}}, dict(spec.get("partialFilterExpression", {}))]}
    dates = asking.ask(
        f"the dates in the TTL index {index.name} of {collection.namespace}",
        lambda: database[collection.name].count_documents(dated, limit=1, maxTimeMS=asking.milliseconds()),
        None,
    )
    index = replace(index, dates=None if dates is None else bool(dates))
    return index if found is None else replace(index, outdated_texts=sum(int(row["texts"]) for row in found))


def _present(spec: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys documents are to have for an index to hold them, where it asks for nothing else; empty otherwise."""
    keys = [str(field) for field in spec["key"]]
    if spec.get("sparse"):
        return tuple(keys) if len(keys) == 1 else ()
    asked = dict(spec.get("partialFilterExpression", {}))
    plain = all(
        isinstance(each, Mapping) and (each == {"$exists": True} or [*each] == ["$type"]) for each in asked.values()
    )
    return tuple(sorted(asked)) if plain and set(asked) <= set(keys) else ()


def _keys(spec: Mapping[str, Any]) -> Iterable[tuple[str, int | str]]:
    """Fields and directions; a text index says its fields elsewhere."""
    for field, kind in spec["key"].items():
        if field == "_fts":
            yield from ((weighted, "text") for weighted in spec.get("weights", {}))
        elif field != "_ftsx":
            yield str(field), kind if isinstance(kind, str) else int(kind)
