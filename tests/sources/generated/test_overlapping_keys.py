"""Generated rows of tables whose foreign keys share columns: the tables they came from take them, with all constraints on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nestling.common.errors import SourceError
from nestling.ir.reading import Reading
from nestling.ir.statistics import EntityStatistics, Quantity
from nestling.pipeline import inspect
from nestling.pipeline.generating import generate, scaled_reading


def _upto(first: int, last: int) -> str:
    """The numbers as a table of SQLite, whose column is `value`."""
    return f"(SELECT value FROM json_each('{[*range(first, last + 1)]}'))"


SHIPS = f"""
CREATE TABLE ship (id INTEGER PRIMARY KEY, x TEXT);
CREATE TABLE parcel (ship_id INTEGER NOT NULL REFERENCES ship, seq INTEGER NOT NULL, PRIMARY KEY (ship_id, seq));
INSERT INTO ship SELECT value, 'a' FROM {_upto(1, 20)};
INSERT INTO parcel SELECT id, value FROM ship, {_upto(1, 2)};
"""
EVENTS = f"""
CREATE TABLE ev (ev_id INTEGER PRIMARY KEY, ship_id INTEGER NOT NULL REFERENCES ship, seq INTEGER NULL,
  FOREIGN KEY (ship_id, seq) REFERENCES parcel);
INSERT INTO ev SELECT id * 10 + value, id, nullif(value, 0) FROM ship, {_upto(0, 2)};
"""
NO_SHIP_OF_ITS_OWN = f"""
CREATE TABLE ev (ev_id INTEGER PRIMARY KEY, ship_id INTEGER NOT NULL, seq INTEGER NULL,
  FOREIGN KEY (ship_id, seq) REFERENCES parcel);
INSERT INTO ev SELECT id * 10 + value, id, nullif(value, 0) FROM ship, {_upto(0, 2)};
"""
LINES = f"""
CREATE TABLE ev (ship_id INTEGER NOT NULL REFERENCES ship, n INTEGER NOT NULL, seq INTEGER NULL, PRIMARY KEY (ship_id, n),
  FOREIGN KEY (ship_id, seq) REFERENCES parcel);
INSERT INTO ev SELECT id, value, nullif(value % 3, 0) FROM ship, {_upto(1, 6)};
"""
THREE = f"""
CREATE TABLE yard (ship_id INTEGER NOT NULL, berth INTEGER NOT NULL, PRIMARY KEY (ship_id, berth));
CREATE TABLE dock (seq INTEGER NOT NULL, berth INTEGER NOT NULL, PRIMARY KEY (seq, berth));
INSERT INTO yard SELECT id, value FROM ship, {_upto(7, 9)};
INSERT INTO dock SELECT a.value, b.value FROM {_upto(1, 2)} AS a, {_upto(7, 8)} AS b;
CREATE TABLE ev (ev_id INTEGER PRIMARY KEY, ship_id INTEGER NOT NULL REFERENCES ship, seq INTEGER NULL, berth INTEGER NULL,
  FOREIGN KEY (ship_id, seq) REFERENCES parcel, FOREIGN KEY (ship_id, berth) REFERENCES yard,
  FOREIGN KEY (seq, berth) REFERENCES dock);
INSERT INTO ev SELECT id * 10 + value, id, nullif(value % 3, 0), CASE WHEN value % 2 THEN 7 END FROM ship, {_upto(0, 4)};
"""
TENANTS = f"""
CREATE TABLE tenant (id INTEGER PRIMARY KEY);
CREATE TABLE customer (tenant_id INTEGER NOT NULL REFERENCES tenant, id INTEGER NOT NULL, favourite INTEGER,
  PRIMARY KEY (tenant_id, id), FOREIGN KEY (tenant_id, favourite) REFERENCES orders);
