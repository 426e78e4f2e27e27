"""One round of law 1 for writes: a world loaded by a design, and one trace of writes on both sides."""

from __future__ import annotations

import random
import tempfile
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from pymongo import MongoClient

from nestling.common.errors import LoadError, WriteError
from nestling.ir.design import Design
from nestling.ir.model import Model, OnDelete, OnUpdate
from nestling.planner.reads import ReadGap
from tests.generators.allowing import allowing
from tests.generators.crossed_worlds import crossed_worlds
from tests.generators.designs import designs
from tests.generators.enriched import enriched
from tests.generators.plain_worlds import plain
from tests.generators.worlds import World, worlds
from tests.generators.writes import Writer
from tests.laws.tally import Counts, primitives
from tests.planner.upkeep.settled import differences
from tests.write_traces import Trace, trace


def round_of_writes(data: st.DataObject, client: MongoClient[dict[str, Any]], counts: Counts, *, count: int) -> None:
    """Draw a world and a design; after each statement homes hold what SQLite holds, in the end copies what these imply.

    What fails says all that is needed to do it again.
    """
    any_world: st.SearchStrategy[World] = worlds(entities=3, rows=4).filter(lambda drawn: not drawn.loose).map(plain)
    world = data.draw(crossed_worlds() if data.draw(st.integers(0, 4)) == 0 else any_world)
    world = data.draw(allowing(world)) if data.draw(st.integers(0, 3)) == 0 else world
    world = replace(world, model=_acted(data, world.model))
    design: Design = data.draw(enriched(data.draw(designs(world)), most=3))
    draw = data.draw(st.randoms(use_true_random=False))
    prices = random.Random(data.draw(st.integers(0, 99)))
    name = f"law_{uuid.uuid4().hex}"
    with tempfile.TemporaryDirectory() as folder:
        try:
            try:
                run = trace(design, world.rows, client[name], Path(folder))
            except LoadError as error:
                if "equals another row" not in str(error):
                    raise
                counts["rounds", "writes: rows that are alike refused"] += 1
                return
            run.price = (lambda _: prices.random()) if data.draw(st.booleans()) else None
            writer = Writer(run.design.model, run.connection, draw, answering=True)
            for _ in range(count):
                _write(run, writer.statement())
            _check_derived(run, counts)
            _note(counts, run)
        except Exception as error:
            error.add_note("\n".join(map(repr, (design.model, design.collections, design.indexes, world.rows))))
            raise
        finally:
            client.drop_database(name)


def _write(run: Trace, sql: str) -> None:
    """One statement on both sides, and the homes compared; what fails says the statements so far."""
    try:
        try:
            run.run(sql)
        except WriteError as error:  # without its parent a row lacks copies of it, too
            if "validator refuses" not in str(error) or run.theirs(sql) is not None:
                raise
            run.refused.append(sql)
        run.check()
    except Exception as error:
        for note in (*run.done, sql):
            error.add_note(note)
        raise


def _acted(data: st.DataObject, model: Model) -> Model:
    """The model with drawn foreign key actions, and some foreign keys nobody enforces."""
    links = tuple(
        replace(
            link,
            on_delete=data.draw(st.sampled_from(OnDelete)),
            on_update=data.draw(st.sampled_from(OnUpdate)),
            enforced=data.draw(st.booleans()),
        )
        for link in model.relationships
    )
    return replace(model, relationships=links)


def _check_derived(run: Trace, counts: Counts) -> None:
    """Every copy and computed value is what the homes imply, where there are steps that tell."""
    try:
        found = differences(run.design, run.database)
    except ReadGap as gap:
        counts["gaps of what is implied", str(gap)] += 1
        return
    assert not found, "\n".join([*run.done, *map(repr, found)])


def _note(counts: Counts, run: Trace) -> None:
    counts["rounds", "writes"] += 1
    counts["writes", "done"] += len(run.done)
    counts["writes", "refused by both"] += len(run.refused)
    counts["writes", "gap"] += len(run.gaps)
    counts.update(("gaps of writes", text.splitlines()[0]) for _, text in run.gaps)
    counts.update(("writes done, by kind", sql.split()[0]) for sql in run.done)
    if run.done:
        counts.update(("traces, by primitive", each) for each in primitives(run.design))
