"""Reads on the designs of every pattern: whole entities, joins along every relationship, groups and subqueries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.model import Entity, Model, Relationship
from nestling.ir.types import TypeName
from nestling.planner.reads import ALL_REWRITES, NO_REWRITES
from nestling.planner.reads.gaps import ReadGap
from tests.cases.pattern_case import PatternCase, pattern_cases
from tests.planner.reads.beside_sqlite import loaded


def statements(model: Model) -> Iterator[str]:
    """What any application would ask of such a model."""
    for entity in model.entities:
        yield f"SELECT * FROM {quoted(entity.name)}"
        yield f"SELECT count(*) FROM {quoted(entity.name)}"
        for attribute in entity.attributes:
            name = quoted(attribute.name)
            by = (
                (name, *map(quoted, entity.key)) if attribute.type.name is TypeName.JSON else (name,)
            )  # a text to SQLite
            yield f"SELECT {name}, count(*) FROM {quoted(entity.name)} GROUP BY {', '.join(by)}"
            yield f"SELECT count(*) FROM {quoted(entity.name)} WHERE {name} IS NULL"
    for link in model.relationships:
        yield from joins(model, link)


def joins(model: Model, link: Relationship) -> Iterator[str]:
    """Both directions, inner and outer, and what has no partner."""
    on = " AND ".join(
        f"p.{quoted(parent)} = c.{quoted(child)}"
        for parent, child in zip(link.parent_attributes, link.child_attributes, strict=True)
    )
    parent, child = quoted(link.parent), quoted(link.child)
    yield f"SELECT p.*, c.* FROM {parent} p JOIN {child} c ON {on}"
    yield f"SELECT p.*, c.* FROM {parent} p LEFT JOIN {child} c ON {on}"
    yield f"SELECT c.*, p.* FROM {child} c LEFT JOIN {parent} p ON {on}"
    yield f"SELECT c.* FROM {child} c JOIN {parent} p ON {on}"
    for name in set_apart(model.entity(link.parent)):
        yield f"SELECT c.*, p.{name} FROM {child} c LEFT JOIN {parent} p ON {on} AND p.{name} IS NULL"
    yield f"SELECT p.* FROM {parent} p WHERE NOT EXISTS (SELECT 1 FROM {child} c WHERE {on})"
    key = key_of(model.entity(link.parent))
    yield f"SELECT {key}, count(c.{quoted(link.child_attributes[0])}) FROM {parent} p LEFT JOIN {child} c ON {on} GROUP BY {key}"


def set_apart(entity: Entity) -> list[str]:
    """The first attribute that is no part of the key, which copies are likely to hold."""
    return [quoted(name) for name in entity.attribute_names if name not in entity.key][:1]


def key_of(entity: Entity) -> str:
    """The key's columns, of `p`."""
    return ", ".join(f"p.{quoted(name)}" for name in entity.key or entity.attribute_names)


def quoted(name: str) -> str:
    """An identifier as SQL quotes it."""
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.one_in(8)
@pytest.mark.parametrize("case", pattern_cases(), ids=lambda case: case.name)
def test_reads_on_a_pattern(case: PatternCase, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Every statement is equal with all rewrites and with none; a value in files is the one gap."""
    beside = loaded(case.proposal, case.rows, database, tmp_path)
    for sql in statements(case.proposal.design.model):
        for rewrites in (ALL_REWRITES, NO_REWRITES):
            if case.name == "blob_to_gridfs" and ("*" in sql.replace("(*)", "") or "photo" in sql):
                with pytest.raises(ReadGap, match="files"):
                    beside.assert_equal(sql, rewrites=rewrites)
            else:
                beside.assert_equal(sql, rewrites=rewrites)
