"""`nestling inspect` on real files and databases."""

from __future__ import annotations

import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from nestling.ir.reading import Reading
from nestling.ir.text import read_file
from tests.cli.commands import nestling, process


@pytest.mark.thorough
def test_what_a_database_holds(shop: Path) -> None:
    """Entities with their rows, relationships with their fan-out, the next step; nothing but notes on stderr."""
    done = process("inspect", "sqlite:///shop.db", "--workload", "workload.sql", cwd=shop)
    assert done.code == 0
    assert "page_view          12,000" in done.out
    assert "product_review              1:N     7.00    17     347" in done.out
    assert "record_view          900/s   insert   page_view" in done.out
    assert "note: table `page_view` has no primary key" in done.err
    assert "Next: nestling design sqlite:///shop.db --workload workload.sql -o design.yaml" in done.err


def test_a_database_without_tables(tmp_path: Path) -> None:
    """Nothing is there to design, and nothing is said to come next; a design of nothing is refused."""
    with closing(sqlite3.connect(tmp_path / "empty.db")) as connection:
        connection.execute("CREATE TABLE gone (id INTEGER)")
        connection.execute("DROP TABLE gone")
    done = nestling("inspect", "sqlite:///empty.db", cwd=tmp_path)
    assert done.code == 0
    assert "There are no tables" in done.err
    assert "Next:" not in done.err
    refused = nestling("design", "sqlite:///empty.db", "-o", "design.yaml", cwd=tmp_path)
    assert refused.code == 2
    assert "there are no tables, so there is nothing to design" in refused.err
    assert not (tmp_path / "design.yaml").exists()


def test_json_shape(shop: Path) -> None:
    """`--json` is one document with the keys docs/json.md names."""
    found = nestling("inspect", "sqlite:///shop.db", "--workload", "workload.sql", "--json", cwd=shop).json
    assert set(found) == {
        "model", "origin", "dialect", "entities", "relationships", "hierarchies", "statements", "gaps", "notes"
    }  # fmt: skip
    assert found["entities"]["review"]["rows"] == 1680
    assert found["entities"]["product"]["attributes"]["sku"] == {"type": "text(16)", "nullable": False}
    assert found["relationships"]["product_review"]["fan_out"]["max"] == 347
    assert found["relationships"]["product_category"] == {
        "cardinality": "N:M",
        "through": "product_category",
        "between": ["product_product_category", "category_product_category"],
    }
    assert len(found["statements"]) == 15
    assert found["gaps"] == []


@pytest.mark.parametrize(
    ("lost", "gap"),
    [
        ("CREAT TABLE b (id int primary key)", "is not understood (nestling does not read this table)"),
        ("CREATE TABLE b (id int primary key", "a parenthesis is never closed (nestling does not read this table)"),
        (
            "CREATE TABLE b AS SELECT 1 AS x",
            "is created from a query: its columns are not declared (nestling does not read",
        ),
        (
            "CREATE TABLE b LIKE nowhere",
            "is created LIKE `nowhere`, which is not declared (nestling does not read this table)",
        ),
    ],
)
def test_a_table_that_is_lost_fails_a_pipeline(lost: str, gap: str, tmp_path: Path) -> None:
    """`inspect`, `design`, and both again of the file that `inspect` writes exit with 1."""
    (tmp_path / "s.sql").write_text(f"CREATE TABLE a (id int primary key);\n{lost};\n", encoding="utf-8")
    done = nestling("inspect", "s.sql", "--dialect", "mysql", "-o", "model.yaml", cwd=tmp_path)
    assert (done.code, gap in done.err) == (1, True), done.err
    assert nestling("design", "s.sql", "--dialect", "mysql", "--json", cwd=tmp_path).code == 1
    assert nestling("inspect", "model.yaml", "--json", cwd=tmp_path).code == 1
    assert nestling("design", "model.yaml", cwd=tmp_path).code == 1


def test_other_gaps_fail_no_pipeline(tmp_path: Path) -> None:
    """Every table is there: what is not understood besides is listed, and the exit code is 0."""
    sql = "CREATE TABLE a (id int primary key, b int REFERENCES nowhere);\nALTER TABLE a FROB (x);\nCREATE FROB x;\n"
    (tmp_path / "s.sql").write_text(sql, encoding="utf-8")
    done = nestling("inspect", "s.sql", cwd=tmp_path)
    assert (done.code, done.err.count("gap: ")) == (0, 3)
    assert nestling("design", "s.sql", cwd=tmp_path).code == 0


def test_a_virtual_table_is_lost(tmp_path: Path) -> None:
    """Its rows are in no model of a SQLite database."""
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        connection.executescript("CREATE TABLE a (id integer primary key); CREATE VIRTUAL TABLE f USING fts5(x);")
    done = nestling("inspect", "sqlite:///s.db", cwd=tmp_path)
    assert (done.code, "gap: f: virtual tables are left out (nestling does not read this table)" in done.err) == (
        1,
        True,
    )


@pytest.mark.thorough
def test_the_file_written_is_a_source(shop: Path) -> None:
    """`-o model.yaml` holds everything that was read: inspecting it says the same."""
    assert isinstance(read_file(shop / "model.yaml"), Reading)
    from_database = nestling("inspect", "sqlite:///shop.db", "--workload", "workload.sql", "--json", cwd=shop)
    from_file = nestling("inspect", "model.yaml", "--json", cwd=shop)
    assert from_file.json == from_database.json


