"""`nestling explain`."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.commands import nestling, process


@pytest.mark.thorough
def test_one_decision(shop: Path) -> None:
    """The cost beside the runner-up, the statements that decide, the tree's word, the price, the factors, what was refused."""
    done = process("explain", "design.yaml", "product_review", cwd=shop)
    assert done.code == 0
    assert "\nproduct_review: parent-reference (product 1:N review)\n" in done.out
    assert "  cost      review in" in done.out
    assert "  rule-5    the runner-up adds " in done.out
    assert "  A10       the decision tree says the same" in done.out
    assert (
        "  price     reading `review` with its `product` joins two collections; nothing is stored twice\n" in done.out
    )
    assert "at most 347" in done.out
    assert "  rejected  review in product: " in done.out
    assert "Considered, not kept\n" in done.out
    for factor in (
        "read pattern",
        "write pattern",
        "data size",
        "atomicity",
        "duplication",
        "cardinality",
        "document size",
    ):
        assert f"\n    {factor} " in done.out


def test_what_every_copy_asks_of_writers_and_readers(shop: Path) -> None:
    """Rows a change touches on average and at most, as SQLite counts them; how often it comes; how long the old value is seen."""
    out = " ".join(nestling("explain", "design.yaml", "--all", cwd=shop).out.split())
    late, unseen = "readers may see the old value for up to 5 s", "no reader sees an old value"
    for parent, attribute, child, changes, seen in (
        ("product", "name", "product_category", "changed 5/day", late),
        ("product", "name", "purchase_line", "changed 5/day", late),
        ("customer", "name", "review", "no statement of the workload changes it", unseen),
    ):
        key = f"{parent}_id"
        rows = f"SELECT count(c.{key}) AS n FROM {parent} p LEFT JOIN {child} c USING ({key}) GROUP BY p.{key}"
        with closing(sqlite3.connect(shop / "shop.db")) as connection:
            ((mean, most),) = connection.execute(f"SELECT avg(n), max(n) FROM ({rows})")
        touched = f"touches {mean:.3g} {child} rows, at most {most} ({changes})"
        assert f"price a change of {parent}.{attribute} {touched}; {seen} (" in out


def test_codes_of_rules_are_told_in_words(shop: Path) -> None:
    """Those that are cited, once, below the explanation; where none is, nothing is told."""
    one = " ".join(nestling("explain", "design.yaml", "product_review", cwd=shop).out.split())
    assert one.endswith(
        "Rules: A7 the seven decision factors, A9 read to write ratio, A10 where the sources disagree, rule-5 access patterns"
        " decide (docs/rules.md)."
    )
    assert "Rules: " not in nestling("explain", "design.yaml", cwd=shop).out


def test_explanations_are_as_wide_as_asked(shop: Path) -> None:
    """COLUMNS says how wide, in a pipe too; sentences end at a hundred."""
    for asked, most in (({}, 100), ({"COLUMNS": "60"}, 60), ({"COLUMNS": "250"}, 100)):
        widest = max(map(len, nestling("explain", "design.yaml", "--all", cwd=shop, **asked).out.splitlines()))
        assert most - 5 <= widest <= most, asked


def test_what_was_rejected(shop: Path) -> None:
    """A count that every view would have to change is not kept, and the statement that would pay is named with its number."""
    out = " ".join(nestling("explain", "design.yaml", "--all", cwd=shop).out.split())
    assert re.search(r"count of page_view in product by product_page_view \(computed\): costs [\d,]+ ms/s more", out)
    assert "record_view (900/s)" in out


@pytest.mark.thorough
def test_by_the_tree(shop: Path, tmp_path: Path) -> None:
    """Of the tree's design the questions are told, each with its rule and number."""
    made = nestling("design", "model.yaml", "--strategy", "tree", "-o", tmp_path / "tree.yaml", cwd=shop)
    assert made.code == 0, made.err
    done = nestling("explain", tmp_path / "tree.yaml", "product_review", cwd=shop)
    assert done.out.startswith("product_review: parent-reference (product 1:N review)\n")
    assert "  rule-4    arrays must not grow without bound" in done.out


def test_every_decision(shop: Path) -> None:
    """Without a relationship all decisions are explained, one block each; `--all` tells the factors too."""
    short = nestling("explain", "design.yaml", cwd=shop).out
    whole = nestling("explain", "design.yaml", "--all", cwd=shop).out
    assert whole.count("factors (A7)") == 10
    assert "factors (A7)" not in short
    assert len(short.splitlines()) < len(whole.splitlines()) / 3
    heads = [line for line in whole.splitlines() if re.match(r"\w+: [\w-]+ \(", line)]
    assert len(heads) == 10
    assert [line for line in short.splitlines() if line in heads] == heads


