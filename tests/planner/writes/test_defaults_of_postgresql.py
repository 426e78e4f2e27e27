"""What a PostgreSQL table gives a row itself: UUIDs, which whoever runs the write makes, a new one for each row; JSON; arrays."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.emitters.commands import collection_commands
from nestling.emitters.mql.write_json import write_json
from nestling.emitters.mql.write_shell import write_shell
from nestling.emitters.python_code import module
from nestling.executors.create import create
from nestling.executors.load import written_collections
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal

SCHEMA = """
CREATE TABLE account (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), token text NOT NULL DEFAULT gen_random_uuid()::text, name text,
  settings jsonb NOT NULL DEFAULT '{"a": [1]}'::jsonb, tags text[] NOT NULL DEFAULT '{}'::text[],
  ways varchar[] DEFAULT '{a,"b c"}'::character varying[]
);
CREATE TABLE visit (
  id bigserial PRIMARY KEY, account_id uuid NOT NULL REFERENCES account (id), mark uuid DEFAULT gen_random_uuid()
);
"""
TWO = "INSERT INTO account (name) VALUES (:one), ('two') RETURNING id, name"
UPSERT = """INSERT INTO account (id, name) VALUES (:id, 'again')
ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING id, name"""


@pytest.fixture(params=["normalized", "embedded"])
def proposal(request: pytest.FixtureRequest, database: Database[dict[str, Any]], tmp_path: Path) -> Proposal:
    """A design of the two tables, and its collections."""
    (tmp_path / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    reading = pipeline.inspect(str(tmp_path / "schema.sql"), dialect="postgresql")
    made = pipeline.design(reading, str(request.param))
    create(collection_commands(made.design), database, written_collections(made.design))
    return made


def test_each_row_has_its_own(proposal: Proposal, database: Database[dict[str, Any]]) -> None:
    """What is answered is what is stored, in every run another; given ones are kept, and what is numbered is numbered beside."""
    store = Store(proposal, database)
    ids = [row["id"] for _ in range(2) for row in store.execute(TWO, one="one")]
    assert len(set(ids)) == 4
    assert all(isinstance(each, UUID) and each.version == 4 for each in ids)
    assert {row["id"] for row in store.execute("SELECT id FROM account")} == set(ids)
    kept = {"settings": {"a": [1]}, "tags": [], "ways": ["a", "b c"]}
    assert store.execute("SELECT settings, tags, ways FROM account")[3] == kept
    (changed,) = store.execute(UPSERT, id=ids[0])
    assert changed == {"id": ids[0], "name": "again"}
    (visit,) = store.execute("INSERT INTO visit (account_id) VALUES (:id) RETURNING *", id=ids[1])
    assert (visit["id"], visit["account_id"], type(visit["mark"])) == (1, ids[1], UUID)
    assert store.execute("SELECT mark FROM visit")[0]["mark"] == visit["mark"]


def test_functions_make_them(proposal: Proposal, database: Database[dict[str, Any]]) -> None:
    """So does what is written in Python; nobody is asked for them."""
    write = converted(proposal, TWO)
    assert write.parameters == ("one",)
    assert write_json(write)["new_ids"] == {"_uuid_1": "uuid", "_uuid_2": "text", "_uuid_3": "uuid", "_uuid_4": "text"}
    space: dict[str, Any] = {}
    exec(compile(module([write]), "queries.py", "exec"), space)
    first, second = ([row["id"] for row in space["statement"](database, one="x")] for _ in range(2))
    assert len({*first, *second}) == 4
    assert all(isinstance(each, UUID) for each in first)
    assert database["account"].count_documents({}) == 4


@pytest.mark.usefixtures("node")
def test_scripts_make_them(proposal: Proposal) -> None:
    """And what is written for mongosh."""
    script = write_shell(converted(proposal, "INSERT INTO account (name) VALUES ('one')"))
    shell = "const UUID = () => ({made: 1, toString: () => 'text'}); let stored;"
    shell += "const db = {getCollection: () => ({insertOne: one => {stored = one}})};\n"
    done = subprocess.run(
        ["node", "-e", f"{shell}{script};console.log(JSON.stringify([stored._id, stored.token, stored.name]))"],
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert done.stdout.strip() == '[{"made":1},"text","one"]', done.stderr


def converted(proposal: Proposal, sql: str) -> CompiledWrite:
    """The write, compiled."""
    write = pipeline.convert(proposal, sql, name="statement")
    assert isinstance(write, CompiledWrite), write
    return write