def test_a_ddl_file(shop: Path) -> None:
    """A schema without rows has entities and relationships, and shows no column it knows nothing for."""
    done = nestling("inspect", "schema.sql", cwd=shop)
    assert done.code == 0
    assert "purchase_line      purchase_id, line                  5" in done.out
    assert "rows" not in done.out.splitlines()[1]


def test_a_ddl_file_in_a_dialect(tmp_path: Path) -> None:
    """`--dialect` says how to read a text that several databases would read differently."""
    (tmp_path / "s.sql").write_text("CREATE TABLE a (id INTEGER NOT NULL PRIMARY KEY, b BIT(3));")
    kinds = {
        dialect: nestling("inspect", "s.sql", "--dialect", dialect, "--json", cwd=tmp_path).json["dialect"]
        for dialect in ("sqlite", "mysql", "postgresql")
    }
    assert kinds == {"sqlite": "sqlite", "mysql": "mysql", "postgresql": "postgresql"}


@pytest.mark.thorough
def test_a_database_file_by_its_path(shop: Path) -> None:
    """A path with a database's ending needs no `sqlite:///`."""
    assert nestling("inspect", "shop.db", "--json", cwd=shop).json["entities"]["customer"]["rows"] == 600


def test_nothing_is_written(shop: Path) -> None:
    """The database file has the same bytes afterwards, and no file beside it."""
    before, files = (shop / "shop.db").read_bytes(), sorted(shop.iterdir())
    nestling("inspect", "sqlite:///shop.db", cwd=shop)
    assert (shop / "shop.db").read_bytes() == before
    assert sorted(shop.iterdir()) == files


def test_a_server_with_a_password(postgresql: str) -> None:
    """A PostgreSQL is read by its URL; the password in it is never shown."""
    engine = create_engine(postgresql)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS inspected_pet (id int PRIMARY KEY, name text)"))
    engine.dispose()
    done = nestling("inspect", postgresql)
    assert done.code == 0, done.err
    assert "inspected_pet" in done.out
    assert f":{engine.url.password}@" not in done.out + done.err
    assert ":***@" in done.out


@pytest.mark.thorough
def test_what_comes_next_can_be_pasted(postgresql: str, tmp_path: Path) -> None:
    """A user's name stays in the commands that come next, and one that lacks its password says so."""
    url = make_url(postgresql).set(drivername="postgresql")
    shown, named = str(url), str(url).replace(":***@", "@")
    engine = create_engine(postgresql)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS inspected_pet (id int PRIMARY KEY, name text)"))
    engine.dispose()
    known = {"PGPASSWORD": str(url.password)}
    told = nestling("inspect", named, cwd=tmp_path, **known).err
    assert "which hides it" not in told
    (command,) = [shlex.split(line) for line in told.partition("Next: ")[2].splitlines()]
    assert command == ["nestling", "design", named, "-o", "design.yaml"]
    made = nestling(*command[1:], cwd=tmp_path, **known)
    assert made.code == 0, made.err
    assert f"nestling load design.yaml --from {named} --to" in made.err
    for arguments in (("inspect",), ("design", "-o", "again.yaml")):
        told = nestling(arguments[0], url.render_as_string(hide_password=False), *arguments[1:], cwd=tmp_path).err
        assert shown in told.replace("'", "")
        assert "      with the password in place of `***`, which hides it" in told
        assert f":{url.password}@" not in told


def test_odd_names_cannot_break_a_table(tmp_path: Path) -> None:
    """Control characters in a name are shown as escapes, so a database cannot steer the terminal."""
    with closing(sqlite3.connect(tmp_path / "odd.db")) as connection, connection:
        connection.execute('CREATE TABLE "a\x1b[31mb\nc" (id INTEGER NOT NULL PRIMARY KEY)')
    out = nestling("inspect", "sqlite:///odd.db", cwd=tmp_path).out
    assert "\x1b" not in out
    assert r"a\x1b[31mb\nc" in out


@pytest.mark.thorough
def test_values_of_the_data_can_be_left_out(shop: Path) -> None:
    """The file holds common values and quantiles unless it is asked not to; all other numbers stay."""
    for flags, has_values in (((), True), (("--no-values",), False)):
        nestling("inspect", "sqlite:///shop.db", "-o", f"model{has_values}.yaml", *flags, cwd=shop)
        written = (shop / f"model{has_values}.yaml").read_text()
        assert ("common:" in written, "quantiles:" in written) == (has_values, has_values)
        assert "distinct:" in written


def test_a_design_leaves_them_out_too(shop: Path, tmp_path: Path) -> None:
    """It is decided by them all the same."""
    for flags, has_values in (((), True), (("--no-values",), False)):
        done = nestling("design", "model.yaml", "-o", tmp_path / "design.yaml", *flags, cwd=shop)
        assert done.code == 0, done.err
        written = (tmp_path / "design.yaml").read_text()
        assert ("common:" in written, "quantiles:" in written) == (has_values, has_values)
        assert "distinct:" in written
