"""Finds data in documents that a changed model interprets differently from the old one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nestling.common.errors import name_list
from nestling.ir.quantity_words import agreeing, counted
from nestling.ir.storage.names import join
from nestling.ir.words.value_words import value_words

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.ir.design import Design
    from nestling.ir.model import Model


def fields_there_already(before: Model, old: Design, database: Database[Any]) -> Iterator[str]:
    """Attributes that are new, and fields of that name that documents have; `old` is over the new model."""
    for entity in before.entities:
        if not old.model.has_entity(entity.name):
            continue
        for name in old.model.entity(entity.name).attribute_names:
            for place in old.places[entity.name] if name not in entity.attribute_names else ():
                path = place.node.path_of(name)
                if path is None or place.copy is not None:
                    continue
                field = join(place.path, path)
                if number := database[place.store.name].count_documents({field: {"$exists": True}}):
                    yield (
                        f"`{entity.name}.{name}` is new, and {counted(number, 'document')} of "
                        f"`{place.store.name}` {agreeing(number, 'has', 'have')} `{field}` already: its values will be "
                        "used; unset it first if they are unrelated"
                    )


def rows_without_parents(before: Model, old: Design, database: Database[Any]) -> Iterator[str]:
    """Yield new references with rows whose parents are missing. `old`: the old design over the new model."""
    from nestling.executors.check import CheckOptions, run_checks
    from nestling.ir.drift import Checks
    from nestling.pipeline.checking import compiled_checks
    from nestling.planner.checks.references import leading

    known = {each.joins for each in before.relationships}
    for link in old.model.relationships:
        if link.joins in known or not link.enforced:
            continue
        places = (place for place in old.places[link.child] if place.copy is None)
        asked = [check for place in places if (check := leading(old, place, link)) is not None]
        report = run_checks(compiled_checks(Checks(tuple(asked)))[0], database, way=CheckOptions(shown=1))
        if number := sum(each.differing for each in report.verdicts.values()):
            yield (
                f"the reference from `{link.child}` to `{link.parent}` by {name_list(link.child_attributes)} is new, "
                f"and {counted(number, 'document')} {agreeing(number, 'has', 'have')} a row whose parent does not exist, "
                f"such as _id {value_words(report.findings[0].id)}: fix these first; afterwards `nestling check` lists them"
            )
