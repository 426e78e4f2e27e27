"""Changes people make by hand, past nestling: documents deleted, put back, replaced; values, elements and arrays changed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from pymongo.database import Database

from nestling.ir.codec import CODEC
from nestling.ir.design import Design
from nestling.ir.primitives import Computed, Copy, Reference
from nestling.ir.storage.names import join
from nestling.planner.upkeep import upkeeps_of

Document = dict[str, Any]


def derived_paths(design: Design) -> dict[str, set[str]]:
    """By collection the paths nobody changes by hand here: what follows from something else."""
    found: dict[str, set[str]] = {}
    for upkeep in upkeeps_of(design):
        inside = found.setdefault(upkeep.place.store.name, set())
        match upkeep.what:
            case Copy() as copy:
                inside.add(join(upkeep.place.path, copy.name))
                inside.update(join(upkeep.place.path, field.path) for field in copy.attributes)
            case Computed() as computed:
                inside.add(join(upkeep.place.path, computed.field))
            case Reference() as reference:
                inside.add(join(upkeep.place.path, reference.field))
    return found


class Hand:
    """Makes changes by chance in a loaded database; what it did is in `done`."""

    def __init__(self, design: Design, database: Database[Any], random: Random) -> None:
        self._database = database.with_options(codec_options=CODEC)
        self._random = random
        self._derived = derived_paths(design)
        self._stores = [store.name for store in design.stores if store.name in database.list_collection_names()]
        self._gone: list[tuple[str, Document]] = []
        self.done: list[str] = []

    def change(self) -> None:
        """One change, of a kind that chance picks."""
        name = self._random.choice(self._stores)
        documents = list(self._database[name].find())
        kind = self._random.choice(["delete", "back", "set", "set", "set", "replace", "pull", "push"])
        if kind == "back" and self._gone:
            self._back()
        elif documents:
            document = self._random.choice(documents)
            match kind:
                case "delete":
                    self._gone.append((name, document))
                    self._database[name].delete_one({"_id": document["_id"]})
                    self.done.append(f"{name}: delete {document['_id']!r}")
                case "pull" | "push":
                    self._array(name, document, push=kind == "push")
                case _:
                    self._value(name, document, documents, whole=kind == "replace")

    def _back(self) -> None:
        name, document = self._gone.pop(self._random.randrange(len(self._gone)))
        self._database[name].replace_one({"_id": document["_id"]}, document, upsert=True)
        self.done.append(f"{name}: back {document['_id']!r}")

    def _value(self, name: str, document: Document, others: list[Document], *, whole: bool) -> None:
        paths = [path for path in leaves(document) if self._free(name, path)]
        if not paths:
            return
        path = self._random.choice(paths)
        values = [value for other in others if (value := at(other, path)) is not None]
        value = self._random.choice(values)
        self.done.append(f"{name}: {'replace with' if whole else 'set'} {path} = {value!r} in {document['_id']!r}")
        if whole:
            put(document, path, value)
            self._database[name].replace_one({"_id": document["_id"]}, document)
        else:
            self._database[name].update_one({"_id": document["_id"]}, {"$set": {path: value}})

    def _array(self, name: str, document: Document, *, push: bool) -> None:
        paths = [
            path for path, value in document.items() if isinstance(value, list) and value and self._free(name, path)
        ]
        if not paths:
            return
        path = self._random.choice(paths)
        element = self._random.choice(document[path])
        change = {"$push" if push else "$pull": {path: element}}
        self._database[name].update_one({"_id": document["_id"]}, change)
        self.done.append(f"{name}: {change} in {document['_id']!r}")

    def _free(self, name: str, path: str) -> bool:
        plain = ".".join(part for part in path.split(".") if not part.isdigit())
        derived = self._derived.get(name, ())
        return not any(plain == d or plain.startswith(f"{d}.") or d.startswith(f"{plain}.") for d in derived)


def leaves(value: object, path: str = "") -> Iterator[str]:
    """The dotted paths of a document's values, those in arrays by their places; `_id` never."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        if name == "_id" and not path:
            continue
        whole = join(path, str(name))
        if isinstance(inner, dict | list) and inner:
            yield from leaves(inner, whole)
        else:
            yield whole


def at(value: Any, path: str) -> Any:
    """The value at a path, None where there is none."""
    for name in path.split("."):
        if isinstance(value, list):
            value = value[int(name)] if int(name) < len(value) else None
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value


def put(document: Any, path: str, value: object) -> None:
    """Change the value at a path that is there."""
    *way, last = path.split(".")
    for name in way:
        document = document[int(name)] if isinstance(document, list) else document[name]
    document[int(last) if isinstance(document, list) else last] = value
