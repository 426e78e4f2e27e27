"""Generated rows beside the statistics they were made from, measured again by the reader of databases."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nestling.common.errors import SourceError
from nestling.ir.reading import Reading
from nestling.ir.statistics import EntityStatistics, Quantity, RelationshipStatistics
from nestling.ir.text import read_file
from nestling.pipeline import inspect
from nestling.pipeline.generating import check_generated, generate, scaled_reading
from nestling.sources.generated.fan_out import slots
from nestling.sources.generated.nth_rows import tables
from nestling.sources.generated.permutations import permutation
from tests.bundled_shop import shop_address
from tests.planner.reads.beside_postgresql import created

WORKLOADS = Path(__file__).parents[3] / "benchmarks" / "workloads"


@pytest.fixture(scope="module")
def shop(shop_folder: Path) -> Reading:
    """The bundled shop, measured."""
    return inspect(shop_address(shop_folder))


@pytest.fixture(scope="module")
def rows(shop: Reading, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As many rows as it has, generated from what was measured."""
    path = tmp_path_factory.mktemp("generated") / "rows.db"
    generate(shop, path, seed=7)
    return path


@pytest.mark.thorough
def test_rows_have_the_statistics_they_were_made_from(shop: Reading, rows: Path):
    """Rows, fan-outs, distinct values, NULLs and widths come back as they went in; no foreign key dangles."""
    assert check_generated(shop, f"sqlite:///{rows}") == ()
    with closing(sqlite3.connect(rows)) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.soak
def test_ten_times_the_rows_have_the_same_fan_outs(shop: Reading, tmp_path: Path):
    """At ten times the scale everything is as it was, but that there is more of it."""
    wanted = scaled_reading(shop, 10)
    assert check_generated(wanted, generate(wanted, tmp_path / "rows.db")) == ()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("name", "scale"), [("telecom", 0.2), ("courses", 0.5)])
def test_declared_statistics_are_kept(name: str, scale: float, tmp_path: Path):
    """Composite keys, pairs and one-to-ones of models nobody has rows for: nothing but narrow texts is off, and by little."""
    reading = read_file(WORKLOADS / name / "model.yaml")
    assert isinstance(reading, Reading)
    reading = scaled_reading(reading, scale)
    address = generate(reading, tmp_path / "rows.db")
    assert [
        each for each in check_generated(reading, address) if abs(each.found - each.wanted) > 0.25 * each.wanted
    ] == []
    with closing(sqlite3.connect(tmp_path / "rows.db")) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.thorough
def test_the_same_seed_makes_the_same_rows(shop: Reading):
    """Any row can be made alone, again, and in any order; another seed makes others."""
    one, again, other = (tables(shop.model, shop.statistics, seed) for seed in (1, 1, 2))
    rows = [one["review"].row(number) for number in range(50)]
    assert [again["review"].row(number) for number in reversed(range(50))] == rows[::-1]
    assert [other["review"].row(number) for number in range(50)] != rows


@pytest.mark.thorough
def test_children_come_after_their_parents(shop: Reading):
    """Purchases are made after their customers joined, but for some of those who joined last; by chance it would be half."""
    made = tables(shop.model, shop.statistics, 0)
    joined = dict(enumerate(made["customer"].row(number)[3] for number in range(made["customer"].rows)))
    purchases = [made["purchase"].row(number) for number in range(300)]
    after = [row for row in purchases if row[2] >= joined[int(str(row[1])) - 1]]  # type: ignore[operator]  # timestamps
    assert len(after) >= 240


def test_values_lie_as_they_did(shop: Reading, rows: Path):
    """Common values are the same, as often as they were; others lie between the same quantiles."""
    for entity, attribute in (("purchase", "status"), ("review", "rating"), ("loyalty_card", "level")):
        known = shop.statistics.entity(entity).attribute(attribute).values
        assert known is not None
        with closing(sqlite3.connect(rows)) as connection:
            found = dict(connection.execute(f"SELECT {attribute}, COUNT(*) FROM {entity} GROUP BY 1").fetchall())
        every = sum(found.values())
        assert found.keys() == {value for value, _ in known.common}
        assert all(abs(found[value] / every - share) < 0.01 for value, share in known.common)


