"""`nestling convert`: what it prints is what the server answers as SQL does."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from bson import json_util
from pymongo.database import Database

from tests.cli.commands import nestling, process

READS = (
    *("product_page", "latest_reviews", "category_listing", "account_page", "loyalty", "purchase_details"),
    *("customer_purchases", "best_sellers", "view_count"),
)
SAMPLES = re.compile(r"-- name: (\w+),.*\n-- params: (.*)")


def answer(database: Database[Any], read: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The rows a converted statement yields, run as printed."""
    read = json_util.loads(json.dumps(read))
    collection = database[read["collection"]]
    if read["operation"] == "aggregate":
        found = list(collection.aggregate(read["pipeline"], allowDiskUse=True))
    else:
        cursor = collection.find(read["filter"], read["projection"], skip=read["skip"] or 0, limit=read["limit"] or 0)
        found = list(cursor.sort(list(read["sort"].items())) if read["sort"] else cursor)
    return [tuple(shown(document.get(column["field"])) for column in read["columns"]) for document in found]


def shown(value: object) -> object:
    """A date as SQLite holds it."""
    return f"{value:%Y-%m-%d %H:%M:%S}" if hasattr(value, "tzinfo") else value


def test_a_workload_answers_as_sql_does(shop: Path, target: str, database: Database[Any]) -> None:
    """Every SELECT of the shop's workload, converted and run, gives SQLite's rows; every write is a command or a program."""
    done = nestling("load", "design.yaml", "--from", "sqlite:///shop.db", "--to", target, "--no-verify", cwd=shop)
    assert done.code == 0, done.err
    ran = nestling("convert", "design.yaml", "--file", "workload.sql", "--bind", "--json", cwd=shop)
    reads = {read["name"]: read for read in map(json.loads, ran.out.splitlines())}
    assert ran.code == 0
    assert [name for name, read in reads.items() if read["operation"] in ("find", "aggregate")] == list(READS)
    for name in reads.keys() - set(READS):
        assert reads[name]["operation"] in ("program", "updateOne", "updateMany", "insertOne"), name
        assert reads[name]["parameters"] == []
        assert "$parameter" not in json.dumps(reads[name]), name
    samples = {name: json.loads(params) for name, params in SAMPLES.findall((shop / "workload.sql").read_text())}
    answered = 0
    with closing(sqlite3.connect(shop / "shop.db")) as connection:
        for name in READS:
            rows = connection.execute(reads[name]["sql"], samples.get(name, {})).fetchall()
            answered += bool(rows)
            assert Counter(answer(database, reads[name])) == Counter(map(tuple, rows)), name
    assert answered >= len(READS) - 1  # customer 11 has no loyalty card


@pytest.mark.thorough
def test_what_a_variable_of_the_shell_stands_for(shop: Path) -> None:
    """What is not the parameter's own value has a name of its own, and a comment above says what it is; JSON has a mark."""
    patterns = (":q", ":q || '%'", "'%' || :q || '%'", "'%' || :q")
    sql = f"SELECT name FROM product WHERE {' OR '.join(f'name LIKE {each}' for each in patterns)}"
    done = nestling("convert", "design.yaml", sql, cwd=shop)
    assert done.out.splitlines()[:4] == [
        "// q_regex: the regular expression of the pattern q",
        "// q_start_regex: the regular expression of the pattern q || '%'",
        "// q_within_regex: the regular expression of the pattern '%' || q || '%'",
        "// q_end_regex: the regular expression of the pattern '%' || q",
    ]
    assert all(f"$regex: {name}," in done.out for name in ("q_regex", "q_start_regex", "q_within_regex", "q_end_regex"))
    later = "SELECT body FROM review WHERE written_at > :at AND written_at < :end"
    done = nestling("convert", "design.yaml", later, cwd=shop)
    assert done.out.splitlines()[0] == "// at_after: the first second after at"
    assert "$gte: at_after, $lt: end" in done.out.replace("\n", " ")
    marked = json.loads(nestling("convert", "design.yaml", later, "--json", cwd=shop).out)
    assert '{"$parameter": "at", "as": "after"}' in json.dumps(marked)
    write = nestling("convert", "design.yaml", "DELETE FROM review WHERE written_at > :at", cwd=shop)
    assert write.out.splitlines()[0] == "// at_after: the first second after at"


