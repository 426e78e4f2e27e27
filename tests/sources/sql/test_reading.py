"""What `reading` says of the torture schemas and of real databases."""

from __future__ import annotations

import lzma
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nestling.ir.model import Cardinality, OnDelete
from nestling.ir.quantile import quantile
from nestling.ir.reading import Reading
from nestling.ir.statistics import Origin
from nestling.sources.sql import open_database
from tests.shared_cases import CASES, shared

LARGE = 4 << 20
"""Files of more bytes are read in a soak only."""


@pytest.fixture
def torture(sqlite_url: str) -> Reading:
    """The SQLite torture schema, read."""
    return open_database(sqlite_url).reading()


@pytest.mark.thorough
def test_relationship_names_tell_two_foreign_keys_apart(torture: Reading) -> None:
    """Several foreign keys to one table are named by their columns, and roles come from them."""
    links = {link.name: link for link in torture.model.parents_of("order line")}
    assert set(links) == {"Customer_order line_by_buyer_id", "Customer_order line_by_payer_id"}
    assert links["Customer_order line_by_buyer_id"].parent_role == "buyer"
    assert links["Customer_order line_by_buyer_id"].required
    assert not links["Customer_order line_by_payer_id"].required


def test_a_junction_with_payload_is_many_to_many(torture: Reading) -> None:
    """Two foreign keys that make the key make a junction, a third one is payload."""
    (link,) = torture.model.many_to_many
    assert (link.name, link.left, link.right) == ("node_tag", "node_node_tag", "tag_node_tag")


@pytest.mark.thorough
def test_subtypes_share_the_key(torture: Reading) -> None:
    """Two tables keyed by a table's key are its subtypes, as it is theirs; a unique foreign key is a plain 1:1."""
    (hierarchy,) = torture.model.hierarchies
    assert hierarchy.supertype == "Customer"
    assert set(hierarchy.subtypes) == {"Customer_person", "Customer_company"}
    assert torture.model.relationship("person_passport").cardinality is Cardinality.ONE_TO_ONE


@pytest.mark.parametrize(("boat", "found"), [("boat", [("vehicle_car",)]), ("car", [])])
def test_one_subtype_is_told_by_values(boat: str, found: list[tuple[str, ...]], tmp_path: Path) -> None:
    """One table alone is a subtype where an attribute says of each row whether it is one."""
    with closing(sqlite3.connect(tmp_path / "fleet.db")) as connection, connection:
        connection.executescript(
            "CREATE TABLE vehicle (id INTEGER PRIMARY KEY, kind TEXT NOT NULL);"
            "CREATE TABLE car (id INTEGER PRIMARY KEY REFERENCES vehicle (id), doors INTEGER);"
            f"INSERT INTO vehicle VALUES (1, 'car'), (2, '{boat}'), (3, 'car'); INSERT INTO car VALUES (1, 4), (3, 5);"
        )
    connection.close()
    model = open_database(f"sqlite:///{tmp_path / 'fleet.db'}").reading().model
    assert [each.subtypes for each in model.hierarchies] == found


def test_details_of_the_same_rows_are_no_subtypes(tmp_path: Path) -> None:
    """A passport beside a person's rank is a detail; a guest and an officer are kinds, as nobody is both."""
    with closing(sqlite3.connect(tmp_path / "ship.db")) as connection, connection:
        connection.executescript(
            "CREATE TABLE person (id INTEGER PRIMARY KEY);"
            "CREATE TABLE officer (id INTEGER PRIMARY KEY REFERENCES person (id), rank TEXT);"
            "CREATE TABLE passport (person_id INTEGER PRIMARY KEY REFERENCES person (id), number TEXT);"
            "CREATE TABLE guest (id INTEGER PRIMARY KEY REFERENCES person (id), cabin TEXT);"
            "CREATE TABLE cat (id INTEGER PRIMARY KEY);"
            "CREATE TABLE collar (cat_id INTEGER PRIMARY KEY REFERENCES cat (id));"
            "CREATE TABLE chip (cat_id INTEGER PRIMARY KEY REFERENCES cat (id));"
            "INSERT INTO person VALUES (1), (2), (3); INSERT INTO officer VALUES (1, 'mate');"
            "INSERT INTO guest VALUES (2, 'A1'), (3, 'A2'); INSERT INTO passport VALUES (1, 'P1'), (3, 'P3');"
            "INSERT INTO cat VALUES (1); INSERT INTO collar VALUES (1); INSERT INTO chip VALUES (1);"
        )
    connection.close()
    model = open_database(f"sqlite:///{tmp_path / 'ship.db'}").reading().model
    assert [(each.supertype, {*each.subtypes}) for each in model.hierarchies] == [
        ("person", {"person_officer", "person_guest"})
    ]


@pytest.mark.thorough
def test_what_cannot_be_resolved_is_a_gap(torture: Reading) -> None:
    """Foreign keys to missing tables, missing columns and columns that are not unique are listed."""
    assert [gap.where for gap in torture.gaps] == ["lost.a", "lost.b", "lost.c"]