@pytest.mark.thorough
def test_a_difference_is_found(shop: Reading, rows: Path):
    """Rows made of other statistics than they are compared with do not pass."""
    known = dict(shop.statistics.relationships)
    known["product_review"] = replace(known["product_review"], p95=Quantity(90.0))
    wanted = replace(shop, statistics=replace(shop.statistics, relationships=tuple(known.items())))
    assert [each.what for each in check_generated(wanted, f"sqlite:///{rows}")] == ["p95 of product_review"]


def test_a_target_that_holds_rows_is_refused(shop: Reading, rows: Path):
    """Generating twice into one file says that there are rows."""
    with pytest.raises(SourceError, match="already holds rows"):
        generate(shop, rows)


@pytest.mark.thorough
@given(st.integers(1, 400), st.integers(0, 3_000), st.lists(st.integers(0, 60), min_size=5, max_size=5), st.booleans())
@settings(max_examples=80)
def test_every_child_has_a_slot_of_its_own(parents: int, children: int, quantiles: list[int], single: bool):
    """Whatever the statistics say, consistent or not: a slot for each child, places of a parent differ, 1:1 kept if it can be."""
    p50, p95, p99, p999, most = (Quantity(float(value)) for value in sorted(quantiles))
    known = RelationshipStatistics(p50=p50, p95=p95, p99=p99, p999=p999, maximum=most)
    made = slots(known, parents, children, most=1 if single else None)
    assert made.size >= (min(parents, children) if single else children)
    owners = [made.owner(slot) for slot in range(made.size)]
    assert len({(rank, place) for rank, place, _ in owners}) == made.size
    assert all(rank < parents and place < of for rank, place, of in owners)
    if single:
        assert max(Counter(rank for rank, _, _ in owners).values(), default=0) <= 1


@given(st.integers(1, 60), st.integers(0, 600))
def test_slots_are_those_of_parents_there_are(parents: int, children: int):
    """Of parents of which nothing is known, however few they are."""
    made = slots(RelationshipStatistics(), parents, children)
    assert made.size >= children
    assert all(made.owner(slot)[0] < parents for slot in range(made.size))


@given(st.integers(1, 500), st.integers())
def test_a_permutation_leaves_nothing_out(size: int, seed: int):
    """Every number has exactly one place."""
    order = permutation(size, seed)
    assert sorted(map(order, range(size))) == list(range(size))


ALLOWED = """
CREATE TABLE kind (id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 40), code text NOT NULL UNIQUE CHECK (length(code) = 3));
CREATE TABLE thing (
  id INTEGER PRIMARY KEY CHECK (id > 1000), kind_id int NOT NULL REFERENCES kind, status text CHECK (status IN ('open', 'shut')),
  share real CHECK (share >= 0 AND share < 1), cents int CHECK (cents IN (5, 10, 25)), left_over int CHECK (left_over <= 0),
  name text NOT NULL CHECK (length(name) <= 4)
);
"""


@pytest.mark.parametrize("measured", [True, False])
def test_rows_are_what_is_allowed(measured: bool, tmp_path: Path) -> None:
    """With values as they lie, and without: the table they are written to has the checks, which it looks at."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.executescript(ALLOWED)
        connection.executemany("INSERT INTO kind VALUES (?, ?)", [(n, f"{n:03}") for n in range(1, 31)])
        things = ((1001 + n, n % 30 + 1, "open", n / 400, (5, 10, 25)[n % 3], -n % 7 - 7, f"n{n}") for n in range(300))
        connection.executemany("INSERT INTO thing VALUES (?, ?, ?, ?, ?, ?, ?)", things)
    reading = inspect(f"sqlite:///{tmp_path / 'a.db'}")
    assert all(a.allowed is not None for a in reading.model.entity("thing").attributes if a.name != "kind_id")
    if not measured:
        counts = tuple((name, EntityStatistics(each.count)) for name, each in reading.statistics.entities)
        reading = replace(reading, statistics=replace(reading.statistics, entities=counts))
    address = generate(reading, tmp_path / "rows.db")
    with closing(sqlite3.connect(tmp_path / "rows.db")) as connection:
        assert connection.execute("SELECT count(*) FROM thing").fetchone() == (300,)
        assert connection.execute("SELECT count(*) FROM sqlite_master WHERE sql LIKE '%CHECK (%'").fetchone() == (2,)
    before = {a.name: a.allowed for each in reading.model.entities for a in each.attributes}
    assert {a.name: a.allowed for each in inspect(address).model.entities for a in each.attributes} == before


MEMBERS = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name text NOT NULL);
CREATE TABLE grp (id INTEGER PRIMARY KEY, name text NOT NULL);
CREATE TABLE member (id INTEGER PRIMARY KEY, person_id int NOT NULL REFERENCES person, grp_id int REFERENCES grp, since int,
  UNIQUE (person_id, grp_id));
CREATE TABLE badge (id INTEGER PRIMARY KEY, member_id int NOT NULL REFERENCES member, person_id int NOT NULL REFERENCES person,
  grp_id int NOT NULL REFERENCES grp, UNIQUE (member_id, person_id, grp_id));
"""


