"""Emitted modules: imported where nestling is not, they give the rows `run_read` gives, and look as `ruff format` leaves them."""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bson
import pymongo
import pytest
from pymongo import MongoClient

from nestling import pipeline
from nestling.emitters.mql.client_join import compiled_join
from nestling.emitters.mql.read import compiled_read
from nestling.emitters.python_code import CodeStatement, module
from nestling.executors.run import run_read
from nestling.ir.programs.client_join import ClientJoin
from nestling.ir.programs.compiled import CompiledRead, NotCompiled
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.algebra import Query
from nestling.planner.reads import plan_read
from nestling.planner.reads.client_join import plan_client_join
from nestling.planner.reads.gaps import ReadGap
from nestling.planner.sql import translate
from tests.client_join import run_join
from tests.planner.reads.beside_sqlite import Beside, loaded
from tests.planner.reads.shop import READING, ROWS, STATEMENTS

RUNNER = """
import sys
sys.path.insert(0, sys.argv[1])
sys.modules["nestling"] = None  # importing it is an error
import json
from pymongo import MongoClient
import queries
database = MongoClient(sys.argv[2], uuidRepresentation="standard")[sys.argv[3]]
for line in sys.stdin:
    name, values = json.loads(line)
    print(json.dumps([[list(row), list(map(repr, row.values()))] for row in getattr(queries, name)(database, **values)]))
"""
PARAMETERS: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "SELECT id, name FROM customer WHERE city = :city AND id > :least ORDER BY id LIMIT :n",
        {"city": "Oslo", "least": "0", "n": 2},
    ),
    ("SELECT id FROM customer ORDER BY id LIMIT :n OFFSET :n2", {"n": -1, "n2": 1}),
    ("SELECT id FROM customer LIMIT :n", {"n": 0}),
    ("SELECT name, count(*) AS n FROM customer GROUP BY name ORDER BY n, name LIMIT :n OFFSET :m", {"n": 2, "m": 1}),
    ("SELECT name FROM customer WHERE name = :class", {"class": "Ann"}),
    ("SELECT name FROM customer WHERE name = :db OR name = :given OR city = :stages", {"db": "bob", "given": 1, "stages": None}),
    ("SELECT id, total * :factor AS t FROM orders WHERE total > :least", {"factor": 2, "least": 1.5}),
    ("SELECT name FROM customer WHERE city = :city", {"city": None}),
    ("SELECT no, quantity FROM line WHERE order_id = :given_", {"given_": 10}),
    ("SELECT no FROM line WHERE order_id = :id_given", {"id_given": None}),
    ("SELECT id FROM customer WHERE city = :id OR name = :id OR name = :id_given", {"id": "Oslo", "id_given": "bob"}),
    ("SELECT name FROM customer WHERE id = ANY(:ids)", {"ids": [1, "2", None]}),
    ("SELECT id, city IN :cities AS here FROM customer WHERE id NOT IN :none", {"cities": ["Oslo", None], "none": []}),
    ("SELECT o.id, c.name FROM orders o JOIN customer c ON c.id = o.customer_id WHERE c.city IN :a", {"a": ["Oslo", "Bern"]}),
    ("SELECT o.id, c.name FROM orders o JOIN customer c ON c.id = o.customer_id WHERE c.id IN :a", {"a": [1, 3]}),
)  # fmt: skip


@pytest.fixture(scope="module")
def shop(mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Beside]:
    """The shop, normalized."""
    database = mongo_client[f"test_{uuid.uuid4().hex}"]
    yield loaded(pipeline.design(READING, "normalized"), ROWS, database, tmp_path_factory.mktemp("module"))
    mongo_client.drop_database(database.name)


def compiled(shop: Beside) -> list[tuple[CodeStatement, dict[str, Any]]]:
    """Every statement of the shop, by the server's joins and where it can be by the client's, with values."""
    found: list[tuple[CodeStatement, dict[str, Any]]] = []
    plain: list[tuple[str, dict[str, Any]]] = [(sql, {}) for sql in STATEMENTS]
    for number, (sql, values) in enumerate((*plain, *PARAMETERS)):
        query = translate(sql, shop.design.model, "sqlite")
        assert isinstance(query, Query)
        found.append((compiled_read(plan_read(query, shop.design), name=f"statement {number}", sql=sql), values))
        try:
            join = plan_client_join(query, shop.design)
        except ReadGap:
            continue
        found.append((compiled_join(join, name=f"joined {number}", sql=sql), values))
    return found


