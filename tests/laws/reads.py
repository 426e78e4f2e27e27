"""One round of law 1 for reads: a world loaded by a design, and many statements on it."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.errors import LoadError
from nestling.ir.design import Design
from nestling.planner.reads import ALL_REWRITES, NO_REWRITES, Rewrite
from tests.generators.designs import designs
from tests.generators.enriched import enriched, indexed
from tests.generators.spoken_worlds import is_small, spoken_worlds
from tests.generators.statements import Statement, ground_of, statements
from tests.generators.worlds import World
from tests.laws.statement_law import Outcome, Pair, loaded
from tests.laws.tally import Counts, primitives

REWRITES = st.sampled_from((ALL_REWRITES, ALL_REWRITES, NO_REWRITES)) | st.frozensets(st.sampled_from(sorted(Rewrite)))
"""Mostly all: any set of them gives the same answer."""


def round_of_reads(
    data: st.DataObject, client: MongoClient[dict[str, Any]], counts: Counts, *, count: int
) -> Iterator[tuple[Statement, Outcome, World, Design]]:
    """Draw a world and a design, load once, and yield each of so many statements with what came of it."""
    world = data.draw(spoken_worlds(), label="world")
    design = data.draw(enriched(data.draw(designs(world)), sums=is_small(world)))
    design = data.draw(indexed(design), label="design")
    rewrites = data.draw(REWRITES, label="rewrites")
    used = primitives(design)
    counts["rounds", "reads"] += 1
    name = f"law_{uuid.uuid4().hex}"
    with tempfile.TemporaryDirectory() as folder:
        try:
            with _loaded(world, design, client[name], Path(folder), counts) as pair:
                if pair is None:
                    return
                ground = ground_of(pair.design.model, pair.connection)
                asked = set[str]()
                for _ in range(count):
                    statement = data.draw(statements(ground))
                    if repr(statement) in asked:
                        continue
                    asked.add(repr(statement))
                    outcome = pair.outcome(statement, rewrites)
                    _note(counts, statement, outcome, used)
                    yield statement, outcome, world, pair.design
        finally:
            client.drop_database(name)


@contextmanager
def _loaded(
    world: World, design: Design, database: Database[Any], folder: Path, counts: Counts
) -> Iterator[Pair | None]:
    """The world in both, None where the design cannot hold its rows, which loading says."""
    with ExitStack() as stack:
        try:
            pair = stack.enter_context(loaded(world, design, database, folder))
        except LoadError as error:
            counts["worlds a design cannot hold", str(error).rpartition(": ")[2]] += 1
            pair = None
        yield pair


def _note(counts: Counts, statement: Statement, outcome: Outcome, used: set[str]) -> None:
    counts["statements", outcome.verdict] += 1
    counts["statements", "equal, and with the join made by the client"] += outcome.by_client
    if outcome.verdict == "equal":
        counts.update(("statements equal, by construct", each) for each in statement.constructs)
        counts.update(("statements equal, by primitive", each) for each in used)
    if outcome.verdict == "gap":
        counts["gaps of statements", outcome.cause] += 1
