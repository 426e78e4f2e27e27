"""Values for parameters, drawn from the rows of the bundled shop and compared with what SQLite says of them."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from nestling.common.errors import WorkloadError
from nestling.ir.bindings import Bindings, Drawn
from nestling.ir.reading import Reading
from nestling.pipeline import inspect
from nestling.pipeline.parameter_values import bindings
from nestling.shop import workload
from nestling.sources.front import open_rows
from nestling.sources.statements import parse_workload

COUNT = 300


@pytest.fixture(scope="module")
def shop(shop_folder: Path) -> Path:
    """The bundled shop's database."""
    return shop_folder / "shop.db"


@pytest.fixture(scope="module")
def reading(shop: Path) -> Reading:
    """The same, read."""
    return inspect(f"sqlite:///{shop}")


def drawn(shop: Path, reading: Reading, text: str, *, seed: int = 0) -> Mapping[str, Bindings]:
    """The bindings of a workload over the shop."""
    parsed, _ = parse_workload(text, reading.model, "sqlite")
    rows = open_rows(f"sqlite:///{shop}", reading.model)
    return bindings(replace(reading, workload=parsed), rows, count=COUNT, seed=seed)


def ask(shop: Path, sql: str, *values: object) -> list[tuple[object, ...]]:
    """What SQLite answers."""
    with closing(sqlite3.connect(shop)) as connection:
        return connection.execute(sql, values).fetchall()


@pytest.mark.thorough
def test_every_statement_of_the_shop_has_values(shop: Path, reading: Reading):
    """All parameters of all statements, for as many executions as are asked for, the same for the same seed."""
    found = drawn(shop, reading, workload())
    parsed, _ = parse_workload(workload(), reading.model, "sqlite")
    for statement in parsed.statements:
        for number in (0, 1, COUNT + 5):
            assert found[statement.name].values(number).keys() == set(statement.parameters)
    assert drawn(shop, reading, workload()) == found
    assert drawn(shop, reading, workload(), seed=1) != found


@pytest.mark.thorough
def test_values_have_the_skew_of_the_rows(shop: Path, reading: Reading):
    """The best seller, a tenth of all reviews, is asked for as often; by its own key it is one product of many."""
    found = drawn(shop, reading, workload())
    [(best, reviews)] = ask(shop, "SELECT product_id, COUNT(*) FROM review GROUP BY 1 ORDER BY 2 DESC LIMIT 1")
    [(every,)] = ask(shop, "SELECT COUNT(*) FROM review")
    asked = Counter(found["latest_reviews"].values(number)["id"] for number in range(COUNT))
    assert asked[best] / COUNT == pytest.approx(int(str(reviews)) / int(str(every)), abs=0.05)
    assert Counter(found["product_page"].values(number)["id"] for number in range(COUNT))[best] <= 2


def test_rows_that_are_joined_are_drawn_together(shop: Path, reading: Reading):
    """A customer and a product are asked for together only when the customer bought it, through two relationships."""
    sql = """SELECT l.quantity FROM purchase_line l JOIN purchase o ON o.purchase_id = l.purchase_id
        JOIN product p ON p.product_id = l.product_id WHERE o.customer_id = :customer AND p.sku = :sku"""
    found = drawn(shop, reading, f"-- name: bought, rate: 1/s\n{sql};")["bought"]
    plain = sql.replace(":customer", "?").replace(":sku", "?")
    for number in range(20):
        values = found.values(number)
        assert ask(shop, plain, values["customer"], values["sku"])


def test_lists_hold_values_of_rows(shop: Path, reading: Reading):
    """As many as the sample value, or ten; lists of what is deleted share nothing."""
    text = """-- name: some, rate: 1/s
        SELECT name FROM product WHERE product_id = ANY(:ids);
        -- name: three, rate: 1/s
        -- params: {"skus": ["a", "b", "c"]}
        SELECT name FROM product WHERE sku IN :skus AND product_id <> :one;
        -- name: gone, rate: 1/s
        DELETE FROM review WHERE review_id = ANY(:ids);"""
    found = drawn(shop, reading, text)
    ids = {row[0] for row in ask(shop, "SELECT product_id FROM product")}
    for number in range(20):
        some, three = found["some"].values(number)["ids"], found["three"].values(number)["skus"]
        assert isinstance(some, list)
        assert isinstance(three, list)
        assert (len(set(some)), len(three)) == (10, 3)
        assert ids.issuperset(some)
    gone = [key for (keys,) in found["gone"].draws if isinstance(keys, list) for key in keys]
    assert found["gone"].once
    assert len(set(gone)) == len(gone) == COUNT


