"""An index whatever the case is chosen where many rows are asked so and few are written, and then it finds them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.candidate import IndexedAnyCase
from nestling.ir.primitives import Index
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statements.operators import Collation
from nestling.ir.statistics import EntityStatistics, Quantity, Statistics
from nestling.patterns import propose
from nestling.pipeline.designing import posed_problem
from nestling.planner.options.structures.in_place import parts_of
from tests.found_by import found_by
from tests.least_cost import designed
from tests.patterns.scenario import scenario
from tests.two_prices import two_prices

TABLES = """
CREATE TABLE tenant (id integer PRIMARY KEY, plan text NOT NULL);
CREATE TABLE person (id integer PRIMARY KEY, tenant_id integer NOT NULL REFERENCES tenant (id), email text NOT NULL UNIQUE,
  name text NOT NULL, nick citext, code char(5), age integer NOT NULL);
"""
LOGIN = "-- name: login, rate: {rate}/s\nSELECT id FROM person WHERE lower(email) = lower(:email);\n"
WRITES = """
-- name: come, rate: {rate}/s
INSERT INTO person (id, tenant_id, email, name, age) VALUES (:id, :tenant, :email, :name, 1);
"""
OTHERS = """
-- name: of_tenant, rate: 50/s
SELECT id FROM person WHERE upper(name::text) = upper(:name) AND tenant_id = :tenant;
-- name: nick, rate: 50/s
SELECT id, email FROM person WHERE nick = :nick ORDER BY id LIMIT 5;
-- name: joined, rate: 1/s
SELECT p.id, t.plan FROM person p JOIN tenant t ON t.id = p.tenant_id WHERE lower(p.email) = :email;
-- name: ordered, rate: 1/s
SELECT id, name FROM person WHERE lower(email) = :email ORDER BY name;
-- name: change, rate: 1/s
UPDATE person SET age = :age WHERE lower(email) = lower(:email);
-- name: go, rate: 1/s
DELETE FROM person WHERE upper(email) = upper(:email);
"""


def read(folder: Path, workload: str, people: float = 100_000.0) -> Reading:
    """People of a hundredth as many tenants."""
    (folder / "schema.sql").write_text(TABLES)
    (folder / "workload.sql").write_text(workload)
    reading = pipeline.inspect(folder / "schema.sql", workload=folder / "workload.sql", dialect="postgresql")
    counts = {"tenant": people / 100, "person": people}
    known = Statistics(tuple((name, EntityStatistics(Quantity(count))) for name, count in counts.items()))
    return replace(reading, statistics=known)


def any_case(proposal: Proposal) -> dict[tuple[str, ...], tuple[str, ...]]:
    """By their fields, what the indexes whatever the case serve."""
    return {tuple(path for path, _ in each.keys): each.serves for each in proposal.design.indexes if each.any_case}


@pytest.mark.thorough
def test_it_is_chosen_by_cost(tmp_path: Path) -> None:
    """For a frequent question about many people, not about few, nor where many come for each that is asked for."""
    asked, rarely = LOGIN.format(rate=50), LOGIN.format(rate=0.001)
    assert any_case(designed(read(tmp_path, asked))) == {("email",): ("login",)}
    assert any_case(designed(read(tmp_path, asked, people=20))) == {}
    assert any_case(designed(read(tmp_path, rarely + WRITES.format(rate=1)))) == {("email",): ("login",)}
    assert any_case(designed(read(tmp_path, rarely + WRITES.format(rate=50_000)))) == {}


def test_what_is_equal_besides_narrows_it(tmp_path: Path) -> None:
    """By a text and what is equal, by citext that is not unique; each is there for statements about the table alone."""
    proposal = designed(read(tmp_path, LOGIN.format(rate=50) + OTHERS))
    assert any_case(proposal) == {
        ("email",): ("login", "change", "go"),
        ("name", "tenant_id"): ("of_tenant",),
        ("nick",): ("nick",),
    }
    (note,) = (each for each in proposal.notes if each.startswith("no index finds"))
    told = ("login", "of_tenant", "nick", "joined", "ordered", "change", "go")
    assert [name for name in told if f"`{name}`" in note] == ["joined", "ordered"]


@pytest.mark.thorough
def test_both_prices_agree(tmp_path: Path) -> None:
    """Of what it serves and of what it does not: a join and an order by a text read all rows by both."""
    reading = read(tmp_path, LOGIN.format(rate=50) + OTHERS)
    found = two_prices(reading, designed(reading))
    assert len(found) == 7
    assert {name: prices.factor for name, prices in found.items() if prices.factor > 2.0} == {}
    served = max(found[name].compiled for name in ("login", "of_tenant", "nick", "change", "go"))
    assert min(found[name].compiled for name in ("joined", "ordered")) > 20 * served


def test_what_asks_to_the_letter_has_no_use_for_it(tmp_path: Path) -> None:
    """Neither of the prices counts on it."""
    letter = "-- name: letter, rate: 1/s\nSELECT id FROM person WHERE name = :name;\n"
    reading = read(tmp_path, letter)
    plain = pipeline.design(reading, "normalized")
    others = tuple(each for each in plain.design.indexes if each.keys != (("name", 1),))
    without = replace(plain, design=replace(plain.design, indexes=others))
    index = Index("person", (("name", 1),), any_case=True)
    beside = replace(without, design=replace(without.design, indexes=(*others, index)))
    assert two_prices(reading, beside) == two_prices(reading, without)
    assert two_prices(reading, beside)["letter"].compiled > 10 * two_prices(reading, plain)["letter"].compiled


def test_what_it_is_proposed_for(tmp_path: Path) -> None:
    """Not for char, whose blanks at the end do not count, nor for more than the text, nor where the key tells the row."""
    workload = """
    -- name: blanks, rate: 5/s
    SELECT id FROM person WHERE lower(code) = :code;
    -- name: trimmed, rate: 5/s
    SELECT id FROM person WHERE lower(trim(name)) = :name;
    -- name: small_citext, rate: 5/s
    SELECT id FROM person WHERE lower(nick) = :nick;
    -- name: negated, rate: 5/s
    SELECT id FROM person WHERE NOT lower(name) = :name;
    """
    reading = read(tmp_path, "\n".join(line.strip() for line in workload.splitlines()))
    assert not [
        each for each in propose(posed_problem(reading, None, None).situation) if isinstance(each.part, IndexedAnyCase)
    ]


def test_the_design_of_today_keeps_it(tmp_path: Path) -> None:
    """It is one of its structures, by the name the search knows it by."""
    reading = read(tmp_path, LOGIN.format(rate=50))
    parts = [each for each in parts_of(designed(reading).design) if isinstance(each, IndexedAnyCase)]
    assert parts == [IndexedAnyCase("person", ("email",))]
    assert parts[0].text in {each.id for each in propose(posed_problem(reading, None, None).situation)}


def test_nocase(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """SQLite's NOCASE of a text that is not unique: the answers are SQLite's, and the index finds them."""
    ddl = "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, age INTEGER NOT NULL);"
    names = ("Ann", "aNN", "\u00c9lan", "\u00e9lan", "Straße", "STRASSE", "ann\u200d")
    rows = [(n, names[n] if n < len(names) else f"Name {n}", n) for n in range(500)]
    workload = (
        '-- name: named, rate: 50/s\n-- params: {"name": "ANN"}\nSELECT id, name FROM person WHERE name = :name;\n'
    )
    application = scenario(tmp_path, ddl, {"person": rows}, workload).with_counts(person=100_000)
    proposal = application.designed()
    assert any_case(proposal) == {("name",): ("named",)}
    application.proved(proposal, database)
    store = Store(proposal, database)
    asked = "SELECT id FROM person WHERE name = :name"
    answers = {"ann": [0, 1], "\u00c9LAN": [2], "\u00e9LAN": [3], "straßE": [4], "strasse": [5]}
    for name, expected in answers.items():
        assert sorted(int(str(row["id"])) for row in store.execute(asked, name=name)) == expected
    assert found_by(database, "person", partial(store.execute, asked, name="aNn")) == ("IXSCAN", 3)


HANDLES = (
    "ISTANBUL",
    "\u0131stanbul",
    "\u10d2\u10d4\u10d0",
    "rosé",
    "Rose",
    "Straße",
    "ΣΑΣ",
    "STRASSE",
    "ros\u0065\u0301",
)
ASKED = {
    "SELECT email FROM person WHERE lower(email) = :e": {
        "user7": ["User7"], "User7": [], "rosé": ["rosé"], "σας": [], "straße": ["Straße"], "strasse": ["STRASSE"],
    },
    "SELECT email FROM person WHERE lower(email) = lower(:e)": {
        "ROSE": ["Rose"], "\u1c92\u10d4\u1c90": ["\u10d2\u10d4\u10d0"], "σασ": ["ΣΑΣ"], "İSTANBUL": ["ISTANBUL"],
    },
    "SELECT email FROM person WHERE upper(email::text) = upper(:e)": {
        "istanbul": ["ISTANBUL", "\u0131stanbul"], "σας": ["ΣΑΣ"], "straße": ["Straße"],
    },
}  # fmt: skip


def test_it_finds_what_is_meant(tmp_path: Path, database: Database[Any]) -> None:
    """By the index chosen, and no other text for it: letters of all alphabets, reads and writes; a join and an order without."""
    proposal = designed(read(tmp_path, LOGIN.format(rate=50) + OTHERS))
    pipeline.load(proposal, None, database)
    store = Store(proposal, database)
    store.execute("INSERT INTO tenant VALUES (1, 'team')")
    insert = "INSERT INTO person (id, tenant_id, email, name, nick, age) VALUES (:id, 1, :e, :e, :e, 1)"
    for number, text in enumerate((*(f"User{number}" for number in range(100)), *HANDLES)):
        store.execute(insert, id=number, e=text)
    for sql, answers in ASKED.items():
        for given, expected in answers.items():
            assert sorted(str(row["email"]) for row in store.execute(sql, e=given)) == sorted(expected), (sql, given)
            kind, documents = found_by(database, "person", partial(store.execute, sql, e=given))
            assert (kind, documents <= 4) == ("IXSCAN", True), (sql, given)
    assert not store.execute("SELECT email FROM person WHERE lower(email) = :e", e=None)
    joined = "SELECT p.email, t.plan FROM person p JOIN tenant t ON t.id = p.tenant_id WHERE lower(p.email) = :e"
    assert [row["email"] for row in store.execute(joined, e="rosé")] == ["rosé"]
    ordered = "SELECT email FROM person WHERE upper(email) = upper(:e) ORDER BY email"
    assert [row["email"] for row in store.execute(ordered, e="istanbul")] == ["ISTANBUL", "\u0131stanbul"]
    by_both = "SELECT id FROM person WHERE upper(name) = upper(:e) AND tenant_id = :t"
    assert found_by(database, "person", lambda: store.execute(by_both, e="user8", t=1)) == ("IXSCAN", 1)
    assert found_by(database, "person", lambda: store.execute("SELECT id FROM person WHERE nick = :e", e="uSER9")) == (
        "IXSCAN",
        1,
    )
    change = "UPDATE person SET age = 7 WHERE lower(email) = lower(:e)"
    assert found_by(database, "person", lambda: store.execute(change, e="uSER9")) == ("IXSCAN", 1)
    assert (
        found_by(database, "person", lambda: store.execute("DELETE FROM person WHERE upper(email) = :e", e="USER8"))[1]
        == 1
    )
    assert [row["age"] for row in store.execute("SELECT age FROM person WHERE email = 'User9'")] == [7]
    assert not store.execute("SELECT age FROM person WHERE email = 'User8'")
    by_key = pipeline.convert(
        proposal, "SELECT id FROM person WHERE lower(email) = 'x' AND id = 7", dialect="postgresql"
    )
    assert isinstance(by_key, CompiledRead)
    assert by_key.collation is Collation.BINARY


@pytest.mark.parametrize("any_case_too", [True, False])
def test_its_entries_are_priced(tmp_path: Path, any_case_too: bool) -> None:
    """A row that comes costs an entry more with it, by both prices; bytes are stored for it."""
    reading = read(tmp_path, WRITES.format(rate=1))
    plain = pipeline.design(reading, "normalized")
    more = (Index("person", (("name", 1),), any_case=True),) if any_case_too else ()
    made = replace(plain, design=replace(plain.design, indexes=(*plain.design.indexes, *more)))
    one, other = two_prices(reading, plain)["come"], two_prices(reading, made)["come"]
    assert (other.search > one.search) == (other.compiled > one.compiled) == any_case_too
