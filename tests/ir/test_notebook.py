"""Nouns in a notebook: HTML that parses, says what matters, and takes names for text."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from pymongo.database import Database

from nestling.common.errors import SourceError
from nestling.common.server import Server
from nestling.ir.finding import Confidence, Finding, Findings, Severity
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statistics import EntityStatistics, Quantity, Statistics
from nestling.ir.types import INTEGER
from nestling.pipeline import check, design, explain, facts_of, inspect, load, unload, verify
from nestling.shop import schema, workload
from nestling.store import Result
from tests.emitters.proofs import PROOF


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Reading:
    """The shop's DDL and workload."""
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "schema.sql").write_text(schema(), encoding="utf-8")
    (folder / "workload.sql").write_text(workload(), encoding="utf-8")
    return inspect(str(folder / "schema.sql"), workload=str(folder / "workload.sql"))


@pytest.fixture(scope="module")
def proposal(reading: Reading) -> Proposal:
    """The shop's design."""
    return design(reading)


def shown(noun: object) -> ElementTree.Element:
    """What a notebook shows, parsed strictly."""
    return ElementTree.fromstring(noun._repr_html_())  # type: ignore[attr-defined]  # every noun here has one


def captions(tree: ElementTree.Element) -> list[str]:
    return ["".join(each.itertext()) for each in tree.iter("caption")]


def test_a_reading_shows_entities_and_statements(reading: Reading) -> None:
    """A row for each entity and each statement."""
    tree = shown(reading)
    assert captions(tree)[:3] == [reading.model.name, "Children per parent", "Workload"]
    names = ["".join(row[0].itertext()) for row in tree.iter("tr")]
    assert {each.name for each in reading.model.entities} <= {*names}
    assert {each.name for each in reading.workload.statements} <= {*names}


@pytest.mark.thorough
def test_a_design_shows_its_collections(proposal: Proposal) -> None:
    """A row for each collection, under the model's name."""
    tree = shown(proposal.design)
    rows = ["".join(row[0].itertext()) for row in tree.iter("tr")][1:]
    assert captions(tree) == [f"Design of {proposal.design.model.name}"]
    assert rows == [store.name for store in proposal.design.stores]


def test_a_proposal_shows_decisions_and_cost(proposal: Proposal) -> None:
    """The collections, the decisions, what is kept besides, and the sentence about the cost."""
    tree = shown(proposal)
    assert captions(tree)[1:] == ["Decisions", "Kept besides"]
    assert "The workload costs" in "".join(tree.itertext())


def test_an_explanation_shows_every_decision(proposal: Proposal) -> None:
    """A heading for each decision; of one relationship only its own."""
    headings = ["".join(each.itertext()) for each in shown(explain(proposal)).iter("h4")]
    assert [text.partition(":")[0] for text in headings] == [made.relationship for made in proposal.decisions]
    assert len(list(shown(explain(proposal, "product_review")).iter("h4"))) == 1


def test_a_proof_shows_designs_and_verdict() -> None:
    """A row for each design, the fastest first, the disqualified one marked; then the verdict."""
    tree = shown(PROOF)
    rows = ["".join(row[0].itertext()) for row in tree.iter("tr")][1:]
    assert len(rows) == len(PROOF.designs)
    assert "tree (disqualified)" in rows
    assert "DISQUALIFIED: tree" in "".join(tree.itertext())


def test_findings_show_a_row_each_and_names_as_text() -> None:
    """What a database calls its fields is text, also where it looks like a tag."""
    finding = Finding(
        "mixed-types", Severity.ERROR, Confidence.CERTAIN, "shop.<script>", "a&b", "two `types`", 2.0, "", None, "",
        "", "pick one",
    )  # fmt: skip
    tree = shown(Findings((finding,)))
    assert [cell.text for cell in tree.iter("td")][:3] == ["error", "mixed-types", "shop.<script>: a&b"]
    assert [code.text for code in tree.iter("code")] == ["types"]
    assert "Nothing found" in "".join(shown(Findings()).itertext())


def test_numbers_are_a_terminals() -> None:
    """A million rows are 1,000,000, as `inspect` prints them."""
    statistics = Statistics((("a", EntityStatistics(Quantity(1_000_000))),))
    model = Model("x", (Entity("a", (Attribute("id", INTEGER),), ("id",)),))
    cells = ["".join(cell.itertext()) for cell in shown(Reading(model, statistics=statistics)).iter("td")]
    assert "1,000,000" in cells


def test_a_design_of_a_file(tmp_path: Path) -> None:
    """`design` takes what `inspect` takes: a file or an address is read first."""
    (tmp_path / "schema.sql").write_text("CREATE TABLE a (id integer PRIMARY KEY);", encoding="utf-8")
    assert design(str(tmp_path / "schema.sql")) == design(inspect(tmp_path / "schema.sql"))
    with pytest.raises(SourceError, match="no such file"):
        design("nowhere.yaml")


def test_a_result_shows_the_beginning_of_long_values() -> None:
    """A cell is no page; NULL is told from a text."""
    shown = Result(("body", "none"), ({"body": "x" * 5000, "none": None},))._repr_html_()
    assert f"<td>{'x' * 200}…</td><td>NULL</td>" in shown


def test_reports_of_data_show_tables(database: Database[Any], mongod: Server, tmp_path: Path) -> None:
    """What was loaded, compared, checked and unloaded, and what is known of the database: rows, differences, a verdict."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as source, source:
        source.executescript(
            "CREATE TABLE a (id INTEGER PRIMARY KEY, s TEXT); INSERT INTO a VALUES (1, '<b>'), (2, 'y');"
            "CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER NOT NULL REFERENCES a (id));"
            "INSERT INTO b VALUES (1, 1), (2, 2)"
        )
    (tmp_path / "w.sql").write_text(
        "-- name: of_b, rate: 900/s\nSELECT b.id, a.s FROM b JOIN a ON a.id = b.a_id WHERE b.id = :id", encoding="utf-8"
    )
    address = f"sqlite:///{tmp_path / 'a.db'}"
    proposal = design(inspect(address, workload=tmp_path / "w.sql"))
    loaded = shown(load(proposal, address, database))
    assert captions(loaded) == ["Loaded", "Documents", "Verified"]
    assert "4 rows read back equal" in "".join(loaded.itertext())
    assert captions(shown(unload(proposal, f"sqlite:///{tmp_path / 'back.db'}", database))) == ["Unloaded"]
    assert captions(shown(check(proposal, database)))[0] == "Clean"
    facts = shown(facts_of(mongod.uri.replace("/?", f"/{database.name}?")))
    assert database.name in captions(facts)[0]
    assert f"{database.name}.a" in ["".join(cell.itertext()) for cell in facts.iter("td")]
    database["a"].update_one({"_id": 1}, {"$set": {"s": "<i>"}})
    compared = shown(verify(proposal, address, database))
    assert captions(compared) == ["NOT equal", "First differences"]
    cells = ["".join(cell.itertext()) for cell in compared.iter("td")]
    assert {"s", "'<b>'", "'<i>'"} <= {*cells}
    stale = shown(check(proposal, database))
    assert captions(stale)[:2] == ["NOT clean", "First differences"]