def test_inserted_rows_have_keys_nobody_has(shop: Path, reading: Reading):
    """Keys count up from the last, for ever; foreign keys are some row's; two statements never take the same key."""
    insert = (
        "INSERT INTO purchase (purchase_id, customer_id, placed_at, status) VALUES (:id, :customer, :at, 'placed');"
    )
    found = drawn(shop, reading, f"-- name: one, rate: 1/s\n{insert}\n-- name: other, rate: 1/s\n{insert}")
    [(last,)] = ask(shop, "SELECT MAX(purchase_id) FROM purchase")
    keys = [found[name].values(number)["id"] for name in ("one", "other") for number in range(3 * COUNT)]
    assert len(set(keys)) == len(keys)
    assert min(map(int, map(str, keys))) == int(str(last)) + 1
    assert dict(found["one"].drawn)["id"] is Drawn.FRESH
    customer = found["one"].values(0)["customer"]
    assert ask(shop, "SELECT 1 FROM customer WHERE customer_id = ?", customer)


def test_pairs_are_new_and_one_to_ones_free(shop: Path, reading: Reading):
    """A junction gets pairs it does not have, a loyalty card a customer without one; neither twice."""
    text = """-- name: pair, rate: 1/s
        INSERT INTO product_category (product_id, category_id) VALUES (:product, :category);
        -- name: card, rate: 1/s
        INSERT INTO loyalty_card (customer_id, points, level) VALUES (:customer, :points, :level);"""
    found = drawn(shop, reading, text)
    for name, table in (("pair", "product_category"), ("card", "loyalty_card")):
        assert found[name].once
        assert len(set(found[name].draws)) == len(found[name].draws)
        key = ("product", "category") if name == "pair" else ("customer",)
        condition = " AND ".join(f"{each}_id = ?" for each in key)
        for number in range(len(found[name].draws)):
            values = found[name].values(number)
            assert not ask(shop, f"SELECT 1 FROM {table} WHERE {condition}", *(values[each] for each in key))


def test_ranges_lie_the_right_way_round(shop: Path, reading: Reading):
    """Both ends are values of rows and hold about a twentieth of them; sample values of the statement come first."""
    sql = "SELECT 1 FROM review WHERE written_at BETWEEN :low AND :high;"
    given = '-- name: given, rate: 1/s\n-- params: {"low": "2024-01-01", "high": "2024-02-01"}\n'
    found = drawn(shop, reading, f"-- name: open, rate: 1/s\n{sql}\n{given}{sql}")
    for number in range(COUNT):
        values = found["open"].values(number)
        assert values["low"] < values["high"]  # type: ignore[operator]  # both are timestamps
    assert found["given"].values(0) == {"low": "2024-01-01", "high": "2024-02-01"}


def test_deleted_rows_are_different_ones(shop: Path, reading: Reading):
    """No row is deleted twice, and a draw says that it works only once."""
    found = drawn(shop, reading, "-- name: gone, rate: 1/s\nDELETE FROM review WHERE review_id = :id;")["gone"]
    assert found.once
    assert len(set(found.draws)) == len(found.draws) == COUNT


def test_a_parameter_without_values_is_named(shop: Path, reading: Reading):
    """Nothing is known of a LIMIT; the error names statement and parameter and says what to write."""
    text = "-- name: some, rate: 1/s\nSELECT name FROM product LIMIT :n;"
    with pytest.raises(WorkloadError, match="statement `some`: there is no value for its parameter `n`") as error:
        drawn(shop, reading, text)
    assert "-- params" in error.value.problems[0].next_move


