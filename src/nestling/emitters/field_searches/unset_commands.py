"""The shell's commands that take fields out of documents which a design does not know there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from nestling.emitters.field_searches.other_kinds import fields_of_kinds
from nestling.ir.design import Design
from nestling.ir.found_field import FoundField
from nestling.ir.literals import of_collection, shell
from nestling.ir.storage.layout import StoredCollection


def unset_commands(design: Design, found: Iterable[FoundField]) -> tuple[str, ...]:
    """Those for the fields that were found, in their order.

    Fields of one kind in documents of another go together, as a validator refuses a document that keeps some of them. A
    discriminator that tells of no kind there is stays: it follows from the other fields, and a check repairs it.
    """
    by_store = defaultdict[str, list[str]](list)
    for each in found:
        by_store[each.collection].append(each.path)
    return tuple(command for name, paths in by_store.items() for command in _commands(design.store(name), paths))


def _commands(store: StoredCollection, paths: Iterable[str]) -> Iterator[str]:
    variant, of_kinds = store.collection.variant, fields_of_kinds(store)
    groups = dict[tuple[str, tuple[str, ...]], list[str]]()
    for path in paths:
        field, values = of_kinds.get(path, (path, ()))
        if variant is None or path != variant.discriminator:
            groups.setdefault(("" if values else path, values), []).append(field)
    for (_, values), fields in groups.items():
        condition: dict[str, Any] = {}
        if variant is not None and values:
            condition[variant.discriminator] = {"$ne": values[0]} if len(values) == 1 else {"$nin": [*values]}
        there = [{field.replace("[]", ""): {"$exists": True}} for field in fields]
        condition |= there[0] if len(there) == 1 else {"$or": there}
        gone = {"$unset": {field.replace("[]", ".$[]"): "" for field in fields}}
        yield f"{of_collection('db', store.name)}.updateMany({shell(condition)}, {shell(gone)})"