def test_one_statement_for_the_shell(shop: Path) -> None:
    """A statement on the command line becomes one command of mongosh, its parameter a variable."""
    done = nestling("convert", "design.yaml", "SELECT name FROM product WHERE product_id = :id", cwd=shop)
    assert done.code == 0
    assert done.out.startswith('db.getCollection("product").find(')
    assert "{$eq: id" in done.out


def test_parameters_without_a_name_are_variables(shop: Path) -> None:
    """`$2` and `?` are `p2` and `p1`, as in a workload file, and never a number the server would compare with."""
    update = "UPDATE product SET stock = $2 WHERE product_id = $1"
    for dialect in ("postgresql", "sqlite"):
        done = nestling("convert", "design.yaml", update, "--dialect", dialect, cwd=shop)
        assert (done.code, "{$eq: p1}" in done.out, "{stock: p2}" in done.out) == (0, True, True), done.out + done.err
    done = nestling("convert", "design.yaml", "SELECT name FROM product WHERE product_id = ?", "--json", cwd=shop)
    assert json.loads(done.out)["parameters"] == ["p1"]


def test_the_dialect_of_the_source_is_remembered(tmp_path: Path) -> None:
    """Statements are in the SQL of the design's source unless another is said: LIKE counts case in PostgreSQL only."""
    (tmp_path / "schema.sql").write_text("CREATE TABLE member (id serial PRIMARY KEY, email text NOT NULL);")
    nestling("design", "schema.sql", "--dialect", "postgresql", "-o", "design.yaml", cwd=tmp_path)
    asked = "SELECT id FROM member WHERE email LIKE 'Ab%'"
    remembered = nestling("convert", "design.yaml", asked, cwd=tmp_path).out
    assert '{$regex: "^Ab"}' in remembered
    assert nestling("convert", "design.yaml", asked, "--dialect", "postgres", cwd=tmp_path).out == remembered
    assert '{$regex: "^[aA][bB]"}' in nestling("convert", "design.yaml", asked, "--dialect", "sqlite", cwd=tmp_path).out


def test_an_unknown_column_is_named(shop: Path) -> None:
    """A column that does not exist is an error that says which ones do."""
    done = nestling("convert", "design.yaml", "SELECT titel FROM product", cwd=shop)
    assert done.code == 2
    assert "titel" in done.err


def test_a_statement_or_a_file(shop: Path) -> None:
    """Neither, or both, is a mistake of use."""
    assert nestling("convert", "design.yaml", cwd=shop).code == 2


@pytest.mark.thorough
def test_python_and_json_are_other_forms(shop: Path) -> None:
    """`--as python` prints a module that parses, `--as json` what `--json` does."""
    sql = "SELECT name FROM product WHERE product_id = :id"
    done = nestling("convert", "design.yaml", sql, "--as", "python", cwd=shop)
    assert done.code == 0
    assert "def statement(db: Database[Any], *, id: Any) -> list[dict[str, Any]]:" in done.out
    compile(done.out, "queries.py", "exec")
    plain = nestling("convert", "design.yaml", sql, "--as", "json", cwd=shop)
    assert plain.out == nestling("convert", "design.yaml", sql, "--json", cwd=shop).out


def test_two_forms_at_once_are_refused(shop: Path) -> None:
    """`--json` and another form contradict each other; `--as json` says the same."""
    ran = nestling("convert", "design.yaml", "SELECT name FROM product", "--as", "python", "--json", cwd=shop)
    assert ran.code == 2
    assert "--json prints JSON and --as python something else: choose one" in ran.err
    assert nestling("convert", "design.yaml", "SELECT name FROM product", "--as", "json", "--json", cwd=shop).code == 0


@pytest.mark.thorough
def test_json_is_one_line_that_any_terminal_shows(shop: Path) -> None:
    """Where the output is no Unicode, other characters are escaped."""
    sql = "SELECT name FROM product WHERE name = 'größe'"
    done = process("convert", "design.yaml", sql, "--json", cwd=shop, PYTHONIOENCODING="ascii:strict")
    assert done.code == 0
    assert done.out.isascii()
    assert done.out.count("\n") == 1
    assert json.loads(done.out)["sql"] == sql


