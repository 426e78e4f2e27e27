"""A Python module that creates collections, validators and indexes with pymongo; calling it again changes nothing."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.emitters.commands import InexpressibleIndex, gaps, indexes_of, inexpressible_indexes, storage, validation
from nestling.emitters.validators.enforcement import MODERATE, STRICT
from nestling.ir.design import Design
from nestling.ir.indexes.planned_index import PlannedIndex
from nestling.ir.literals import comment, python
from nestling.ir.programs.command import CreateIndex
from nestling.ir.proposal import Proposal
from nestling.ir.storage.layout import StoredCollection
from nestling.ir.words.purposes import purpose

_HEAD = '''\
"""Creates the collections and indexes of a design: `create(MongoClient(uri)["database"])`."""

@TIMESfrom typing import Any

@VALUESfrom pymongo.database import Database

STRICT: dict[str, Any] = @STRICT
FAILING: dict[str, Any] = @FAILING


def create(database: Database[dict[str, Any]]) -> None:
    """Create what is missing and set the validators; indexes come last."""
    create_collections(database)
    create_indexes(database)


def create_collections(database: Database[dict[str, Any]]) -> None:
    """Create the collections; those that exist keep their documents and get the validator."""
    existing = set(database.list_collection_names())
    for name, storage in STORAGE.items():
        validator = VALIDATORS.get(name)
        validation = {"validator": validator, **STRICT} if validator else {}
        if name not in existing:
            database.create_collection(name, **storage, **validation)
        elif validator:
            failing = database[name].count_documents({"$nor": [validator]})
            database.command("collMod", name, **validation | (FAILING if failing else {}))


def create_indexes(database: Database[dict[str, Any]]) -> None:
    """Create the indexes; those that exist stay."""
    for name, keys, options in INDEXES:
        database[name].create_index(keys, **options)


'''


def files(proposal: Proposal) -> Mapping[str, str]:
    """The design as one module, `create.py`."""
    return {"create.py": module(proposal)}


def module(proposal: Proposal) -> str:
    """The text of the Python module that creates the design."""
    design = proposal.design
    head = _HEAD.replace("@STRICT", python(STRICT))
    head = head.replace("@FAILING", python(MODERATE))
    storages = "".join(_storage(store) for store in design.stores)
    validators = "".join(_validator(design, store) for store in design.stores)
    indexes = "".join(_index(index) for index in indexes_of(proposal))
    indexes += "".join(f"    # Not done: {comment(str(gap))}\n" for gap in gaps(design))
    indexes += "".join(map(_inexpressible, inexpressible_indexes(proposal)))
    head = head.replace("@TIMES", "from datetime import datetime\n" if "datetime(" in indexes else "")
    head = head.replace("@VALUES", _imports(validators + indexes))
    return (
        f"{head}STORAGE: dict[str, dict[str, Any]] = {{\n{storages}}}\n\n"
        f"VALIDATORS: dict[str, dict[str, Any]] = {{\n{validators}}}\n\n"
        f"INDEXES: list[tuple[str, list[tuple[str, int | str]], dict[str, Any]]] = [\n{indexes}]\n"
    )


def _imports(text: str) -> str:
    """The import of the values of `bson` that stand in a text."""
    names = [name for name in ("Decimal128", "ObjectId") if f"{name}(" in text]
    return f"from bson import {', '.join(names)}\n" if names else ""


def _storage(store: StoredCollection) -> str:
    return f"    # {comment(purpose(store))}\n    {store.name!r}: {python(storage(store), indent=1)},\n"


def _validator(design: Design, store: StoredCollection) -> str:
    found = validation(design, store)
    return f"    {store.name!r}: {python(found['validator'], indent=1)},\n" if found else ""


def _index(index: PlannedIndex) -> str:
    reasons = "".join(f"    # {comment(reason)}\n" for reason in index.reasons)
    return f"{reasons}    {_entry(index.command())},\n"


def _inexpressible(lost: InexpressibleIndex) -> str:
    """An index that a design cannot say: made as the database has it where it fits, else left to people."""
    index, gap = lost.index, lost.gap
    if lost.fits:
        return f"    # As the database has it: {comment(str(gap))}\n    {_entry(index)},\n"
    return f"    # Not done: {comment(str(gap))}. If its fields are still there:\n    # {comment(_entry(index))},\n"


def _entry(index: CreateIndex) -> str:
    keys = ", ".join(f"({path!r}, {way!r})" for path, way in index.keys)
    return f"({index.collection!r}, [{keys}], {python(dict(index.options), indent=1)})"
