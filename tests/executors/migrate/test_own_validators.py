"""A validator that loading gave a collection is the old design's own, whatever it says; another is the application's."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.codec import CODEC

BANDS = """
CREATE TABLE band (id INTEGER PRIMARY KEY, low NUMERIC(8,2), high NUMERIC(8,2), CHECK (low < high));
CREATE TABLE hit (id INTEGER PRIMARY KEY, band_id INTEGER NOT NULL REFERENCES band, description TEXT);
INSERT INTO band VALUES (1, 1, 2.5), (2, 2, 3);
INSERT INTO hit VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c');
"""


@pytest.mark.thorough
def test_a_check_of_decimals_does_not_make_a_validator_anothers(database: Database[Any], tmp_path: Path) -> None:
    """Its condition names NaN, which equals nothing: both designs' validators are nestling's own, and nothing would be lost."""
    source = f"sqlite:///{tmp_path / 'bands.db'}"
    with closing(sqlite3.connect(tmp_path / "bands.db")) as connection:
        connection.executescript(BANDS)
    old, new = (pipeline.design(source, strategy=name) for name in ("normalized", "embedded"))
    pipeline.load(old, source, database)
    assert "nan" in repr(database["band"].options()["validator"])
    risks = pipeline.plan_migration(old, new, database).risks
    assert not [risk for risk in risks if "validator" in risk]
    assert pipeline.migrate(old, new, database, cutover=True).equal
    pipeline.drop_old(old, new, database)
    back = pipeline.plan_migration(new, old, database).risks
    assert not [risk for risk in back if "application's own" in risk or "a new validator" in risk]


def test_a_rule_for_a_field_called_description_is_a_rule(database: Database[Any], tmp_path: Path) -> None:
    """It is none of the texts that a validator's own form leaves out: one that was changed would be lost."""
    source = f"sqlite:///{tmp_path / 'bands.db'}"
    with closing(sqlite3.connect(tmp_path / "bands.db")) as connection:
        connection.executescript(BANDS)
    old, new = (pipeline.design(source, strategy=name) for name in ("normalized", "embedded"))
    pipeline.load(old, source, database)
    rules = database["hit"].options()["validator"]
    rules["$jsonSchema"]["properties"]["description"]["maxLength"] = 40
    database.command({"collMod": "hit", "validator": rules}, codec_options=CODEC)
    risks = pipeline.plan_migration(old, new, database).risks
    assert [risk for risk in risks if "the application's own validator of `hit` would be lost" in risk]
