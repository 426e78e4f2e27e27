"""A small application for one pattern: tables with rows, statements at their rates, the design by cost and what becomes of it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling import pipeline
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead, NotCompiled
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statistics import Quantity, Statistics
from nestling.ir.workload import Requirements
from tests.least_cost import designed
from tests.planner.reads.beside_sqlite import as_shown, shown


@dataclass(frozen=True)
class Scenario:
    """A SQLite database and a workload over it."""

    address: str
    reading: Reading

    def with_counts(self, **counts: float) -> Scenario:
        """As if there were so many rows; what is stored stays."""
        known = [
            (name, replace(numbers, count=Quantity(counts[name])) if name in counts else numbers)
            for name, numbers in self.reading.statistics.entities
        ]
        return self._with_statistics(Statistics(tuple(known), self.reading.statistics.relationships))

    def with_requirements(self, requirements: Requirements) -> Scenario:
        """With what the application asks of any design."""
        return Scenario(
            self.address, replace(self.reading, workload=replace(self.reading.workload, requirements=requirements))
        )

    def with_rates(self, **rates: float) -> Scenario:
        """With other rates, in executions a second."""
        statements = tuple(
            replace(each, rate_per_second=rates.get(each.name, each.rate_per_second))
            for each in self.reading.workload.statements
        )
        workload = replace(self.reading.workload, statements=statements)
        return Scenario(self.address, replace(self.reading, workload=workload))

    def _with_statistics(self, statistics: Statistics) -> Scenario:
        return Scenario(self.address, replace(self.reading, statistics=statistics))

    def designed(self) -> Proposal:
        """The design at least cost, without what its alternatives would cost."""
        return designed(self.reading)

    def explained(self) -> Proposal:
        """The design at least cost with all that is told of it."""
        return pipeline.design(self.reading)

    def compiled(self, proposal: Proposal, name: str) -> CompiledRead:
        """A statement of the workload compiled for a design."""
        statement = self.reading.workload.statement(name)
        assert statement is not None
        found = pipeline.convert(proposal, statement.sql, name=name, dialect="sqlite")
        assert isinstance(found, CompiledRead), found
        return found

    def proved(self, proposal: Proposal, database: Database[dict[str, Any]]) -> None:
        """Load the design, verify that nothing was lost, and compare every SELECT with SQLite's answer.

        Every statement can be translated.
        """
        loaded = pipeline.load(proposal, self.address, database)
        assert loaded.verified is not None
        assert loaded.verified.equal, loaded.verified.differences
        with closing(sqlite3.connect(self.address.removeprefix("sqlite:///"))) as connection:
            for statement in self.reading.workload.statements:
                compiled = pipeline.convert(proposal, statement.sql, name=statement.name, dialect="sqlite")
                assert not isinstance(compiled, NotCompiled), compiled.gap
                if not statement.kind.writes:
                    read, values = self.compiled(proposal, statement.name), dict(statement.samples)
                    mine = [tuple(map(shown, row, read.columns)) for row in run_read(database, read, values)]
                    theirs = [
                        tuple(map(as_shown, row, read.columns)) for row in connection.execute(statement.sql, values)
                    ]
                    assert Counter(mine) == Counter(theirs), f"{statement.name}\n{read.access_path}"
                    assert mine, f"{statement.name} finds nothing: proves little"


def scenario(folder: Path, ddl: str, rows: Mapping[str, Iterable[tuple[object, ...]]], workload: str) -> Scenario:
    """Make the tables, fill them, and read the workload over them."""
    path = folder / "source.db"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(ddl)
        for table, found in rows.items():
            filled = list(found)
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(filled[0]))})", filled)
        connection.commit()
    statements = folder / "workload.sql"
    statements.write_text(workload, encoding="utf-8")
    address = f"sqlite:///{path}"
    return Scenario(address, pipeline.inspect(address, workload=statements if workload else None))


def chosen(proposal: Proposal, pattern: str) -> list[str]:
    """The structures of a pattern that a design by cost has, besides homes."""
    return [each.structure for each in proposal.weighed if each.chosen and each.pattern == pattern]


def index_keys(proposal: Proposal) -> list[list[str]]:
    """The fields of each index."""
    return [[path for path, _ in index.keys] for index in proposal.design.indexes]