def test_a_join_of_the_client(shop: Path) -> None:
    """A list of two reads, with the place of the ids; in the shell and in Python too; a gap where it cannot be."""
    sql = "SELECT r.rating, c.name FROM review r LEFT JOIN customer c ON c.customer_id = r.customer_id WHERE r.product_id = :id"
    client = ("convert", "design.yaml", sql, "--join", "client")
    (read,) = map(json.loads, nestling(*client, "--json", cwd=shop).out.splitlines())
    assert [step["collection"] for step in read["steps"]] == ["review", "customer"]
    assert read["steps"][1]["filter"] == {"_id": {"$in": {"$ids": read["on"]["first"]}}}
    assert [column["name"] for column in read["columns"]] == ["rating", "name"]
    shell = nestling(*client, cwd=shop).out
    assert "const keys = " in shell
    assert "{$in: keys}" in shell
    compile(nestling(*client, "--as", "python", cwd=shop).out, "queries.py", "exec")
    grouped = (
        "SELECT c.name, avg(r.rating) FROM review r JOIN customer c ON c.customer_id = r.customer_id GROUP BY c.name"
    )
    done = nestling("convert", "design.yaml", grouped, "--join", "client", cwd=shop)
    assert done.code == 1
    assert "join in the client" in done.out


@pytest.mark.thorough
def test_what_a_statement_weighs_is_no_mistake(shop: Path) -> None:
    """A file without rates is converted; a mistake is told once, with the names there are."""
    (shop / "bare.sql").write_text(
        "-- name: good\nSELECT name FROM product WHERE product_id = :id;\n"
        "-- name: idle, rate: 0/s\nSELECT price FROM product WHERE product_id = :id;\n"
    )
    assert nestling("convert", "design.yaml", "--file", "bare.sql", cwd=shop).code == 0
    with (shop / "bare.sql").open("a") as file:
        file.write("-- name: typo, rate: 1/s\nSELECT nme FROM product;\n")
    done = nestling("convert", "design.yaml", "--file", "bare.sql", cwd=shop)
    assert done.code == 1
    (told,) = [line for line in done.out.splitlines() if "not converted" in line]
    assert "typo" in told
    assert "it has" in told
    (shop / "bare.sql").write_text("-- name: odd\nDELETE FROM review WHERE review_id = 1 LIMIT 1;\n")
    lacking = nestling("convert", "design.yaml", "--file", "bare.sql", cwd=shop)
    assert "(nestling does not convert this)" in lacking.out, "a rate that is not known hides no gap"


def test_the_name_of_a_statement_is_told_from_sql(shop: Path) -> None:
    """A design holds names of statements, not their texts: the error says where the SQL is taken from."""
    done = nestling("convert", "design.yaml", "product_page", cwd=shop)
    assert done.code == 2
    assert "`product_page` is a statement's name, not SQL: give its SQL, or" in done.err
    assert "--file WORKLOAD" in done.err


def test_workload_is_another_name_of_file(shop: Path) -> None:
    """Who knows `--workload` from the other commands gets the same statements."""
    (shop / "one.sql").write_text("-- name: names\nSELECT name FROM product;\n")
    ways = [
        nestling("convert", "design.yaml", name, "one.sql", "--json", cwd=shop) for name in ("--file", "--workload")
    ]
    assert ways[0].code == 0
    assert len(ways[0].out.splitlines()) == 1
    assert ways[0] == ways[1]


def test_the_name_of_a_file_is_told_from_sql(shop: Path) -> None:
    """The error says which option takes a file."""
    (shop / "few.sql").write_text("SELECT name FROM product;\n")
    done = nestling("convert", "design.yaml", "few.sql", cwd=shop)
    assert done.code == 2
    assert "`few.sql` is a file, not SQL: convert its statements with --file few.sql" in done.err


def test_sql_may_begin_with_a_comment(shop: Path) -> None:
    """It is no option."""
    for before in ("-- newest first\n", "--\n"):
        done = nestling("convert", "design.yaml", f"{before}SELECT name FROM product WHERE product_id = 7", cwd=shop)
        assert (done.code, "find(" in done.out) == (0, True), done.err
    assert "No such option" in nestling("convert", "design.yaml", "--newest", cwd=shop).err