CREATE TABLE product (tenant_id INTEGER NOT NULL REFERENCES tenant, id INTEGER NOT NULL, PRIMARY KEY (tenant_id, id));
CREATE TABLE orders (tenant_id INTEGER NOT NULL REFERENCES tenant, id INTEGER NOT NULL, customer_id INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, id), FOREIGN KEY (tenant_id, customer_id) REFERENCES customer);
CREATE TABLE item (tenant_id INTEGER NOT NULL REFERENCES tenant, order_id INTEGER NOT NULL, product_id INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, order_id, product_id), FOREIGN KEY (tenant_id, order_id) REFERENCES orders,
  FOREIGN KEY (tenant_id, product_id) REFERENCES product);
CREATE TABLE line (tenant_id INTEGER NOT NULL, order_id INTEGER NOT NULL, n INTEGER NOT NULL, product_id INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, order_id, n), FOREIGN KEY (tenant_id, order_id) REFERENCES orders,
  FOREIGN KEY (tenant_id, product_id) REFERENCES product);
INSERT INTO tenant VALUES (1), (2), (3), (4);
INSERT INTO customer SELECT id, value, CASE WHEN value < 4 THEN value END FROM tenant, {_upto(1, 6)} WHERE id < 4;
INSERT INTO product SELECT id, value FROM tenant, {_upto(1, 9)} WHERE id < 4;
INSERT INTO orders SELECT id, value, 1 + value % 6 FROM tenant, {_upto(1, 10)} WHERE id < 4;
INSERT INTO item SELECT tenant_id, id, value FROM orders, {_upto(1, 3)};
INSERT INTO line SELECT tenant_id, id, value, value FROM orders, {_upto(1, 4)};
"""
TREES = f"""
CREATE TABLE tenant (id INTEGER PRIMARY KEY);
CREATE TABLE loose (tenant_id INTEGER NOT NULL, id INTEGER NOT NULL, above INTEGER, PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, above) REFERENCES loose);
CREATE TABLE kept (tenant_id INTEGER NOT NULL REFERENCES tenant, id INTEGER NOT NULL, above INTEGER, PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, above) REFERENCES kept);
CREATE TABLE rooted (tenant_id INTEGER NOT NULL REFERENCES tenant, id INTEGER NOT NULL, above INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, id), FOREIGN KEY (tenant_id, above) REFERENCES rooted);
CREATE TABLE public (id INTEGER PRIMARY KEY, tenant_id INTEGER REFERENCES tenant, above INTEGER, UNIQUE (tenant_id, id),
  FOREIGN KEY (tenant_id, above) REFERENCES public (tenant_id, id));
CREATE TABLE post (id INTEGER PRIMARY KEY, thread INTEGER REFERENCES post, above INTEGER, UNIQUE (thread, id),
  FOREIGN KEY (thread, above) REFERENCES post (thread, id));
INSERT INTO tenant VALUES (1), (2), (3);
INSERT INTO kept SELECT id, value, nullif(value / 2, 0) FROM tenant, {_upto(1, 9)};
INSERT INTO loose SELECT * FROM kept;
INSERT INTO rooted SELECT tenant_id, id, ifnull(above, id) FROM kept;
INSERT INTO public SELECT tenant_id * 10 + id, tenant_id, tenant_id * 10 + above FROM kept;
INSERT INTO public SELECT value, NULL, NULL FROM {_upto(101, 103)};
INSERT INTO post SELECT value, 1, nullif(value / 2, 0) FROM {_upto(1, 9)};
"""
KINDS = f"""
CREATE TABLE thing (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, UNIQUE (id, kind));
CREATE TABLE car (id INTEGER PRIMARY KEY, kind TEXT, FOREIGN KEY (id, kind) REFERENCES thing (id, kind));
CREATE TABLE pair (a INTEGER NOT NULL REFERENCES thing, b INTEGER NOT NULL REFERENCES thing, PRIMARY KEY (a, b));
CREATE TABLE mark (a INTEGER NOT NULL REFERENCES thing, b INTEGER NOT NULL REFERENCES thing, PRIMARY KEY (a, b),
  FOREIGN KEY (a, b) REFERENCES pair);
