"""What the documents of a loaded design do not tell, and why: shown from the rows alone, whatever a reader makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from pymongo.database import Database

from nestling.executors.read import read_rows
from nestling.ir.design import Design
from nestling.ir.model import Relationship
from nestling.ir.primitives import Form
from nestling.ir.reading import Reading
from nestling.ir.storage.layout import Role
from nestling.pipeline import home_queries

LEAST_ALIKE = 3
"""Letters two words must begin with alike to have something in common."""
MOST_ROWS = 50_000
"""Rows of an entity whose values are held against keys."""


def untold_entities(reading: Reading, design: Design) -> Iterator[tuple[str, str]]:
    """Entities without a row, and those whose rows are empty documents, with the reason."""
    for entity in design.model.entities:
        home = next(place for place in design.places[entity.name] if place.store.role is Role.HOME)
        count = reading.statistics.entity(entity.name).count
        if count is not None and not count.value:
            yield entity.name, "it has no row"
        elif home.node.form is Form.OBJECT and len(home.nodes) > 1 and not home.node.stored and not home.node.children:
            yield entity.name, "its rows are empty documents, as empty values are"


def untold_relationships(reading: Reading, design: Design, database: Database[Any]) -> Iterator[tuple[str, str]]:
    """Foreign keys that are always NULL, and those of one column whose name is like no table's and whose values are keys of
    several alike, with the reason.
    """
    queries = home_queries(design)

    @cache
    def values(entity: str, attribute: str) -> frozenset[object]:
        known = design.model.entity(entity)
        place = known.attribute_names.index(attribute)
        return frozenset(row[place] for row in read_rows(database, queries[entity], known)) - {None}

    for link in design.model.relationships:
        if _is_unset(reading, link):
            yield link.name, "it is NULL in every row"
        elif len(link.child_attributes) == 1 and not _is_named(link) and _is_small(reading, link.child):
            mine = values(link.child, link.child_attributes[0])
            holding = [
                each.name
                for each in design.model.entities
                if len(each.key) == 1 and _is_small(reading, each.name) and mine <= values(each.name, each.key[0])
            ]
            if link.parent in holding and len(holding) > 1:
                also = ", ".join(name for name in holding if name != link.parent)
                yield (
                    link.name,
                    f"its {len(mine)} values are keys of {also} just as well, and its name is of none of them",
                )


def _is_unset(reading: Reading, link: Relationship) -> bool:
    known = dict(reading.statistics.entity(link.child).attributes)
    shares = [known[name].null_share for name in link.child_attributes if name in known]
    return any(share is not None and share.value == 1 for share in shares)


def _is_small(reading: Reading, entity: str) -> bool:
    count = reading.statistics.entity(entity).count
    return count is not None and 0 < count.value <= MOST_ROWS


def _is_named(link: Relationship) -> bool:
    """Whether a word of the foreign key's name begins like one of the parent's name or of its key's."""
    theirs = [word for name in (link.parent, *link.parent_attributes) for word in _words(name)]
    return any(
        mine[:LEAST_ALIKE] == other[:LEAST_ALIKE] for mine in _words(link.child_attributes[0]) for other in theirs
    )


def _words(name: str) -> list[str]:
    """The words of a name that are long enough to say something."""
    found = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)
    return [word.casefold() for word in found if len(word) >= LEAST_ALIKE]
