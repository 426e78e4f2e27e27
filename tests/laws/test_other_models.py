"""Law 2 between models: what an application gains and drops since. All rows come over, as far as the new model has them."""

from __future__ import annotations

import tempfile
import uuid
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pymongo import MongoClient

from nestling import pipeline
from nestling.common.errors import GapError, InputError, LoadError, MigrationError
from nestling.emitters.mql import aggregation
from nestling.executors.verify import verify
from nestling.ir.constraints.defaults import ConstantDefault
from nestling.ir.migration import Loss
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.proposal import Proposal
from nestling.ir.types import TEXT, Type, TypeName
from nestling.planner.homes.views import home_views
from nestling.planner.reads import ReadGap
from tests.generators.designs import designs
from tests.generators.plain_worlds import plain
from tests.generators.worlds import World, worlds
from tests.laws.tally import Counts
from tests.planner.upkeep.settled import differences
from tests.soaking import SOAKING, examples
from tests.sqlite_rows import sqlite_source

MOVES = examples(4, 500, "NESTLING_MOVES")
FURTHER = "further"
GIVEN = ConstantDefault("given")
MORE = (
    Attribute(FURTHER, TEXT),
    Attribute(FURTHER, TEXT, default=GIVEN),
    Attribute(FURTHER, TEXT, nullable=False, default=GIVEN),
)
WIDER, CENT = Type(TypeName.DECIMAL, (20, 2)), Decimal("0.01")
REFUSED = ("cannot be renamed", "slot", "it has no key and equals another row", "not converted", "holds documents")


def needed(model: Model, entity: Entity) -> set[str]:
    """The attributes that keys, references and rules are about."""
    links = [each.child_attributes for each in model.parents_of(entity.name)]
    links += [each.parent_attributes for each in model.children_of(entity.name)]
    return {name for group in (entity.key, *entity.uniques, *links) for name in group}


def is_integer(attribute: Attribute) -> bool:
    """Whether its values are integers alone, and what may be of decimals is said of it."""
    is_free = (
        attribute.allowed is None and attribute.default is None and not attribute.also and not attribute.type.carried
    )
    return attribute.type.name is TypeName.INTEGER and is_free


def decimal(value: object) -> Decimal | None:
    """An integer with two digits after the point."""
    return Decimal(value).quantize(CENT) if isinstance(value, int) else None


@st.composite
def changed(draw: st.DrawFn, world: World) -> World:
    """The world with an attribute more here and there, and without some that nothing is about; integers become decimals."""
    entities, rows = [], {}
    for entity in world.model.entities:
        free = sorted(set(entity.attribute_names) - needed(world.model, entity))
        gone = draw(st.sampled_from(free)) if len(entity.attributes) > 1 and free and draw(st.booleans()) else None
        kept = [place for place, each in enumerate(entity.attributes) if each.name != gone]
        more = [draw(st.sampled_from(MORE))] if draw(st.booleans()) else []
        integers = [
            place for place in kept if entity.attributes[place].name in free and is_integer(entity.attributes[place])
        ]
        wider = {place for place in integers if draw(st.booleans())}
        attributes = (
            *(replace(entity.attributes[n], type=WIDER) if n in wider else entity.attributes[n] for n in kept),
            *more,
        )
        entities.append(replace(entity, attributes=attributes))
        rows[entity.name] = [
            (
                *(decimal(row[n]) if n in wider else row[n] for n in kept),
                *(each.default.value if isinstance(each.default, ConstantDefault) else None for each in more),
            )
            for row in world.rows[entity.name]
        ]
    return World(replace(world.model, entities=tuple(entities)), rows, world.loose)


@st.composite
def called(draw: st.DrawFn, world: World) -> tuple[World, dict[str, str]]:
    """The world with other names for what it has had before: of some attributes, and of some entities."""
    attributes, tables = dict[str, str](), dict[str, str]()
    entities = []
    for entity in world.model.entities:
        free = sorted(set(entity.attribute_names) - needed(world.model, entity) - {FURTHER})
        names = {name: f"{name} now" for name in free if draw(st.booleans())}
        attributes |= {f"{entity.name}.{name}": new for name, new in names.items()}
        own = tuple(replace(each, name=names.get(each.name, each.name)) for each in entity.attributes)
        if draw(st.booleans()):
            tables[entity.name] = f"{entity.name} now"
        entities.append(replace(entity, name=tables.get(entity.name, entity.name), attributes=own))
    links = tuple(
        replace(each, parent=tables.get(each.parent, each.parent), child=tables.get(each.child, each.child))
        for each in world.model.relationships
    )
    both = tuple(replace(each, through=tables.get(each.through, each.through)) for each in world.model.many_to_many)
    kinds = tuple(
        replace(each, supertype=tables.get(each.supertype, each.supertype)) for each in world.model.hierarchies
    )
    model = replace(world.model, entities=tuple(entities), relationships=links, many_to_many=both, hierarchies=kinds)
    rows = {tables.get(name, name): found for name, found in world.rows.items()}
    return World(model, rows, world.loose), attributes | tables


@pytest.mark.timeout(0 if SOAKING else 900)
@given(st.data())
@settings(max_examples=MOVES, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_the_new_model_has_comes_over(
    mongo_client: MongoClient[dict[str, Any]], tally: Counts, data: st.DataObject
) -> None:
    """Any world and design; an attribute more here, one less or of another name there, and any design of that."""
    world: World = plain(data.draw(worlds(entities=3, rows=4).filter(lambda drawn: not drawn.loose)))
    old = data.draw(designs(world))
    after: World = data.draw(changed(world))
    after, names = data.draw(called(after))
    new = data.draw(designs(after))
    database = mongo_client[f"law_{uuid.uuid4().hex}"]
    with tempfile.TemporaryDirectory() as folder:
        sqlite_source(Path(folder) / "before.db", world.model, world.rows)
        wanted = sqlite_source(Path(folder) / "after.db", after.model, after.rows)
        try:
            pipeline.load(Proposal("", old), f"sqlite:///{folder}/before.db", database)
        except (LoadError, GapError):
            return  # what loading itself refuses is another law's affair
        try:
            report = pipeline.migrate(
                Proposal("", old), Proposal("", new), database, cutover=True, renamed=names, may_lose=[*Loss]
            )
        except (InputError, GapError, LoadError, MigrationError) as error:
            tally["other models", f"refused: {str(error).splitlines()[0]}"] += 1
            if isinstance(error, LoadError | MigrationError) and not any(each in str(error) for each in REFUSED):
                raise
            return
        assert report.equal
        homes = {entity: aggregation(view) for entity, view in home_views(new).items()}
        found = verify(new.model, homes, wanted, database)
        assert found.equal, repr(found.differences)
        with suppress(ReadGap):
            assert not differences(new, database)
    mongo_client.drop_database(database.name)
    tally["other models", "done"] += 1