def test_what_decided_is_told_first(shop: Path) -> None:
    """The short explanation has each decision's cost, its nearest turn, what is kept besides, and where the rest is told."""
    out = " ".join(nestling("explain", "design.yaml", cwd=shop).out.split())
    assert out.startswith("The workload costs ")
    assert re.search(
        r"product_review: parent-reference \(product 1:N review\) cost review in a collection of its own saves", out
    )
    assert re.search(r"Kept besides customer\.name in review: saves [\d,.]+ ms/s \([\d.]+%\), for latest_reviews", out)
    assert re.search(r"… considered and not kept: \d+ others", out)
    assert "index of `review` on customer_id: finds `review` by `customer` (customer_review)" in out
    assert "`--all` everything" in out


def test_json_shape(shop: Path) -> None:
    """`--json` has the documented keys; a part of a many-to-many is explained by the whole."""
    found = nestling("explain", "design.yaml", "category_product_category", "--json", cwd=shop).json
    assert set(found) == {
        "strategy",
        "decisions",
        "gaps",
        "lacking",
        "notes",
        "weighed",
        "costs",
        "built_besides",
        "about",
        "stored",
    }
    (decision,) = found["decisions"]
    keys = {"relationship", "subject", "choice", "patterns", "steps", "factors", "alternatives", "flips"}
    assert set(decision) == keys
    assert all(each["about"] == "product_category" for each in found["weighed"])
    assert decision["relationship"] == "product_category"
    assert len(decision["factors"]) == 7


def test_an_entity(shop: Path) -> None:
    """All that is decided of its relationships, the many-to-many among them, and nothing else."""
    found = nestling("explain", "design.yaml", "review", "--json", cwd=shop).json
    assert {each["relationship"] for each in found["decisions"]} == {"product_review", "customer_review"}
    assert {each["about"] for each in found["weighed"]} <= {"product_review", "customer_review"}
    category = nestling("explain", "design.yaml", "category", "--json", cwd=shop).json
    assert {each["relationship"] for each in category["decisions"]} == {"category_category", "product_category"}


def test_a_statement(shop: Path) -> None:
    """The decisions it weighs in and the copies it is the reason of."""
    found = nestling("explain", "design.yaml", "latest_reviews", "--json", cwd=shop).json
    assert "product_review" in {each["relationship"] for each in found["decisions"]}
    for decision in found["decisions"]:
        assert any("latest_reviews (850/s)" in step["text"] for step in decision["steps"])
    assert "customer.name in review" in {each["structure"] for each in found["weighed"] if each["chosen"]}
    assert "Kept besides" in nestling("explain", "design.yaml", "latest_reviews", cwd=shop).out


def test_what_nothing_is_decided_about(tmp_path: Path) -> None:
    """Of an entity without relationships its collection is told."""
    tables = "CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (a INT REFERENCES a); CREATE TABLE c (id INT);"
    (tmp_path / "tables.sql").write_text(tables, encoding="utf-8")
    assert nestling("design", "tables.sql", "-o", "design.yaml", cwd=tmp_path).code == 0
    done = nestling("explain", "design.yaml", "c", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("c: collection c\n  stored    home of `c`\n")


def test_an_unknown_relationship(shop: Path) -> None:
    """The closest names are suggested first."""
    done = nestling("explain", "design.yaml", "product_revew", cwd=shop)
    assert done.code == 2
    assert done.err.startswith(
        "Error: no relationship, entity or statement `product_revew`; there is `product_review`, "
    )


def test_a_statement_of_a_design_by_rules(tmp_path: Path) -> None:
    """Nothing weighed it: it is not called unknown without saying so."""
    (tmp_path / "tables.sql").write_text("CREATE TABLE a (id INT PRIMARY KEY)", encoding="utf-8")
    (tmp_path / "workload.sql").write_text(
        "-- name: one, rate: 1/s\nSELECT id FROM a WHERE id = :id;", encoding="utf-8"
    )
    given = ("--workload", "workload.sql", "--strategy", "normalized", "-o", "design.yaml")
    assert nestling("design", "tables.sql", *given, cwd=tmp_path).code == 0
    done = nestling("explain", "design.yaml", "one", cwd=tmp_path)
    assert done.code == 2
    assert "a design by rules weighs none" in done.err


def test_a_design_by_hand(tmp_path: Path, library: Path) -> None:
    """A design without decisions says so instead of printing nothing."""
    text = (library / "design.yaml").read_text(encoding="utf-8")
    head, _, rest = text.partition("\ndecisions:")
    kept = rest.split("\n")
    after = next((n for n, line in enumerate(kept[1:], 1) if line and not line.startswith((" ", "-"))), len(kept))
    (tmp_path / "hand.yaml").write_text(head + "\n" + "\n".join(kept[after:]), encoding="utf-8")
    done = nestling("explain", "hand.yaml", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "written by hand" in done.err
