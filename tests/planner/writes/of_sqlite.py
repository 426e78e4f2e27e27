"""Tables of SQLite, and what was loaded from them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.proposal import Proposal


def proposal_of(tables: str, *strategies: str) -> Any:
    """A fixture: the design of a script's tables by each strategy, loaded from `s.db` of the test's folder."""

    @pytest.fixture(params=strategies)
    def proposal(request: pytest.FixtureRequest, tmp_path: Path, database: Database[Any]) -> Proposal:
        with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
            connection.executescript(tables)
        made = pipeline.design(pipeline.inspect(tmp_path / "s.db"), request.param)
        pipeline.load(made, tmp_path / "s.db", database)
        return made

    return proposal
