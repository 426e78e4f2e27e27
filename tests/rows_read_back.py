"""The rows of a database by two designs: by the one it was loaded with, and by the one read back from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from pymongo.database import Database

from nestling.executors.read import read_rows
from nestling.ir.design import Design
from nestling.pipeline import home_queries
from tests.likeness import Telling


def rows_read_back(
    database: Database[Any], loaded: Design, read_back: Design, without: Container[str] = ()
) -> tuple[int, int, list[str]]:
    """How many rows there are, how many of them the design read back yields, and what is wrong with the others.

    Entities `without` a counterpart, as no document tells of them, are left out.
    """
    first, second = Telling(loaded), Telling(read_back)
    by_place = {second.place(entity.name): entity.name for entity in read_back.model.entities}
    total, equal, told = 0, 0, list[str]()
    for entity in loaded.model.entities:
        other = by_place.get(first.place(entity.name))
        if other is None and entity.name in without:
            continue
        columns = {first.location(entity.name, name): name for name in entity.attribute_names}
        mine = Counter(_rows(database, loaded, entity.name, tuple(columns.values())))
        total += mine.total()
        if other is None:
            told.append(f"`{entity.name}` has no counterpart")
            continue
        attributes = read_back.model.entity(other).attribute_names
        places = {second.location(other, name): name for name in attributes}
        theirs = Counter(_rows(database, read_back, other, tuple(places.get(each, "") for each in columns)))
        same = (mine & theirs).total()
        equal += same - (theirs - mine).total()
        if mine != theirs:
            told.append(f"`{entity.name}`: {(mine - theirs).total()} rows lack, e.g. {next(iter(mine - theirs), None)}")
            told.append(
                f"`{entity.name}`: {(theirs - mine).total()} rows are new, e.g. {next(iter(theirs - mine), None)}"
            )
    return total, equal, told


def without_validators(database: Database[Any]) -> None:
    """Take away what the design declared of itself."""
    for name in database.list_collection_names():
        database.command("collMod", name, validator={})


def _rows(database: Database[Any], design: Design, entity: str, names: tuple[str, ...]) -> Iterator[tuple[object, ...]]:
    """The rows with these attributes; nothing where there is none of that name."""
    known = design.model.entity(entity)
    query = home_queries(design)[entity]
    places = [known.attribute_names.index(name) if name else None for name in names]
    for row in read_rows(database, query, known):
        yield tuple(_plain(row[place]) if place is not None else None for place in places)


def _plain(value: object) -> object:
    """A value without what only a declared type tells: a day is a moment, a whole number is one whatever its type."""
    match value:
        case datetime():
            return value.replace(
                tzinfo=None
            ).isoformat()  # what is no whole number of milliseconds is stored as this text
        case date():
            return datetime(value.year, value.month, value.day).isoformat()  # noqa: DTZ001
        case float() | Decimal():
            return ("number", Decimal(repr(value)) if isinstance(value, float) else value)
        case bool() | int():
            return ("number", Decimal(int(value)))
        case list() | dict():
            return repr(value)
        case _:
            return value