def _members(folder: Path, nulls: int) -> Reading:
    """A popular group has most of 300 members; some have no group."""
    with closing(sqlite3.connect(folder / "members.db")) as connection, connection:
        connection.executescript(MEMBERS)
        connection.executemany("INSERT INTO person VALUES (?, ?)", [(n, f"p{n}") for n in range(1, 281)])
        connection.executemany("INSERT INTO grp VALUES (?, ?)", [(n, f"g{n}") for n in range(1, 5)])
        pairs = [(p, 4) for p in range(1, 261)] + [(p, 1 + p % 3) for p in range(1, 41)]
        connection.executemany(
            "INSERT INTO member (person_id, grp_id) VALUES (?, ?)", [*pairs, *((9, None) for _ in range(nulls))]
        )
        badges = [(n, 1 + n % 280, 4 if n % 9 else 1) for n in range(1, 251)]
        connection.executemany("INSERT INTO badge (member_id, person_id, grp_id) VALUES (?, ?, ?)", badges)
    return inspect(f"sqlite:///{folder / 'members.db'}")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("nulls", "scale"), [(0, 1), (30, 1), (0, 2), (30, 0.5)])
def test_unique_pairs_beside_a_key(nulls: int, scale: float, tmp_path: Path) -> None:
    """Foreign keys that are unique together, but no key: however popular one parent is, no pair comes twice."""
    reading = scaled_reading(_members(tmp_path, nulls), scale)
    generate(reading, tmp_path / "rows.db")
    with closing(sqlite3.connect(tmp_path / "rows.db")) as connection:
        rows, groups = connection.execute("SELECT count(*), count(grp_id) FROM member").fetchone()
        (popular,) = connection.execute("SELECT max(n) FROM (SELECT count(*) n FROM member GROUP BY grp_id)").fetchone()
    assert rows == (300 + nulls) * scale
    assert groups == 300 * scale
    assert popular > 100


def test_fewer_rows_where_pairs_run_out(tmp_path: Path) -> None:
    """More rows than there are pairs are not made, nor more children of a 1:1 than parents; what refers to them fits."""
    reading = _members(tmp_path, 0)
    known = dict(reading.statistics.entities)
    known["person"] = replace(known["person"], count=Quantity(20.0))
    reading = replace(reading, statistics=replace(reading.statistics, entities=tuple(known.items())))
    generate(reading, tmp_path / "rows.db")
    with closing(sqlite3.connect(tmp_path / "rows.db")) as connection:
        assert connection.execute("SELECT count(*) FROM member").fetchone() == (80,)
        assert connection.execute("SELECT count(*) FROM badge").fetchone() == (250,)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


ODD_NUMBERS = """
CREATE TABLE person (id integer PRIMARY KEY, score float8, wide numeric(34,6));
INSERT INTO person SELECT i, CASE WHEN mod(i, 3) = 0 THEN '-0' ELSE i::text END::float8, 1e26 * i + 0.000001
    FROM generate_series(1, 60) i
"""


def test_odd_numbers_are_made_as_a_file_takes_them(postgresql: str, tmp_path: Path):
    """Of negative zeros zero is made, and between two decimals of 34 digits another."""
    _, url, engine = created(postgresql, ODD_NUMBERS)
    engine.dispose()
    generate(inspect(url), tmp_path / "rows.db")
    with closing(sqlite3.connect(tmp_path / "rows.db")) as connection:
        zeros, wide = connection.execute("SELECT sum(score = 0), sum(wide LIKE '%.______') FROM person").fetchone()
    assert (zeros, wide) == (20, 60)
