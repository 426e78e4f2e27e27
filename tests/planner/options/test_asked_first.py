"""What an INSERT asks before it adds its rows is in the search's price: numbers of counters, values that are worked out, rows
that are there already.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from nestling import pipeline
from nestling.ir.reading import Reading
from tests.two_prices import TwoPrices, two_prices

TABLES = """
CREATE TABLE project (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL);
CREATE TABLE issue (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, project_id INTEGER NOT NULL REFERENCES project (id),
  title TEXT NOT NULL);
CREATE TABLE label (id INTEGER PRIMARY KEY NOT NULL, project_id INTEGER NOT NULL REFERENCES project (id), name TEXT NOT NULL,
  UNIQUE (project_id, name));
CREATE TABLE tagging (issue_id INTEGER NOT NULL REFERENCES issue (id), label_id INTEGER NOT NULL REFERENCES label (id),
  PRIMARY KEY (issue_id, label_id));
CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, text TEXT NOT NULL, code TEXT UNIQUE);
"""
STATEMENTS = {
    "numbered": "INSERT INTO note (text) VALUES (:text)",
    "told": "INSERT INTO note (id, text) VALUES (:id, :text)",
    "worked_out": "INSERT INTO note (id, text) VALUES (:id, :text || '!')",
    "upsert": "INSERT INTO note (text, code) VALUES (:text, :code) ON CONFLICT (code) DO UPDATE SET text = text || excluded.text",
    "limited": "INSERT INTO note (text) SELECT name FROM label ORDER BY id LIMIT 3",
    "copied": "INSERT INTO note (text) SELECT name FROM label WHERE project_id = :project",
    "tagged": """INSERT INTO tagging (issue_id, label_id) SELECT :issue, id FROM label
        WHERE project_id = (SELECT project_id FROM issue WHERE id = :issue) AND name = :name ON CONFLICT DO NOTHING""",
}


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Reading:
    """Labels of forty projects, four each."""
    path = tmp_path_factory.mktemp("issues") / "issues.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
        connection.executemany("INSERT INTO project VALUES (?, ?)", [(n, f"project {n}") for n in range(40)])
        connection.executemany("INSERT INTO issue VALUES (?, ?, 'title')", [(n, n % 40) for n in range(1000)])
        connection.executemany("INSERT INTO label VALUES (?, ?, ?)", [(n, n % 40, f"l{n // 40}") for n in range(160)])
        connection.executemany("INSERT INTO note VALUES (?, 'text', ?)", [(n, f"c{n}") for n in range(500)])
        connection.commit()
    workload = path.with_name("workload.sql")
    workload.write_text("\n".join(f"-- name: {name}, rate: 1/s\n{sql};" for name, sql in STATEMENTS.items()))
    return pipeline.inspect(f"sqlite:///{path}", workload=workload)


@pytest.fixture(scope="module")
def prices(reading: Reading) -> dict[str, TwoPrices]:
    """Both prices of each statement, where every table is a collection."""
    return dict(two_prices(reading, pipeline.design(reading, "normalized")))


@pytest.mark.parametrize("name", STATEMENTS)
def test_both_prices_agree(prices: dict[str, TwoPrices], name: str) -> None:
    """The search takes into account what is asked first."""
    assert prices[name].factor < 1.6, prices[name]


def test_a_number_that_is_taken_or_given_costs_requests(prices: dict[str, TwoPrices]) -> None:
    """Two ask for the highest there is and the counter; one raises the counter to a number that is given."""
    given, taken = prices["told"], prices["numbered"]
    assert taken.search - given.search == pytest.approx(given.search / 2, rel=0.1)
    assert taken.compiled - given.compiled == pytest.approx(given.compiled / 2, rel=0.1)


def test_a_selected_row_is_found_by_the_value_of_a_subquery(reading: Reading) -> None:
    """The label of an issue's project is one row, not all labels of that name; its project is looked up once, not for each."""
    compiled = pipeline.convert(pipeline.design(reading, "normalized"), STATEMENTS["tagged"])
    text = str(compiled)
    assert text.count("'localField': '_id.project_id'") + text.count("'localField': 'project_id'") == 2
    assert "'$eq': ['$project_id', '$value.project_id']" not in text