INSERT INTO thing SELECT value, 'kind' || value % 2 FROM {_upto(1, 10)};
INSERT INTO car SELECT id, CASE WHEN id % 3 THEN kind END FROM thing;
INSERT INTO pair SELECT one.id, other.id FROM thing AS one, thing AS other WHERE other.id < 4;
INSERT INTO mark SELECT a, b FROM pair WHERE a > 4;
"""
MIXED = f"""
CREATE TABLE yard (ship_id INTEGER NOT NULL REFERENCES ship, n INTEGER NOT NULL, next INTEGER, PRIMARY KEY (ship_id, n),
  FOREIGN KEY (ship_id, next) REFERENCES yard);
CREATE TABLE crew (id INTEGER PRIMARY KEY, ship_id INTEGER, seq INTEGER, chief INTEGER REFERENCES crew, UNIQUE (chief, id),
  FOREIGN KEY (id, ship_id) REFERENCES parcel, FOREIGN KEY (ship_id, seq) REFERENCES parcel,
  FOREIGN KEY (chief, seq) REFERENCES parcel);
CREATE TABLE sign (code INTEGER NOT NULL REFERENCES ship, above INTEGER NOT NULL, PRIMARY KEY (code, above),
  FOREIGN KEY (code, above) REFERENCES parcel, FOREIGN KEY (above) REFERENCES ship);
INSERT INTO yard SELECT id, value, nullif(value - 1, 0) FROM ship, {_upto(1, 4)};
INSERT INTO crew SELECT value, nullif(value, 3), nullif(value, 2) - value + 1, 1 FROM {_upto(1, 2)};
INSERT INTO crew SELECT value, NULL, nullif(value, 4) - value + 2, 1 FROM {_upto(3, 18)};
INSERT INTO sign SELECT ship_id, seq FROM parcel WHERE ship_id > 8;
"""
CASES = {
    "mixed": SHIPS + MIXED,
    "nullable": SHIPS + EVENTS,
    "no other key": SHIPS + NO_SHIP_OF_ITS_OWN,
    "parts of a key": SHIPS + LINES,
    "three": SHIPS + THREE,
    "tenants": TENANTS,
    "trees": TREES,
    "kinds": KINDS,
}


def _read(script: str, folder: Path) -> Reading:
    with closing(sqlite3.connect(folder / "from.db")) as connection, connection:
        connection.executescript(script)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    return inspect(f"sqlite:///{folder / 'from.db'}")


def _taken(reading: Reading, script: str, folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Generated rows by table, after a database with the same tables has taken them."""
    generate(reading, folder / "rows.db")
    found = {}
    with closing(sqlite3.connect(folder / "rows.db")) as made, closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(script)
        for entity in reading.model.entities:
            names = ", ".join(entity.attribute_names)
            found[entity.name] = made.execute(f"SELECT {names} FROM {entity.name}").fetchall()
            empty.execute(f"DELETE FROM {entity.name}")
            marks = ", ".join("?" for _ in entity.attributes)
            empty.executemany(f"INSERT INTO {entity.name} ({names}) VALUES ({marks})", found[entity.name])
        assert empty.execute("PRAGMA foreign_key_check").fetchall() == []
    return found


@pytest.mark.parametrize("measured", [True, False])
@pytest.mark.parametrize("scale", [1, 3])
@pytest.mark.parametrize("case", CASES)
def test_all_constraints_are_kept(case: str, scale: float, measured: bool, tmp_path: Path):
    """Each table takes as many rows as it is to have, whether anything else is known of them or not."""
    reading = _read(CASES[case], tmp_path)
    if not measured:
        counts = tuple((name, EntityStatistics(each.count)) for name, each in reading.statistics.entities)
        reading = replace(reading, statistics=replace(reading.statistics, entities=counts, relationships=()))
    reading = scaled_reading(reading, scale)
    made = _taken(reading, CASES[case], tmp_path)
    counts_wanted = {name: each.count.value for name, each in reading.statistics.entities if each.count is not None}
    assert {name: len(rows) for name, rows in made.items()} == counts_wanted


