"""`nestling design`: each strategy, from each kind of source, with thresholds and a workload."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import make_url

from nestling.ir.proposal import Choice, Proposal
from nestling.ir.text import read_file
from nestling.strategies import strategy_names
from tests.cli.commands import nestling, process

SOURCES = ("sqlite:///shop.db", "schema.sql", "model.yaml")


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("strategy", strategy_names())
def test_every_strategy_from_every_source(shop: Path, tmp_path: Path, strategy: str, source: str) -> None:
    """A design file is written that reads back, by the strategy asked for, with a decision on every relationship."""
    design = tmp_path / "design.yaml"
    done = nestling("design", source, "--strategy", strategy, "-o", design, cwd=shop)
    assert done.code == 0, done.err
    found = read_file(design)
    assert isinstance(found, Proposal)
    assert found.strategy == strategy
    model = found.design.model
    linked = {name for both in model.many_to_many for name in (both.left, both.right)}
    expected = {link.name for link in model.relationships} - linked | {both.name for both in model.many_to_many}
    assert {made.relationship for made in found.decisions} == expected


def test_json_shape(shop: Path) -> None:
    """`--json` has exactly the documented keys, and choices from the closed set."""
    found = nestling("design", "model.yaml", "--json", cwd=shop).json
    assert set(found) == {"strategy", "collections", "decisions", "gaps"}
    assert found["strategy"] == "tree"
    for decision in found["decisions"]:
        assert set(decision) == {"relationship", "choice", "patterns", "reasons", "alternatives"}
        assert decision["choice"] in set(Choice)
        assert decision["reasons"]
        assert all(set(reason) == {"rule", "text", "number"} for reason in decision["reasons"])
    choices = {each["relationship"]: each["choice"] for each in found["decisions"]}
    assert choices["purchase_purchase_line"] == "embed"
    assert choices["product_review"] == "parent-reference"
    assert choices["product_category"] == "child-reference"


def test_the_workload_decides(tmp_path: Path) -> None:
    """Two designs of one schema differ by its statements alone: what is read on its own is not embedded."""
    (tmp_path / "schema.sql").write_text(
        "CREATE TABLE author (id INT PRIMARY KEY);"
        "CREATE TABLE book (id INT PRIMARY KEY, author_id INT NOT NULL REFERENCES author (id), title TEXT);"
    )
    (tmp_path / "alone.sql").write_text("-- name: book, rate: 9/s\nSELECT title FROM book WHERE id = :id;\n")
    (tmp_path / "with.sql").write_text(
        "-- name: author, rate: 9/s\nSELECT b.title FROM author a JOIN book b ON b.author_id = a.id WHERE a.id = :id;\n"
    )
    choices = {
        name: nestling(
            "design", "schema.sql", "--workload", name, "--threshold", "few=10", "--json", cwd=tmp_path
        ).json["decisions"][0]["choice"]
        for name in ("alone.sql", "with.sql")
    }
    assert choices == {"alone.sql": "parent-reference", "with.sql": "embed"}


def test_a_key_becomes_the_id(shop: Path) -> None:
    """A natural key is `_id`, which saves an index; rows without a key get one of MongoDB's."""
    found = nestling("design", "model.yaml", "--strategy", "normalized", "--json", cwd=shop).json["collections"]
    ids = {name: collection["id"] for name, collection in found.items()}
    assert ids["product"] == ["product_id"]
    assert ids["purchase_line"] == ["purchase_id", "line"]
    assert ids["page_view"] == []
    keys = [{"product_id": 1}, {"purchase_id": 1, "line": 1}, {"purchase_id": 1}]
    assert [
        index["keys"] for name in ids for index in found[name]["indexes"] if name == "product" and index["keys"] in keys
    ] == []


def test_a_threshold_changes_the_answer(shop: Path) -> None:
    """With `few=2` and nothing always read together, the addresses of a customer are many, and the answer says so."""
    reasons = {
        few: nestling("design", "model.yaml", "--threshold", f"few={few}", "--json", cwd=shop).json["decisions"][0][
            "reasons"
        ]
        for few in (50, 2)
    }
    assert reasons[50][0]["rule"] == "A2"
    assert reasons[2][0]["rule"] == "A3"


def test_a_design_is_the_same_twice(shop: Path) -> None:
    """Deciding again gives the same bytes."""
    first, second = (nestling("design", "sqlite:///shop.db", "--json", cwd=shop) for _ in range(2))
    assert first.out == second.out


def test_what_people_see(shop: Path) -> None:
    """Collections with their indexes, decisions with the reason that decided, and what to do next."""
    done = process("design", "model.yaml", cwd=shop)
    assert "shop, by strategy tree" in done.out
    assert "purchase     purchase    purchase_line           customer_id; purchase_line.product_id" in done.out
    assert "customer_address         embed              one-to-few: p99 3, at most 3, fewer than 50 (A2)" in done.out
    assert "Next: keep it with -o design.yaml" in done.err


def test_a_password_in_the_source_is_not_repeated(postgresql: str, tmp_path: Path) -> None:
    """The suggestion of what to do next shows the source without its password."""
    secret = make_url(postgresql).password
    assert secret
    done = nestling("design", postgresql, "-o", tmp_path / "design.yaml")
    assert done.code == 0, done.err
    assert "--from postgresql" in done.err
    assert f":{secret}@" not in done.out + done.err + (tmp_path / "design.yaml").read_text(encoding="utf-8")