@pytest.mark.thorough
def test_notes_tell_what_was_seen(torture: Reading) -> None:
    """NULL keys, dangling rows and cycles are said, and change the model."""
    text = "\n".join(torture.notes)
    for expected in (
        "`nullkey` has 2 rows",
        "1 row of `dangler` refers",
        "3 rows of `node` are their own",
        "`zoo.dec` (float) also holds text",
    ):
        assert expected in text
    assert torture.model.entity("nullkey").key == ()
    assert not torture.model.relationship("tag_dangler").required


@pytest.mark.thorough
def test_types_come_from_the_values(torture: Reading) -> None:
    """Declared types are corrected by what SQLite's columns hold, and disagreeing values are listed."""
    zoo = torture.model.entity("zoo")
    found = {a.name: " ".join(map(str, (a.type, *a.also))) for a in zoo.attributes}
    assert found == {
        "i": "integer float text", "flag": "boolean", "d": "date text integer", "s": "timestamp", "ms": "timestamp(3)",
        "us": "timestamp(6)", "t_form": "text", "mixed": "timestamp text integer", "dec": "float integer text",
        "untyped": "any", "one_kind": "text", "doc": "json", "b": "bytes", "txt": "text", "moment": "time",
        "key_text": "text", "n": "float integer", "day_only": "date",
    }  # fmt: skip


def test_statistics_cover_parents_without_children(torture: Reading) -> None:
    """Fan-out is over all parents; orphans, dangling rows and depth are counted."""
    tree = torture.statistics.relationship("node_node")
    assert tree.depth is not None
    assert (tree.depth.value, tree.depth.origin) == (2, Origin.MEASURED)
    assert tree.orphans is not None
    assert tree.orphans.value == 1
    lines = torture.statistics.relationship("Customer_order line_by_buyer_id")
    assert lines.mean is not None
    assert lines.maximum is not None
    assert (lines.mean.value, lines.maximum.value) == (0.75, 2)
    dangling = torture.statistics.relationship("tag_dangler").dangling
    assert dangling is not None
    assert dangling.value == 1
    shares = torture.statistics.entity("Customer").attribute("name")
    assert shares.null_share is not None
    assert shares.null_share.value == 0.25


def test_quantiles_are_exact() -> None:
    """A quantile is the smallest count that covers its share of the parents."""
    fan_out = {0: 50, 1: 45, 7: 4, 1000: 1}
    assert [quantile(fan_out, share) for share in (0.5, 0.95, 0.99, 0.999)] == [0, 1, 7, 1000]


def test_text_that_is_not_utf8_can_be_measured(tmp_path: Path) -> None:
    """The largest value of an INTEGER column may be such text."""
    path = tmp_path / "odd.db"
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE t(i INTEGER, kind TEXT); INSERT INTO t VALUES(CAST(x'ff' AS TEXT), CAST(x'fe' AS TEXT));"
    )
    connection.close()
    attribute = open_database(f"sqlite:///{path}").reading().model.entity("t").attribute("i")
    assert [str(other) for other in attribute.also] == ["text"]


def test_days_no_calendar_has_are_text(tmp_path: Path) -> None:
    """SQLite takes them for other days; in canonical form, they are stored as they were found."""
    path = tmp_path / "odd.db"
    connection = sqlite3.connect(path)
    connection.executescript(
        """CREATE TABLE t(day DATE, at TIMESTAMP, milli TIMESTAMP, fine TIMESTAMP);
        INSERT INTO t VALUES ('2024-02-29', '2024-02-29 23:59:59', '2024-02-29 23:59:59.999', '2024-02-29 23:59:59.999999');
        INSERT INTO t VALUES ('2024-03-01', '2024-03-01 10:00:00', '2024-03-01 10:00:00.500', '2024-12-31 10:00:00.000001');
        INSERT INTO t VALUES ('2023-02-29', '2024-03-01 24:00:00', '2024-04-31 10:00:00.500', NULL);"""
    )
    connection.close()
    reading = open_database(f"sqlite:///{path}").reading()
    types = [" ".join(map(str, (each.type, *each.also))) for each in reading.model.entity("t").attributes]
    assert types == ["date text", "timestamp text", "timestamp(3) text", "timestamp(6)"]


def test_large_tables_are_sampled(tmp_path: Path) -> None:
    """Above the bound columns are measured over a spread sample that says how large it was; counts stay exact."""
    path = tmp_path / "big.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE big(id INTEGER PRIMARY KEY, x TEXT)")
    connection.executemany("INSERT INTO big VALUES(?, ?)", [(n, "x" * (n % 10)) for n in range(20_000)])
    connection.commit()
    connection.close()
    reading = open_database(f"sqlite:///{path}").reading(sampled_above_rows=1_000)
    statistics = reading.statistics.entity("big")
    assert statistics.count is not None
    assert (statistics.count.value, statistics.count.rows) == (20_000, None)
    width = statistics.attribute("x").average_bytes
    assert width is not None
    assert width.rows is not None
    assert 500 < width.rows <= 1_000
    assert width.value == pytest.approx(4.5, rel=0.1)