def answers(shop: Beside, statement: CodeStatement, values: dict[str, Any]) -> list[list[list[str]]]:
    """What nestling's own runner gives, as the script prints it."""
    assert isinstance(statement, CompiledRead | ClientJoin)
    run: Any = run_join if isinstance(statement, ClientJoin) else run_read
    fields = [column.field for column in statement.columns]
    return [[fields, list(map(repr, row))] for row in run(shop.database, statement, values)]


def python_name(name: str) -> str:
    """A keyword argument's name in the emitted functions."""
    return f"{name}_" if name in ("class", "db", "given", "given_", "stages") else name


def test_a_module_gives_the_same_rows_without_nestling(shop: Beside, mongod: Any, tmp_path: Path) -> None:
    """Every statement, its columns named and ordered as SQL's, values of the same Python types."""
    statements = compiled(shop)
    assert sum(isinstance(each, ClientJoin) for each, _ in statements) >= 8
    (tmp_path / "queries.py").write_text(module([each for each, _ in statements]), encoding="utf-8")
    asked = "".join(
        json.dumps([each.name.replace(" ", "_"), {python_name(name): value for name, value in values.items()}]) + "\n"
        for each, values in statements
    )
    packages = {str(Path(package.__file__ or "").parents[1]) for package in (pymongo, bson)}
    program = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sorted(packages)!r}\n" + RUNNER]
    done = subprocess.run(
        [*program, str(tmp_path), mongod.uri, shop.database.name],
        input=asked, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    for (each, values), line in zip(statements, done.stdout.splitlines(), strict=True):
        assert sorted(map(repr, json.loads(line))) == sorted(map(repr, answers(shop, each, values))), each.sql


@pytest.mark.thorough
def test_a_module_is_formatted(shop: Beside, tmp_path: Path) -> None:
    """`ruff format` with lines of 120 changes nothing, and no name is undefined or unused."""
    path = tmp_path / "queries.py"
    path.write_text(module([each for each, _ in compiled(shop)]), encoding="utf-8")
    ruff = [sys.executable, "-m", "ruff"]
    formatted = [*ruff, "format", "--isolated", "--line-length", "120", "--diff", str(path)]
    done = subprocess.run(formatted, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[:3000]
    checked = [*ruff, "check", "--isolated", "--select", "F,I,E7,E9", "--line-length", "120", str(path)]
    done = subprocess.run(checked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[:3000]


def lines_by(column: str) -> str:
    """The written function that finds lines by a parameter."""
    design = pipeline.design(READING, "normalized").design
    query = translate(f"SELECT no FROM line WHERE {column} = :id", design.model, "sqlite")
    assert isinstance(query, Query)
    source = module([compiled_read(plan_read(query, design), name="lines", sql="")])
    return source[source.index("def lines(") :]


def test_a_parameter_is_converted_once() -> None:
    """Under a local name, where its value stands in several places."""
    function = lines_by("order_id")
    assert function.count("given(") == 1
    assert function.count("id_given") == 4
    assert '"_id.order_id": {"$eq": id_given}' in function


def test_the_client_asks_whether_a_parameter_is_null() -> None:
    """Not the server; and only beside a field that may be missing."""
    assert '"product_id": equal_to(given("id"' in lines_by("product_id")
    assert not any("$ne" in lines_by(each) for each in ("product_id", "order_id"))


def test_values_that_are_no_values_are_refused(shop: Beside, tmp_path: Path) -> None:
    """A document or list never gets into a query; a limit is a whole number."""
    sql = "SELECT id FROM customer WHERE city = :city LIMIT :n"
    read = shop.compiled(sql)
    space: dict[str, Any] = {}
    exec(compile(module([read]), "queries.py", "exec"), space)
    for city, n in (({"$ne": None}, 1), (["Oslo"], 1), ("Oslo", 1.5), ("Oslo", "1"), (object(), 1)):
        with pytest.raises(TypeError):
            space["statement"](shop.database, city=city, n=n)
    assert space["statement"](shop.database, city="Oslo", n=1)


def test_a_gap_is_a_comment() -> None:
    """The module stays a module, and says what it lacks and why."""
    text = module([NotCompiled("lost", "SELECT", Gap(GapKind.NEVER, "an order of\nbytes"))])
    assert "# lost is not converted: an order of bytes (MongoDB cannot)" in text
    compile(text, "queries.py", "exec")


def test_a_statement_keeps_a_name_that_python_takes() -> None:
    """Whatever comes before it that would be called so, too."""
    gap = Gap(GapKind.NEVER, "nothing")
    text = module([NotCompiled(name, "SELECT", gap) for name in ("a-b", "a.b", "a_b", "len")])
    assert [line.split()[1] for line in text.splitlines() if line.startswith("# ")] == ["a_b_2", "a_b_3", "a_b", "len_"]
