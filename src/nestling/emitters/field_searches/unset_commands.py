"""The shell's commands that take fields out of documents which a design does not know there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nestling.emitters.content import Array, Content
from nestling.emitters.documents import documents
from nestling.emitters.field_searches.found_fields import alternatives, by_field, is_whole, told_apart
from nestling.emitters.field_searches.other_kinds import fields_of_kinds
from nestling.ir.design import Design
from nestling.ir.field_removal import removal, removal_together
from nestling.ir.found_field import FieldSteps, FoundField, steps_of
from nestling.ir.storage.layout import StoredCollection


def unset_commands(design: Design, found: Iterable[FoundField]) -> tuple[str, ...]:
    """Return the commands that remove the fields that were found, by collection.

    Fields of one kind in documents of another are removed together, because a validator refuses a document that keeps some of
    them. A discriminator with an unknown kind stays: it follows from the other fields, and a check repairs it. So do fields
    inside an `_id`, which the server never changes.
    """
    by_store = defaultdict[str, list[FoundField]](list)
    for each in found:
        if each.steps[0] != "_id":
            by_store[each.collection].append(each)
    return tuple(
        command for name, fields in by_store.items() for command in _commands(design, design.store(name), fields)
    )


def _commands(design: Design, store: StoredCollection, found: Iterable[FoundField]) -> Iterator[str]:
    variant, of_kinds = store.collection.variant, fields_of_kinds(store)
    told = variant.discriminator if variant is not None else ""
    together = defaultdict[tuple[str, ...], list[str]](list)
    for each in found:
        if each.where:
            together[of_kinds[each.field]].append(each.field)
        elif variant is None or each.steps != steps_of(told):
            yield removal(each.steps, _lacking(design, store, each.steps)).command(store.name)
    for values, fields in together.items():
        yield removal_together(fields, {told: {"$nin": [*values]}}).command(store.name)


def _lacking(design: Design, store: StoredCollection, steps: FieldSteps) -> Mapping[str, Any]:
    """The condition on documents that do not know a field which other kinds of them have."""
    told, others = told_apart(documents(design, store), store)
    variant, is_known = store.collection.variant, _knows(others, steps)
    unlike = [value for _, values, kind in told if _knows([kind], steps) != is_known for value in values]
    return {variant.discriminator: {"$in" if is_known else "$nin": unlike}} if variant is not None and unlike else {}


def _knows(contents: Iterable[Content], steps: FieldSteps) -> bool:
    kinds = [*alternatives(contents)]
    if not steps or any(map(is_whole, kinds)):
        return True
    step, *below = steps
    inside = (
        [each.items for each in kinds if isinstance(each, Array)] if step is None else by_field(kinds).get(step, ())
    )
    return bool(inside) and _knows(inside, tuple(below))