def test_tables_and_statistics_are_read_in_postgresql(postgresql_urls: tuple[str, str]) -> None:
    """Schemas, partitions, views, domains and enums of PostgreSQL, sampled too."""
    database = open_database(postgresql_urls[0])
    reading = database.reading()
    names = {entity.name for entity in reading.model.entities}
    assert names == {"odd schema.Child %s", "torture.parent", "torture.part", "torture.tree", "torture.zoo"}
    zoo = reading.model.entity("torture.zoo")
    found = {
        name: str(zoo.attribute(name).type)
        for name in ("n2", "c", "m", "deep", "stamps", "tsz", "iv", "bt", "micro", "ts")
    }
    assert found == {
        "n2": "decimal(10,2)", "c": "decimal(8,2)", "m": "enum('so la', 'it''s', 'x')", "deep": "array(integer)",
        "stamps": "array(timestamptz)", "tsz": "timestamptz", "iv": "interval", "bt": "bits(3)", "micro": "timestamp(6)",
        "ts": "timestamp(3)",
    }  # fmt: skip
    assert {gap.where for gap in reading.gaps} == {"torture.zoo.p", "torture.zoo.net", "torture.zoo.r"}
    (link,) = reading.model.parents_of("odd schema.Child %s")
    assert (link.parent, link.on_delete) == ("torture.parent", OnDelete.SET_NULL)
    assert database.reading(sampled_above_rows=2).model.entities


@pytest.mark.thorough
def test_bytes_are_measured_as_bytes(postgresql_urls: tuple[str, str]) -> None:
    """Not as the digits that PostgreSQL writes of them."""
    width = open_database(postgresql_urls[0]).reading().statistics.entity("torture.zoo").attribute("b").maximum_bytes
    assert width is not None
    assert width.value == 2


@pytest.mark.thorough
def test_tables_and_statistics_are_read_in_mariadb(mariadb_urls: tuple[str, str]) -> None:
    """Flags, unsigned numbers, enums, JSON and odd names of MariaDB, sampled too."""
    database = open_database(mariadb_urls[0])
    reading = database.reading()
    zoo = reading.model.entity("zoo")
    found = {
        name: str(zoo.attribute(name).type)
        for name in ("flag", "tiny", "ub", "de", "e", "s", "j", "bt", "ts", "dt6", "y")
    }
    assert found == {
        "flag": "boolean", "tiny": "integer", "ub": "integer", "de": "decimal(20,5)", "e": "enum('a', 'b''c')",
        "s": "text('x', 'y') as set",
        "j": "json", "bt": "bits(5)", "ts": "timestamptz", "dt6": "timestamp(6)", "y": "integer as year",
    }  # fmt: skip
    assert [str(other) for other in zoo.attribute("ub").also] == ["decimal(20,0)"]
    assert reading.statistics.relationship("tree_tree").depth is not None
    assert [gap.where for gap in reading.gaps] == ["zoo.g"]
    assert database.reading(sampled_above_rows=1).model.entities


def test_the_shop_is_read_whole(shop_folder: Path) -> None:
    """Every table, column and foreign key of the file's own catalog is in the model."""
    assert_read_whole(shop_folder / "shop.db")


@pytest.mark.one_in(4)
@shared
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(path, marks=pytest.mark.soak if path.stat().st_size > LARGE else (), id=path.parent.name)
        for path in sorted(CASES.glob("sql/*/*.sqlite*"))
    ],
)
def test_real_databases_are_read_whole(case: Path, tmp_path: Path) -> None:
    """So it is with databases nobody here made."""
    path = tmp_path / "case.db"
    path.write_bytes(lzma.decompress(case.read_bytes()) if case.suffix == ".xz" else case.read_bytes())
    assert_read_whole(path)


def assert_read_whole(path: Path) -> None:
    """What the catalog of a SQLite file lists, and how many rows there are, is what is read."""
    connection = sqlite3.connect(path)
    tables = [
        row[0]
        for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    ]
    columns = {t: connection.execute("SELECT count(*) FROM pragma_table_info(?)", (t,)).fetchone()[0] for t in tables}
    keys = sum(
        connection.execute("SELECT count(DISTINCT id) FROM pragma_foreign_key_list(?)", (t,)).fetchone()[0]
        for t in tables
    )
    counts = {t: connection.execute(f'SELECT count(*) FROM "{t}"').fetchone()[0] for t in tables}
    connection.close()
    reading = open_database(f"sqlite:///{path}").reading()
    assert {entity.name: len(entity.attributes) for entity in reading.model.entities} == columns
    assert len(reading.model.relationships) + len(reading.gaps) == keys
    found = {name: statistics.count and statistics.count.value for name, statistics in reading.statistics.entities}
    assert found == counts
