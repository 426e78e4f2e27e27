"""Faults of random strength among healthy collections: found exactly when they pass their threshold."""

from __future__ import annotations

import random
from typing import Any

import pytest
from pymongo.database import Database

from tests.doctor.faults import FAULTS, clean
from tests.doctor.looking import found, look, looked_before
from tests.doctor.strengths import KINDS

Db = Database[dict[str, Any]]


def _planted(database: Db, name: str, seed: int) -> None:
    kind = KINDS[name]
    draw = random.Random(f"{name} {seed}")
    clean(database)
    expected = kind.plant(database, draw)
    earlier = looked_before(database) if kind.grow is not None else None
    if kind.grow is not None:
        expected = kind.grow(database, draw)
    findings = found(look(database), earlier, kind.thresholds)
    rules = {each.rule for each in findings}
    told = (name, seed, expected, [each.message for each in findings])
    assert (kind.rule in rules) == expected, told
    assert rules <= {kind.rule} | FAULTS[kind.rule].also, told


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_fault_is_found_exactly_when_it_is_one(kind: str, database: Db) -> None:
    """Recall and precision are whole, for a fault of any strength."""
    _planted(database, kind, 0)


@pytest.mark.soak
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_many_faults_are_found_exactly_when_they_are_ones(kind: str, mongo_client: Any) -> None:
    """The same for twenty databases of each kind of fault."""
    for seed in range(1, 21):
        database = mongo_client[f"planted_{kind.replace(' ', '_')}_{seed}"]
        try:
            _planted(database, kind, seed)
        finally:
            mongo_client.drop_database(database.name)