def test_all_parameters_without_values_are_named_at_once(shop: Path, reading: Reading):
    """One mistake for the statement, and the line to write with each of them."""
    text = "-- name: some, rate: 1/s\nSELECT name FROM product LIMIT :n OFFSET :m;"
    with pytest.raises(WorkloadError, match="there is no value for its parameters `n`, `m`") as error:
        drawn(shop, reading, text)
    (problem,) = error.value.problems
    assert '-- params: {"n": …, "m": …}' in problem.next_move


def test_rows_with_a_computed_column_have_values(tmp_path: Path):
    """What the database computes of the values given is no other statement."""
    path = tmp_path / "lines.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""CREATE TABLE line (id INTEGER PRIMARY KEY, price REAL NOT NULL,
            gross REAL GENERATED ALWAYS AS (price * 1.19) STORED); INSERT INTO line (id, price) VALUES (1, 2.5);""")
    reading = inspect(f"sqlite:///{path}")
    found = drawn(path, reading, "-- name: a, rate: 1/s\nINSERT INTO line (id, price) VALUES (:id, :price);")["a"]
    assert found.values(0) == {"id": 2, "price": 2.5}


def test_empty_tables_fall_back_on_samples(tmp_path: Path, reading: Reading):
    """Where there are no rows the statement's own values serve; without them the parameter is named."""
    path = tmp_path / "empty.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)")
    empty = inspect(f"sqlite:///{path}")
    sql = "SELECT body FROM note WHERE id = :id;"
    found = drawn(path, empty, f'-- name: a, rate: 1/s\n-- params: {{"id": 3}}\n{sql}')
    assert found["a"].values(9) == {"id": 3}
    with pytest.raises(WorkloadError, match="`id`"):
        drawn(path, empty, f"-- name: a, rate: 1/s\n{sql}")


def test_json_is_given_as_text(tmp_path: Path):
    """A parameter takes no document: one that is stored is drawn as its text."""
    path = tmp_path / "json.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""CREATE TABLE note (id INTEGER PRIMARY KEY, body JSON);
            INSERT INTO note VALUES (1, '{"a": [1, 2]}');""")
    reading = inspect(f"sqlite:///{path}")
    found = drawn(path, reading, "-- name: a, rate: 1/s\nINSERT INTO note (id, body) VALUES (:id, :body);")["a"]
    assert json.loads(str(found.values(0)["body"])) == {"a": [1, 2]}


@pytest.mark.parametrize("said", ['{"a": 0.5, "b": 0.6}', '{"a": 0.5}', ""])
def test_ranges_are_as_wide_as_the_statement_says(shop: Path, reading: Reading, said: str):
    """A tenth of the rows between two ends, where both are told; else a twentieth."""
    sql = "SELECT review_id FROM review WHERE written_at >= :a AND written_at < :b;"
    found = drawn(shop, reading, f"-- name: between, rate: 1/s\n{f'-- quantiles: {said}' if said else ''}\n{sql}")[
        "between"
    ]
    with closing(sqlite3.connect(shop)) as connection:
        (every,) = connection.execute("SELECT count(*) FROM review").fetchone()
        counts = [
            connection.execute(sql.replace("review_id", "count(*)"), draw).fetchone()[0] for draw in _named(found)
        ]
    assert sum(counts) / len(counts) / every == pytest.approx(0.1 if "b" in said else 0.05, rel=0.3)


def test_one_end_is_where_the_statement_says(shop: Path, reading: Reading):
    """So many of the rows are smaller."""
    sql = "SELECT review_id FROM review WHERE written_at >= :since;"
    found = drawn(shop, reading, f'-- name: newest, rate: 1/s\n-- quantiles: {{"since": 0.9}}\n{sql}')["newest"]
    with closing(sqlite3.connect(shop)) as connection:
        (every,) = connection.execute("SELECT count(*) FROM review").fetchone()
        (left,) = connection.execute(sql.replace("review_id", "count(*)"), next(_named(found))).fetchone()
    assert left / every == pytest.approx(0.1, rel=0.3)


def _named(found: Bindings) -> Iterator[dict[str, object]]:
    """The draws, values by the names of their parameters, as SQLite takes them."""
    for draw in found.draws:
        yield {name: str(value) for name, value in zip(found.parameters, draw, strict=True)}