def test_null_is_where_it_was(tmp_path: Path):
    """As many rows have no parcel as had none, all have a ship, and parcels of all ships are referred to."""
    rows = _taken(_read(CASES["nullable"], tmp_path), CASES["nullable"], tmp_path)["ev"]
    assert sum(seq is None for _, _, seq in rows) == 20
    assert len({(ship, seq) for _, ship, seq in rows if seq is not None}) == 40


def test_one_null_leaves_the_other_links(tmp_path: Path):
    """Of three foreign keys over the same columns each is followed in some rows where another has none."""
    rows = _taken(_read(CASES["three"], tmp_path), CASES["three"], tmp_path)["ev"]
    assert {(seq is None, berth is None) for _, _, seq, berth in rows} == {
        (one, other) for one in (True, False) for other in (True, False)
    }


def test_trees_stay_trees(tmp_path: Path):
    """No row is above itself, and most of those of a tenant have another above them."""
    made = _taken(_read(TREES, tmp_path), TREES, tmp_path)
    for table in ("loose", "kept", "rooted"):
        above = {(tenant, key): (tenant, up) for tenant, key, up in made[table] if up not in (None, key)}
        assert len(above) >= 18
        for start in above:
            met, at = {start}, start
            while (at := above.get(at, start)) != start:
                assert at not in met
                met.add(at)


def test_places_within_a_parent(tmp_path: Path):
    """Lines are numbered within their order, but for those of tenants that have orders and no products."""
    rows = _taken(_read(TENANTS, tmp_path), TENANTS, tmp_path)["line"]
    assert sum(n <= 4 for _, _, n, _ in rows) > len(rows) * 0.6


NEVER = """
CREATE TABLE a (t INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (t, id));
CREATE TABLE b (t INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (t, id));
CREATE TABLE c (id INTEGER PRIMARY KEY, t INTEGER NOT NULL, a_id INTEGER NOT NULL, b_id INTEGER NOT NULL,
  FOREIGN KEY (t, a_id) REFERENCES a, FOREIGN KEY (t, b_id) REFERENCES b);
INSERT INTO a VALUES (1, 1), (2, 2);
INSERT INTO b VALUES (1, 1), (2, 2);
INSERT INTO c VALUES (1, 1, 1, 1);
"""


def test_what_cannot_be_made(tmp_path: Path):
    """Where no parents fit together the error names the foreign keys, and nothing is left of the rows."""
    reading = _read(NEVER, tmp_path)
    known = dict(reading.statistics.entities)
    known["b"] = replace(known["b"], count=Quantity(0.0))
    reading = replace(reading, statistics=replace(reading.statistics, entities=tuple(known.items())))
    with pytest.raises(
        SourceError, match=r"table c: no rows can be generated that satisfy all .*: no combination of parents fits"
    ) as caught:
        generate(reading, tmp_path / "rows.db")
    assert "use your own rows" in str(caught.value)
    assert not (tmp_path / "rows.db").exists()


def test_a_refused_row_is_one_that_was_made(tmp_path: Path):
    """Nobody is told to change a value of a row that was made up, and no file without tables is left behind."""
    script = (
        "CREATE TABLE up (id INTEGER PRIMARY KEY); CREATE TABLE low (id INTEGER PRIMARY KEY, up_id INTEGER NOT NULL"
    )
    script += " REFERENCES up); INSERT INTO up VALUES (1); INSERT INTO low VALUES (1, 1);"
    reading = _read(script, tmp_path)
    known = dict(reading.statistics.entities)
    known["up"] = replace(known["up"], count=Quantity(0.0))
    reading = replace(reading, statistics=replace(reading.statistics, entities=tuple(known.items())))
    with pytest.raises(SourceError, match="a generated row is refused") as caught:
        generate(reading, tmp_path / "rows.db")
    assert "change that value" not in str(caught.value)
    assert "use your own rows" in str(caught.value)
    assert not (tmp_path / "rows.db").exists()
