"""Stores the source's highest numbers: numbers that are never reused continue after them."""

from __future__ import annotations

from typing import Any

from pymongo.database import Database

from nestling.ir.model import Model
from nestling.ir.rows import RowSource
from nestling.ir.storage.kept_numbers import LAST, counter, numbered_attributes
from nestling.ir.storage.names import NUMBERS_COLLECTION


def keep_numbers(model: Model, source: RowSource, database: Database[Any]) -> None:
    """Store the highest number of each attribute whose numbers are never reused, replacing an earlier load's."""
    kept = database[NUMBERS_COLLECTION]
    for entity in model.entities:
        for attribute in numbered_attributes(entity):
            one = {"_id": counter(entity, attribute)}
            highest = source.highest_number(entity.name, attribute)
            if highest is None:
                kept.delete_one(one)
            else:
                kept.replace_one(one, {LAST: highest}, upsert=True)
