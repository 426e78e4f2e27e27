"""Compound index across a relationship (D1): the first few parents in an order by what is asked of children, or the reverse."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.executors.run import run_read
from nestling.ir.candidate import AcrossKey, IndexedAcross
from nestling.ir.programs.compiled import Operation, bind
from nestling.ir.proposal import Proposal
from nestling.pipeline.designing import posed_problem, priced_problem
from nestling.planner.options.reads.starts import MOST_WAYS
from nestling.planner.options.structures.in_place import parts_of
from tests.patterns.scenario import Scenario, chosen, index_keys, scenario
from tests.two_prices import two_prices

POSTS = """
CREATE TABLE post (id INTEGER PRIMARY KEY, title TEXT NOT NULL, written TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE tagging (post_id INTEGER NOT NULL REFERENCES post, tag TEXT NOT NULL, PRIMARY KEY (post_id, tag));
"""
JOINED = "SELECT p.id, p.title FROM post p JOIN tagging t ON t.post_id = p.id WHERE t.tag = :tag ORDER BY p.written DESC LIMIT 10"
EXISTING = (
    "SELECT id, title FROM post p WHERE EXISTS (SELECT 1 FROM tagging t WHERE t.post_id = p.id AND t.tag = :tag)"
    " ORDER BY written DESC LIMIT 10"
)
POST_PAGE = """
-- name: post_page, rate: 100/s
-- params: {"post": 7}
SELECT p.*, t.tag FROM post p JOIN tagging t ON t.post_id = p.id WHERE p.id = :post;
"""
ORDERS = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, region TEXT NOT NULL);
CREATE TABLE purchase (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer, placed INTEGER NOT NULL, total REAL);
CREATE INDEX by_customer ON purchase (customer_id);
"""
LATEST = """
-- name: page, rate: 100/s
-- params: {"key": "region 3"}
SELECT o.id, o.total FROM purchase o JOIN customer c ON c.id = o.customer_id
WHERE c.region = :key ORDER BY o.placed DESC LIMIT 10;
-- name: moves, rate: 1/h
-- params: {"region": "region 9", "id": 3}
UPDATE customer SET region = :region WHERE id = :id;
-- name: buys, rate: 5/s
-- params: {"id": 90001, "customer": 3, "placed": 90001, "total": 5}
INSERT INTO purchase (id, customer_id, placed, total) VALUES (:id, :customer, :placed, :total);
"""


def blog(folder: Path, sql: str) -> Scenario:
    """Posts with four tags each; the page of a tag has the latest."""
    posts = [(n, f"post {n}", f"{n * 37 % 2000:05}", "x" * 40) for n in range(2000)]
    tags = [(n, f"tag {(n * 7 + each * 11) % 40}") for n in range(2000) for each in range(4)]
    page = f'-- name: page, rate: 100/s\n-- params: {{"tag": "tag 3"}}\n{sql};\n{POST_PAGE}'
    return scenario(folder, POSTS, {"post": posts, "tagging": tags}, page)


def shop(folder: Path) -> Scenario:
    """Purchases of customers of ten regions; the page of a region has the latest."""
    customers = [(n, f"customer {n}", f"region {n % 10}") for n in range(50)]
    purchases = [(n, n * 13 % 50, n * 37 % 4001, n / 2) for n in range(4000)]
    return scenario(folder, ORDERS, {"customer": customers, "purchase": purchases}, LATEST)


def examined(application: Scenario, proposal: Proposal, database: Database[dict[str, Any]]) -> int:
    """Documents the server looks at for the page."""
    read = bind(application.compiled(proposal, "page"), dict(application.reading.workload.statements[0].samples))
    assert read.operation is Operation.FIND
    found = database[read.collection or ""].find(read.filter).sort(list(read.sort)).limit(10)
    return int(found.explain()["executionStats"]["totalDocsExamined"])


@pytest.mark.thorough
@pytest.mark.parametrize("sql", [JOINED, EXISTING])
def test_children_inside_their_parents(tmp_path: Path, database: Database[dict[str, Any]], sql: str) -> None:
    """One index over the tags and what the posts are ordered by: ten documents are read for ten posts."""
    application = blog(tmp_path, sql)
    proposal = application.designed()
    assert chosen(proposal, "compound-index") == ["index of tagging on tag, -post.written"]
    (keys,) = (keys for keys in index_keys(proposal) if "written" in keys)
    assert keys == [proposal.design.places["tagging"][0].path_of("tag"), "written"]
    application.proved(proposal, database)
    assert examined(application, proposal, database) == 10
    assert two_prices(application.reading, proposal)["page"].factor < 2


@pytest.mark.thorough
def test_copies_beside_the_children(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Purchases have a copy of their customer's region, by which an index finds the latest."""
    application = shop(tmp_path)
    proposal = application.designed()
    assert "index of purchase on customer.region, -placed" in chosen(proposal, "compound-index")
    assert ["customer.region", "placed"] in index_keys(proposal)
    application.proved(proposal, database)
    assert examined(application, proposal, database) == 10
    assert two_prices(application.reading, proposal)["page"].factor < 2


MATCHES = """
CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE match (id INTEGER PRIMARY KEY, home INTEGER NOT NULL REFERENCES team, away INTEGER NOT NULL REFERENCES team,
  played INTEGER NOT NULL);
CREATE INDEX by_home ON match (home);
CREATE INDEX by_away ON match (away);
"""
OF_A_TEAM = """
-- name: {side}, rate: 100/s
-- params: {{"name": "team 3"}}
SELECT m.id FROM match m JOIN team t ON t.id = m.{side} WHERE t.name = :name ORDER BY m.played DESC LIMIT 10;
"""


def test_two_parents_of_one_entity(tmp_path: Path) -> None:
    """Each side of a match has an index of its own, named after the relationship."""
    teams = [(n, f"team {n}") for n in range(20)]
    matches = [(n, n % 20, n * 7 % 19, n * 37 % 4001) for n in range(4000)]
    workload = OF_A_TEAM.format(side="home") + OF_A_TEAM.format(side="away")
    proposal = scenario(tmp_path, MATCHES, {"team": teams, "match": matches}, workload).designed()
    sides = {each.name for each in proposal.design.model.relationships}
    assert {f"index of match on {side}.name, -played" for side in sides} <= set(chosen(proposal, "compound-index"))
    assert len([keys for keys in index_keys(proposal) if "played" in keys]) == len(sides) == 2


@pytest.mark.thorough
@pytest.mark.parametrize(
    "sql",
    [
        JOINED.replace(" LIMIT 10", ""),
        JOINED.replace("p.title", "t.tag"),
        JOINED.replace("p.written DESC", "t.tag, p.written"),
        JOINED.replace("t.tag = :tag", "t.tag > :tag"),
    ],
)
def test_what_no_such_index_answers(tmp_path: Path, database: Database[dict[str, Any]], sql: str) -> None:
    """All posts of a tag, its name beside each, orders of both, and ranges are found otherwise, and priced so."""
    application = blog(tmp_path, sql)
    proposal = application.designed()
    application.proved(proposal, database)
    assert two_prices(application.reading, proposal)["page"].factor < 2


def test_a_design_in_place_has_it(tmp_path: Path) -> None:
    """Read back from the design, wherever the rows are."""
    tagged = (AcrossKey("tag", 1), AcrossKey("written", -1, "post_tagging"))
    latest = (AcrossKey("region", 1, "customer_purchase"), AcrossKey("placed", -1))
    for application, keys in ((blog(tmp_path, JOINED), tagged), (shop(tmp_path), latest)):
        found = [part for part in parts_of(application.designed().design) if isinstance(part, IndexedAcross)]
        assert [part.keys for part in found] == [keys]


TICKETS = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, region TEXT NOT NULL);
CREATE TABLE ticket (
  id INTEGER PRIMARY KEY, customer_id INTEGER %s REFERENCES customer, status TEXT NOT NULL, opened INTEGER NOT NULL, body TEXT);
"""
FOUND = """
-- name: page, rate: 100/s
-- params: {"name": "customer 3", "status": "open", "from": 100}
SELECT t.id, t.opened, c.name FROM ticket t JOIN customer c ON c.id = t.customer_id WHERE c.name = :name %s;
-- name: opens, rate: 5/s
-- params: {"id": 90001, "customer": 3, "opened": 90001, "body": "help"}
INSERT INTO ticket (id, customer_id, status, opened, body) VALUES (:id, :customer, 'open', :opened, :body);
"""
ASKED = {
    "": ["customer.name"],
    "AND t.status = :status": ["customer.name", "status"],
    "AND t.status = :status ORDER BY t.opened, t.id": ["customer.name", "status"],
    "AND t.opened >= :from": ["customer.name", "opened"],
}


def helpdesk(folder: Path, asked: str, null: str = "NOT NULL") -> Scenario:
    """Tickets of customers, five of whom have each name."""
    customers = [(n, f"customer {n % 200}", f"region {n % 10}") for n in range(1000)]
    tickets = [(n, n * 13 % 1000, "open" if n % 3 == 0 else "done", n * 37 % 4001, "x" * 100) for n in range(10000)]
    return scenario(folder, TICKETS % null, {"customer": customers, "ticket": tickets}, FOUND % asked)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("null", ["NOT NULL", ""])
@pytest.mark.parametrize("asked", ASKED)
def test_rows_are_found_by_what_they_copy(
    tmp_path: Path, database: Database[dict[str, Any]], asked: str, null: str
) -> None:
    """By a condition on the parent alone and with their own, in one find; a value tells that there is a parent."""
    application = helpdesk(tmp_path, asked, null)
    proposal = application.designed()
    assert ASKED[asked] in index_keys(proposal)
    assert any(isinstance(part, IndexedAcross) for part in parts_of(proposal.design))
    application.proved(proposal, database)
    read = bind(application.compiled(proposal, "page"), dict(application.reading.workload.statements[0].samples))
    assert (read.operation, read.collection) == (Operation.FIND, "ticket")
    told = database["ticket"].find(read.filter).explain()["executionStats"]
    assert told["totalDocsExamined"] == told["nReturned"] > 0
    assert two_prices(application.reading, proposal)["page"].factor < 2


EITHER = """
-- name: page, rate: 100/s
-- params: {"name": "customer 3", "number": 1000017, "status": "open"}
SELECT t.id, t.number, c.name FROM ticket t %s JOIN customer c ON c.id = t.customer_id
WHERE (c.name = :name OR t.number = :number)%s;
-- name: opens, rate: 5/s
-- params: {"id": 90001, "customer": 3, "number": 90001, "body": "help"}
INSERT INTO ticket (id, customer_id, number, status, body) VALUES (:id, :customer, :number, 'open', :body);
"""
NUMBERED = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE ticket (id INTEGER PRIMARY KEY, customer_id INTEGER %s REFERENCES customer, number INTEGER NOT NULL %s,
  status TEXT NOT NULL, body TEXT);
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("kind", "null", "unique"),
    [("", "NOT NULL", "UNIQUE"), ("LEFT", "", "UNIQUE"), ("LEFT", "NOT NULL", ""), ("", "NOT NULL", "")],
)
@pytest.mark.parametrize("also", ["", " AND t.status = :status"])
def test_either_of_two_tables(
    tmp_path: Path, database: Database[dict[str, Any]], kind: str, null: str, unique: str, also: str
) -> None:
    """By the name of a customer, which tickets copy, or by their own number: an index for each side."""
    customers = [(n, f"customer {n % 200}") for n in range(1000)]
    tickets = [(n, n * 13 % 1000, 1000000 + n, "open" if n % 3 else "done", "x" * 100) for n in range(10000)]
    application = scenario(
        tmp_path, NUMBERED % (null, unique), {"customer": customers, "ticket": tickets}, EITHER % (kind, also)
    )
    proposal = application.designed()
    application.proved(proposal, database)
    assert not any("no index finds" in note for note in application.explained().notes)
    read = bind(application.compiled(proposal, "page"), dict(application.reading.workload.statements[0].samples))
    assert (read.operation, read.collection) == (Operation.FIND, "ticket")
    told = database["ticket"].find(read.filter).explain()["executionStats"]
    assert 0 < told["totalDocsExamined"] < 200
    assert two_prices(application.reading, proposal)["page"].factor < 2


VALUES_ASKED = {
    "c.name <> :name": True,
    "c.name IS NOT NULL": True,
    "length(c.name) > 3": True,
    "lower(c.name) <> 'a'": True,
    "c.name <> t.status": True,
    "c.name < t.status": True,
    "c.name = t.body": False,
    "c.name > :name AND t.status = :status": True,
    "c.name = :nobody": False,
}


@pytest.mark.parametrize("asked", VALUES_ASKED)
def test_rows_without_a_parent_have_no_value(tmp_path: Path, database: Database[dict[str, Any]], asked: str) -> None:
    """They meet no condition on one, though a field that is missing differs from everything, and is less."""
    sql = f"SELECT t.id, c.name FROM ticket t JOIN customer c ON c.id = t.customer_id WHERE {asked}"
    workload = f"""
-- name: shown, rate: 100/s
-- params: {{"id": 3}}
SELECT t.id, c.name FROM ticket t LEFT JOIN customer c ON c.id = t.customer_id WHERE t.id = :id;
-- name: page, rate: 1/h
-- params: {{"name": "customer 3", "status": "open", "nobody": null}}
{sql};
"""
    customers = [(n, f"customer {n}", "region") for n in range(20)]
    tickets = [(n, None if n % 5 == 0 else n % 20, "open" if n % 3 else "done", n, None) for n in range(60)]
    application = scenario(tmp_path, TICKETS % "", {"customer": customers, "ticket": tickets}, workload)
    proposal = application.designed()
    assert "customer.name in ticket" in chosen(proposal, "extended-reference")
    read = application.compiled(proposal, "page")
    assert read.collection == "ticket"
    pipeline.load(proposal, application.address, database)
    with closing(sqlite3.connect(application.address.removeprefix("sqlite:///"))) as connection:
        values = {"name": "customer 3", "status": "open", "nobody": None}
        expected = sorted(connection.execute(sql, values).fetchall())
    found = sorted(run_read(database, read, {name: values[name] for name in read.parameters}))
    assert found == expected
    assert bool(found) is VALUES_ASKED[asked]


def test_a_parent_s_own_key_needs_no_copy(tmp_path: Path) -> None:
    """The foreign key is an attribute of the rows."""
    application = helpdesk(tmp_path, "AND c.id = 7")
    assert all(len(keys) == 1 and "name" not in keys[0] for keys in index_keys(application.designed()))


LABELS = """
CREATE TABLE post (id INTEGER PRIMARY KEY, title TEXT NOT NULL, written TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE label (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE tagging (
  post_id INTEGER NOT NULL REFERENCES post, label_id INTEGER NOT NULL REFERENCES label, PRIMARY KEY (post_id, label_id));
"""
NAMED = (
    "SELECT p.id, p.title FROM post p JOIN tagging t ON t.post_id = p.id JOIN label l ON l.id = t.label_id"
    " WHERE l.name = :name ORDER BY p.written DESC LIMIT 10"
)
NAMED_INSIDE = (
    "SELECT p.id, p.title FROM post p WHERE EXISTS (SELECT 1 FROM tagging t JOIN label l ON l.id = t.label_id"
    " WHERE t.post_id = p.id AND l.name = :name) ORDER BY p.written DESC LIMIT 10"
)


@pytest.mark.thorough
@pytest.mark.parametrize("sql", [NAMED, NAMED_INSIDE])
def test_names_of_a_many_to_many(tmp_path: Path, database: Database[dict[str, Any]], sql: str) -> None:
    """The junction lies in its posts, with a copy of each label's name: the index has that, then the order."""
    posts = [(n, f"post {n}", f"{n * 37 % 3000:05}", "x" * 40) for n in range(3000)]
    labels = [(n, f"label {n}") for n in range(40)]
    taggings = [(n, (n * 7 + each * 11) % 40) for n in range(3000) for each in range(4)]
    workload = f'-- name: page, rate: 100/s\n-- params: {{"name": "label 3"}}\n{sql};\n' + POST_PAGE.replace(
        "t.tag FROM post p JOIN tagging t ON t.post_id = p.id",
        "l.name FROM post p JOIN tagging t ON t.post_id = p.id JOIN label l ON l.id = t.label_id",
    )
    application = scenario(tmp_path, LABELS, {"post": posts, "label": labels, "tagging": taggings}, workload)
    proposal = application.designed()
    assert "index of tagging on label.name, -post.written" in chosen(proposal, "compound-index")
    application.proved(proposal, database)
    assert examined(application, proposal, database) == 10
    assert two_prices(application.reading, proposal)["page"].factor < 2


def test_an_or_of_many_sides_is_weighed_in_a_few_ways(tmp_path: Path) -> None:
    """Sides that compare the same share an index, and of different ones not each is tried with each of the others."""
    columns = [f"c{number}" for number in range(9)]
    ddl = f"""
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE ticket (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer,
  {", ".join(f"{name} INTEGER NOT NULL" for name in columns)});
"""
    asked = " OR ".join(["c.name = :name", "c.name = :other", *(f"(t.{name} = 7 AND t.c0 > 1)" for name in columns)])
    sql = f"SELECT t.id, c.name FROM ticket t JOIN customer c ON c.id = t.customer_id WHERE {asked}"
    rows: dict[str, list[tuple[object, ...]]] = {
        "customer": [(n, f"customer {n}") for n in range(20)],
        "ticket": [(n, n % 20, *(n * each % 97 for each in range(1, 10))) for n in range(200)],
    }
    workload = f'-- name: page, rate: 100/s\n-- params: {{"name": "customer 3", "other": "customer 4"}}\n{sql};\n'
    application = scenario(tmp_path, ddl, rows, workload)
    of = posed_problem(application.reading, None, None)
    problem = priced_problem(of.situation, of.profile, of.candidates)
    assert max(len(step.modes) for step in problem.steps) < 3 * MOST_WAYS
