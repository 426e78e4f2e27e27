"""A DDL text says of tables what the database that executes it says: columns, types, defaults, keys, foreign keys.

First on texts written by hand, one for each kind of statement, then on random sequences. Of these a text holds what the database
took; a statement that it took is understood, so there are no gaps.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from nestling.ir.reading import Reading
from tests.sources.ddl_sequences import Sequences
from tests.sources.executed_ddl import DIALECTS, Executing, executing, facts_of, read_text, statements_of
from tests.sources.executed_texts import TEXTS

SEQUENCES = {"postgresql": 40, "mysql": 30, "sqlite": 10}


def sequences(database: Executing, seeds: range, steps: int) -> dict[str, list[str]]:
    """The statements taken of random sequences, by the prefix of the names of their tables."""
    found = {}
    for seed in seeds:
        made = Sequences(database.dialect, f"s{seed}_", lambda sql: not database.run(sql), Random(seed))
        made.extend(steps)
        found[made.prefix] = made.taken
    return found


def differences(taken: dict[str, list[str]], live: Reading, dialect: str) -> list[str]:
    """The sequences whose text says something else than the database."""
    found, every = [], facts_of(live)
    for prefix, statements in taken.items():
        told = read_text(statements, dialect)
        theirs = {name: facts for name, facts in every.items() if name.startswith(prefix)}
        gaps = [gap.what for gap in told.gaps if not any(gap.what.startswith(each.what[:20]) for each in live.gaps)]
        ours = facts_of(told)
        if ours != theirs or gaps:
            odd = [
                f"{name}:\n  text     {ours.get(name)}\n  database {theirs.get(name)}"
                for name in {*ours, *theirs}
                if ours.get(name) != theirs.get(name)
            ]
            found.append("\n".join([*(f"{each};" for each in statements), *odd, *gaps]))
    return found


def compared(dialect: str, seeds: range, steps: int, request: pytest.FixtureRequest, folder: Path) -> list[str]:
    with executing(dialect, request, folder) as database:
        taken = sequences(database, seeds, steps)
        assert sum(map(len, taken.values())) > len(seeds) * steps / 5
        return differences(taken, database.reading(), dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_texts(dialect: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Of statements that are easily misread, all of which a database takes."""
    statements = statements_of(TEXTS[dialect])
    with executing(dialect, request, tmp_path) as database:
        assert [refusal for each in statements if (refusal := database.run(each))] == []
        theirs = facts_of(database.reading())
    told = read_text(statements, dialect)
    ours = facts_of(told)
    assert told.gaps == ()
    assert [
        (name, ours.get(name), theirs.get(name)) for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)
    ] == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_random_sequences(dialect: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Of some sequences every day, fewer where a statement takes longer."""
    assert not compared(dialect, range(SEQUENCES[dialect]), 20, request, tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("dialect", DIALECTS)
def test_many_random_sequences(dialect: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Of hundreds, and longer ones."""
    assert not compared(dialect, range(100, 100 + 5 * SEQUENCES[dialect]), 40, request, tmp_path)
